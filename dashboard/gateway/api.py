"""The six endpoints of the API as data (reference, sections 2 to 4 and 8), and their types.

Lengths and ranges are those of the form fields.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

FieldKind = Literal[
    "string", "email", "integer", "number", "boolean", "date", "datetime", "timestamp",
    "integers", "strings", "object", "lines",
]  # fmt: skip
Operation = Literal["list", "get", "create", "update", "delete"]
Choice = tuple[int | str, str]  # the value in JSON, its name in the reference


@dataclass(frozen=True)
class Field:
    """One field of a record or a body, or one filter of a list.

    kind: date is YYYY-MM-DD; datetime has no zone; timestamp is ISO 8601 in UTC; number is sent
        from int or Decimal and read as Decimal; lines are line items.
    """

    name: str
    kind: FieldKind = "string"
    required: bool = False
    choices: tuple[Choice, ...] = ()  # empty if any value is allowed
    tests: tuple[str, ...] = ()  # of a filter: the fields of a row that it is about


@dataclass(frozen=True, eq=False)
class Endpoint:
    """One endpoint of the API: its names, the fields of its records and bodies, its operations.
    It equals itself alone: as a key of a dict it need not compare its fields.

    fields: the fields of list records. create, update: the fields of those bodies. filters: the
        filters of its list.
    one_of: a create body must hold at least one of these fields.
    parent_field: the field with the id of the parent record, which is of the same endpoint.
    operations: the published ones. unpublished: not in the reference, usable once switched on.
    unpublished_fields: those of an update that are not in the reference, usable once switched on.
    extra: fields that the reference does not name, which every body may hold.
    in_every_plan: False if the plan of a workspace may lack this area.
    """

    name: str
    singular: str
    id_field: str
    label_field: str
    fields: tuple[Field, ...]
    create: tuple[Field, ...]
    update: tuple[Field, ...]
    filters: tuple[Field, ...]
    operations: frozenset[Operation]
    unpublished: frozenset[Operation] = frozenset()
    unpublished_fields: frozenset[str] = frozenset()
    one_of: tuple[str, ...] = ()
    parent_field: str = ""
    extra: tuple[Field, ...] = ()
    in_every_plan: bool = False

    @cached_property
    def kinds(self) -> Mapping[str, FieldKind]:
        """Return the kind of each field that a record may have, by name."""
        fields = (*self.extra, *self.create, *self.update, *self.fields)
        return {field.name: field.kind for field in fields}

    def with_extra(self, fields: Iterable[Field]) -> "Endpoint":
        new = tuple(field for field in fields if field.name not in self.kinds)
        return replace(self, extra=(*self.extra, *new)) if new else self


def _numbered(*words: str, first: int = 0) -> tuple[Choice, ...]:
    return tuple(enumerate(words, first))


INDIVIDUAL, BUSINESS = 1, 2
CONTACT_TYPES = ((INDIVIDUAL, "Individual"), (BUSINESS, "Business"))
INVOICE_STATUSES = _numbered("Open", "Paid", "Cancelled")
ESTIMATE_STATUSES = _numbered("Open", "Invoiced", "Cancelled")
TASK_STATUSES = _numbered("Open", "In Progress", "Completed", "Cancelled", "No Show")
COMPLETED = 2  # of TASK_STATUSES
TASK_PRIORITIES = _numbered("None", "Low", "Medium", "High", "Urgent")
_LEAD_WORDS = ("New", "Contacted", "Qualified", "Lost", "Converted")
LEAD_STATUSES: tuple[Choice, ...] = tuple((word, word) for word in _LEAD_WORDS)
DISCOUNT_TYPES = _numbered("Fixed", "Percentage", first=1)
LINE_TYPES: tuple[Choice, ...] = (("item", "Item"), ("header", "Header"))

ALL: frozenset[Operation] = frozenset({"list", "get", "create", "update", "delete"})


def _id(name: str, *tests: str, required: bool = False) -> Field:
    return Field(name, "integer", required=required, tests=tests)


def _choice(name: str, choices: tuple[Choice, ...], *tests: str, required: bool = False) -> Field:
    kind: FieldKind = "integer" if isinstance(choices[0][0], int) else "string"
    return Field(name, kind, required=required, choices=choices, tests=tests)


def _days(*names: str, tests: tuple[str, ...]) -> tuple[Field, ...]:
    return tuple(Field(name, "date", tests=tests) for name in names)


def _only(fields: tuple[Field, ...], names: str) -> tuple[Field, ...]:
    return tuple(field for field in fields if field.name in names.split())


def _optional(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    return tuple(replace(field, required=False) for field in fields)


CURRENCY_FIELDS = ("org_currency_id", "deal_amount_currency")  # of documents and of deals

LINE_FIELDS = (
    Field("item_id", "integer", required=True),
    Field("item_name", required=True),
    Field("quantity", "number", required=True),
    Field("price", "number", required=True),
    _choice("type", LINE_TYPES, required=True),
    Field("description"),
    Field("discount", "number"),
    _choice("discount_type", DISCOUNT_TYPES),
    Field("tax_id"),
    Field("tax_rate", "number"),
)

_CONTACT = (
    Field("cstname", required=True),
    _choice("contact_type", CONTACT_TYPES, required=True),
    Field("cstemail", "email"),
    Field("cstmobile"),
    _id("cstmobile_country_id"),
    Field("cstaddress"),
    Field("ct_taxnumber"),
    Field("cstnotes"),
    Field("cstemailnotify", "boolean"),
    Field("cstsmsnotify", "boolean"),
    Field("cst_whatsapp_notify", "boolean"),
    _id("contact_parent"),
    Field("cst_tag_id", "integers"),
    Field("custom_fields", "object"),
)
CONTACTS = Endpoint(
    name="contacts",
    singular="contact",
    id_field="cstid",
    label_field="cstname",
    fields=(
        _id("cstid"),
        Field("cstname"),
        Field("cstemail"),
        Field("cstmobile"),
        _choice("contact_type", CONTACT_TYPES),
        Field("cstcreated_on", "timestamp"),
    ),
    create=_CONTACT,
    update=(
        *_optional(
            _only(
                _CONTACT,
                "cstname cstemail cstmobile cstmobile_country_id cstaddress ct_taxnumber"
                " contact_type contact_parent custom_fields",
            )
        ),
        Field("tag_ids", "integers"),
    ),
    filters=(_choice("type", CONTACT_TYPES, "contact_type"),),
    operations=ALL,
    parent_field="contact_parent",
    in_every_plan=True,
)

_DOCUMENT = (
    _id("customer_id", required=True),
    _id("template_id", required=True),
    Field("items", "lines", required=True),
    Field("transaction_date", "date"),
    Field("reference"),
    Field("notes"),
    Field("terms_conditions"),
    _id("deal_id"),
    _id("org_currency_id"),
    Field("conversion_rate", "number"),
    Field("overall_discount", "number"),
    _choice("overall_discount_type", DISCOUNT_TYPES),
    Field("tag_ids", "integers"),
)
_INVOICE = (
    *_DOCUMENT,
    Field("due_date", "date"),
    Field("billing_address"),
    Field("shipping_address"),
    _id("assigned_to"),
)
INVOICES = Endpoint(
    name="invoices",
    singular="invoice",
    id_field="inv_id",
    label_field="inv_number",
    fields=(
        _id("inv_id"),
        Field("inv_number"),
        _id("customer_id"),
        _choice("inv_status", INVOICE_STATUSES),
        Field("total", "number"),
        Field("amount_due", "number"),
        Field("transaction_date", "date"),
        Field("due_date", "date"),
    ),
    create=_INVOICE,
    update=_INVOICE,
    filters=(
        _choice("inv_status", INVOICE_STATUSES, "inv_status"),
        _id("cstid", "customer_id"),
        *_days("inv_datetime_from", "inv_datetime_to", tests=("transaction_date",)),
    ),
    operations=ALL,
)

_ESTIMATE = (*_DOCUMENT, Field("expiry_date", "date"))
ESTIMATES = Endpoint(
    name="estimates",
    singular="estimate",
    id_field="est_id",
    label_field="est_number",
    fields=(
        _id("est_id"),
        Field("est_number"),
        _id("customer_id"),
        _choice("est_status", ESTIMATE_STATUSES),
        Field("total", "number"),
        Field("transaction_date", "date"),
        Field("expiry_date", "date"),
    ),
    create=_ESTIMATE,
    update=_ESTIMATE,
    filters=(
        _choice("est_status", ESTIMATE_STATUSES, "est_status"),
        _id("cstid", "customer_id"),
        *_days("est_datetime_from", "est_datetime_to", tests=("transaction_date",)),
    ),
    operations=ALL,
)

_DEAL = (
    Field("deal_name", required=True),
    _id("pipeline_id", required=True),
    _id("cstid", required=True),
    Field("deal_amount", "number"),
    _id("deal_amount_currency"),
    _id("deal_owner_id"),
    _id("deal_contact_id"),
    Field("deal_expected_close_date", "date"),
    Field("deal_source"),
    Field("deal_description"),
    _id("deal_assignedto"),
    Field("tag_ids", "integers"),
)
DEALS = Endpoint(
    name="deals",
    singular="deal",
    id_field="deal_id",
    label_field="deal_name",
    fields=(
        _id("deal_id"),
        Field("deal_name"),
        Field("deal_amount", "number"),
        Field("deal_source"),
        Field("deal_expected_close_date", "date"),
        _id("pipeline_id"),
        _id("cstid"),
        Field("owner"),
    ),
    create=_DEAL,
    update=_DEAL,
    filters=(
        _id("pipeline_id", "pipeline_id"),
        _id("deal_current_stage", "deal_current_stage"),
        _id("cstid", "cstid", "deal_contact_id"),
        _id("deal_owner_id", "deal_owner_id"),
    ),
    operations=ALL,
    unpublished_fields=frozenset({"deal_current_stage"}),
)

_TASK = (
    Field("title", required=True),
    Field("start_datetime", "datetime", required=True),
    _id("deal_id"),
    _id("cstid"),
    Field("end_datetime", "datetime"),
    Field("description"),
    _choice("priority", TASK_PRIORITIES),
    _choice("status", TASK_STATUSES),
    _id("assigned_user_id"),
    Field("tags", "integers"),
)
TASKS = Endpoint(
    name="tasks",
    singular="task",
    id_field="activity_id",
    label_field="title",
    fields=(
        _id("activity_id"),
        Field("title"),
        Field("activity_type"),
        _choice("status", TASK_STATUSES),
        _choice("priority", TASK_PRIORITIES),
        Field("start_datetime", "datetime"),
        Field("end_datetime", "datetime"),
        _id("cstid"),
    ),
    create=_TASK,
    update=_optional(_TASK),
    filters=(
        _choice("status", TASK_STATUSES, "status"),
        _choice("priority", TASK_PRIORITIES, "priority"),
        _id("assigned_user_id", "assigned_user_id"),
        *_days("due_date_from", "due_date_to", tests=("end_datetime", "start_datetime")),
    ),
    operations=frozenset({"list", "get", "create"}),
    unpublished=frozenset({"update", "delete"}),
    one_of=("deal_id", "cstid"),
    in_every_plan=True,
)

_LEAD = (
    Field("cstname", required=True),
    Field("cstemail"),
    Field("cstmobile"),
    _id("cstmobile_country_id"),
    Field("cstaddress"),
    Field("cstnotes"),
    Field("lead_source"),
    Field("lead_industry"),
    Field("lead_company_name"),
    _id("lead_assignedto"),
    _id("lead_assignmentgroup"),
    _id("brand_id"),
    Field("tag_ids", "integers"),
    Field("tag_names", "strings"),
    Field("custom_fields", "object"),
)
LEADS = Endpoint(
    name="leads",
    singular="lead",
    id_field="cstid",
    label_field="cstname",
    fields=(
        _id("cstid"),
        Field("ct_number"),
        Field("cstname"),
        Field("cstemail"),
        _choice("lead_status", LEAD_STATUSES),
        Field("lead_source"),
        Field("lead_company_name"),
        Field("owner"),
        Field("cstcreated_on", "timestamp"),
    ),
    create=_LEAD,
    update=_optional(_LEAD),
    filters=(_choice("lead_status", LEAD_STATUSES, "lead_status"),),
    operations=frozenset({"list", "create", "delete"}),
    unpublished=frozenset({"get", "update"}),
)

ENDPOINTS = (CONTACTS, LEADS, DEALS, TASKS, ESTIMATES, INVOICES)


REFERENCES: dict[str, Endpoint] = {
    "cstid": CONTACTS,
    "customer_id": CONTACTS,
    "contact_parent": CONTACTS,
    "deal_contact_id": CONTACTS,
    "deal_id": DEALS,
}
