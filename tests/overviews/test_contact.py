"""The page of a contact with the records of other resources that are theirs."""

import re
from datetime import date, timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from markupsafe import escape

from dashboard.gateway import CONTACTS, DEALS, INVOICES, TASKS, Gateway
from dashboard.gateway.errors import Unavailable
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import Kind
from dashboard.overviews import contact
from dashboard.people.models import KeyPair
from dashboard.standin.resources.contacts import CONTACTS as STORED
from tests.helpers import text
from tests.page_forms import fields

pytestmark = pytest.mark.django_db

LINE = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 100, "type": "item"}


def invoice(gateway, customer, *, due, issued=None, price=100):
    body = {
        "customer_id": customer,
        "template_id": 11,
        "items": [{**LINE, "price": price}],
        "due_date": due,
        "transaction_date": issued or timezone.localdate(),
    }
    return gateway.create(INVOICES, body).id


def figures(page):
    return {each.label: each for each in page.context["record_page"].figures}


def test_what_they_owe_is_summed_and_the_overdue_told(desk, gateway, zebra, block):
    today = timezone.localdate()
    invoice(gateway, zebra, due=today + timedelta(9), price=40)
    invoice(gateway, zebra, due=today - timedelta(12), price=60)
    page = desk.get(f"/contacts/{zebra}/")
    shown = figures(page)
    assert (shown["Owes"].value.text, shown["Owes"].note) == ("100.00", "2 open invoices")
    overdue = shown["Overdue"]
    assert (overdue.value.text, overdue.note) == ("60.00", "1 invoice, oldest 12 days")
    assert overdue.is_late
    assert shown[f"Invoiced in {today.year}"].value.text == "100.00"
    assert "12 days overdue" in block(page, "invoices")
    assert "in 9 days" in block(page, "invoices")
    assert "2 · 100.00 in all" in block(page, "invoices")


def test_all_calls_run_side_by_side_and_are_few(desk, zebra, standin):
    standin.reset(data=False)
    desk.get(f"/contacts/{zebra}/")
    calls = [(entry["operation"], entry["resource"]) for entry in standin.ledger()]
    assert sorted(calls) == [
        ("get", "contacts"),
        ("list", "deals"),
        ("list", "estimates"),
        ("list", "invoices"),
        ("list", "tasks"),
        ("list", "tasks"),
    ]


def test_figures_of_a_part_say_at_least(desk, gateway, zebra, monkeypatch, block):
    for number in range(3):
        invoice(gateway, zebra, due=date(2030, 1, 1), price=10 + number)
    monkeypatch.setattr(contact, "PAGE_SIZE", 2)
    page = desk.get(f"/contacts/{zebra}/")
    assert figures(page)["Owes"].value.text == "33.00"  # all open invoices were read for it
    assert not figures(page)["Owes"].is_partial
    year = figures(page)[f"Invoiced in {timezone.localdate().year}"]
    assert year.is_partial
    assert "2 of 3 read" in year.note
    assert "3 · at least " in block(page, "invoices")
    assert "<small>at least</small>" in page.content.decode()


def test_open_invoices_come_first_by_their_due_day(desk, gateway, zebra, block):
    today = timezone.localdate()
    later, late, first = (
        invoice(gateway, zebra, due=today + timedelta(days)) for days in (9, -12, 3)
    )
    rows = re.findall(
        r'href="/invoices/(\d+)/"', block(desk.get(f"/contacts/{zebra}/"), "invoices")
    )
    assert list(map(int, rows)) == [late, first, later]


def test_twelve_months_are_drawn_with_what_is_still_due(desk, gateway, zebra):
    today = timezone.localdate()
    month = today.replace(day=1)
    invoice(gateway, zebra, due=today, issued=month, price=300)
    invoice(gateway, zebra, due=today, issued=month - timedelta(40), price=100)
    invoice(gateway, zebra, due=today, issued=month - timedelta(500), price=900)
    blocks_of_page = {
        each.name: each for each in desk.get(f"/contacts/{zebra}/").context["record_page"].main
    }
    picture = blocks_of_page["invoices"].picture
    assert len(picture.columns.columns) == 12
    drawn = {each.item.label: each for each in picture.columns.columns if each.item.value}
    assert [each.item.value for each in drawn.values()] == [100, 300]
    last = picture.columns.columns[-1]
    assert last.item.due == 300
    assert last.due_height == last.height
    assert "300.00" in last.item.title
    assert "1 invoice" in text(desk.get(last.item.url))
    total = [cell.shown.text for cell in picture.table.total]
    assert total == ["All", "2", "400.00", "400.00"]


def test_the_stages_of_deals_come_after_the_page(desk, gateway, lists, zebra, block, standin):
    deal = gateway.create(DEALS, {"deal_name": "Dots", "pipeline_id": 1, "cstid": zebra}).id
    code = gateway.get(DEALS, deal).raw["deal_current_stage"]
    stage = catalogue.entry("Acme", Kind.STAGE, code).name
    standin.reset(data=False)
    shown = block(desk.get(f"/contacts/{zebra}/"), "deals")
    assert standin.ledger(operation="get", resource="deals") == []
    assert f'data-cell="deals-{deal}-deal_current_stage"' in shown
    cells = re.search(r'hx-get="(/deals/cells/[^"]+)"', shown)[1]
    assert stage in text(desk.get(cells, headers={"HX-Request": "true"}))
    shown = block(desk.get(f"/contacts/{zebra}/"), "deals")  # the record was read just now
    assert f'<td class="meta"><span class="one">{stage}</span></td>' in shown
    assert "/deals/cells/" not in shown


def test_tasks_are_found_among_open_ones_and_those_entered_here(desk, gateway, zebra, block):
    late = timezone.localdate() - timedelta(2)
    body = {"title": "Call back", "start_datetime": f"{late}T09:00:00", "cstid": zebra}
    gateway.create(TASKS, body)
    gateway.create(TASKS, {**body, "title": "In hand", "status": 1})
    opened = desk.get(f"/tasks/new/?contact={zebra}")
    typed = fields(opened, title="Write to them", start_datetime="2030-03-02 09:00", status="2")
    assert desk.post("/tasks/new/", typed).status_code == 302
    tasks = block(desk.get(f"/contacts/{zebra}/"), "tasks")
    for words in ("Call back", "2 days overdue", "In hand", "Write to them", "entered here"):
        assert words in tasks
    assert '<span class="n">3</span>' in tasks


def test_tasks_of_one_status_are_shown_where_the_other_fails(
    desk, gateway, zebra, block, monkeypatch
):
    task = {"title": "Call back", "start_datetime": "2026-01-05T09:00:00", "cstid": zebra}
    gateway.create(TASKS, {**task, "status": 1})
    read = Gateway.list

    def fail(self, endpoint, **asked):
        if endpoint is TASKS and asked["filters"]["status"] in failing:
            raise Unavailable(reason="no answer")
        return read(self, endpoint, **asked)

    monkeypatch.setattr(Gateway, "list", fail)
    failing = (0,)
    page = desk.get(f"/contacts/{zebra}/")
    shown = block(page, "tasks")
    assert "Call back" in shown
    assert 'role="alert"' in shown
    assert escape(contact.TASKS_NOTE) not in shown
    stream = [entry.words for entry in page.context["record_page"].timeline]
    assert stream == ["Task Call back, in progress"]
    failing = (0, 1)
    shown = block(desk.get(f"/contacts/{zebra}/"), "tasks")
    assert "Call back" not in shown
    assert escape(contact.TASKS_NOTE) in shown


def test_the_timeline_tells_what_was_entered_here_about_them(desk, zebra):
    opened = desk.get(f"/contacts/{zebra}/edit/")
    desk.post(f"/contacts/{zebra}/edit/", fields(opened, ct_taxnumber="GB 1"))
    opened = desk.get(f"/contacts/{zebra}/edit/")
    desk.post(f"/contacts/{zebra}/edit/", fields(opened, ct_taxnumber="GB 2"))
    opened = desk.get(f"/invoices/new/?customer={zebra}")
    line = {"line-0-item_id": "501", "line-0-item_name": "Work", "line-0-quantity": "1"}
    typed = fields(opened, template_id="11", **line, **{"line-0-price": "5"})
    made = desk.post("/invoices/new/", typed)
    assert made.status_code == 302
    page = desk.get(f"/contacts/{zebra}/")
    words = [entry.words for entry in page.context["record_page"].timeline]
    assert words[0].startswith("Invoice INV-")
    assert words[0].endswith(" created")
    assert words[1:] == ["Tax number changed from GB 1", "Tax number changed"]
    invoice_page = desk.get(made["Location"]).context["record_page"]
    assert [entry.words for entry in invoice_page.timeline] == ["Created"]
    assert page.context["record_page"].timeline[0].url == made["Location"]


def test_the_timeline_has_tasks_of_others_among_what_was_entered_here(desk, gateway, zebra, block):
    past = {"title": "Rang twice", "start_datetime": "2026-01-05T09:00:00", "cstid": zebra}
    gateway.create(TASKS, past)
    gateway.create(TASKS, {**past, "title": "Visit", "start_datetime": "2031-05-06T10:00:00"})
    opened = desk.get(f"/tasks/new/?contact={zebra}&done=now")
    logged = desk.post("/tasks/new/", fields(opened, title="Asked for a quote"))
    page = desk.get(f"/contacts/{zebra}/")
    stream = [(entry.words, entry.url) for entry in page.context["record_page"].timeline]
    assert [words for words, _ in stream] == [
        "Task Visit, open",
        "Asked for a quote",
        "Task Rang twice, open",
    ]
    assert stream[1][1] == logged["Location"]


def test_a_plan_without_tasks_is_told_where_calls_are_logged(desk, gateway, zebra):
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra}
    pages = [f"/contacts/{zebra}/", f"/deals/{gateway.create(DEALS, body).id}/"]
    assert not [each for each in pages if "include tasks" in text(desk.get(each))]
    KeyPair.objects.update(closed_areas=["tasks"])
    for address in pages:
        page = desk.get(address)
        assert "doesn't include tasks, so you can't log calls or notes." in text(page)
        assert 'data-key="l"' not in page.content.decode()
    form = desk.get(f"/tasks/new/?contact={zebra}&done=now")
    assert "include tasks, so this may be rejected." in text(form)


def test_people_of_a_business_are_those_known_here(desk, gateway, zebra, block):
    body = {"cstname": "Agnes Moray", "contact_type": 1, "contact_parent": zebra}
    agnes = gateway.create(CONTACTS, body).id
    assert "Agnes" not in text(desk.get(f"/contacts/{zebra}/"))
    person = desk.get(f"/contacts/{agnes}/")
    assert "Belongs to Zebra Ltd" in text(person)
    assert "block-people" not in person.content.decode()
    people = block(desk.get(f"/contacts/{zebra}/"), "people")
    assert "Agnes Moray" in people
    opened = desk.get(f"/contacts/new/?business={zebra}")
    assert desk.post("/contacts/new/", fields(opened, cstname="Tom Ardley")).status_code == 302
    assert '<span class="n">2</span>' in block(desk.get(f"/contacts/{zebra}/"), "people")


def test_people_who_cannot_be_read_are_not_counted(desk, zebra, block, standin):
    numbers = []
    for name in ("Tom Ardley", "Agnes Moray"):
        opened = desk.get(f"/contacts/new/?business={zebra}")
        made = desk.post("/contacts/new/", fields(opened, cstname=name))
        numbers.append(int(made["Location"].split("/")[2]))
    store = standin.application.state.store
    with store.transaction():
        store.remove(STORED, numbers[0])
    cache.clear()
    people = block(desk.get(f"/contacts/{zebra}/"), "people")
    assert "Agnes Moray" in people
    assert f"/contacts/{numbers[0]}/" not in people
    assert '<span class="n">1</span>' in people


def test_somebody_who_only_reads_is_offered_nothing_to_create(client_of, with_keys, viewer, zebra):
    page = client_of(with_keys(viewer)).get(f"/contacts/{zebra}/").content.decode()
    assert "/new/?" not in page.partition("<main")[2].partition("</main>")[0]
    assert 'data-key="e"' not in page
    assert 'data-key="s"' in page


def test_only_areas_of_the_plan_are_offered_and_shown(desk, gateway, zebra):
    KeyPair.objects.update(closed_areas=["deals", "estimates", "invoices"])
    task = {"title": "Call them", "start_datetime": "2026-01-05T09:00:00", "cstid": zebra}
    gateway.create(TASKS, task)
    page = desk.get(f"/contacts/{zebra}/")
    assert [start.label for start, _ in page.context["record_page"].creates] == ["Task"]
    assert [each.name for each in page.context["record_page"].main] == ["tasks"]
    assert "/invoices/" not in page.content.decode()
    hits = desk.post("/search/", {"q": "+", "hits": "1"}).content.decode()
    assert "New contact" in hits
    assert "New deal" not in hits


def test_invoices_that_were_read_stay_where_the_balance_cannot_be_read(
    desk, gateway, zebra, monkeypatch
):
    def fail(*args):
        raise Unavailable(reason="slow")

    invoice(gateway, zebra, due=date(2030, 1, 1), price=10)
    monkeypatch.setattr(contact.receivables, "of_contact", fail)
    page = desk.get(f"/contacts/{zebra}/")
    assert figures(page)["Owes"].value.text == "not read"
    assert "1 · 10.00" in text(page)


def test_invoices_that_cannot_be_read_leave_every_figure_with_its_label(desk, zebra, standin):
    standin.fault("status-503", operation="list", resource="invoices", times=9)
    shown = figures(desk.get(f"/contacts/{zebra}/"))
    labels = ("Owes", "Overdue", f"Invoiced in {timezone.localdate().year}")
    assert [shown[label].value.text for label in labels] == ["not read"] * 3
