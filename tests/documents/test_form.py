"""Creating and editing invoices and estimates: sent bodies, refused input, kept input."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from dashboard.documents.form import body_of_record
from dashboard.documents.line_table import UNREADABLE
from dashboard.documents.lines import BLANK_LINES
from dashboard.gateway import DEALS, ESTIMATES, INVOICES, Gateway
from dashboard.gateway.records import record_of
from dashboard.office import choices as preferences
from dashboard.office import reference_lists
from dashboard.office.kinds import Kind
from dashboard.office.models import ListEntry
from dashboard.standin.reference_data import reference_data
from dashboard.writes.models import Write
from tests.helpers import text
from tests.page_forms import fields

TAX_OF_10 = '<option value="62|10">'
LINE = {"item_id": 501, "item_name": "Consulting hour", "quantity": 2, "price": 95, "type": "item"}


@pytest.fixture
def invoice(gateway, zebra) -> int:
    body = {
        "customer_id": zebra,
        "template_id": 11,
        "items": [LINE, {**LINE, "item_name": "Travel", "tax_id": "61", "tax_rate": 20}],
        "reference": "PO-7",
        "notes": "Old note",
        "tag_ids": [41],
        "overall_discount": 5,
        "overall_discount_type": 2,
    }
    return gateway.create(INVOICES, body).id


def filled(desk, address="/invoices/new/", **typed):
    """The fields of a new invoice with the required ones filled in."""
    needed = {
        "customer_id": "1001",
        "customer_id-text": None,
        "template_id": "11",
        "line_0_item_name": "consulting hour",
        "line_0_quantity": "3",
    }
    return fields(desk.get(address), **{**needed, **typed})


@pytest.mark.parametrize("resource", ["invoices", "estimates"])
def test_a_new_document_is_sent_with_its_lines(desk, standin, lists, resource, sent):
    standin.reset()
    page = desk.post(f"/{resource}/new/", filled(desk, f"/{resource}/new/"), follow=True)
    assert "was created" in text(page)
    (body,) = sent("create")
    today = timezone.localdate()
    deadline = "due_date" if resource == "invoices" else "expiry_date"
    assert body == {
        "customer_id": 1001,
        "template_id": 11,
        "transaction_date": today.isoformat(),
        deadline: (today + timedelta(days=30)).isoformat(),
        "items": [
            {
                "item_id": 501,
                "item_name": "Consulting hour",
                "quantity": 3,
                "price": 95,
                "type": "item",
                "tax_id": "61",
                "tax_rate": 20,
            }
        ],
    }


def test_a_button_takes_the_number_that_was_meant_and_sends_nothing(desk, lists, sent):
    typed = filled(desk, line_0_quantity="1,5", notes="Mind it")
    page = desk.post("/invoices/new/", typed)
    assert "Line 1, quantity: “1,5”: did you mean 1.5?" in text(page)
    assert 'name="use" value="line-0-quantity:1,5:1.5"' in page.content.decode()
    taken = desk.post("/invoices/new/", {**fields(page), "use": "line-0-quantity:1,5:1.5"})
    assert taken.status_code == 200
    typed = fields(taken)
    assert (typed["line-0-quantity"], typed["notes"]) == ("1.5", "Mind it")
    assert "did you mean" not in text(taken)
    assert sent("create") == []


@pytest.mark.parametrize(
    ("cell", "typed", "currency", "words"),
    [
        ("line_0_price", "$80", "EUR", "“$” may be another currency."),
        ("line_0_price", "$80", "", ""),
        ("line_0_price", "€ 80", "EUR", ""),
        ("line_0_discount", "£5 off", "EUR", "“£” may be another currency."),
        ("line_0_discount", "£500 off", "EUR", "“£” may be another currency."),
        ("overall_discount", "£5", "EUR", "“£” may be another currency."),
        ("line_0_item_name", "501", "EUR", "This item isn't in your list."),
        ("line_0_item_name", "#501", "EUR", ""),
    ],
)
def test_money_and_items_are_never_guessed(desk, lists, sent, cell, typed, currency, words):
    codes = {entry.name: entry.code for entry in reference_lists.entries("Acme", Kind.CURRENCY)}
    more = {"org_currency_id": codes.get(currency, ""), "line_0_price": "80", cell: typed}
    page = desk.post("/invoices/new/", filled(desk, **more), follow=True)
    assert words in text(page)
    assert len(sent("create")) == (not words)
    assert not words or f'value="{typed}"' in page.content.decode()


def test_an_unknown_item_number_is_refused_before_it_is_sent(desk, lists, sent):
    page = desk.post("/invoices/new/", filled(desk, line_0_item_id="24", line_0_price="1"))
    assert page.status_code == 422
    assert "No item has the number 24." in text(page)
    assert 'id="line-0-item_id-error"' in page.content.decode()
    assert sent("create") == []


@pytest.mark.parametrize("source", ["/invoices/{}/edit/", "/invoices/new/?copy={}"])
def test_an_item_that_stood_in_the_record_is_never_refused(desk, invoice, lists, source):
    ListEntry.objects.filter(kind=Kind.ITEM, code="501").delete()
    reference_lists.forget()
    address = source.format(invoice)
    typed = fields(desk.get(address)) | {"notes": "New"}
    assert desk.post(address, typed).status_code == 302


def test_the_body_of_an_unchanged_document_equals_the_record(desk, standin, gateway, invoice):
    record = gateway.get(INVOICES, invoice)
    page = desk.get(f"/invoices/{invoice}/edit/")
    form = page.context["form"].__class__(
        _query(fields(page)),
        opened_with=page.context["form"].opened_with,
        ctx=page.context["form"].ctx,
    )
    assert form.is_valid()
    assert form.touched() == []
    assert form.cleaned_data["items"] == body_of_record(record, INVOICES)["items"]


def test_an_edit_sends_the_whole_document_with_the_change(desk, standin, gateway, invoice):
    before = body_of_record(gateway.get(INVOICES, invoice), INVOICES)
    address = f"/invoices/{invoice}/edit/"
    desk.post(address, fields(desk.get(address), line_0_quantity="4"))
    after = body_of_record(gateway.get(INVOICES, invoice), INVOICES)
    assert after.pop("items")[0]["quantity"] == 4
    assert before.pop("items")[0]["quantity"] == 2
    assert after == before


def test_a_concurrent_change_of_another_field_is_not_overwritten(desk, gateway, invoice):
    address = f"/invoices/{invoice}/edit/"
    typed = fields(desk.get(address), reference="PO-8")
    theirs = body_of_record(gateway.get(INVOICES, invoice), INVOICES)
    gateway.update(INVOICES, invoice, {**theirs, "notes": "Theirs", "items": theirs["items"][:1]})
    assert desk.post(address, typed).status_code == 302
    record = gateway.get(INVOICES, invoice)
    assert (record["reference"], record["notes"], len(record.lines)) == ("PO-8", "Theirs", 1)


def test_a_concurrent_change_of_the_lines_asks_for_confirmation(desk, standin, gateway, invoice):
    address = f"/invoices/{invoice}/edit/"
    typed = fields(desk.get(address), line_0_quantity="4")
    theirs = body_of_record(gateway.get(INVOICES, invoice), INVOICES)
    gateway.update(INVOICES, invoice, {**theirs, "items": theirs["items"][:1]})
    page = desk.post(address, typed)
    assert page.status_code == 409
    assert "while you were editing" in text(page)
    assert "Lines 2 x" in text(page)
    again = desk.post(address, fields(page))
    assert again.status_code == 302
    assert gateway.get(INVOICES, invoice).lines[0]["quantity"] == 4


def test_a_cleared_field_is_saved_empty(desk, gateway, invoice):
    address = f"/invoices/{invoice}/edit/"
    desk.post(address, fields(desk.get(address), notes="", overall_discount=""))
    record = gateway.get(INVOICES, invoice)
    assert (record["notes"], record["overall_discount"]) == (None, None)


def test_a_document_that_cannot_be_sent_whole_has_no_edit_form(desk, gateway, invoice, monkeypatch):
    raw = {**gateway.get(INVOICES, invoice).raw, "line_items": [{"price": []}]}
    monkeypatch.setattr(Gateway, "get", lambda *_: record_of(INVOICES, raw))
    page = desk.get(f"/invoices/{invoice}/edit/")
    assert page.status_code == 409
    assert "be edited here" in text(page)
    assert "<textarea" not in page.content.decode()


def test_a_copy_takes_the_lines_and_not_the_dates(desk, invoice):
    page = desk.get(f"/invoices/new/?copy={invoice}")
    typed = fields(page)
    assert typed["line-1-item_name"] == "Travel"
    assert typed["reference"] == "PO-7"
    assert typed["overall_discount"] == "5.00"
    assert (
        page.context["form"]["transaction_date"].value().startswith(str(timezone.localdate().day))
    )
    assert "snapshot" not in typed


@pytest.mark.parametrize("source", ["/invoices/{}/edit/", "/invoices/new/?copy={}"])
def test_a_discount_without_a_kind_remains_an_amount(desk, gateway, source):
    body = {"customer_id": 1001, "template_id": 11, "items": [LINE], "overall_discount": 50}
    other = gateway.create(INVOICES, body).id
    assert fields(desk.get(source.format(other)))["overall_discount_type"] == "1"


@pytest.mark.parametrize(
    ("discount", "is_refused"), [("95.51 off", True), ("95.50 off", False), ("100 %", False)]
)
def test_no_fixed_discount_is_above_the_amount_of_its_line(desk, discount, is_refused):
    cells = {"line-0-quantity": "1", "line-0-price": "95.50", "line-0-discount": discount}
    page = desk.post("/invoices/new/", filled(desk, **cells, conversion_rate="0"))
    assert ("discount" in page.context["form"].rows[0].errors) == is_refused


@pytest.mark.parametrize(
    ("discount", "kind", "is_refused"),
    [("120.01", "1", True), ("120", "1", False), ("100", "2", False), ("101", "2", True)],
)
def test_no_fixed_discount_is_above_the_total(desk, discount, kind, is_refused):
    cells = {"line-0-quantity": "1", "line-0-price": "100", "line-0-tax_id": "61|20"}
    more = {"overall_discount": discount, "overall_discount_type": kind, "conversion_rate": "0"}
    page = desk.post("/invoices/new/", filled(desk, **cells, **more))
    assert ("overall_discount" in page.context["form"].errors) == is_refused


@pytest.mark.parametrize("rate", ["0", "-1"])
def test_a_conversion_rate_is_above_zero(desk, rate):
    page = desk.post("/invoices/new/", filled(desk, conversion_rate=rate))
    [words] = page.context["form"].errors["conversion_rate"]
    assert "above 0" in words


def test_a_customer_in_the_address_is_selected_with_their_terms(desk, zebra, gateway):
    for _ in range(2):
        preferences.remember_days(workspace="Acme", customer=zebra, days=14, usual=30)
    typed = fields(desk.get(f"/invoices/new/?customer={zebra}"))
    assert typed["customer_id"] == str(zebra)
    assert typed["customer_id-text"] == "Zebra Ltd"
    due = timezone.localdate() + timedelta(days=14)
    assert typed["due_date"].startswith(f"{due.day} ")


def test_a_deal_in_the_address_selects_its_company(desk, gateway, zebra):
    body = {"deal_name": "Big", "pipeline_id": 1, "cstid": zebra}
    deal = gateway.create(DEALS, body).id
    typed = fields(desk.get(f"/estimates/new/?deal={deal}"))
    assert (typed["deal_id"], typed["customer_id"]) == (str(deal), str(zebra))


def test_terms_and_choices_are_stored_for_the_next_form(desk, lists, zebra, manager):
    typed = filled(desk, **{"customer_id": str(zebra), "due_date": "+10", "template_id": "12"})
    assert desk.post("/invoices/new/", typed).status_code == 302
    preferences.remember_days(workspace="Acme", customer=zebra, days=10, usual=30)
    assert preferences.due_days("Acme", zebra, usual=30) == 10
    assert fields(desk.get("/invoices/new/"))["template_id"] == "12"
    due = desk.get(f"/invoices/due/?customer={zebra}&date=1/3/2026").json()
    assert due == {"text": "11 Mar 2026"}


@pytest.fixture
def estimate(gateway, zebra) -> int:
    body = {"customer_id": zebra, "template_id": 11, "items": [LINE], "notes": "As agreed"}
    return gateway.create(ESTIMATES, {**body, "reference": "PO-7"}).id


def test_an_invoice_keeps_the_reference_of_its_estimate(desk, gateway, estimate, sent):
    number = gateway.get(ESTIMATES, estimate)["est_number"]
    address = f"/invoices/new/?estimate={estimate}"
    page = desk.get(address)
    assert "The reference is kept, and the number is added to the notes" in text(page)
    assert f'href="/estimates/{estimate}/"' in page.content.decode()
    assert desk.post(address, fields(page)).status_code == 302
    (body,) = sent("create")[-1:]
    assert body["reference"] == "PO-7"
    assert body["notes"] == f"As agreed\nEstimate {number}"


def test_converting_an_estimate_a_second_time_asks_for_confirmation(desk, standin, estimate, sent):
    address = f"/invoices/new/?estimate={estimate}"
    typed = fields(desk.get(address))
    assert typed["line-0-item_name"] == "Consulting hour"
    standin.reset(data=False)
    first, again = (desk.post(address, typed) for _ in range(2))
    assert first["Location"] == again["Location"]
    assert len(sent("create")) == 1
    assert re.search(
        r"This estimate Invoice INV-\d+ made .*, by ", text(desk.get(f"/estimates/{estimate}/"))
    )
    assert "Estimate: EST-" in text(desk.get(first["Location"]))
    second = desk.get(address)
    assert "already created from this estimate" in text(second)
    assert desk.post(address, fields(second)).status_code == 422
    assert desk.post(address, fields(second, again="1")).status_code == 302


def test_the_lines_of_the_customers_last_document_are_inserted(desk, zebra, invoice):
    typed = fields(desk.get(f"/invoices/new/?customer={zebra}"), do="last-lines")
    page = desk.post("/invoices/new/", typed)
    assert page.status_code == 200
    assert "Lines copied from" in text(page)
    assert fields(page)["line-1-item_name"] == "Travel"
    focused = re.findall(r"<[^>]*\sautofocus\b[^>]*>", page.content.decode())
    assert [re.search(r'name="([^"]+)"', tag)[1] for tag in focused] == ["line-2-item_name"]


def line_fields(fragment):
    return fields(f"<form data-document>{fragment.content.decode()}</form>")


def test_a_paste_that_does_not_match_stands_in_the_lines_to_be_corrected(desk, lists):
    typed = fields(desk.get("/invoices/new/"))
    cells = "Consulting hour\t2\nNobody sells this\t1"
    page = desk.post("/invoices/lines/", {**typed, "do": "paste-check", "pasted": cells})
    assert "2 lines pasted, 1 needs a fix." in text(page)
    assert "Unknown item “Nobody sells this”" in text(page)
    assert 'id="line-1-item_id-error"' in page.content.decode()
    corrected = {**line_fields(page), "line-1-item_id": "502"}
    used = desk.post("/invoices/lines/", {**typed, **corrected, "do": "paste-use"})
    assert "The pasted lines were added" in text(used)
    assert "Unknown item" not in text(used)
    after = line_fields(used)
    assert (after["line-0-item_id"], after["line-1-item_name"]) == ("501", "Nobody sells this")
    assert after["line-1-item_id"] == "502"


def test_lines_keep_what_the_page_has_no_option_for(desk, gateway, zebra):
    lines = [
        {**LINE, "tax_id": "61", "tax_rate": 19, "discount": 10, "discount_type": 2},
        {**LINE, "item_name": "Travel", "tax_rate": 7, "discount": 3, "discount_type": 1},
    ]
    body = {"customer_id": zebra, "template_id": 11, "items": lines}
    address = f"/invoices/{gateway.create(INVOICES, body).id}/edit/"
    page = desk.get(address)
    assert fields(page)["line-0-discount"] == "10 %"
    assert desk.post(address, fields(page, line_1_quantity="4")).status_code == 302
    after = gateway.get(INVOICES, int(address.split("/")[2])).lines
    kept = ("tax_id", "tax_rate", "discount", "discount_type", "quantity")
    expected = [lines[0], {**lines[1], "quantity": 4}]
    assert [{name: line[name] for name in kept if line[name]} for line in after] == [
        {name: line[name] for name in kept if name in line} for line in expected
    ]


def test_a_line_has_its_rare_fields_where_they_hold_something(desk, gateway, lists):
    lines = [LINE, {**LINE, "description": "By phone"}, {**LINE, "tax_id": "62", "tax_rate": 10}]
    body = {"customer_id": 1001, "template_id": 11, "items": lines}
    address = f"/invoices/{gateway.create(INVOICES, body).id}/edit/"
    page = desk.get(address)
    html = page.content.decode()
    assert [f"line-{key}-description" in html for key in (0, 1, 2)] == [False, True, False]
    assert html.count(TAX_OF_10) == 1 + BLANK_LINES + len(("template",))


def test_a_header_is_sent_back_with_what_the_service_has_for_it(desk, gateway, zebra):
    header = {**LINE, "type": "header", "item_name": "Phase 1", "discount": 5, "discount_type": 2}
    body = {"customer_id": zebra, "template_id": 11, "items": [header, LINE], "reference": "A"}
    number = gateway.create(INVOICES, body).id
    before = body_of_record(gateway.get(INVOICES, number), INVOICES)["items"]
    address = f"/invoices/{number}/edit/"
    desk.post(address, fields(desk.get(address), line_1_quantity="3"))
    after = body_of_record(gateway.get(INVOICES, number), INVOICES)["items"]
    assert after == [before[0], {**before[1], "quantity": 3}]


def document(count: int) -> dict[str, Any]:
    """An invoice of items with taxes; every tenth line is described, every seventh reduced."""
    items = reference_data("acme")["items"]
    lines = []
    for place in range(count):
        item = items[place % len(items)]
        line = {"type": "item", "item_id": item["id"], "item_name": item["name"], "quantity": 2}
        line |= {"price": 95.5, "tax_id": item["tax id"], "tax_rate": 20}
        line |= {"description": "As agreed on the phone"} if place % 10 == 9 else {}
        line |= {"discount": 5, "discount_type": 2} if place % 7 == 6 else {}
        lines.append(line)
    return {"customer_id": 1001, "template_id": 11, "items": lines}


def test_the_edit_form_of_300_lines_is_at_most_300_kilobytes(desk, gateway, lists):
    body = document(300) | {"customer_id": 1001}
    page = desk.get(f"/invoices/{gateway.create(INVOICES, body).id}/edit/")
    assert len(page.content) <= 300_000
    assert len(fields(page)["line"]) == 300


def test_the_totals_follow_the_typed_lines(desk, lists):
    typed = {"numbers": "3\t95\t\t20\n", "overall_discount": "10", "overall_discount_type": "2"}
    page = desk.post("/invoices/totals/", typed)
    assert json.loads(page.context["table"].amounts) == ["285.00", ""]
    words = text(page)
    assert "Subtotal 285.00" in words
    assert "Tax 20% 57.00" in words
    assert "Discount -34.20" in words
    assert "(calculated here) 307.80" in words


def test_the_totals_leave_out_a_line_that_is_no_number_and_say_what_is_wrong(desk, lists):
    typed = {"numbers": "2\t10\t5 %\t\r\n\t\t\t\t#\r\n1\tx\r\n#"}
    page = desk.post("/invoices/totals/", typed)
    table = page.context["table"]
    assert json.loads(table.amounts) == ["19.00", *[UNREADABLE] * 3]
    assert {place: [*cells] for place, cells in json.loads(table.wrong_numbers).items()} == {
        "2": ["price"],
        "3": ["quantity"],
    }
    assert "Total without lines 3 and 4" in text(page)


def test_the_history_names_an_invoice_by_the_number_that_the_service_gave(desk, gateway, lists):
    desk.post("/invoices/new/", filled(desk))
    write = Write.objects.get()
    number = gateway.get(INVOICES, write.record_id)["inv_number"]
    assert number
    assert write.changes["label"] == number


def test_a_document_of_300_lines_is_saved(desk, lists, sent):
    typed = filled(desk)
    typed["line"] = [str(number) for number in range(300)]
    for number in range(300):
        typed |= {f"line-{number}-item_name": "Shipping", f"line-{number}-quantity": "1"}
        typed |= {f"line-{number}-type": "item", f"line-{number}-discount_type": "2"}
    page = desk.post("/invoices/new/", typed, follow=True)
    assert "was created" in text(page)
    assert len(sent("create")[0]["items"]) == 300
    typed["line"].append("300")
    typed |= {"line-300-item_name": "Shipping", "line-300-quantity": "1", "token": "x" * 32}
    assert "at most 300 lines" in text(desk.post("/invoices/new/", typed))


def _query(data):
    from django.http import QueryDict

    query = QueryDict(mutable=True)
    for name, values in data.items():
        query.setlist(name, values if isinstance(values, list) else [values])
    return query


def test_pasted_totals_are_compared_again_after_the_numbers_are_read_otherwise(desk, lists):
    cells = "item\tqty\tprice\tamount\nConsulting hour\t4\t150,00\t1.600,00"
    typed = {**fields(desk.get("/invoices/new/")), "pasted": cells, "do": "paste-check"}
    page = desk.post("/invoices/lines/", typed)
    page = desk.post("/invoices/lines/", {**typed, **line_fields(page), "do": "paste-like-,"})
    assert "The pasted total is 1.600,00, but these cells make 600.00." in text(page)
