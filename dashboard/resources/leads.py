"""Leads: people who may become customers (reference, section 2, "Lead").

The service returns leads only in lists, and offers no update: see leads_pages.py.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.gateway import LEADS as ENDPOINT
from dashboard.gateway.api import LEAD_STATUSES
from dashboard.office import reference_lists
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField, ReferencesField, SuggestField
from dashboard.people import permissions as may
from dashboard.schema import cells
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.fields import AnyEmailField, EmailField, TextField, ValueField
from dashboard.schema.filters import BuiltInView, Choice, Lacking
from dashboard.schema.phones import HINT, PhoneField, read_phone
from dashboard.schema.resource import (
    Column,
    Detail,
    Resource,
    Section,
    columns,
    details,
    record_page,
)
from dashboard.writes.history import CREATED_BY_ME, EnteredHere

from . import leads_convert, leads_matching, leads_pages, person_form
from .person_form import PersonForm
from .quick_entry import OneLineForm
from .quick_entry_grammar import UNLABELLED

STATUSES = {  # the tone of each status, which is its own word
    "New": ("New", "open"),
    "Contacted": ("Contacted", "soon"),
    "Qualified": ("Qualified", "paid"),
    "Converted": ("Converted", "paid"),
    "Lost": ("Lost", "off"),
}
STATUS = cells.status("lead_status", STATUSES)
HOW_TO_SWITCH = "An administrator can turn it on in Settings > Optional features."


class LeadQuickForm(PersonForm):
    """Form of a new lead inside another form."""

    cstemail: EmailField = AnyEmailField(label="Email", required=False)
    cstmobile = PhoneField(
        label="Phone",
        required=False,
        help_text=f"Digits, or {HINT}.",
    )
    lead_company_name = ValueField(label="Company", required=False)


class LeadForm(OneLineForm, LeadQuickForm):
    entry = "lead"
    parts: ClassVar[Mapping[str, str]] = {
        "name": "cstname",
        "email": "cstemail",
        "phone": "cstmobile",
        "business": "lead_company_name",
        "source": "lead_source",
        UNLABELLED: "cstnotes",
    }

    lead_source = SuggestField(kind=Kind.LEAD_SOURCE, label="Source", required=False)
    lead_assignedto = ReferenceField(kind=Kind.USER, label="Assigned to", required=False)
    cstmobile_country_id = ReferenceField(
        kind=Kind.COUNTRY,
        label="Phone country",
        required=False,
        help_text="Only for a number without a plus sign.",
    )
    lead_industry = SuggestField(kind=Kind.LEAD_INDUSTRY, label="Industry", required=False)
    lead_assignmentgroup = ReferenceField(kind=Kind.GROUP, label="Assigned group", required=False)
    brand_id = ReferenceField(kind=Kind.BRAND, label="Brand", required=False)
    tag_ids = ReferencesField(
        kind=Kind.LEAD_TAG,
        names_as="tag_names",
        label="Tags",
        required=False,
        help_text=f"Tags that {SERVICE} has, by name.",
    )
    cstaddress = TextField(
        label="Address", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    cstnotes = TextField(label="Notes", required=False, widget=forms.Textarea(attrs={"rows": 4}))
    custom_fields = CustomFieldsField(kind=Kind.LEAD_FIELD, label="Custom fields", required=False)

    half_width: ClassVar[tuple[str, ...]] = (
        "cstemail",
        "cstmobile",
        "lead_source",
        "lead_assignedto",
        "cstmobile_country_id",
        "lead_industry",
        "lead_assignmentgroup",
        "brand_id",
    )
    defaults_to_self: ClassVar[tuple[str, ...]] = ("lead_assignedto",)
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
        """Check that an international number and the country beside it agree."""
        data = super().clean()
        country, number = data.get("cstmobile_country_id"), data.get("cstmobile") or ""
        known = self.ctx and reference_lists.entry(self.ctx.workspace, Kind.COUNTRY, country)
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
    """Form of an existing lead, if the service offers updates."""

    tag_ids = ReferencesField(kind=Kind.LEAD_TAG, label="Tags", required=False)

    ask_before_emptying = {
        "tag_ids": "Yes, remove every tag from this lead",
        "custom_fields": "Yes, clear every custom field of this lead",
    }


LEADS: Resource = Resource(
    endpoint=ENDPOINT,
    icon="funnel",
    key="l",
    search_hint="Name or email",
    columns=columns(
        "cstname",
        Column("lead_status", label="Status", cell=STATUS),
        "lead_company_name",
        "cstemail",
        "lead_source",
        Column("owner", label="Owner", cell=cells.person(cells.plain("owner"))),
        Column("cstcreated_on", label="Created"),
    ),
    filters=(
        Choice("lead_status", label="Status", choices={str(v): word for v, word in LEAD_STATUSES}),
        Lacking("email", label="Email", field="cstemail"),
        EnteredHere(resource="leads"),
    ),
    badges=details(Detail("lead_status", label="Status", cell=STATUS)),
    subtitle=details(
        Detail("ct_number", label="Number"),
        Detail("owner", label="Owner"),
        Detail("cstcreated_on", label="Created"),
    ),
    sections=(
        Section(
            "Lead",
            details(
                "lead_company_name",
                "cstemail",
                "cstmobile",
                "lead_source",
                "lead_industry",
                "lead_assignedto",
                "lead_assignmentgroup",
                "brand_id",
                "tag_ids",
                "cstaddress",
                "cstnotes",
                "custom_fields",
            ),
        ),
    ),
    duplicate_search=person_form.SAME_PERSON,
    create_form=LeadForm,
    edit_form=LeadEditForm,
    quick_form=LeadQuickForm,
    more_fields={"tag_names": TextField(label="Tags")},
    not_editable={"The status": f"{SERVICE} sets it itself."},
    not_offered={
        "update": f"{SERVICE_AT_START} doesn't let other apps edit leads. "
        "Replace creates a corrected one and then deletes this one. " + HOW_TO_SWITCH,
    },
    views=(
        BuiltInView("new", "New", {"lead_status": "New", "sort": "cstcreated_on", "order": "desc"}),
        CREATED_BY_ME,
    ),
    reader=leads_pages.read_lead,
    bulk_actions=(leads_matching.CONVERT,),
    extra_pages={
        **person_form.PAGES,
        "detail": record_page("", leads_pages.show_lead, may.VIEW_RECORDS),
        "edit": record_page("edit/", leads_pages.edit, may.EDIT_RECORDS),
        "replace": record_page("replace/", leads_pages.replace, may.DELETE_RECORDS),
        "convert": record_page("convert/", leads_convert.convert, may.EDIT_RECORDS),
    },
)
