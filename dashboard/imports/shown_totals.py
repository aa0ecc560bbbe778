"""The sums of documents on the page of their file, beside what the file says."""

from decimal import Decimal
from typing import NamedTuple

from dashboard.documents.totals import ZERO
from dashboard.imports.checking import CheckedRecord, CheckedTable, RowStatus
from dashboard.imports.file_totals import all_agree
from dashboard.schema.money import write_money
from dashboard.text.style import Style

SAME = "same"


class ShownTotal(NamedTuple):
    """A document. `in_file` and `difference`: "" if the file says nothing."""

    label: str
    customer: str
    lines: int
    in_file: str
    ours: str
    difference: str


class ShownTotals(NamedTuple):
    """All documents, those first that differ. `agreeing`: of those that the file says something of;
    `sum`: of all, "" if they have several currencies.
    """

    rows: list[ShownTotal]
    compared: int
    agreeing: int
    sum: str


def shown_totals(checked: CheckedTable, style: Style) -> ShownTotals:
    records = [each for each in checked.records if each.status != RowStatus.EXCLUDED]
    compared = [each for each in records if each.comparisons]
    sums = [record.sums for record in records if record.sums]
    currencies = {each.currency for each in sums}
    total = sum((each.totals.total for each in sums), ZERO)
    rows = [row for record in records if (row := _row(record, style))]
    return ShownTotals(
        sorted(rows, key=lambda row: row.difference in ("", SAME)),
        len(compared),
        sum(all_agree(record.comparisons) for record in compared),
        write_money(total, style, *currencies) if len(currencies) == 1 else "",
    )


def _row(record: CheckedRecord, style: Style) -> ShownTotal | None:
    if not record.sums:
        return None
    told = next((each for each in record.comparisons if each.difference), None)
    told = told or next(iter(record.comparisons), None)
    return ShownTotal(
        record.sums.label,
        record.rows[0].cell("customer_id").name,
        len(record.sums.totals.amounts),
        told.amounts(style)[0] if told else "",
        write_money(record.sums.totals.total, style),
        _difference(told.difference, style) if told else "",
    )


def _difference(difference: Decimal, style: Style) -> str:
    if not difference:
        return SAME
    amount = write_money(abs(difference), style)
    return f"{amount} {'more' if difference > 0 else 'less'}"
