"""The page of a deal: its way through the stages, its next step, its documents, its log."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.gateway import CONTACTS, DEALS, TASKS
from dashboard.schema.registry import RESOURCES
from dashboard.standin.resources.deals import DEALS as STORED
from tests.helpers import text
from tests.page_forms import fields, page_forms

pytestmark = pytest.mark.django_db


@pytest.fixture
def deal(gateway, zebra):
    closes = timezone.localdate() + timedelta(9)
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra, "deal_amount": 900}
    body["deal_amount_currency"] = 1
    return gateway.create(DEALS, {**body, "deal_expected_close_date": closes}).id


@pytest.fixture
def made(desk):
    """made(resource, **fields): creates a record for the deal by its form, and tells its id."""

    def create(address, **typed):
        answer = desk.post(address, fields(desk.get(address), **typed))
        return int(answer["Location"].split("/")[2])

    return create


def panel(page, name):
    return next(each for each in page.context["record_page"].panels if each.name == name)


def move(standin, deal, stage):
    store = standin.application.state.store
    with store.transaction():
        _, record = store.get(STORED, deal)
        store.replace(STORED, record.pop("deal_id"), {**record, "deal_current_stage": stage})


def steps(page):
    return [
        (each.name, each.is_done, each.is_now, each.is_next)
        for each in page.context["record_page"].steps
    ]


def test_the_way_of_a_deal_is_shown(desk, lists, deal):
    page = desk.get(f"/deals/{deal}/")
    assert steps(page) == [
        ("Enquiry", False, True, False),
        ("Meeting", False, False, True),
        ("Proposal", False, False, False),
        ("Negotiation", False, False, False),
        ("Won", False, False, False),
    ]
    html = page.content.decode()
    assert html.count('aria-current="step"') == 1
    assert "next (change it in the CRM)" in text(page)
    facts = [each.label for each in page.context["record_page"].figures]
    assert facts == ["Amount", "Expected close", "Owner", "Stage"]


def test_a_fact_that_a_deal_lacks_is_a_link_that_adds_it(desk, lists, gateway, zebra):
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra}
    deal = gateway.create(DEALS, body).id
    page = desk.get(f"/deals/{deal}/")
    assert f'href="/deals/{deal}/edit/?field=deal_amount">Add amount</a>' in page.content.decode()


def test_a_deal_that_has_come_further_has_stages_behind_it(desk, lists, deal, standin):
    move(standin, deal, 13)
    page = desk.get(f"/deals/{deal}/")
    assert [name for name, done, _, _ in steps(page) if done] == ["Enquiry", "Meeting"]
    move(standin, deal, 16)
    lost = desk.get(f"/deals/{deal}/")
    assert [(name, done) for name, done, now, _ in steps(lost) if done or now] == [("Lost", False)]


def test_a_stage_without_a_name_has_no_way(desk, deal):
    page = desk.get(f"/deals/{deal}/")
    assert page.context["record_page"].steps == []
    assert "not named yet" in text(page)


def test_since_when_a_deal_is_in_its_stage_is_known_of_one_that_was_created_here(
    desk, lists, zebra, made
):
    deal = made("/deals/new/", deal_name="Stripes", pipeline_id="1", cstid=str(zebra))
    [first, *others] = desk.get(f"/deals/{deal}/").context["record_page"].steps
    assert first.note.startswith(f"{timezone.localdate().day} ")
    assert not any(each.note for each in others)


def test_the_next_step_is_the_open_task_that_is_due_first(desk, changing_tasks, deal, made):
    address = f"/tasks/new/?deal={deal}"
    assert "No open tasks" in text(desk.get(f"/deals/{deal}/"))
    made(address, title="Send it", start_datetime="2030-03-02 09:00")
    first = made(address, title="Call", start_datetime="2029-03-02 09:00")
    page = desk.get(f"/deals/{deal}/")
    next_step = panel(page, "next")
    [step] = next_step.rows
    assert (step.name.text, step.name.url, next_step.others) == ("Call", f"/tasks/{first}/", 1)
    assert 'data-key="d"' in page.content.decode()
    answer = desk.post(step.tick.url, dict(step.tick.fields), follow=True)
    assert answer.redirect_chain[-1][0] == f"/deals/{deal}/"
    assert "Call is done." in text(answer)
    assert 'data-key="z"' in answer.content.decode()
    assert panel(answer, "next").rows[0].name.text == "Send it"


@pytest.mark.parametrize(("number", "words"), [(1, "1 task could"), (2, "2 tasks could")])
def test_tasks_that_cannot_be_read_are_not_called_done(desk, deal, made, standin, number, words):
    for _ in range(number):
        made(f"/tasks/new/?deal={deal}", title="Call", start_datetime="2029-03-02 09:00")
    standin.fault("status-404", operation="get", resource="tasks")
    cache.clear()
    shown = text(desk.get(f"/deals/{deal}/"))
    assert f"{words} not be read." in shown
    assert "No open tasks" not in shown


def document(made, kind, deal, price):
    line = {"item_id": "501", "item_name": "Work", "quantity": "1", "price": str(price)}
    fields = {f"line_0_{name}": value for name, value in line.items()}
    terms = {"template_id": "11", "org_currency_id": "1"}
    return made(f"/{kind}/new/?deal={deal}", **terms, **fields)


def test_what_is_left_to_invoice_is_told(desk, lists, deal, made):
    assert "No estimates or invoices yet" in text(desk.get(f"/deals/{deal}/"))
    estimate = document(made, "estimates", deal, 800)
    document(made, "invoices", deal, 200)
    page = desk.get(f"/deals/{deal}/")
    papers = panel(page, "documents")
    assert [each.amount for each in papers.rows] == ["200.00 EUR", "800.00 EUR"]
    assert papers.rows[1].name.url == f"/estimates/{estimate}/"
    left = papers.remainder
    assert (left.amount, left.of, left.share) == ("600.00 EUR", "of the estimate", "75%")
    assert [each.width for each in left.bar] == ["25.00%"]


def log_of(page, **typed):
    """What a browser sends for the form that logs a call."""
    forms = page_forms(page.content.decode(), page.request["PATH_INFO"])
    return {**next(form for form in forms if "done=now" in form.action).data(), **typed}


@pytest.mark.parametrize("of", ["contacts", "deals", "invoices", "estimates"])
def test_a_call_is_logged_in_place_and_stands_among_the_activity(desk, lists, gateway, of):
    firm = gateway.create(CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2}).id
    line = {"item_id": 501, "item_name": "Rent", "quantity": 1, "price": 9, "type": "item"}
    document = {"customer_id": firm, "items": [line], "template_id": 11}
    bodies = {"deals": {"deal_name": "Stripes", "cstid": firm, "pipeline_id": 1}}
    body = bodies.get(of, document)
    record = firm if of == "contacts" else gateway.create(RESOURCES[of].endpoint, body).id
    url = f"/{of}/{record}/"
    page = desk.get(url)
    assert page.content.decode().count('data-key="l"') == 1
    assert page.context["record_page"].log_time.count(":") == 1  # without seconds
    log, title = page.context["record_page"].log, page.context["record_page"].log_titles[1]
    answer = desk.post(log.url, log_of(page, title=title, description="Darker oak."), follow=True)
    assert answer.redirect_chain[-1][0] == f"{url}#activity"
    entry = answer.context["record_page"].timeline[0]
    assert (entry.words, entry.text) == (title, "Darker oak.")
    task = gateway.get(TASKS, int(entry.url.split("/")[2]))
    linked = {"deal_id": record} if of == "deals" else {"cstid": firm}
    assert {name: task.get(name) for name in linked} == linked


def test_a_log_that_is_not_accepted_is_shown_with_what_was_typed(desk, lists, deal):
    page = desk.get(f"/deals/{deal}/")
    typed = log_of(page, title="Note", description="Wants oak.", start_datetime="never")
    answer = desk.post(page.context["record_page"].log.url, typed)
    assert answer.status_code == 422
    assert "Wants oak." in text(answer)


@pytest.mark.parametrize("back", ["//elsewhere.example/", "https://elsewhere.example/", "x"])
def test_a_form_leads_back_to_no_other_site(desk, deal, made, back):
    made(f"/tasks/new/?deal={deal}&back={back}", title="Send it", start_datetime="2030-03-02 09:00")
