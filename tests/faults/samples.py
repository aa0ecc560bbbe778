"""One sample for every resource that has pages; a new resource joins by a sample here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dashboard.schema.registry import RESOURCES
from dashboard.schema.resource import Resource

Texts = Callable[[str], dict[str, Any]]
CUSTOMER, PIPELINE, TEMPLATE = 1001, 2, 11  # of the stand-in's workspace acme
LINE = {"item_id": 501, "item_name": "Hour", "quantity": 2, "price": 95, "type": "item"}


@dataclass(frozen=True)
class Sample:
    """How one resource is filled in. `mark` is a word that no other record holds.

    name: a text field that holds the mark. record: the body of a record created beforehand.
    typed: what is typed in a new form. changed: what is typed in the edit form; its first field is
    the one that another user changes as well. always: fields that every update carries
    (reference, section 4).
    """

    resource: Resource
    name: str
    record: Texts
    typed: Texts
    changed: Texts
    always: frozenset[str] = frozenset()

    @property
    def url(self) -> str:
        return self.resource.url()

    @property
    def whole(self) -> bool:
        """Whether an update replaces the record."""
        return self.resource.whole_body is not None


def _document(name: str) -> Sample:
    return Sample(
        RESOURCES[name],
        "reference",
        record=lambda mark: {
            "customer_id": CUSTOMER,
            "template_id": TEMPLATE,
            "reference": f"Before {mark}",
            "notes": "Old note",
            "items": [LINE, {**LINE, "item_name": "Travel", "tax_id": "61", "tax_rate": 20}],
        },
        typed=lambda mark: {
            "reference": mark,
            "customer_id": str(CUSTOMER),
            "customer_id-text": None,
            "template_id": str(TEMPLATE),
            "line-0-item_id": "501",
            "line-0-item_name": f"{mark} hour",
            "line-0-quantity": "3",
            "line-0-price": "20",
        },
        changed=lambda mark: {"notes": f"{mark} note", "terms_conditions": f"{mark} terms"},
    )


def _address(mark: str) -> dict[str, str]:
    return {"cstaddress": f"{mark} Street", "cstemail": f"{mark}@example.test"}


SAMPLES = {
    "contacts": Sample(
        RESOURCES["contacts"], "cstname",
        record=lambda mark: {
            "cstname": f"Before {mark}", "contact_type": 1, "cstaddress": "Old Street 1",
            "ct_taxnumber": "T-1", "custom_fields": {},
        },
        typed=lambda mark: {"cstname": mark, **_address(mark)},
        changed=_address,
    ),
    "leads": Sample(
        RESOURCES["leads"], "cstname",
        record=lambda mark: {"cstname": f"Before {mark}", "lead_source": "Fair"},
        typed=lambda mark: {"cstname": mark, "cstemail": f"{mark}@example.test"},
        changed=lambda mark: {"lead_source": f"{mark} fair", "lead_company_name": f"{mark} Ltd"},
    ),
    "deals": Sample(
        RESOURCES["deals"], "deal_name",
        record=lambda mark: {
            "deal_name": f"Before {mark}", "pipeline_id": PIPELINE, "cstid": CUSTOMER,
            "deal_source": "Fair",
        },
        typed=lambda mark: {
            "deal_name": mark, "cstid": str(CUSTOMER), "pipeline_id": str(PIPELINE),
            "deal_description": f"{mark} words",
        },
        changed=lambda mark: {"deal_source": f"{mark} fair", "deal_description": f"{mark} words"},
        always=frozenset({"deal_name", "pipeline_id", "cstid"}),
    ),
    "tasks": Sample(
        RESOURCES["tasks"], "title",
        record=lambda mark: {
            "title": f"Before {mark}", "cstid": CUSTOMER, "start_datetime": "2026-03-02T09:00:00",
            "priority": 2,
        },
        typed=lambda mark: {
            "title": mark, "cstid": str(CUSTOMER), "start_datetime": "2026-03-05 09:00",
            "description": f"{mark} words",
        },
        changed=lambda mark: {"description": f"{mark} words"},
        always=frozenset({"title", "start_datetime", "cstid", "deal_id", "priority"}),
    ),
    "estimates": _document("estimates"),
    "invoices": _document("invoices"),
}  # fmt: skip
