"""Deals: what may be sold to a company (reference, section 2, "Deal")."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms

from dashboard.core.service_name import SERVICE
from dashboard.gateway import CONTACTS, whole_number
from dashboard.gateway import DEALS as ENDPOINT
from dashboard.gateway.api import BUSINESS, INDIVIDUAL
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField, ReferencesField, SuggestField
from dashboard.people.context import RequestContext
from dashboard.reader import lookups
from dashboard.schema import cells
from dashboard.schema.fields import TextField, ValueField
from dashboard.schema.filters import AtLeast, BuiltInView, Days, Entry, filters
from dashboard.schema.inputs import DayField, MoneyField
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import RecordForm
from dashboard.schema.resource import (
    Column,
    CreateFrom,
    Detail,
    DuplicateSearch,
    Resource,
    Section,
    columns,
    details,
)
from dashboard.writes.history import CREATED_BY_ME, EnteredHere

STAGE_REASON = (
    f"{SERVICE} sets it. If an administrator turns on stage changes, you can move the deal on its "
    "page or the board."
)


class DealForm(RecordForm):
    """Form of a new deal. The service requires a name, a pipeline and a company."""

    deal_name = ValueField(label="Name", max_length=255)
    # "company contact" (reference, section 2, "Deal"): services take individuals, too, as private
    # customers have deals. One that does not says so beside the field.
    cstid = PickerField(
        CONTACTS,
        prefers=f"type:{BUSINESS}",
        creates=True,
        created_with={"contact_type": str(BUSINESS)},
        label="Company",
        help_text="A business, or a private customer.",
    )
    pipeline_id = ReferenceField(kind=Kind.PIPELINE, label="Pipeline")
    deal_amount = MoneyField(label="Amount", required=False, currency="deal_amount_currency")
    deal_amount_currency = ReferenceField(kind=Kind.CURRENCY, label="Currency", required=False)
    deal_expected_close_date = DayField(label="Expected close", required=False, looks_ahead=True)
    deal_owner_id = ReferenceField(kind=Kind.USER, label="Owner", required=False)
    deal_contact_id = PickerField(
        CONTACTS,
        base_filters={"type": str(INDIVIDUAL)},
        creates=True,
        created_with={"contact_type": str(INDIVIDUAL)},
        within="cstid",
        label="Person",
        required=False,
        help_text="Your contact person. People at this company come first.",
    )
    deal_source = SuggestField(kind=Kind.DEAL_SOURCE, label="Source", required=False)
    deal_assignedto = ReferenceField(kind=Kind.USER, label="Assigned to", required=False)
    tag_ids = ReferencesField(kind=Kind.CONTACT_TAG, label="Tags", required=False)
    deal_description = TextField(
        label="Description", required=False, widget=forms.Textarea(attrs={"rows": 4})
    )

    more: ClassVar[tuple[str, ...]] = (
        "deal_source",
        "deal_assignedto",
        "tag_ids",
        "deal_description",
    )
    half_width: ClassVar[tuple[str, ...]] = (
        "deal_amount",
        "deal_amount_currency",
        "deal_expected_close_date",
        "deal_owner_id",
        "deal_source",
        "deal_assignedto",
    )
    links: ClassVar[Mapping[str, str]] = {"contact": "cstid"}
    remembered: ClassVar[tuple[str, ...]] = ("pipeline_id", "deal_amount_currency")
    defaults_to_self: ClassVar[tuple[str, ...]] = ("deal_owner_id", "deal_assignedto")

    def payload(self) -> dict[str, Any]:
        """Return the body; a new deal has a currency only with an amount."""
        body = super().payload()
        if self.opened_with is None and "deal_amount" not in body:
            body.pop("deal_amount_currency", None)
        return body

    @classmethod
    def linked_to(cls, params: Mapping[str, str], ctx: RequestContext) -> dict[str, Any]:
        """Link a deal that is created from a person to that person's business."""
        values, contact = super().linked_to(params, ctx), params.get("contact", "")
        number = whole_number(contact)
        if number is None:
            return values
        parents = lookups.load_parents(ctx.gateway, [(CONTACTS, number)], seconds=1)
        business = parents.get((CONTACTS.name, number), 0)
        linked = {"cstid": business, "deal_contact_id": contact} if business else {"cstid": contact}
        return {**values, **linked}


class DealEditForm(DealForm):
    ask_before_emptying = {"tag_ids": "Yes, remove every tag from this deal"}


def _ask(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"search": body.get("deal_name") or "", "filters": {"cstid": body.get("cstid")}}


STAGE = cells.reference(Kind.STAGE, "deal_current_stage")
OWNER = cells.person(
    cells.first_of(cells.plain("owner"), cells.reference(Kind.USER, "deal_owner_id"))
)

DEALS: Resource = Resource(
    endpoint=ENDPOINT,
    identity_fields=("deal_name", "cstid"),
    icon="handshake",
    key="d",
    search_hint="Name or description",
    columns=columns(
        "deal_name",
        "cstid",
        "deal_amount",
        "pipeline_id",
        Column("deal_current_stage", label="Stage", cell=STAGE, from_record=True),
        "deal_expected_close_date",
        Column("owner", label="Owner", cell=OWNER),
    ),
    filters=filters(
        "cstid",
        "pipeline_id",
        Entry("deal_current_stage", label="Stage", kind=Kind.STAGE),
        "deal_owner_id",
        Days("closes", label="Expected close", field="deal_expected_close_date"),
        AtLeast("least", label="Amount from", field="deal_amount"),
        EnteredHere(resource="deals"),
    ),
    subtitle=details(
        "cstid",
        Detail("deal_contact_id", label="Person"),
    ),
    headline=details(
        "deal_amount",
        "deal_expected_close_date",
        Detail("deal_owner_id", cell=OWNER),
        Detail("deal_current_stage", label="Stage", cell=STAGE),
    ),
    sections=(
        Section(
            "Deal",
            details(
                "pipeline_id",
                "deal_assignedto",
                "deal_source",
                "tag_ids",
                "deal_description",
            ),
        ),
    ),
    duplicate_search=DuplicateSearch(ask=_ask, same={"deal_name": "deal_name", "cstid": "cstid"}),
    create_form=DealForm,
    edit_form=DealEditForm,
    views=(
        BuiltInView("closing", "Closing this month", {"closes": "this-month"}),
        CREATED_BY_ME,
    ),
    list_pages=(("Board", "board", "b"),),
    not_editable={"The stage": STAGE_REASON},
    more_fields={"deal_current_stage": ReferenceField(kind=Kind.STAGE, label="Stage")},
    creates=(
        CreateFrom("Task", "t", "tasks", "deal", each=True),
        CreateFrom("Estimate", "m", "estimates", "deal"),
        CreateFrom("Invoice", "i", "invoices", "deal", main=True),
    ),
)
