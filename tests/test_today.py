"""The page Today: its blocks, each on its own, and what the dashboard keeps for the person."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from html import unescape

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.documents import receivables
from dashboard.gateway import INVOICES, TASKS, Gateway, Page
from dashboard.gateway.records import record_of
from dashboard.overviews import today
from dashboard.reader.all_rows import Reading, ReadRows
from tests.conftest import person
from tests.page_forms import fields


@pytest.fixture(autouse=True)
def _empty_cache():
    cache.clear()


def block(page, name):
    return re.search(rf'<section class="block" id="block-{name}".*?</section>', page, re.S)[0]


def text_of(client, path="/"):
    answer = client.get(path)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode()).replace("> <", "><")


def invoice_of(gateway, customer, days, price):
    """An open invoice that is due in so many days; late by so many if negative."""
    line = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": price, "type": "item"}
    due = timezone.localdate() + timedelta(days)
    body = {"customer_id": customer, "template_id": 11, "due_date": due, "items": [line]}
    return gateway.create(INVOICES, body).id


def amount(text):
    return Decimal(text.replace(",", ""))


def values_of(part):
    """The rows of the table of a picture: each row's head and its numbers as they are written."""
    part = part[part.index('class="unseen"><table') :]
    table = re.search(r"<tbody>(.*?)</tbody>", part, re.S)[1]
    return [
        re.findall(r"<t[hd][^>]*>(?:<a[^>]*>)?([^<]*)", row) for row in table.split("</tr>")[:-1]
    ]


def test_open_invoices_are_drawn_by_age_and_add_up(desk):
    part = block(text_of(desk), "open")
    ages = {age: amount(due) for age, _, due in values_of(part)}
    assert list(ages)[:5] == [
        "Not due",
        "1 to 30 days",
        "31 to 60 days",
        "61 to 90 days",
        "Over 90 days",
    ]
    leading = re.search(r'class="leading"><span class="n">([\d,.]+)', part)
    assert amount(leading[1]) == sum(ages.values()) > 0
    late = re.search(r'class="late">([\d,.]+) overdue', part)
    assert amount(late[1]) == sum(due for age, due in ages.items() if age in receivables.AGES)


def test_an_own_invoice_counts_at_once(desk):
    before = amount(re.search(r'class="leading"><span class="n">([\d,.]+)', text_of(desk))[1])
    typed = fields(desk.get("/invoices/new/"))
    typed |= {"customer_id": "1001", "template_id": "11", "line-0-item_id": "501"}
    typed |= {"line-0-item_name": "Work", "line-0-quantity": "2", "line-0-price": "10"}
    typed.pop("customer_id-text")
    assert desk.post("/invoices/new/", typed).status_code == 302
    after = amount(re.search(r'class="leading"><span class="n">([\d,.]+)', text_of(desk))[1])
    assert after - before == 20


def test_a_part_of_the_strip_leads_to_its_invoices(desk):
    part = block(text_of(desk), "open")
    for age, count, _ in values_of(part):
        found = re.search(rf'<a class="plain grow" href="([^"]+)">{age}<', part)
        if count == "0":
            assert not found
        else:
            listed = text_of(desk, unescape(found[1]))
            assert f"{count} invoice" in listed, age


def test_who_owes_most_is_chased_first(desk, gateway_to):
    gateway = gateway_to("acme")
    for days in (-3, -2):
        invoice_of(gateway, 1001, days, 400_000)
    only = invoice_of(gateway, 1002, -9, 500_000)
    part = block(text_of(desk), "overdue")
    rows = re.findall(r'<th scope="row" class="name">.*?</tr>', part, re.S)
    assert 'href="/contacts/1001/"' in rows[0], "a name leads to whom it names"
    assert "/invoices/?due=overdue&amp;cstid=1001" in rows[0]
    assert 'href="/contacts/1002/"' in rows[1]
    assert f'href="/invoices/{only}/"' in rows[1]
    widths = [re.search(r'class="b3" x="0.00%" width="([\d.]+)%"', row)[1] for row in rows[:2]]
    assert float(widths[0]) == 100 > float(widths[1])
    count = re.search(r"(\d+) invoices", rows[0])[1]
    listed = text_of(desk, "/invoices/?due=overdue&cstid=1001")
    assert f"{count} invoices" in listed


def test_what_comes_in_is_drawn_by_week(desk, gateway_to):
    before = [amount(row[2]) for row in values_of(block(text_of(desk), "due"))]
    cache.clear()
    invoice_of(gateway_to("acme"), 1001, 0, 1_000)
    invoice_of(gateway_to("acme"), 1001, 35 - timezone.localdate().weekday(), 2_000)
    part = block(text_of(desk), "due")
    rows = values_of(part)
    assert len(rows) == 6
    grown = [amount(row[2]) - old for row, old in zip(rows, before, strict=True)]
    assert grown[0] > 0
    assert grown[5] > 0
    assert grown[1:5] == [0, 0, 0, 0]
    week = re.search(r'<a href="([^"]+)" aria-label="[^"]*, (\d+) invoices?"', part)
    assert f"{week[2]} invoice" in text_of(desk, unescape(week[1]))


def test_currencies_are_not_added_up(desk, monkeypatch):
    """Two invoices of one customer in two currencies: two sums, of which one is drawn."""
    due = str(timezone.localdate() - timedelta(5))
    rows = [
        {"inv_id": number, "customer_id": 1001, "due_date": due, "inv_status": 0, **more}
        for number, more in (
            (1, {"amount_due": "120", "org_currency_id": 1}),
            (2, {"amount_due": "120000", "org_currency_id": 3}),
            (3, {"amount_due": "50", "org_currency_id": 1}),
        )
    ]
    records = tuple(record_of(INVOICES, row) for row in rows)
    read = ReadRows(records, 3, timezone.now(), ended=True, complete=True)
    monkeypatch.setattr(Reading, "result", lambda self: read)
    page = text_of(desk)
    assert "120,170" not in page
    assert [row[2] for row in values_of(block(page, "open"))][1] == "170.00"
    assert re.search(r"and 120,000(\.00)? \w[^<]* overdue", block(page, "open"))
    assert re.findall(r'class="num sum">([\d,]+)', block(page, "overdue")) == ["170", "120,000"]


def test_debtors_of_each_currency_are_chased(desk, monkeypatch):
    due = str(timezone.localdate() - timedelta(5))
    owed = [
        *((number, "10", 1) for number in range(1001, 1009)),
        (1009, "9", 3),
        (1010, "120000", 3),
    ]
    rows = [
        {"inv_id": customer, "customer_id": customer, "due_date": due, "inv_status": 0,
         "amount_due": amount, "org_currency_id": currency}
        for customer, amount, currency in owed
    ]  # fmt: skip
    records = tuple(record_of(INVOICES, row) for row in rows)
    read = ReadRows(records, len(rows), timezone.now(), ended=True, complete=True)
    monkeypatch.setattr(Reading, "result", lambda self: read)
    chased = re.findall(r'class="one"><a href="/contacts/(\d+)/"', block(text_of(desk), "overdue"))
    assert chased == ["1001", "1002", "1003", "1004", "1005", "1010", "1009"]


REST = "The rest of this page is complete."


def test_a_panel_that_fails_says_so_and_the_others_stand(desk, standin):
    standin.fault("status-503", operation="list", resource="leads")
    page = text_of(desk)
    assert REST in block(page, "leads")
    assert page.count(REST) == page.count("Try again") == 1


def test_two_blocks_of_one_call_that_fails_are_told_in_one_line(desk, standin):
    standin.fault("status-503", operation="list", resource="invoices")
    page = text_of(desk)
    assert "couldn't load Open invoices, Who to chase, Expected in the next 6 weeks." in page
    assert page.count(REST) == page.count("Try again") == 1
    assert "Couldn't load" in block(page, "overdue")
    assert "Couldn't load" not in block(page, "tasks")


def test_a_page_without_any_answer_does_not_call_its_rest_complete(desk, standin):
    standin.fault("status-503", operation="list")
    for _ in range(2):  # the second time most calls are paused
        page = text_of(desk)
        ways = ("The CRM can&#39;t be", "The CRM is not ans", "The CRM didn&#39;t answer")
        assert sum(map(page.count, ways)) == 1
        assert REST not in page


@pytest.fixture
def noon(time_machine):
    time_machine.move_to(timezone.localtime().replace(hour=12))


def test_what_was_left_and_what_was_entered_today_is_listed(noon, desk):
    page = text_of(desk)
    assert "nothing entered today" in page
    for name in ("Ada Entered", "Zoë Entered"):
        desk.post("/contacts/new/", fields(desk.get("/contacts/new/"), cstname=name))
    page = text_of(desk)
    assert "Entered today: 2 contacts" in page
    assert "Contact Zoë Entered" in page
    lead = {"cstname": "Lea Entered", "cstemail": "lea@zebra.example"}
    desk.post("/leads/new/", fields(desk.get("/leads/new/"), **lead))
    for _ in range(today.MAX_ENTERED):
        desk.post("/contacts/new/", fields(desk.get("/contacts/new/"), cstname="More"))
    for _ in range(today.MAX_ENTERED + 1):
        desk.post("/leads/new/", fields(desk.get("/leads/new/"), **lead))
    page = text_of(desk)
    assert "Entered today: 7 contacts, 7 leads" in page, "as many of both, by name"
    assert page.count(">Lead Lea Entered<") == today.MAX_ENTERED
    assert "Contact More" not in page


def test_a_task_due_today_is_not_late(desk, gateway_to):
    end = datetime.combine(timezone.localdate(), datetime.min.time()).replace(hour=23)
    body = {"title": "Due today only", "start_datetime": end - timedelta(hours=1), "cstid": 1001}
    gateway_to("acme").create(TASKS, {**body, "end_datetime": end})
    page = block(text_of(desk), "tasks")
    counted = re.search(r"(\d+) overdue, (\d+) today", page)
    assert counted
    assert int(counted[2]) >= 1


def test_a_partial_sum_of_deals_says_at_least(desk, monkeypatch):
    assert "at least" not in block(text_of(desk), "deals")
    monkeypatch.setattr(today, "PAGE_SIZE", 5)
    page = text_of(desk)
    assert "at least" in block(page, "deals") or "No deal" in block(page, "deals")
    assert re.search(r"5 of \d+ deals read", block(page, "deals"))


def test_the_task_that_is_overdue_longest_comes_first(desk, gateway_to):
    start = timezone.localtime().replace(hour=1, minute=0, second=0, microsecond=0, tzinfo=None)
    body = {"title": "Longest overdue", "start_datetime": start - timedelta(3_000), "cstid": 1001}
    gateway_to("acme").create(TASKS, body)
    tasks = block(text_of(desk), "tasks")
    names = re.findall(r'<span class="one"><a href="/tasks/\d+/">([^<]+)<', tasks)
    assert names.index("Longest overdue") == 0


@pytest.mark.parametrize(
    ("role", "steps"),
    [
        ("Viewer", []),
        ("Editor", ["/contacts/new/", "/leads/new/", "/invoices/new/"]),
        ("Manager", ["/contacts/new/", "/contacts/import/", "/leads/new/", "/invoices/new/"]),
    ],
)
def test_an_empty_workspace_shows_first_steps_that_the_person_may_take(
    db, client_of, with_keys, monkeypatch, role, steps
):
    def nothing(self, endpoint, *, page_index=0, page_size=10, **_):
        return Page((), page_index, page_size, 0, 0, 0)

    monkeypatch.setattr(Gateway, "list", nothing)
    page = text_of(client_of(with_keys(person("newcomer", role))))
    assert "You're all caught up" in page
    main = page[page.index("<main") : page.index("</main")]
    assert re.findall(r'class="button[^"]*" href="([^"]*)"', main) == steps[:1]
    assert re.findall(r'<div><b><a href="([^"]*)"', main) == steps
    assert 'class="picture' not in page
