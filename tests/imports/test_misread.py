"""What a file means is not what its cells hold: such rows go out right, or wait for the person."""

import io

import pytest
import xlsxwriter

from dashboard.gateway import CONTACTS
from dashboard.imports import duplicates
from dashboard.jobs.models import Job
from tests.imports.test_documents import made
from tests.imports.test_import import counts, send, upload

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


def test_a_business_is_found_by_its_name_though_it_has_an_email(desk, gateway, monkeypatch):
    gateway.create(
        CONTACTS, {"cstname": "Umbra Ltd", "contact_type": 2, "cstemail": "in@u.example"}
    )
    url = upload(desk, "Company,City\numbra ltd,Galway\nPenumbra Ltd,Cork\n")
    page = desk.get(url)
    assert counts(page) == {"exists": 1, "ready": 1}
    monkeypatch.setattr(duplicates, "MAX_PAGES", 0)  # as lists are that are too long
    send(desk, url, usual="contact_type", contact_type="2")
    assert Job.objects.get().counts == {"skipped": 1, "saved": 1}


@pytest.mark.usefixtures("umbra")
def test_the_price_of_an_export_counts_and_not_that_of_the_list(desk, sent):
    text = "Invoice Number,Customer Name,Item Name,Quantity,Item Price,Item Total\n"
    send(desk, upload(desk, text + "Z1,Umbra Ltd,Consulting hour,4,150.00,600\n",
                      resource="invoices"))  # fmt: skip
    assert made(sent)[-1]["items"][0]["price"] == 150
