"""The form of a new contact or lead, with proposals read from a pasted signature.

The text is posted with the form, and its proposals are computed again whenever the form is shown.
"""

from http import HTTPStatus
from typing import Any, NamedTuple, cast

from django.http import HttpResponse, QueryDict

from dashboard.gateway import GatewayError
from dashboard.people.context import RequestContext, page
from dashboard.reader import identity
from dashboard.records import forms
from dashboard.records.form_drafts import with_drafts
from dashboard.records.initial_values import initial_values
from dashboard.resources.signatures import read_signature
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Resource
from dashboard.writes import writer
from dashboard.writes.form_input import form_input

from .known_people import context_of_known, find_known
from .quick_entry import OneLineForm

PASTED, READ_TEXT = "pasted", "pasted_read"  # fields: the text, and the text as it was last read
WITH_TABLE = ("leads",)  # whose form takes a table of them, too
DO, READ, TAKE, LEAVE = "do", "read", "take", "leave"
NOTES = "cstnotes"
THERE = "Not saved yet: this may exist already, see below. Open it, or save anyway."
FIELDS = {  # the fields that a part may go to, of which a form has one or none
    "name": ("cstname",),
    "business": ("lead_company_name", "contact_parent"),
    "email": ("cstemail",),
    "phone": ("cstmobile",),
    "address": ("cstaddress",),
    "tax number": ("ct_taxnumber",),
    "rest": (NOTES,),
}


class Proposal(NamedTuple):
    """What a signature says about a field. `is_taken`: the field has this value."""

    label: str
    text: str
    is_taken: bool


@with_drafts
@page
def create(ctx: RequestContext, resource: Resource) -> HttpResponse:
    """The form of a new contact or lead."""
    initial = {} if form_input(ctx).is_typed else initial_values(ctx, resource)
    form = cast(OneLineForm, forms.new_form(ctx, resource, initial))
    if not form.is_bound or _is_pressed(ctx, form):
        return forms.render_form(ctx, resource, form, **_context(resource, form))
    _tell_known(ctx, form)
    if not form.is_valid():
        page_context = _context(resource, form)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return forms.render_form(ctx, resource, form, status=status, **page_context)
    try:
        created = forms.send_new(ctx, resource, form)
    except GatewayError as error:
        page_context = _context(resource, form)
        return forms.render_failed_save(ctx, resource, form, error, **page_context)
    forms.announce_created(ctx, resource, form, created)
    return forms.leave_created(ctx, resource, created)


def _context(resource: Resource, form: OneLineForm) -> dict[str, Any]:
    read = str(form.data.get(READ_TEXT, ""))
    return {
        "template": "resources/people/form.html",
        "pasted": form.data.get(PASTED, ""),
        "pasted_read": read,
        "proposals": _proposals(form, read),
        "known_fields": identity.FIELDS,
        "known_url": resource.url(page="known"),
        "table_url": resource.url(page="table") if resource.name in WITH_TABLE else "",
        "known_people": form.known,
    }


def _proposals(form: RecordForm, text: str) -> dict[str, Proposal]:
    """What the text says, by the name of the field. What has no field goes to the notes."""
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
    """The value of a field as text; the text of a picker."""
    value = str(form[name].value() or "")
    field = form.fields[name]
    text = field.widget.caption(value) if isinstance(field, PickerField) and value else value
    return _tidy(text)


def _tidy(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _is_pressed(ctx: RequestContext, form: RecordForm) -> bool:
    """Read the pasted text, or take or leave one proposal; whether there was anything to do.

    A text that was not read yet is read before the form is sent, so that nothing of it is lost.
    """
    if forms.is_shown_only(ctx, form):
        return True
    action, _, name = form_input(ctx).get(DO).partition(":")
    pasted, read = (form_input(ctx).get(field) for field in (PASTED, READ_TEXT))
    is_unread = _tidy(pasted) != _tidy(read)
    if action == READ or is_unread:
        _read(form, pasted)
    elif action in (TAKE, LEAVE) and name in form.fields:
        proposal = _proposals(form, read).get(name)
        _set(form, {name: proposal.text if proposal and action == TAKE else ""})
        _focus(form, name)
    else:
        return False
    return True


def _read(form: RecordForm, text: str) -> None:
    """Fill the empty fields from the text. A business is only proposed: it may not be there yet."""
    filled = {
        name: proposal.text
        for name, proposal in _proposals(form, text).items()
        if not _value(form, name) and not isinstance(form.fields[name], PickerField)
    }
    _set(form, {**filled, READ_TEXT: text})
    _focus(form, "cstname")


def _set(form: RecordForm, values: dict[str, str]) -> None:
    data = cast(QueryDict, form.data).copy()
    for name, value in values.items():
        if isinstance(form.fields.get(name), PickerField):
            data[name], data[f"{name}-was"], data[f"{name}-text"] = "", "", value
        else:
            data[name] = value
    form.data = data
    form.leave_unchecked()


def _focus(form: RecordForm, name: str) -> None:
    form.fields[name].widget.attrs["autofocus"] = True


def _tell_known(ctx: RequestContext, form: OneLineForm) -> None:
    """Put who is there already on a form that nobody has seen: it is not sent then."""
    given = form_input(ctx)
    if not given.filled or writer.was_started(ctx=ctx, token=given.token):
        return
    typed = {name: _value(form, name) for name in identity.FIELDS if name in form.fields}
    known = {name: people for name, people in find_known(ctx.gateway, typed).items() if people}
    form.known = {name: context_of_known(name, people) for name, people in known.items()}
    if known:
        form.add_error(None, THERE)
