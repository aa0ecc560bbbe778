"""The form that invoices and estimates share: a document with its lines; and the body of an update,
which replaces the whole document.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, cast

from django import forms
from django.http import QueryDict

from dashboard.core.service_name import SERVICE, SERVICE_AT_START
from dashboard.documents.line_table import LineTable
from dashboard.documents.lines import (
    CELLS,
    LABELS,
    DocumentLine,
    LinesField,
    cell_of,
    check_lines,
    filled_lines,
    lines_from_texts,
    pad_with_blank_lines,
    read_lines,
    texts_of_record,
    why_lines_unreadable,
)
from dashboard.documents.price_list import price_list_of
from dashboard.documents.totals import FIXED, PERCENT
from dashboard.gateway import CONTACTS as CONTACT_ENDPOINT
from dashboard.gateway import DEALS as DEAL_ENDPOINT
from dashboard.gateway import Endpoint, Record, Unreadable
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.office.record_field import FormValue
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.people.context import RequestContext
from dashboard.reader.rejections import Reason
from dashboard.schema.fields import BooleanField, ChoiceField, TextField
from dashboard.schema.inputs import DayField, NumberField
from dashboard.schema.pickers import PickerField
from dashboard.schema.record_form import EMPTY, RecordForm
from dashboard.schema.resource import Resource
from dashboard.text.numbers import write_number
from dashboard.text.plain import clean_input
from dashboard.text.style import PLAIN, Style

SAME = {"customer_id": "customer_id", "transaction_date": "transaction_date"}
DISCOUNT_KINDS = ((PERCENT, "%"), (FIXED, "amount"))


class DocumentForm(RecordForm):
    """A document with its lines; `rows` are the lines as typed on the page.

    `deadline` names the field of the due or expiry date.
    """

    customer_id = PickerField(CONTACT_ENDPOINT, creates=True, label="Customer", help_text="")
    transaction_date = DayField(label="Date", required=False)
    reference = TextField(label="Reference", required=False, max_length=255)
    template_id = ReferenceField(kind=Kind.TEMPLATE, label="Document template")
    items = LinesField(label="Lines")
    overall_discount = NumberField(label="Overall discount", required=False, least=0)
    overall_discount_type = ChoiceField(
        label="Overall discount type",
        choices=DISCOUNT_KINDS,
        coerce=int,
        initial=PERCENT,
        empty_value=None,
        required=False,
    )
    notes = TextField(label="Notes", required=False, widget=forms.Textarea(attrs={"rows": 3}))
    terms_conditions = TextField(
        label="Terms and conditions", required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    org_currency_id = ReferenceField(kind=Kind.CURRENCY, label="Currency", required=False)
    conversion_rate = NumberField(label="Conversion rate", required=False)
    deal_id = PickerField(DEAL_ENDPOINT, label="Deal", required=False)
    tag_ids = ReferencesField(kind=Kind.CONTACT_TAG, label="Tags", required=False)

    links: ClassVar[Mapping[str, str]] = {
        "customer": "customer_id",
        "contact": "customer_id",
        "deal": "deal_id",
    }
    remembered: ClassVar[tuple[str, ...]] = ("template_id", "org_currency_id")
    endpoint: ClassVar[Endpoint]
    deadline: ClassVar[str]
    texts: ClassVar[tuple[str, ...]] = ("notes", "terms_conditions")
    more: ClassVar[tuple[str, ...]] = ("org_currency_id", "conversion_rate", "deal_id", "tag_ids")

    def __init__(self, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.has_template = self._has_template()
        self.style = self.ctx.style if self.ctx else PLAIN
        self.price_list = price_list_of(self.ctx.workspace if self.ctx else "")
        self.rows = self._typed_rows() if self.is_bound else self._initial_rows()
        self.sent_lines: list[dict[str, Any]] = []
        self._confirm_losing_unreadable()
        self._place_cursor()

    @classmethod
    def read(cls, record: Record, style: Style = PLAIN) -> dict[str, FormValue]:
        """Return the record's values, its lines and its number, which is no form field."""
        values = super().read(record, style)
        if values.get("overall_discount") and values.get("overall_discount_type", 0) in (None, ""):
            values["overall_discount_type"] = str(FIXED)  # as it counts; a form begins with percent
        values["items"] = {
            "rows": [] if why_lines_unreadable(record) else texts_of_record(record, style)
        }
        number = record.get(cls.endpoint.label_field)
        return {**values, cls.endpoint.label_field: str(number or f"#{record.id}")}

    @classmethod
    def editable_in_place(cls) -> frozenset[str]:
        """Return no fields: a document is changed with its lines in view."""
        return frozenset()

    def bound(self, names: tuple[str, ...]) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]

    def head_fields(self) -> list[forms.BoundField]:
        """Return the fields above the lines; the template is one of them where nothing
        offers one.
        """
        asked = () if self.has_template else ("template_id",)
        return self.bound(("customer_id", *asked, "transaction_date", self.deadline, "reference"))

    def collapsed(self) -> list[str]:
        """Return the names of the fields below the lines."""
        template = ("template_id",) if self.has_template else ()
        discount = ("overall_discount", "overall_discount_type")
        return [*self.texts, *template, *discount, *super().collapsed()]

    def folded_words(self) -> str:
        """Return the values of the folded fields, such as "Standard · EUR"."""
        named = [self._name_of(name) for name in ("template_id", "org_currency_id")]
        texts = [str(field.label).lower() for field in self.bound(self.texts) if field.value()]
        return " · ".join(filter(None, (*named, *texts)))

    def _has_template(self) -> bool:
        """Return whether the form began with a template; of one that was posted, whether it has a
        name.
        """
        if self.opened_with is not None or self.initial.get("template_id"):
            return True
        return self.is_bound and bool(self._name_of("template_id"))

    @property
    def currency(self) -> str:
        """Return the name of the currency, such as "EUR"; "" where it is not known."""
        return self.currency_name("org_currency_id")

    def _name_of(self, name: str) -> str:
        field, value = self.fields[name], self[name].value()
        if not self.ctx or not value or not isinstance(field, ReferenceField):
            return ""
        entry = catalogue.entry(self.ctx.workspace, field.kind, value)
        return entry.name if entry else ""

    def clean_items(self) -> list[dict[str, Any]]:
        """Return the lines to send; errors of single cells are stored in the rows."""
        rows = filled_lines(self.rows)
        for line in rows:
            line.complete(self.price_list, self.style)
        opened = (self.opened_with or {}).get("items")
        before = opened["rows"] if isinstance(opened, dict) else []
        self.sent_lines = check_lines(
            rows,
            self.style,
            price_list=self.price_list,
            currency=self.currency,
            unchanged={cells["item_id"] for cells in before},
        )
        if count := sum(len(row.errors) for row in rows):
            raise forms.ValidationError("1 cell needs" if count == 1 else f"{count} cells need")
        return self.sent_lines

    def clean_conversion_rate(self) -> Decimal | None:
        rate: Decimal | None = self.cleaned_data["conversion_rate"]
        if rate is not None and rate <= 0:
            raise forms.ValidationError("Enter a rate above 0, or leave blank.")
        return rate

    def clean(self) -> dict[str, Any]:
        """Check that a percentage is at most 100 and no deadline precedes the date."""
        cleaned = self.cleaned_data
        start, end = cleaned.get("transaction_date"), cleaned.get(self.deadline)
        if start and end and end < start:
            self.add_error(self.deadline, "Must be on or after the document date.")
        self.check_currency("overall_discount", self.currency)
        share = cleaned.get("overall_discount_type") == PERCENT
        if share and (cleaned.get("overall_discount") or 0) > 100:
            self.add_error("overall_discount", "Enter 100% or less.")
        if not share and cleaned.get("overall_discount"):
            self._check_fixed_discount()
        return super().clean()

    def _check_fixed_discount(self) -> None:
        table = self.table()
        most = table.totals.total + table.totals.discount
        if not table.left_out and 0 <= most < table.totals.discount:
            self.add_error("overall_discount", f"Enter {write_number(most, self.style)} or less.")

    def payload(self) -> dict[str, Any]:
        """Return the body to send; a new document names a kind of discount only with a discount."""
        body = super().payload()
        if self.opened_with is None and "overall_discount" not in body:
            body.pop("overall_discount_type", None)
        return body

    def wrong_cells(self) -> list[tuple[str, str]]:
        """Return the errors in cells of the lines, as (the cell's id, message)."""
        taxes = self.price_list.taxes
        return [
            (
                f"line-{line.key}-{line.control(name, taxes)}",
                f"Line {number}, {LABELS[name].lower()}: {words}",
            )
            for number, line in enumerate(self.rows, 1)
            for name, words in line.errors.items()
        ]

    def show_reason(self, reason: Reason) -> None:
        """Show a reason about a line at a cell of it."""
        rows = filled_lines(self.rows)
        number, cell = cell_of(reason.part)
        if reason.field != "items" or number >= len(rows):
            super().show_reason(reason)
            return
        rows[number].mark_rejected(cell, reason.text)
        if not self.has_error("items"):
            self.add_error("items", f"{SERVICE_AT_START} rejected some values.")

    @classmethod
    def typed_facts(cls, data: QueryDict, ctx: RequestContext) -> list[str]:
        """Return how many lines are filled and, if all of it can be read, the total."""
        rows = filled_lines(read_lines(data))
        discount = (data.get("overall_discount", ""), data.get("overall_discount_type", ""))
        table = LineTable(rows, ctx.style, discount=discount)
        count = ["1 line" if len(rows) == 1 else f"{len(rows)} lines"] if rows else []
        return count if table.left_out or not rows else [*count, table.total]

    def table(self) -> LineTable:
        names = ("overall_discount", "overall_discount_type")
        discount, kind = (str(self[name].value() or "") for name in names)
        return LineTable(
            self.rows,
            self.style,
            price_list=self.price_list,
            discount=(discount, kind),
            currency=self.currency,
        )

    def _typed_rows(self) -> list[DocumentLine]:
        rows = read_lines(self.data)
        for row in rows:
            row.cells = clean_input(row.cells, self.fields["items"].opened)
        return rows

    def _initial_rows(self) -> list[DocumentLine]:
        given = self.initial.get("items")
        rows = lines_from_texts(given["rows"]) if isinstance(given, dict) else []
        return pad_with_blank_lines(rows)

    def _place_cursor(self) -> None:
        """Focus the customer of a new document, or the first field to type once that is known."""
        if self.is_bound or self.opened_with is not None:
            return
        is_known = str(self.initial.get("customer_id") or "").isdecimal()
        first = "transaction_date" if is_known else "customer_id"
        if self.rows[0].is_blank and is_known:
            self.rows[0].focus, first = "item_name", ""
        self.focus(first)

    def _confirm_losing_unreadable(self) -> None:
        if self.opened_with is None:
            return
        unreadable = [
            str(field.label or name)
            for name, field in self.base_fields.items()
            if name not in self.opened_with and name != "items"
        ]
        if unreadable:
            self.fields["lose_unreadable"] = BooleanField(
                label=f"Yes, save it without what {SERVICE} sent here: {', '.join(unreadable)}",
                help_text="Saving replaces the whole document, so these values would be lost.",
            )


def deadline_of(resource: Resource) -> str:
    """Return the field of the due or expiry date of a kind of document."""
    return cast(type[DocumentForm], resource.create_form).deadline


def why_not_editable(record: Record, endpoint: Endpoint) -> str:
    """Return why an update would lose a part of the document; "" if it would not."""
    if why := why_lines_unreadable(record):
        return why
    for item in endpoint.update:
        if item.required and item.kind != "lines" and not record[item.name]:
            known = "didn't send" if record[item.name] is None else "sent an unreadable value for"
            return f"{SERVICE_AT_START} {known} a part that every update needs: {item.name}."
    return ""


def body_of_record(record: Record, endpoint: Endpoint) -> dict[str, Any]:
    """Return the update body with the values of the record as read, without unreadable ones."""
    names = [item.name for item in endpoint.update if item.kind != "lines"]
    values = {name: record[name] for name in names}
    known = {name: value for name, value in values.items() if not isinstance(value, Unreadable)}
    lines = [
        {name: line[name] for name in CELLS if line[name] is not None} for line in record.lines
    ]
    return without_empty({**known, "items": lines})


def changed_body(record: Record, endpoint: Endpoint, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of an update that changes the typed fields alone."""
    return without_empty({**body_of_record(record, endpoint), **typed})


def without_empty(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body without empty values; an update clears the fields it does not name."""
    sent = {name: value for name, value in body.items() if value not in EMPTY and value != ()}
    if "overall_discount" not in sent:
        sent.pop("overall_discount_type", None)
    return sent


def same_customer(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `Gateway.list` arguments for the duplicate search: documents of the same
    customer.
    """
    return {"filters": {"cstid": body.get("customer_id")}}
