"""What the page of an unresolved write shows and offers, and when."""

from datetime import datetime, timedelta

import pytest
from django.db.models.functions import Now
from time_machine import travel

from dashboard.gateway import CONTACTS, INVOICES, LEADS, TASKS
from dashboard.standin.reference_data import reference_data
from dashboard.writes.models import Draft, Write
from tests import other_vendor
from tests.helpers import ask_to_delete, delete_now, end_looks, text
from tests.page_forms import fields

Resolution = Write.Resolution
HOUR = {"item_id": 501, "item_name": "Hour", "quantity": 3, "price": 20, "type": "item"}


def create(desk, standin, fault, name="Zebra Unsure", **typed):
    """Save a new contact with a fault; returns the next page."""
    data = {**fields(desk.get("/contacts/new/")), "cstname": name, **typed}
    standin.fault(fault, operation="create", times=1)
    return desk.post("/contacts/new/", data, follow=True)


def address(page) -> str:
    return page.redirect_chain[-1][0]


def invoice(desk, standin, fault, **typed):
    """Save a new invoice of three hours at 20 with a fault; returns the next page."""
    form = desk.get("/invoices/new/")
    line = {f"line_0_{name}": str(value) for name, value in HOUR.items() if name != "type"}
    needed = {"customer_id": "1001", "customer_id-text": None, "template_id": "11"}
    standin.fault(fault, operation="create", times=1)
    return desk.post("/invoices/new/", fields(form, **needed, **line, **typed), follow=True)


def other_invoice(gateway, page, **changed) -> int:
    """An invoice of the same customer and day as the one that was sent, with other content."""
    body = Write.objects.get(pk=page.context["write"].pk).content["body"]
    return gateway.create(INVOICES, {**body, **changed}).id


# --- Answers that do not confirm a create --------------------------------------------------------


@pytest.mark.parametrize("fault", ["created-another", "created-list", "created-bare-before"])
def test_an_answer_that_does_not_name_the_record_is_unresolved_and_keeps_the_draft(
    desk, standin, fault
):
    page = create(desk, standin, fault)
    assert "know if Zebra Unsure was created" in text(page)
    assert Write.objects.get().state == Write.State.NOT_SURE
    desk.post(f"{address(page)}leave/")
    listed = text(desk.get("/unfinished/"))
    assert "New contact: Zebra Unsure" in listed
    assert Draft.objects.get().content_sealed


def test_a_bare_success_is_saved_once_the_record_is_found(desk, standin):
    page = create(desk, standin, "created-bare", cstemail="only@zebra.example")
    assert address(page).startswith("/contacts/")
    assert "was created" in text(page)
    assert not desk.get("/unfinished/").context["unfinished"]


def test_a_bare_success_is_unresolved_where_two_records_read_alike(desk, standin, gateway):
    twin = {"cstname": "Zebra Unsure", "contact_type": 1}
    gateway.create(CONTACTS, twin)
    page = create(desk, standin, "created-bare")
    assert address(page).startswith("/unsure/")


def test_a_bare_success_settles_once_one_new_record_equals_it(desk, standin, gateway):
    page = create(desk, standin, "created-bare-before", cstemail="only@zebra.example")
    assert address(page).startswith("/unsure/")
    made = gateway.create(CONTACTS, Write.objects.get().content["body"]).id
    settled = desk.get(address(page), follow=True)
    assert address(settled) == f"/contacts/{made}/"
    assert Write.objects.get().state == Write.State.SAVED


@pytest.mark.parametrize("fault", ["created-bare", "created-bare-before"])
def test_a_record_of_an_earlier_write_is_not_taken_for_what_a_bare_success_made(
    desk, standin, fault
):
    create(desk, standin, "slow:0")
    earlier = Write.objects.get().record_id
    page = create(desk, standin, fault)
    latest = Write.objects.latest("pk")
    assert latest.record_id != earlier
    assert (latest.state == Write.State.SAVED) == (fault == "created-bare")
    assert address(page).startswith("/contacts/" if fault == "created-bare" else "/unsure/")


def test_a_record_that_is_older_than_the_write_is_not_taken_for_what_it_made(
    desk, standin, gateway
):
    with travel("2026-01-01T10:00:00Z"):
        gateway.create(CONTACTS, {"cstname": "Zebra Unsure", "contact_type": 1})
    page = create(desk, standin, "created-bare-before")
    assert address(page).startswith("/unsure/")


def test_a_record_without_a_time_is_not_taken_for_newer_than_a_later_one(desk, standin, gateway):
    begins = datetime(2026, 3, 5, 10)
    body = {"title": "Paint", "status": 0, "priority": 2, "cstid": 1001}
    body |= {"start_datetime": begins, "end_datetime": begins + timedelta(hours=1)}
    old = gateway.create(TASKS, body).id
    typed = fields(desk.get(f"/tasks/new/?copy={old}"))
    desk.post("/tasks/new/", typed | {"title": "Later"})
    assert Write.objects.get().record_id > old
    standin.fault("created-bare-before", operation="create")
    desk.post("/tasks/new/", fields(desk.get(f"/tasks/new/?copy={old}")), follow=True)
    assert Write.objects.latest("pk").state == Write.State.NOT_SURE


def test_a_create_is_saved_if_its_title_came_back_with_an_id_even_if_no_read_shows_it(
    desk, standin
):
    standin.fault("status-403", operation="get")
    page = create(desk, standin, "slow:0")
    assert Write.objects.get().state == Write.State.SAVED
    assert "Contact Zebra Unsure was created" in text(page)
    assert not desk.get("/unfinished/").context["unfinished"]


def test_a_document_that_cannot_be_read_settles_itself_later_and_is_not_sent_again(desk, standin):
    standin.fault("status-500", operation="get", resource="invoices", times=9)
    page = invoice(desk, standin, "slow:0")
    end_looks()
    shown = desk.get(address(page))
    assert "Send again" not in text(shown)
    desk.post(f"{address(page)}again/", follow=True)
    assert len(standin.ledger(operation="create")) == 1
    standin.clear_faults()
    settled = desk.get(address(page), follow=True)
    row = Write.objects.get()
    assert (row.resolution, address(settled)) == (Resolution.FOUND, f"/invoices/{row.record_id}/")


@pytest.mark.parametrize(
    ("habit", "warning"),
    [("times with a zone", ""), ("times in UTC", ""), ("times of another clock", "now shows")],
)
def test_a_created_task_is_saved_by_its_title_whatever_clock_the_service_has(
    desk, standin, settings, habit, warning
):
    settings.TIME_ZONE = "Asia/Dubai"
    typed = {"title": "Zebra call", "start_datetime": "2 Mar 2026 10:30", "cstid": "1001"}
    data = fields(desk.get("/tasks/new/"), **typed, **{"cstid-text": None})
    other_vendor.put(standin, habit)
    page = desk.post("/tasks/new/", data, follow=True)
    other_vendor.take_back(standin)
    assert address(page).startswith("/tasks/")
    assert Write.objects.get().state == Write.State.SAVED
    assert ("10:30" in text(page), warning in text(page)) == (not warning, True)
    assert standin.ledger(operation="create")[0]["body"]["start_datetime"] == "2026-03-02T10:30:00"


# --- When it can be sent again -------------------------------------------------------------------


def test_sending_again_is_held_back_until_the_looks_are_over(desk, standin):
    page = create(desk, standin, "reset-before")
    assert "Send again" not in text(page)
    assert "Checking" in text(page)
    early = desk.post(f"{address(page)}again/", {"token": page.context["token"]}, follow=True)
    assert "Not sent again yet" in text(early)
    assert len(standin.ledger(operation="create")) == 1
    end_looks()
    assert "Send again" in text(desk.get(address(page)))


@pytest.mark.parametrize(("passed", "wait"), [(0, "3"), (4, "4"), (10, "5"), (16, "14"), (31, "")])
def test_the_looks_are_spread_over_half_a_minute(desk, standin, passed, wait):
    page = create(desk, standin, "reset-before")
    Write.objects.update(done_at=Now() - timedelta(seconds=passed))
    assert desk.get(address(page)).context["next_reconciliation"] == wait


def test_a_late_effect_is_shown_after_it_was_sent_again(desk, standin, gateway):
    url = address(create(desk, standin, "reset-before"))
    end_looks()
    page = desk.post(f"{url}again/", follow=True)
    assert "Zebra Unsure was sent again and created" in text(page)
    assert not page.context["found"]
    assert page.context["next_reconciliation"]
    body = Write.objects.first().content["body"]
    late = gateway.create(CONTACTS, body).id
    later = desk.get(url)
    assert [one.id for one in later.context["found"]] == [str(late)]
    assert "It's this one" not in text(later)


# --- What may be it ------------------------------------------------------------------------------


def test_another_document_of_the_same_customer_and_day_is_not_shown(desk, standin, gateway):
    page = invoice(desk, standin, "reset-before", reference="PO-77")
    assert "No match in" in text(page)
    line = {**HOUR, "quantity": 9, "item_name": "Travel"}
    other_invoice(gateway, page, reference="PO-1", items=[line])
    assert not desk.get(address(page)).context["found"]


def test_a_document_says_what_agrees_and_what_does_not(desk, standin, gateway):
    page = invoice(desk, standin, "reset-before", reference="PO-77")
    number = other_invoice(gateway, page, reference="PO-78")
    (found,) = desk.get(address(page)).context["found"]
    assert found.id == str(number)
    assert {"Total", "Lines", "Customer", "Date"} <= set(found.same.split(", "))
    assert [(line.label, line.value.words) for line in found.differing] == [("Reference", "PO-78")]


def test_every_record_that_may_be_it_is_shown_the_most_alike_first(desk, standin, gateway):
    page = invoice(desk, standin, "reset-after", reference="PO-77")
    (same,) = page.context["found"]
    others = [other_invoice(gateway, page, reference=f"PO-{number}") for number in range(7)]
    found = [one.id for one in desk.get(address(page)).context["found"]]
    assert found[0] == same.id
    assert set(found[1:]) == {str(number) for number in others}
    standin.fault("status-404", operation="get", resource="invoices")
    assert {one.id for one in desk.get(address(page)).context["found"]} == set(found)


# --- A lead, which the service shows in lists alone ----------------------------------------------


@pytest.mark.parametrize(
    ("fault", "words"),
    [("reset-after", "Zoe Zebra was deleted"), ("reset-before", "Zoe Zebra still exists")],
)
def test_the_deletion_of_a_lead_is_looked_for_in_the_list(desk, standin, gateway, fault, words):
    lead = gateway.create(LEADS, {"cstname": "Zoe Zebra", "cstemail": "zoe@zebra.example"}).id
    desk.get("/leads/?search=Zoe")
    held = ask_to_delete(desk, f"/leads/{lead}/")
    standin.fault(fault, operation="delete", times=1)
    assert words in text(delete_now(desk, held))


# --- A deletion -----------------------------------------------------------------------------------


@pytest.fixture
def unsure_deletion(desk, standin, gateway, lists):
    """The page of a lost deletion of a contact with tags and custom fields, and its id."""
    tag = reference_data("acme")["contact-tags"][0]
    body = {"cstname": "Zebra", "contact_type": 2, "cstemail": "z@zebra.example"}
    contact = gateway.create(CONTACTS, body).id
    more = {"tag_ids": [tag["id"]], "custom_fields": {"Account no.": "N-7"}}
    gateway.update(CONTACTS, contact, more)
    held = ask_to_delete(desk, f"/contacts/{contact}/")
    standin.fault("reset-before", operation="delete", times=1)
    return delete_now(desk, held), contact


def test_the_page_of_a_lost_deletion_shows_what_the_page_of_the_record_showed(
    desk, unsure_deletion
):
    page, _ = unsure_deletion
    shown = {line.label: line.value.words for line in page.context["sent"]}
    tag = reference_data("acme")["contact-tags"][0]["name"]
    assert (shown["Name"], shown["Email"], shown["Tags"]) == ("Zebra", "z@zebra.example", tag)
    assert "Account no." in text(page)
    assert "N-7" in text(page)
    assert "not readable" not in text(page)


def test_a_deletion_is_not_sent_again_over_somebody_elses_change(
    desk, standin, gateway, unsure_deletion
):
    page, contact = unsure_deletion
    gateway.update(CONTACTS, contact, {"cstemail": "new@zebra.example"})
    end_looks()
    again = desk.post(f"{address(page)}again/", follow=True)
    assert "Not deleted: someone has changed this record since." in text(again)
    assert gateway.get(CONTACTS, contact)["cstemail"] == "new@zebra.example"
    assert Write.objects.get().resolution == Resolution.CLOSED
