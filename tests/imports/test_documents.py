"""Estimates and invoices from a file: rows become lines, and lines become documents."""

import json
from decimal import Decimal

import pytest

from dashboard.gateway import ESTIMATES, INVOICES, Record, Unreadable
from dashboard.gateway.api import LINE_FIELDS
from dashboard.jobs.models import Job
from dashboard.standin.reference_data import reference_data
from tests.conftest import every_profile
from tests.imports.test_import import counts, send, upload
from tests.jobs.conftest import work
from tests.jobs.test_export_page import everything, exported
from tests.page_forms import fields

WORDS = reference_data("acme")
ITEM, OTHER_ITEM = WORDS["items"][0], WORDS["items"][6]
TAX, LOW_TAX = WORDS["taxes"][0], WORDS["taxes"][1]
TEMPLATE = WORDS["templates"][0]["id"]
pytestmark = pytest.mark.usefixtures("lists")

MESSY = """Invoices of November;;;;;;;;
Invoice no;Customer;Date;Due;Item;Qty;Price;VAT;Currency
A-1;Umbra Ltd;03.11.2026;03.12.2026;Consulting hour;2,5;95,00;20 %;EUR
A-1;umbra ltd;03.11.2026;;On-site visit;1;;;
;;;;Total;;;;
A-2;in@umbra.example;04.11.2026;;Website care, monthly;12;120,00;;EUR
;;;;Shipping;1;12,00;VAT 10%;
"""


def told(page):
    """What is wrong, by row: of its cells and of its document."""
    problems = {number: one.problems for number, one in page.context["records"].items()}
    wrong = {
        row.number: (sorted(row.errors), problems.get(row.number, []))
        for row in page.context["rows"]
    }
    return {number: each for number, each in wrong.items() if any(each)}


def is_sent(body, original, endpoint):
    """Whether a body holds what the original does; a blank reference takes the number."""
    sent = Record(json.loads(json.dumps(body), parse_float=Decimal), endpoint.kinds)
    names = [each.name for each in endpoint.create if each.kind != "lines"]
    told = [name for name in names if name != "reference" or original[name]]
    pairs = [(sent[name], original[name]) for name in told]
    for line, was in zip(sent.lines, original.lines, strict=False):
        pairs += [(line[each.name], was[each.name]) for each in LINE_FIELDS]
    is_same = all((found or None) == (was or None) for found, was in pairs)
    return is_same and len(sent.lines) == len(original.lines)


def made(sent, resource="invoices"):
    return sent("create", resource=resource)


@every_profile
def test_a_messy_file_becomes_invoices(desk, gateway, umbra, sent):
    before = len(everything(gateway, INVOICES))
    url = upload(desk, MESSY, resource="invoices")
    page = desk.get(url)
    assert counts(page) == {"ready": 2}
    assert "Send 2 invoices" in page.content.decode()
    assert "Skipped: a total of other lines" in page.content.decode()
    send(desk, url)
    first, second = sorted(made(sent)[-2:], key=lambda body: body["reference"])
    assert (first["customer_id"], first["transaction_date"]) == (umbra, "2026-11-03")
    assert (first["due_date"], first["reference"]) == ("2026-12-03", "A-1")
    assert first["items"] == [
        {"type": "item", "item_id": ITEM["id"], "item_name": "Consulting hour", "quantity": 2.5,
         "price": 95, "tax_id": str(TAX["id"]), "tax_rate": 20},
        {"type": "item", "item_id": WORDS["items"][3]["id"], "item_name": "On-site visit",
         "quantity": 1, "price": 180, "tax_id": str(TAX["id"]), "tax_rate": 20},
    ]  # fmt: skip
    assert [line["item_name"] for line in second["items"]] == ["Website care, monthly", "Shipping"]
    assert second["items"][1]["tax_id"] == str(LOW_TAX["id"])
    assert len(everything(gateway, INVOICES)) == before + 2
    rows = Job.objects.get().rows.all()
    page = desk.get(f"/jobs/{Job.objects.get().pk}/").content.decode()
    assert len(rows) == 2
    assert "A-1, rows 3 to 5" in page
    assert "A-2, rows 6 to 7" in page


@every_profile
def test_a_file_becomes_estimates(desk, gateway, umbra, sent):
    text = "Estimate,Client,Valid until,Kind of line,Item,Quantity,Price,Discount %\n"
    text += "E1,Umbra Ltd,2026-12-31,Header,Phase one,,,\n,,,Item,Design day,3,640,10\n"
    url = upload(desk, text, resource="estimates")
    assert counts(desk.get(url)) == {"ready": 1}
    send(desk, url)
    [body] = made(sent, "estimates")
    assert (body["expiry_date"], body["template_id"]) == ("2026-12-31", TEMPLATE)
    assert [line["type"] for line in body["items"]] == ["header", "item"]
    assert (body["items"][1]["discount"], body["items"][1]["discount_type"]) == (10, 2)


@pytest.mark.usefixtures("umbra")
def test_every_rule_of_invoices_is_checked_before_anything_is_sent(desk):
    text = "Number,Customer,Date,Due,Reference,Item,Quantity,Price,Tax,Discount\n"
    text += ",,,,,Shipping,1,12,,\n"
    text += "1,,2026-11-01,,,Shipping,1,12,,\n"
    text += f"2,Nobody Inc,2026-11-01,2026-10-01,{'x' * 256},Shipping,1,12,,\n"
    text += "3,Umbra Ltd,soon,,,Unheard of,many,,VAT 99%,\n"
    text += "4,Umbra Ltd,2026-11-01,,,,,,,\n"
    text += (
        "5,Umbra Ltd,2026-11-01,,,Shipping,1,12,,\n5,Umbra Ltd,2026-11-02,,,Shipping,1,12,,120 %\n"
    )
    page = desk.get(upload(desk, text, resource="invoices"))
    assert counts(page) == {"needs_fixing": 6}
    found = told(page)
    assert found[2] == (
        ["customer_id"],
        ["This line belongs to no document. Enter a document number or a customer."],
    )
    assert found[3] == (["customer_id"], [])
    assert found[4] == (["customer_id", "due_date", "reference"], [])
    assert found[5] == (
        ["line:item_id", "line:price", "line:quantity", "line:tax_id", "transaction_date"],
        [],
    )
    assert found[6] == ([], ["Enter at least one line."])
    assert found[8] == (["line:discount", "transaction_date"], [])
    words = {row.number: row.errors for row in page.context["rows"]}
    assert words[8]["transaction_date"] == "Row 7 of the same document says “2026-11-01”."


@pytest.mark.usefixtures("umbra")
def test_what_is_wrong_is_mended_in_the_page(desk, sent):
    text = (
        "Number,Customer,Item,Quantity,Price\nA,Umbra Ltd,Sundries,two,5\nA,Umbra,Shipping,1,12\n"
    )
    url = upload(desk, text, resource="invoices")
    page = desk.get(url)
    assert told(page) == {2: (["line:item_id", "line:quantity"], []), 3: (["customer_id"], [])}
    assert 'name="cell-2-line:item_id"' in page.content.decode()
    item = f"{OTHER_ITEM['id']}"
    edits = {"cell-2-line:item_id": item, "cell-2-line:quantity": "2", "cell-3-customer_id": ""}
    desk.post(url, {**fields(page), **edits})
    assert counts(desk.get(url)) == {"ready": 1}
    send(desk, url)
    [body] = made(sent)
    assert next((line["item_id"], line["quantity"]) for line in body["items"]) == (int(item), 2)


@pytest.mark.usefixtures("umbra")
def test_a_cell_of_the_document_is_mended_once_for_all_rows_that_say_the_same(desk):
    rows = "".join(f"A,Umbra Lmtd,{number},Shipping,1\n" for number in ("soon", "soon", ""))
    url = upload(desk, f"Number,Customer,Date,Item,Quantity\n{rows}", resource="invoices")
    page = desk.get(url)
    assert told(page) == {2: (["customer_id", "transaction_date"], [])}
    edits = {"cell-2-customer_id": "Umbra Ltd", "cell-2-transaction_date": ""}
    desk.post(url, {**fields(page), **edits})
    assert counts(desk.get(url)) == {"ready": 1}


@pytest.mark.usefixtures("umbra")
def test_a_rate_in_the_column_of_the_tax_is_read_as_one(desk, sent):
    text = "Number,Customer,Item,Quantity,VAT\nA,Umbra Ltd,Shipping,1,10%\n,,Shipping,1,7.5\n"
    url = upload(desk, text, resource="invoices")
    send(desk, url)
    first, second = made(sent)[-1]["items"]
    assert (first["tax_id"], first["tax_rate"]) == (str(LOW_TAX["id"]), 10)
    assert ("tax_id" in second, second["tax_rate"]) == (False, 7.5)


@pytest.mark.usefixtures("umbra")
def test_rows_of_a_number_that_stand_apart_are_no_document_until_one_part_is_left_out(desk, sent):
    text = "Number,Customer,Item,Quantity,Price\nA,Umbra Ltd,Shipping,1,12\n"
    text += "B,Umbra Ltd,Shipping,2,12\na,Umbra Ltd,Shipping,3,12\n"
    url = upload(desk, text, resource="invoices")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 1, "ready": 1}
    assert "not together (2, 4)." in told(page)[2][1][0]
    desk.post(url, {**fields(page), "row": ["2", "4"], "exclude-4": "1"})
    assert counts(desk.get(url)) == {"ready": 2}
    send(desk, url, **{"exclude-4": "1"})
    assert sorted(body["items"][0]["quantity"] for body in made(sent)) == [1, 2]


@every_profile
@pytest.mark.usefixtures("umbra")
def test_a_number_that_the_service_has_is_left_out_unless_it_is_wanted(desk, gateway):
    there = everything(gateway, INVOICES)[0]
    text = f"Number,Customer,Item,Quantity\n{there['inv_number'].lower()},Umbra Ltd,Shipping,1\n"
    url = upload(desk, text, resource="invoices")
    page = desk.get(url)
    assert counts(page) == {"exists": 1}
    record, *_ = page.context["records"].values()
    assert (record.same.id, record.same.title) == (there.id, there["inv_number"])
    assert 'value="update"' not in page.content.decode()
    desk.post(url, {**fields(page), "on_existing": "update"})
    assert counts(desk.get(url)) == {"exists": 1}
    desk.post(url, {**fields(page), "on_existing": "create"})
    assert counts(desk.get(url)) == {"ready": 1}


@every_profile
@pytest.mark.usefixtures("umbra")
def test_an_import_is_undone_except_for_documents_that_were_touched(desk, gateway, standin):
    rows = "".join(f"N{number},Umbra Ltd,Shipping,{number},12\n" for number in range(1, 4))
    before = {one.id for one in everything(gateway, INVOICES)}
    url = upload(desk, f"Number,Customer,Item,Quantity,Price\n{rows}", resource="invoices")
    send(desk, url)
    done = Job.objects.get()
    by_row = dict(done.rows.values_list("number", "record_id"))
    record = gateway.get(INVOICES, by_row[2])
    line = {name: record.lines[0][name] for name in ("item_id", "item_name", "price", "type")}
    body = {"customer_id": record["customer_id"], "template_id": TEMPLATE, "reference": "N2"}
    gateway.update(INVOICES, by_row[2], {**body, "items": [{**line, "quantity": 9}]})
    proposed = desk.post(f"/imports/undo/{done.pk}/")["Location"]
    desk.post(f"{proposed}start/")
    work()
    assert {one.id for one in everything(gateway, INVOICES)} - before == {by_row[2]}
    undone = Job.objects.order_by("pk").last()
    assert undone.counts == {"saved": 2, "skipped": 1}
    assert (
        "Changed since it was selected: Lines." in desk.get(f"/jobs/{undone.pk}/").content.decode()
    )


@every_profile
@pytest.mark.parametrize(
    ("resource", "endpoint"), [("invoices", INVOICES), ("estimates", ESTIMATES)]
)
def test_what_was_exported_by_line_comes_back_in(desk, gateway, sent, resource, endpoint):
    originals = [gateway.get(endpoint, one.id) for one in everything(gateway, endpoint)]
    data = exported(desk, f"/{resource}/export/", content="lines")
    url = upload(desk, data, "all.xlsx", resource)
    page = desk.get(url)
    [customer] = [one.index for one in page.context["columns"] if one.column.title == "Customer ID"]
    named = next(one.index for one in page.context["columns"] if one.column.title == "Customer")
    chosen = {f"field-{customer}": "customer_id", f"field-{named}": "", "on_existing": "create"}
    desk.post(url, {**fields(page), **chosen})
    page = desk.get(f"{url}?show=ready")
    names = [each.name for each in endpoint.create if each.kind != "lines"]
    unreadable = [one for one in originals if any(isinstance(one[n], Unreadable) for n in names)]
    ready = [one for one in originals if one not in unreadable]
    assert ready
    replies = {"rounding": "accept", "blank": "text"}
    asked = [question.name for question in page.context["questions"]]
    desk.post(url, {**fields(page), **{name: replies[name.rpartition("-")[2]] for name in asked}})
    assert counts(desk.get(url)).get("needs_fixing", 0) == len(unreadable)
    send(desk, f"{url}?show=ready")
    assert Job.objects.get().counts == {"saved": len(ready)}
    bodies = made(sent, resource)
    missing = [one.id for one in ready if not any(is_sent(body, one, endpoint) for body in bodies)]
    assert missing == []
