"""Converts a lead to a contact, its business and, if wanted, a deal, in one form.

Existing contacts that may be the same are offered first. Each step is a write of its own. If one
fails, the form keeps what the earlier ones created, and sending it again continues after them. The
lead is deleted only if a separate box is ticked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
from dashboard.people.context import RequestContext, page
from dashboard.reader import lookups
from dashboard.reader.failures import describe
from dashboard.reader.find import called
from dashboard.records import form_drafts
from dashboard.records import forms as form_pages
from dashboard.records.initial_values import usual_values
from dashboard.schema.defaults import user_called
from dashboard.schema.fields import BooleanField, ChoiceField, EmailField, TextField
from dashboard.schema.inputs import DayField, MoneyField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import Resource
from dashboard.writes import outcomes, writer
from dashboard.writes.form_input import form_input

from . import leads_matching, leads_pages
from .contacts import CONTACTS as CONTACT_PAGES
from .deals import DEALS
from .leads_matching import Matches
from .leads_pages import MAX_MATCHES

NEW, NONE = "new", "none"
NO_NUMBER = f"It was saved, but {SERVICE} did not say its number. Look it up."
# The form field that holds a field of the record which a step creates, where the names differ.
FORM_FIELDS: Mapping[str, Mapping[str, str]] = {
    "company": {"cstname": "company_name"},
    "person": {"contact_parent": "company"},
    "deal": {"cstid": "company", "deal_contact_id": "person"},
}


class MatchField(ChoiceField):
    """The choice of an existing record, a new one, or none."""

    widget = forms.RadioSelect

    def valid_value(self, value: Any) -> bool:
        """Accept any id: the search of this request may not find what an earlier one offered."""
        return super().valid_value(value) or whole_number(value) is not None


class ConvertForm(RecordForm):
    """The contacts and the deal that a lead is converted to."""

    person = MatchField(label="Contact")
    cstname = TextField(label="Name", max_length=100, required=False)
    cstemail = EmailField(label="Email", required=False)
    cstmobile = TextField(
        label="Phone", required=False, widget=forms.TextInput(attrs={"inputmode": "tel"})
    )
    company = MatchField(label="Business")
    company_name = TextField(label="Name of the business", max_length=100, required=False)
    with_deal = BooleanField(label="Also create a deal", required=False)
    deal_name = TextField(label="Name of the deal", max_length=255, required=False)
    pipeline_id = ReferenceField(kind=Kind.PIPELINE, label="Pipeline", required=False)
    deal_amount = MoneyField(label="Amount", required=False)
    deal_amount_currency = ReferenceField(kind=Kind.CURRENCY, label="Currency", required=False)
    deal_expected_close_date = DayField(label="Expected close", required=False, looks_ahead=True)
    deal_owner_id = ReferenceField(kind=Kind.USER, label="Owner", required=False)
    deal_source = SuggestField(kind=Kind.DEAL_SOURCE, label="Source", required=False)
    delete_lead = BooleanField(
        label="Delete the lead once all of this is saved",
        required=False,
        help_text="If not ticked, the lead is kept.",
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

    def fix(self, name: str, record_id: int, title: str) -> None:
        """Choose the record that was just created, so that sending again creates no second one."""
        data = QueryDict(mutable=True)
        data.update(self.data)
        data[name] = str(record_id)
        self.data = data
        self.cleaned_data[name] = str(record_id)
        field: Any = self.fields[name]
        field.choices = [(str(record_id), f"{title}, just created"), *field.choices]


@dataclass
class Steps:
    """Creates the records of a form, one step each.

    name: the current step, "company", "person" or "deal". token: that of its write. done: (words,
    address) of what is saved.
    """

    ctx: RequestContext
    form: ConvertForm
    form_token: str
    name: str = ""
    token: str = ""
    done: list[tuple[str, str]] = field(default_factory=list)

    def carry_out(self) -> str:
        """Create all records; returns the address to continue at. Raises GatewayError."""
        data = self.form.cleaned_data
        company = self._contact("company", {"cstname": data["company_name"]}, BUSINESS)
        body = {name: data[name] for name in ("cstname", "cstemail", "cstmobile") if data[name]}
        if company:
            body["contact_parent"] = company
        person = self._contact("person", body, INDIVIDUAL)
        if not data["with_deal"]:
            return CONTACT_PAGES.url(person or company)
        return DEALS.url(self._deal(person, company))

    def _contact(self, name: str, body: dict[str, Any], kind: int) -> int:
        """The id of the contact chosen or created; 0 for none."""
        chosen = self.form.cleaned_data[name]
        if chosen != NEW:
            return whole_number(chosen) or 0
        created = self._create(CONTACT_PAGES, {**body, "contact_type": kind}, name)
        lookups.cache_title(self.ctx.gateway, CONTACTS, created, str(body["cstname"]))
        self.form.fix(name, created, str(body["cstname"]))
        return created

    def _deal(self, person: int, company: int) -> int:
        data = self.form.cleaned_data
        amount = ("deal_amount", "deal_amount_currency") if data["deal_amount"] else ()
        more = ("deal_expected_close_date", "deal_owner_id", "deal_source")
        names = ("deal_name", "pipeline_id", *amount, *more)
        body = {name: data[name] for name in names if data[name]}
        body["cstid"] = company or person  # a person on their own is the company of their deal
        if company and person:
            body["deal_contact_id"] = person
        return self._create(DEALS, body, "deal")

    def _create(self, resource: Resource, body: dict[str, Any], step: str) -> int:
        self.name, self.token = step, f"{self.form_token}:{step}"
        created = writer.create(ctx=self.ctx, resource=resource, body=body, token=self.token)
        label = created.label or str(body[resource.title_field])
        self.done.append((f"{resource.singular.capitalize()} {label}", resource.url(created.id)))
        if created.id is None:
            raise Rejected(fields={"": [NO_NUMBER]})
        return created.id

    def show_rejection(self, error: Rejected) -> None:
        """Add the service's errors to the form's fields for the current step."""
        names = FORM_FIELDS.get(self.name, {})
        error.fields = {names.get(key, key): words for key, words in error.fields.items()}
        self.form.show_rejection(error)


@form_drafts.with_drafts
@page
def convert(ctx: RequestContext, resource: Resource, record_id: int) -> HttpResponse:
    """Show the form, or check it and create its records; ?deal=1 ticks the deal at first."""
    given = form_input(ctx)
    lead = leads_pages.of_form(ctx, resource, record_id).record
    matches = leads_matching.find_matches(ctx, lead, tolerant=True)
    initial = {**_beginning(lead, ctx, matches), "with_deal": "deal" in given.params}
    form = ConvertForm(given.data, ctx=ctx, initial=initial)
    _offer(form, matches)
    if not ctx.user.has_perm(may.DELETE_RECORDS):
        del form.fields["delete_lead"]
    if not form.is_bound or form_pages.is_shown_only(ctx, form):
        return _render(ctx, resource, form, lead)
    if not form.is_valid():
        return _render(ctx, resource, form, lead, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    steps = Steps(ctx, form, given.token)
    try:
        with writer.lock_record(resource, lead.id, given.token) as lock:
            url = steps.carry_out()
            _say(ctx, steps)
            if form.cleaned_data.get("delete_lead"):
                leads_pages.delete_old(ctx, resource, lead, f"{given.token}:lead", lock)
    except OutcomeUnknown:
        _say(ctx, steps)
        form_drafts.store_changed(ctx, form.data)
        return redirect(outcomes.url_for_token(steps.token or given.token))
    except Rejected as error:
        steps.show_rejection(error)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _render(ctx, resource, form, lead, status=status, done=steps.done)
    except GatewayError as error:
        why = describe(error)
        more = {"status": why.status, "done": steps.done, "failure": why}
        return _render(ctx, resource, form, lead, **more)
    form_drafts.drop_draft(ctx)
    return redirect(url)


def _say(ctx: RequestContext, steps: Steps) -> None:
    for words, _ in steps.done:
        messages.success(ctx.request, f"{words} was created.")


def _render(
    ctx: RequestContext, resource: Resource, form: ConvertForm, lead: Record, **more: Any
) -> HttpResponse:
    return form_pages.render_form(
        ctx,
        resource,
        form,
        template="resources/leads/convert.html",
        label=f"Convert {resource.title(lead)}",
        lead=lead,
        lead_url=resource.url(lead.id),
        **more,
    )


def _beginning(lead: Record, ctx: RequestContext, matches: Matches) -> dict[str, Any]:
    """The initial values. A contact with the same email address is preselected, and a business of
    the same name. The deal begins as a new one does, in the first pipeline if none was chosen yet,
    with the lead's source and owner; the owner is the person converting where nobody knows whose
    the lead is.
    """
    name, company = str(lead["cstname"] or ""), str(lead["lead_company_name"] or "")
    same = leads_matching.with_email(matches.people, lead)
    firm = called(matches.businesses, company)
    assigned = whole_number(str(lead.get("lead_assignedto")))
    owner = assigned or user_called(ctx, str(lead["owner"] or ""))
    pipelines, deal = (
        reference_lists.choices(ctx.workspace, Kind.PIPELINE),
        usual_values(ctx, DEALS),
    )
    return {
        "person": str(same.id) if same else NEW,
        "cstname": name,
        "cstemail": lead["cstemail"] or "",
        "cstmobile": lead["cstmobile"] or "",
        "company": str(firm[0].id) if firm else NEW if company else NONE,
        "company_name": company,
        "deal_name": company or name,
        "pipeline_id": deal.get("pipeline_id") or next(iter(pipelines), ""),
        "deal_amount_currency": deal.get("deal_amount_currency", ""),
        "deal_owner_id": owner or deal.get("deal_owner_id", ""),
        "deal_source": str(lead["lead_source"] or ""),
    }


def _offer(form: ConvertForm, matches: Matches) -> None:
    no_company = [(NEW, "A new business"), (NONE, "No business")]
    for name, found, none, last in (
        ("person", matches.people, "No matching contact.", [(NEW, "A new contact")]),
        ("company", matches.businesses, "No matching business.", no_company),
    ):
        if not found:
            form.fields[name].help_text = none
        options = [(str(match.id), f"{match.title}, {match.hint}") for match in found[:MAX_MATCHES]]
        form.fields[name].choices = [*options, *last]  # type: ignore[attr-defined]
