"""Converts a lead to a contact, its business and optionally a deal, in one form.

Existing contacts that may be the same are offered first. Each step is a write of its own. If one
fails, the form keeps the records created so far, and sending it again continues after them. The
lead is deleted only if a separate box is ticked.
"""

from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect

from dashboard.core.service_name import SERVICE
from dashboard.gateway import CONTACTS, GatewayError, OutcomeUnknown, Record, Rejected
from dashboard.gateway.api import BUSINESS, INDIVIDUAL
from dashboard.gateway.values import whole_number
from dashboard.office import reference_lists
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField, SuggestField
from dashboard.people import permissions as may
from dashboard.people.context import RequestContext
from dashboard.reader import lookups
from dashboard.reader.find import exact_matches
from dashboard.records import form_drafts
from dashboard.records.forms import FormPage
from dashboard.schema import defaults, new_record
from dashboard.schema.fields import BooleanField, ChoiceField, EmailField, ValueField
from dashboard.schema.inputs import DayField, MoneyField
from dashboard.schema.phones import WrittenPhoneField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Resource
from dashboard.writes import outcomes, writer

from . import leads_matching, leads_pages
from .contacts import CONTACTS as CONTACT_PAGES
from .deals import DEALS
from .leads_matching import Matches
from .leads_pages import MAX_MATCHES

NEW, NONE = "new", "none"
PERSON_FIELDS = ("cstname", "cstemail", "cstmobile")
DEAL_FIELDS = (
    "deal_name",
    "pipeline_id",
    "deal_amount",
    "deal_amount_currency",
    "deal_expected_close_date",
    "deal_owner_id",
    "deal_assignedto",
    "deal_source",
)
# The form field that holds a field of the record which a step creates, where the names differ.
FORM_FIELDS: Mapping[str, Mapping[str, str]] = {
    "company": {"cstname": "company_name"},
    "person": {"contact_parent": "company"},
    "deal": {"cstid": "company", "deal_contact_id": "person"},
}


class NumberUnknownError(GatewayError):
    """A step was saved, and the next one needs its number."""

    title = f"Saved, but {SERVICE} didn't return its number"
    text = "Search for it."


class MatchField(ChoiceField):
    """Choice of an existing record, a new one, or none."""

    widget = forms.RadioSelect

    def valid_value(self, value: Any) -> bool:
        """Accept any id: the search of this request may not find what an earlier one offered."""
        return super().valid_value(value) or whole_number(value) is not None


class ConvertForm(RecordForm):
    """The contacts and the deal that a lead is converted to."""

    person = MatchField(label="Contact")
    cstname = ValueField(label="Name", max_length=100, required=False)
    cstemail = EmailField(label="Email", required=False)
    cstmobile = WrittenPhoneField(label="Phone", required=False)
    company = MatchField(label="Business")
    company_name = ValueField(label="Name of the business", max_length=100, required=False)
    with_deal = BooleanField(label="Also create a deal", required=False)
    deal_name = ValueField(label="Name of the deal", max_length=255, required=False)
    pipeline_id = ReferenceField(kind=Kind.PIPELINE, label="Pipeline", required=False)
    deal_amount = MoneyField(label="Amount", required=False)
    deal_amount_currency = ReferenceField(kind=Kind.CURRENCY, label="Currency", required=False)
    deal_expected_close_date = DayField(label="Expected close", required=False, looks_ahead=True)
    deal_owner_id = ReferenceField(kind=Kind.USER, label="Owner", required=False)
    deal_assignedto = ReferenceField(kind=Kind.USER, label="Assigned to", required=False)
    deal_source = SuggestField(kind=Kind.DEAL_SOURCE, label="Source", required=False)
    delete_lead = BooleanField(
        label="Delete the lead after converting it",
        required=False,
        help_text="Otherwise the lead stays in your list.",
    )

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        """Require the fields that the service requires of each record to be created."""
        super().__init__(data, **kwargs)
        choices = self.data if self.is_bound else {"person": NEW, "company": NEW, "with_deal": "on"}
        self.fields["cstname"].required = choices.get("person") == NEW
        self.fields["company_name"].required = choices.get("company") == NEW
        if not self.is_bound and self.initial.get("with_deal"):
            self.focus("deal_amount")
        for name in ("deal_name", "pipeline_id"):
            self.fields[name].required = bool(choices.get("with_deal"))

    def clean(self) -> dict[str, Any]:
        """Leave out errors of a record that is not created."""
        data = super().clean()
        unused = {
            *(PERSON_FIELDS if data.get("person") != NEW else ()),
            *(("company_name",) if data.get("company") != NEW else ()),
            *(DEAL_FIELDS if not data.get("with_deal") else ()),
        }
        for name in unused & self.errors.keys():
            del self.errors[name]
        return data

    def fix(self, name: str, record_id: int, title: str) -> None:
        """Choose the record just created, so that sending the form again creates no second one."""
        data = QueryDict(mutable=True)
        data.update(self.data)
        data[name] = str(record_id)
        self.data = data
        self.cleaned_data[name] = str(record_id)
        field: Any = self.fields[name]
        field.choices = [(str(record_id), f"{title}, just created"), *field.choices]


class ConvertPage(FormPage):
    """The page of the form, which creates each record in a step of its own.

    step: the current one, "company", "person" or "deal". token: the token of its write. done:
    (words, URL) of saved records.
    """

    template = "resources/leads/convert.html"
    step = token = ""

    def __init__(self, ctx: RequestContext, resource: Resource, lead: Record) -> None:
        super().__init__(ctx, resource)
        self.lead = lead
        self.done: list[tuple[str, str]] = []

    @cached_property
    def form(self) -> ConvertForm:
        """Return the form; ?deal=1 ticks the deal at first."""
        matches = leads_matching.find_matches(self.ctx, self.lead, tolerant=True)
        with_deal = "deal" in self.input.params
        initial = {**_beginning(self.lead, self.ctx, matches), "with_deal": with_deal}
        form = ConvertForm(self.input.data, ctx=self.ctx, initial=initial)
        _offer(form, matches)
        if not self.ctx.may(may.DELETE_RECORDS):
            del form.fields["delete_lead"]
        return form

    @property
    def label(self) -> str:
        return f"Convert {self.resource.title(self.lead)}"

    def context(self) -> dict[str, Any]:
        url = self.resource.url(self.lead.id)
        return {"lead": self.lead, "lead_url": url, "done": self.done}

    def send(self) -> str:
        """Create all records; return the URL to redirect to. Raises GatewayError."""
        data = self.form.cleaned_data
        company = self._contact("company", {"cstname": data.get("company_name")}, BUSINESS)
        given = {name: data.get(name) for name in PERSON_FIELDS} | {"contact_parent": company or ""}
        person = self._contact("person", given, INDIVIDUAL)
        if not data["with_deal"]:
            return CONTACT_PAGES.url(person or company)
        return DEALS.url(self._deal(person, company))

    def _contact(self, name: str, given: dict[str, Any], kind: int) -> int:
        chosen = self.form.cleaned_data[name]
        if chosen != NEW:
            return whole_number(chosen) or 0
        created = self._create(CONTACT_PAGES, {**given, "contact_type": kind}, name)
        lookups.cache_title(self.ctx.gateway, CONTACTS, created, str(given["cstname"]))
        self.form.fix(name, created, str(given["cstname"]))
        return created

    def _deal(self, person: int, company: int) -> int:
        data = self.form.cleaned_data
        given = {name: data[name] for name in DEAL_FIELDS}
        given["cstid"] = company or person  # a person on their own is the company of their deal
        given["deal_contact_id"] = (company and person) or ""
        return self._create(DEALS, given, "deal")

    def _create(self, resource: Resource, given: dict[str, Any], step: str) -> int:
        self.step, self.token = step, f"{self.input.token}:{step}"
        body = new_record.build_body(self.ctx, resource, given)
        created = writer.create(ctx=self.ctx, resource=resource, body=body, token=self.token)
        label = created.label or str(body[resource.title_field])
        self.done.append((f"{resource.singular.capitalize()} {label}", resource.url(created.id)))
        if created.id is None:
            raise NumberUnknownError
        return created.id

    def announce(self) -> None:
        for words, _ in self.done:
            messages.success(self.ctx.request, f"{words} was created.")

    def render_failure(self, error: GatewayError) -> HttpResponse:
        if isinstance(error, OutcomeUnknown):
            self.announce()
            form_drafts.store_changed(self.ctx, self.form.data)
            return redirect(outcomes.url_for_token(self.token or self.input.token))
        if isinstance(error, Rejected):
            names = FORM_FIELDS.get(self.step, {})
            error.fields = {names.get(key, key): words for key, words in error.fields.items()}
        return super().render_failure(error)


@form_drafts.form_page
def convert(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    lead = leads_pages.of_form(ctx, resource, record_id).record
    form = ConvertPage(ctx, resource, lead)
    if not form.is_submitted or form.apply_button():
        return form.render()
    if not form.is_valid():
        return form.render(status=HTTPStatus.UNPROCESSABLE_ENTITY)
    token = form.input.token
    try:
        with writer.reserve(ctx, resource, lead.id, f"{token}:lead") as deletion:
            url = form.send()
            form.announce()
            if form.form.cleaned_data.get("delete_lead"):
                leads_pages.delete_old(ctx, deletion, lead)
    except GatewayError as error:
        return form.render_failure(error)
    form_drafts.finish_draft(ctx)
    return redirect(url)


def _beginning(lead: Record, ctx: RequestContext, matches: Matches) -> dict[str, Any]:
    """Return the initial values. The same person and a business of the same name
    are preselected. The deal begins as a new one, with the lead's source and owner if they are
    known.
    """
    name, company = str(lead["cstname"] or ""), str(lead["lead_company_name"] or "")
    same = leads_matching.same_person(matches.people, lead)
    firm = exact_matches(matches.businesses, company)
    assigned = whole_number(str(lead.get("lead_assignedto")))
    owner = assigned or defaults.user_called(ctx, str(lead["owner"] or ""))
    given = {"deal_name": company or name, "deal_source": lead["lead_source"]}
    given |= {"deal_owner_id": owner, "deal_assignedto": owner}
    known = {name: str(value) for name, value in given.items() if value}
    deal = new_record.initial_values(ctx, DEALS, known)
    pipelines = reference_lists.choices(ctx.workspace, Kind.PIPELINE)
    return {
        "pipeline_id": next(iter(pipelines), ""),
        **{name: deal[name] for name in DEAL_FIELDS if name in deal},
        "person": str(same.id) if same else NEW,
        "cstname": name,
        "cstemail": lead["cstemail"] or "",
        "cstmobile": lead["cstmobile"] or "",
        "company": str(firm[0].id) if firm else NEW if company else NONE,
        "company_name": company,
    }


def _offer(form: ConvertForm, matches: Matches) -> None:
    no_company = [(NEW, "Create business"), (NONE, "No business")]
    for name, found, none, last in (
        ("person", matches.people, "No matching contacts", [(NEW, "Create contact")]),
        ("company", matches.businesses, "No matching businesses", no_company),
    ):
        if not found:
            form.fields[name].help_text = none
        options = [(str(match.id), f"{match.title}, {match.hint}") for match in found[:MAX_MATCHES]]
        form.fields[name].choices = [*options, *last]  # type: ignore[attr-defined]
