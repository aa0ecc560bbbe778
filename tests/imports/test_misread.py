"""What a file means is not what its cells hold: such rows go out right, or wait for the person."""

import io

import pytest
import xlsxwriter

from tests.imports.test_deals_tasks import send
from tests.imports.test_documents import made
from tests.imports.test_import import _one_at_a_time, upload

__all__ = ["_one_at_a_time"]
pytestmark = pytest.mark.usefixtures("lists")


@pytest.mark.usefixtures("umbra")
def test_cells_that_are_shown_in_percent_are_sent_in_percent(desk, sent):
    out = io.BytesIO()
    with xlsxwriter.Workbook(out) as book:
        sheet, percent = book.add_worksheet(), book.add_format({"num_format": '0.0 %" off"'})
        heads = [
            "Number",
            "Customer",
            "Item",
            "Qty",
            "Price",
            "VAT",
            "Discount",
            "Overall discount",
        ]
        sheet.write_row(0, 0, heads)
        sheet.write_row(1, 0, ["P1", "Umbra Ltd", "Consulting hour", 2, 95])
        sheet.write_row(1, 5, [0.2, 0.125, 0.05], percent)
    url = upload(desk, out.getvalue(), "list.xlsx", resource="invoices")
    send(desk, url)
    invoice = made(sent)[-1]
    assert (invoice["overall_discount"], invoice["overall_discount_type"]) == (5, 2)
    [line] = invoice["items"]
    assert (line["tax_rate"], line["discount"], line["discount_type"]) == (20, 12.5, 2)
