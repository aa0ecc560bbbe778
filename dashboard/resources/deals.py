"""Deals: what may be sold to a company (reference, section 2, "Deal")."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.utils.safestring import SafeString

from dashboard.catalogue.fields import ReferenceField, ReferencesField, SuggestField
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import CONTACTS, Record
from dashboard.gateway import DEALS as ENDPOINT
from dashboard.records.context import RequestContext
from dashboard.records.display import cells
from dashboard.records.forms.inputs import DayField, MoneyField
from dashboard.records.forms.pickers import ID, PickerField
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.references import lookups
from dashboard.records.resource import Column, Detail, DuplicateSearch, Filter, Resource, Section

from .contacts import BUSINESS, INDIVIDUAL
from .contacts import CONTACTS as CONTACT_PAGES

ASK_TAGS = "Yes, take every tag off this deal"
STAGE_REASON = "the service moves deals from stage to stage itself; it takes no stage from us."


class DealForm(RecordForm):
    """A new deal. The service wants a name, a pipeline and a company of each."""

    deal_name = forms.CharField(label="Name", max_length=255)
    cstid = PickerField(
        CONTACTS,
        base_filters={"type": str(BUSINESS)},
        creates=lambda: CONTACT_PAGES,
        created_with={"contact_type": str(BUSINESS)},
        label="Company",
    )
    pipeline_id = ReferenceField(kind=Kind.PIPELINE, label="Pipeline")
    deal_amount = MoneyField(label="Amount", required=False)
    deal_amount_currency = ReferenceField(kind=Kind.CURRENCY, label="Currency", required=False)
    deal_expected_close_date = DayField(label="Expected close", required=False)
    deal_contact_id = PickerField(
        CONTACTS,
        base_filters={"type": str(INDIVIDUAL)},
        creates=lambda: CONTACT_PAGES,
        created_with={"contact_type": str(INDIVIDUAL)},
        within="cstid",
        label="Person",
        required=False,
        help_text="Who to talk to. People known to belong to the company come first.",
    )
    deal_owner_id = ReferenceField(kind=Kind.USER, label="Owner", required=False)
    deal_source = SuggestField(kind=Kind.DEAL_SOURCE, label="Source", required=False)
    deal_assignedto = ReferenceField(kind=Kind.USER, label="Assigned to", required=False)
    tag_ids = ReferencesField(kind=Kind.CONTACT_TAG, label="Tags", required=False)
    deal_description = forms.CharField(
        label="Description", required=False, widget=forms.Textarea(attrs={"rows": 4})
    )

    more: ClassVar[tuple[str, ...]] = (
        "deal_source",
        "deal_assignedto",
        "tag_ids",
        "deal_description",
    )
    links: ClassVar[Mapping[str, str]] = {"contact": "cstid"}
    remembered: ClassVar[tuple[str, ...]] = ("pipeline_id", "deal_amount_currency")

    @classmethod
    def linked_to(cls, params: Mapping[str, str], ctx: RequestContext) -> dict[str, Any]:
        """Begun from a person, a deal is with the business that this person belongs to."""
        contact = params.get("contact", "")
        if not ID.fullmatch(contact):
            return {}
        found = lookups.parents(ctx.gateway, [(CONTACTS, int(contact))], seconds=1)
        business = found.get((CONTACTS.name, int(contact)), 0)
        return {"cstid": business, "deal_contact_id": contact} if business else {"cstid": contact}


class DealEditForm(DealForm):
    """An existing deal."""

    ask_before_emptying: ClassVar[dict[str, str]] = {"tag_ids": ASK_TAGS}


def _amount(record: Record, ctx: RequestContext) -> SafeString:
    """The amount with the name of its currency, as far as both are known."""
    amount, currency = cells.text(record["deal_amount"]), record["deal_amount_currency"]
    name = cells.reference(Kind.CURRENCY, "deal_amount_currency")(record, ctx) if currency else ""
    return SafeString(f"{amount} {name}".strip())


def _ask(body: Mapping[str, Any]) -> dict[str, Any]:
    """The search that finds a deal again."""
    return {"search": body.get("deal_name") or "", "filters": {"cstid": body.get("cstid")}}


PIPELINE = cells.reference(Kind.PIPELINE, "pipeline_id")

DEALS: Resource = Resource(
    endpoint=ENDPOINT,
    singular="deal",
    icon="handshake",
    title_field="deal_name",
    search_hint="Name or description",
    columns=(
        Column(name="deal_name", label="Name"),
        Column(name="cstid", label="Company", points_to=CONTACTS),
        Column(name="deal_amount", label="Amount", numeric=True),
        Column(name="pipeline_id", label="Pipeline", cell=PIPELINE),
        Column(name="deal_expected_close_date", label="Expected close"),
        Column(name="owner", label="Owner"),
        Column(name="deal_source", label="Source"),
    ),
    filters=(
        Filter(
            name="cstid", label="Company", points_to=CONTACTS, base_filters={"type": str(BUSINESS)}
        ),
        Filter(name="pipeline_id", label="Pipeline", kind=Kind.PIPELINE),
        Filter(name="deal_current_stage", label="Stage", kind=Kind.STAGE),
        Filter(name="deal_owner_id", label="Owner", kind=Kind.USER),
    ),
    facts=(
        Detail(name="cstid", label="Company", points_to=CONTACTS),
        Detail(name="deal_amount", label="Amount", cell=_amount),
        Detail(name="pipeline_id", label="Pipeline", cell=PIPELINE),
        Detail(
            name="deal_current_stage",
            label="Stage",
            cell=cells.reference(Kind.STAGE, "deal_current_stage"),
        ),
        Detail(name="deal_expected_close_date", label="Expected close"),
        Detail(name="owner", label="Owner"),
    ),
    sections=(
        Section(
            title="Deal",
            details=(
                Detail(name="deal_contact_id", label="Person", points_to=CONTACTS),
                Detail(
                    name="deal_assignedto",
                    label="Assigned to",
                    cell=cells.reference(Kind.USER, "deal_assignedto"),
                ),
                Detail(name="deal_source", label="Source"),
                Detail(
                    name="tag_ids", label="Tags", cell=cells.reference(Kind.CONTACT_TAG, "tag_ids")
                ),
                Detail(name="deal_description", label="Description"),
            ),
        ),
    ),
    duplicate_search=DuplicateSearch(ask=_ask, same={"deal_name": "deal_name", "cstid": "cstid"}),
    create_form=DealForm,
    edit_form=DealEditForm,
    not_editable={"The stage": STAGE_REASON},
    starts={
        "New task": "/tasks/new/?deal={id}",
        "New estimate": "/estimates/new/?deal={id}",
        "New invoice": "/invoices/new/?deal={id}",
    },
    not_listed="The service cannot list the tasks, estimates and invoices of one deal.",
)
