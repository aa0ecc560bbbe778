"""The form of a new contact or lead, with proposals from a pasted signature and possible
duplicates.

The text is posted with the form, and its proposals are computed again whenever the form is
rendered.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple, cast

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from dashboard.core.templates import address
from dashboard.gateway import (
    CONTACTS,
    LEADS,
    Endpoint,
    Gateway,
    GatewayError,
    Page,
    Record,
    concurrency,
)
from dashboard.people import permissions as may
from dashboard.people.context import RequestContext, StaffRequest
from dashboard.reader import find, identity, lookups
from dashboard.records.form_drafts import form_page
from dashboard.records.forms import NewForm, create_record
from dashboard.resources.signatures import LEGAL_FORM, read_signature
from dashboard.schema.fields import EmailField, ValueField
from dashboard.schema.phones import WrittenPhoneField
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import DuplicateSearch, Resource, ResourcePage
from dashboard.text.plain import typed_text
from dashboard.writes import writer

from .quick_entry import OneLineForm

PASTED, READ_TEXT = "pasted", "pasted_read"  # fields: the text, and the text as it was last read
WITH_TABLE = ("leads",)  # whose form takes a table of them, too
DO, READ, TAKE, LEAVE = "do", "read", "take", "leave"
NOTES = "cstnotes"
THERE = "Not saved yet. This may be a duplicate: open the match below, or save anyway."
FIELDS = {  # the fields that a part may go to, of which a form has one or none
    "name": ("cstname",),
    "business": ("lead_company_name", "contact_parent"),
    "email": ("cstemail",),
    "phone": ("cstmobile",),
    "address": ("cstaddress",),
    "tax number": ("ct_taxnumber",),
    "rest": (NOTES,),
}
SEARCHED = 100  # the service cannot search for numbers: those of the newest records are compared
MAX_KNOWN = 3
MAX_CONCURRENT_CALLS = 8  # calls
# Finds a contact or lead again, by email address if it has one, else by name.
SAME_PERSON = DuplicateSearch(
    ask=lambda body: {"search": body.get("cstemail") or body.get("cstname") or ""},
    same={"cstname": "cstname", "cstemail": "cstemail"},
)


class PersonForm(RecordForm):
    """Names and contact details shared by contacts and leads."""

    cstname = ValueField(label="Name", max_length=100)
    cstemail = EmailField(label="Email", required=False)
    cstmobile: forms.CharField = WrittenPhoneField(label="Phone", required=False)


class Proposal(NamedTuple):
    """A value that a signature has for a field. `is_taken`: the field has this value."""

    label: str
    text: str
    is_taken: bool


class PersonPage(NewForm):
    """Form of a new contact or lead, with proposals from a pasted signature."""

    template = "resources/people/form.html"

    @property
    def person(self) -> OneLineForm:
        return cast(OneLineForm, self.form)

    def apply_button(self) -> bool:
        """Read the pasted text, or apply or dismiss a proposal. Text that was not read yet is read
        before the form is sent, so that nothing is lost.
        """
        if super().apply_button():
            return True
        action, _, name = self.input.get(DO).partition(":")
        pasted, read = (self.input.get(field) for field in (PASTED, READ_TEXT))
        is_unread = _tidy(pasted) != _tidy(read)
        if action == READ or is_unread:
            _read(self.form, pasted)
        elif action in (TAKE, LEAVE) and name in self.form.fields:
            proposal = _proposals(self.form, read).get(name)
            _set(self.form, {name: proposal.text if proposal and action == TAKE else ""})
            self.form.focus(name)
        else:
            return False
        return True

    def is_valid(self) -> bool:
        """Validate as FormPage.is_valid; also check a form that is sent unseen for duplicates."""
        given, form = self.input, self.person
        if given.filled and not writer.was_started(ctx=self.ctx, token=given.token):
            typed = {name: _value(form, name) for name in identity.FIELDS if name in form.fields}
            form.known = find_known(self.ctx.gateway, typed)
            if form.known:
                form.add_error(None, THERE)
        return super().is_valid()

    def context(self) -> dict[str, Any]:
        read, has_table = str(self.form.data.get(READ_TEXT, "")), self.resource.name in WITH_TABLE
        return {
            "pasted": self.form.data.get(PASTED, ""),
            "pasted_read": read,
            "proposals": _proposals(self.form, read),
            "known_fields": identity.FIELDS,
            "known_url": self.resource.url(page="known"),
            "table_url": self.resource.url(page="table") if has_table else "",
            "known_people": self.person.known,
        }


@form_page
def create(ctx: RequestContext, resource: Resource) -> HttpResponse:
    return create_record(PersonPage(ctx, resource))


def _proposals(form: RecordForm, text: str) -> dict[str, Proposal]:
    """Return the proposals by field. Values without a field go to the notes."""
    signature = read_signature(text)
    name = signature.name or signature.business
    parts = {
        "name": name,
        "business": signature.business if signature.name else "",
        "email": next(iter(signature.emails), ""),
        "phone": next(iter(signature.phones), ""),
        "address": signature.address,
        "tax number": signature.tax_number,
    }
    targets = {
        label: next((name for name in names if name in form.fields), "")
        for label, names in FIELDS.items()
    }
    loose = [f"{label.capitalize()}: {parts[label]}" for label in parts if not targets[label]]
    parts["rest"] = "\n".join(part for part in (*loose, signature.rest) if part.rpartition(": ")[2])
    return {
        targets[label]: Proposal(label, part, _value(form, targets[label]) == _tidy(part))
        for label, part in parts.items()
        if part and targets[label]
    }


def _value(form: RecordForm, name: str) -> str:
    value = str(form[name].value() or "")
    field = form.fields[name]
    text = field.caption(value) if isinstance(field, PickerField) and value else value
    return _tidy(text)


def _tidy(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _read(form: RecordForm, text: str) -> None:
    """Fill the empty fields. A business is only proposed, as it may not exist yet."""
    filled = {
        name: proposal.text
        for name, proposal in _proposals(form, text).items()
        if not _value(form, name) and not isinstance(form.fields[name], PickerField)
    }
    _set(form, {**filled, READ_TEXT: text})
    form.focus("cstname")


def _set(form: RecordForm, values: dict[str, str]) -> None:
    data = cast(QueryDict, form.data).copy()
    for name, value in values.items():
        if isinstance(form.fields.get(name), PickerField):
            data[name], data[f"{name}-was"], data[f"{name}-text"] = "", "", value
        else:
            data[name] = value
    form.data = data
    form.leave_unchecked()


class Known(NamedTuple):
    """A record with the same value: its name, a hint that identifies it, and its URL."""

    title: str
    hint: str
    noun: str
    url: str


class KnownPeople(NamedTuple):
    """Records with the same value of a field. what: the field's name. newest: how many records were
    compared, if the service cannot search for the value; else 0.
    """

    what: str
    newest: int
    people: list[Known]


def show_known(request: StaffRequest, resource: Resource) -> HttpResponse:
    """Render the contacts and leads whose ?field= is ?value=, and whether a contact's name is that
    of a business; empty without any.
    """
    field, text = request.GET.get("field", ""), typed_text(request.GET, "value")
    known = find_known(request.gateway, {field: text}).get(field)
    has_type = "contact_type" in resource.create_form.base_fields
    is_firm = has_type and field == "cstname" and LEGAL_FORM.search(text)
    context = {"known": known, "is_firm": is_firm}
    return render(request, "resources/people/_duplicates.html", context)


def find_known(gateway: Gateway, typed: Mapping[str, str]) -> dict[str, KnownPeople]:
    """Return the contacts and leads with the same value, by field; at most MAX_KNOWN each. `typed`:
    texts by field; fields beyond identity.FIELDS are ignored.

    A failed search finds nothing: there is no hint, and saving is not affected.
    """
    keys = {each: key for each in identity.FIELDS if (key := identity.key(each, typed.get(each)))}
    searches = {each: " ".join(typed[each].split()) for each in keys}
    if identity.PHONE in searches:
        searches[identity.PHONE] = ""  # the newest records are compared
    calls = [(each, text) for text in set(searches.values()) for each in (CONTACTS, LEADS)]
    pages = concurrency.map(partial(_search, gateway), calls, MAX_CONCURRENT_CALLS)
    rows = [
        (text, endpoint, record)
        for (endpoint, text), page in zip(calls, pages, strict=True)
        if not isinstance(page, GatewayError)
        for record in page.records
    ]
    known = {}
    for field, key in keys.items():
        people = [
            _known(endpoint, record)
            for text, endpoint, record in rows
            if text == searches[field] and identity.key(field, record[field]) == key
        ]
        if people:
            newest = SEARCHED if field == identity.PHONE else 0
            known[field] = KnownPeople(identity.FIELDS[field], newest, people[:MAX_KNOWN])
    return known


def _search(gateway: Gateway, call: tuple[Endpoint, str]) -> Page:
    """Return the records with a text, else those with a word of it: they may spell it otherwise."""
    endpoint, text = call
    found = lookups.list_page(gateway, endpoint, search=text, page_size=SEARCHED)
    if found.records or not (word := find.word_of(text)):
        return found
    return lookups.list_page(gateway, endpoint, search=word, page_size=SEARCHED)


def _known(endpoint: Endpoint, record: Record) -> Known:
    title = str(record[endpoint.label_field] or f"number {record.id}")
    hint = str(record["cstemail"] or record[identity.PHONE] or "")
    return Known(title, hint, endpoint.singular, address(endpoint.name, record.id))


PAGES = {
    "create": ResourcePage("new/", create, may.EDIT_RECORDS),
    "known": ResourcePage("known/", show_known, may.VIEW_RECORDS),
}
"""The pages that contacts and leads have in common."""
