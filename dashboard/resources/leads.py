"""Leads: people who may become customers (reference, section 2, "Lead").

The service shows leads in lists alone, and publishes no way to change one: see leads_pages.py for
what the dashboard does instead.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.safestring import SafeString

from dashboard.accounts import permissions as may
from dashboard.catalogue import services
from dashboard.catalogue.fields import ReferenceField, ReferencesField, SuggestField
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import LEADS as ENDPOINT
from dashboard.gateway import Record
from dashboard.gateway.endpoints import LEAD_STATUSES
from dashboard.records.context import RequestContext
from dashboard.records.display import cells
from dashboard.records.forms.custom_fields import CustomFieldsField
from dashboard.records.forms.phones import PhoneField, read_phone
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.resource import (
    Column,
    Detail,
    DuplicateSearch,
    Filter,
    Page,
    Resource,
    Section,
)

from . import leads_convert, leads_pages

TONES = {
    "New": "open",
    "Contacted": "due",
    "Qualified": "paid",
    "Converted": "paid",
    "Lost": "cancelled",
}
ASK_TAGS = "Yes, take every tag off this lead"
ASK_CUSTOM = "Yes, clear every custom field of this lead"
HOW_TO_SWITCH = "An administrator can try it under Settings, Service."


class LeadQuickForm(RecordForm):
    """A new lead from inside another form."""

    cstname = forms.CharField(label="Name", max_length=100)
    cstemail = forms.EmailField(label="Email", required=False)
    cstmobile = PhoneField(
        label="Phone",
        required=False,
        help_text="Digits, or a full international number such as +49 30 1234567.",
    )
    lead_company_name = forms.CharField(label="Company", required=False)


class LeadForm(LeadQuickForm):
    """A new lead."""

    lead_source = SuggestField(kind=Kind.LEAD_SOURCE, label="Source", required=False)
    lead_assignedto = ReferenceField(kind=Kind.USER, label="Assigned to", required=False)
    cstmobile_country_id = ReferenceField(
        kind=Kind.COUNTRY,
        label="Country of the phone",
        required=False,
        help_text="Only for a number without a plus sign; of one with it, the code says it.",
    )
    lead_industry = SuggestField(kind=Kind.LEAD_INDUSTRY, label="Industry", required=False)
    lead_assignmentgroup = ReferenceField(kind=Kind.GROUP, label="Assigned group", required=False)
    brand_id = ReferenceField(kind=Kind.BRAND, label="Brand", required=False)
    tag_ids = ReferencesField(kind=Kind.LEAD_TAG, label="Tags", required=False)
    cstaddress = forms.CharField(
        label="Address", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    cstnotes = forms.CharField(
        label="Notes", required=False, widget=forms.Textarea(attrs={"rows": 4})
    )
    custom_fields = CustomFieldsField(kind=Kind.LEAD_FIELD, label="Custom fields", required=False)

    more: ClassVar[tuple[str, ...]] = (
        "cstmobile_country_id",
        "lead_industry",
        "lead_assignmentgroup",
        "brand_id",
        "tag_ids",
        "cstaddress",
        "cstnotes",
        "custom_fields",
    )

    def clean(self) -> dict[str, Any]:
        """An international number and the country chosen beside it must agree."""
        data = super().clean()
        country, number = data.get("cstmobile_country_id"), data.get("cstmobile") or ""
        known = self.ctx and services.entry(self.ctx.workspace, Kind.COUNTRY, country)
        if known and known.calling_code and number.startswith("+"):
            code = read_phone(number).calling_code
            if code != known.calling_code.lstrip("+"):
                self.add_error(
                    "cstmobile_country_id",
                    f"The number begins with +{code}, which is not {known.name}. "
                    "Leave the country empty, or correct one of them.",
                )
        return data


class LeadEditForm(LeadForm):
    """An existing lead, where the service offers to change one."""

    ask_before_emptying: ClassVar[Mapping[str, str]] = {
        "tag_ids": ASK_TAGS,
        "custom_fields": ASK_CUSTOM,
    }


def _status(record: Record, ctx: RequestContext) -> SafeString:
    word = record["lead_status"]
    return cells.status(word, TONES[word]) if word in TONES else cells.text(word)


def _listed(kind: Kind, name: str, label: str) -> Detail:
    return Detail(name=name, label=label, cell=cells.reference(kind, name))


def _ask(body: Mapping[str, Any]) -> dict[str, Any]:
    """The search that finds a lead again: an address is rarer than a name."""
    return {"search": body.get("cstemail") or body.get("cstname") or ""}


LEADS: Resource = Resource(
    endpoint=ENDPOINT,
    singular="lead",
    icon="funnel",
    title_field="cstname",
    search_hint="Name or email",
    columns=(
        Column(name="cstname", label="Name"),
        Column(name="lead_status", label="Status", cell=_status),
        Column(name="lead_company_name", label="Company"),
        Column(name="cstemail", label="Email"),
        Column(name="lead_source", label="Source"),
        Column(name="owner", label="Owner"),
        Column(name="cstcreated_on", label="Created", cell=cells.unbroken("cstcreated_on")),
    ),
    filters=(
        Filter(
            name="lead_status",
            label="Status",
            choices={str(code): word for code, word in LEAD_STATUSES},
        ),
    ),
    facts=(
        Detail(name="lead_status", label="Status", cell=_status),
        Detail(name="ct_number", label="Number"),
        Detail(name="owner", label="Owner"),
        Detail(name="cstcreated_on", label="Created"),
    ),
    sections=(
        Section(
            title="Lead",
            details=(
                Detail(name="lead_company_name", label="Company"),
                Detail(name="cstemail", label="Email", cell=cells.email("cstemail")),
                Detail(name="cstmobile", label="Phone", cell=cells.phone("cstmobile")),
                Detail(name="lead_source", label="Source"),
                Detail(name="lead_industry", label="Industry"),
                _listed(Kind.USER, "lead_assignedto", "Assigned to"),
                _listed(Kind.GROUP, "lead_assignmentgroup", "Assigned group"),
                _listed(Kind.BRAND, "brand_id", "Brand"),
                _listed(Kind.LEAD_TAG, "tag_ids", "Tags"),
                Detail(name="cstaddress", label="Address"),
                Detail(name="cstnotes", label="Notes"),
                Detail(name="custom_fields", label="Custom fields"),
            ),
        ),
    ),
    duplicate_search=DuplicateSearch(ask=_ask, same={"cstname": "cstname", "cstemail": "cstemail"}),
    create_form=LeadForm,
    edit_form=LeadEditForm,
    quick_form=LeadQuickForm,
    not_editable={"The status": "the service moves leads on itself; it takes no status from us."},
    not_offered={
        "update": "The service publishes no way to change a lead. Replace creates a corrected one "
        "and then deletes this one. " + HOW_TO_SWITCH,
    },
    reader=leads_pages.read,
    extra_pages={
        "detail": Page(
            route="<int:record_id>/", view=leads_pages.show, permission=may.VIEW_RECORDS
        ),
        "edit": Page(
            route="<int:record_id>/edit/", view=leads_pages.edit, permission=may.EDIT_RECORDS
        ),
        "replace": Page(
            route="<int:record_id>/replace/",
            view=leads_pages.replace,
            permission=may.DELETE_RECORDS,
        ),
        "convert": Page(
            route="<int:record_id>/convert/",
            view=leads_convert.convert,
            permission=may.EDIT_RECORDS,
        ),
    },
)
