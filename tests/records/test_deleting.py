"""A deletion is scheduled, cancelled or sent, and a copy of the deleted record is stored."""

import re
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.db.models.functions import Now
from django.http import HttpResponse

from dashboard.documents.form import body_of_record
from dashboard.gateway import CONTACTS, INVOICES
from dashboard.outcomes import unfinished
from dashboard.schema.registry import RESOURCES
from dashboard.writes import deletions
from dashboard.writes.models import Write
from tests.helpers import (
    age_deletions,
    ask_to_delete,
    confirmation,
    delete_now,
    deletes,
    end_looks,
    page_of,
    run_worker,
    text,
)
from tests.page_forms import fields
from tests.workspaces import connect

State = Write.State


def state() -> str:
    return Write.objects.get().state


# --- Scheduled -----------------------------------------------------------------------------------


def confirm(client, contact, **data):
    sent = confirmation(client.get(f"/contacts/{contact}/"))
    return client.post(f"/contacts/{contact}/delete/", {**sent, **data}, follow=True)


def test_a_confirmed_deletion_sends_nothing_and_hides_the_row(desk, contact, standin):
    back = "/contacts/?search=Zebra"
    page = confirm(desk, contact, back=back)
    assert page.redirect_chain[0][0] == back
    assert "1 hidden, pending deletion" in text(page)
    assert [row.title.text for row in page.context["list_page"].table.rows] == ["Zebra Ltd"]
    assert '<th scope="row"' not in page.content.decode()
    assert deletes(standin) == 0


def test_a_foreign_address_to_go_back_to_is_not_used(desk, contact):
    page = confirm(desk, contact, back="https://elsewhere.example/")
    assert page.redirect_chain[0][0] == "/contacts/"


def test_every_page_counts_down_and_offers_to_undo_it(desk, pending_url):
    def shown(address: str, *, age: float) -> HttpResponse:
        left = timedelta(seconds=deletions.SECONDS - age)
        Write.objects.update(not_before=Now() + left)
        return desk.get(address)

    for address in ("/invoices/", "/unfinished/", "/help/"):
        assert re.search("Deleting Zebra Ltd in [78] s", text(shown(address, age=0)))
    page = shown("/help/", age=5)
    assert re.search("Deleting Zebra Ltd in [23] s", text(page))
    assert f'action="{pending_url}keep/"' in page.content.decode()
    page = shown("/help/", age=9)
    assert "Deleting Zebra Ltd" in text(page)
    assert f"{pending_url}keep/" not in page.content.decode()
    assert "Zebra Ltd was not deleted." in text(shown("/help/", age=61))


def test_a_failed_database_write_schedules_and_sends_nothing(desk, contact, standin, monkeypatch):
    def refuses(*args, **kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr(deletions, "_store", refuses)
    form = confirmation(desk.get(f"/contacts/{contact}/"))
    page = desk.post(f"/contacts/{contact}/delete/", form)
    assert page.status_code == 503
    assert "Not sent" in text(page)
    assert deletes(standin) == 0


def test_a_record_changed_since_its_page_was_opened_is_asked_about_again(
    desk, contact, gateway, standin
):
    asked = desk.get(f"/contacts/{contact}/")
    gateway.update(CONTACTS, contact, {"cstemail": "new@zebra.example"})
    page = desk.post(f"/contacts/{contact}/delete/", confirmation(asked))
    assert page.status_code == 409
    for words in (
        "Someone has changed this contact since you opened this page, so nothing was sent.",
        "Email zoe@zebra.example new@zebra.example",
    ):
        assert words in text(page)
    assert not Write.objects.exists()
    desk.post(f"/contacts/{contact}/delete/", confirmation(page))  # as it is now
    run_worker(after=9)
    assert deletes(standin) == 1


def test_to_open_the_address_of_a_deletion_deletes_nothing(desk, contact):
    assert desk.get(f"/contacts/{contact}/delete/")["Location"] == f"/contacts/{contact}/"
    assert not Write.objects.exists()


def test_a_row_of_a_list_is_deleted_as_it_is_now(desk, contact, gateway, standin):
    gateway.update(CONTACTS, contact, {"cstemail": "new@zebra.example"})
    back = "/contacts/?search=Zebra"
    data = {"now": "1", "back": back}
    listed = desk.post(f"/contacts/{contact}/delete/", data, follow=True)
    assert listed.redirect_chain[0][0] == back
    assert "Deleting Zebra Ltd in" in text(listed)
    assert Write.objects.get().content["copy"]["cstemail"] == "new@zebra.example"
    assert deletes(standin) == 0


def test_who_may_not_delete_is_offered_nothing_of_it(client, with_keys, editor, contact, gateway):
    client.force_login(with_keys(editor))
    for address in (f"/contacts/{contact}/", "/contacts/", "/"):
        page = client.get(address).content.decode()
        assert "data-deletes" not in page
        assert "/delete/" not in page
    assert client.post(f"/contacts/{contact}/delete/", {"now": "1"}).status_code == 403


@pytest.mark.parametrize("snapshot", ["", "not signed", "of another contact"])
def test_a_page_that_does_not_tell_what_it_showed_is_asked_again(desk, contact, gateway, snapshot):
    asked = desk.get(f"/contacts/{contact}/")
    if snapshot == "of another contact":
        other = gateway.list(CONTACTS).records[-1].id
        snapshot = confirmation(desk.get(f"/contacts/{other}/"))["snapshot"]
    form = {**confirmation(asked), "snapshot": snapshot}
    page = desk.post(f"/contacts/{contact}/delete/", form)
    assert page.status_code == 409
    assert "This page has expired" in text(page)
    assert not Write.objects.exists()


DELETABLE = [each for each in RESOURCES.values() if "delete" in each.endpoint.operations]


@pytest.mark.parametrize("resource", DELETABLE, ids=lambda each: each.name)
def test_an_unchanged_record_is_not_asked_about_again(desk, gateway, resource):
    record = gateway.list(resource.endpoint).records[-1].id
    ask_to_delete(desk, resource.url(record))
    assert state() == State.WAITING


def test_an_invoice_whose_lines_were_changed_is_asked_about_again(desk, gateway):
    invoice = gateway.list(INVOICES).records[0].id
    asked = desk.get(f"/invoices/{invoice}/")
    theirs = body_of_record(gateway.get(INVOICES, invoice), INVOICES)
    lines = [{**line, "quantity": 9} for line in theirs["items"]]
    gateway.update(INVOICES, invoice, {**theirs, "items": lines})
    page = desk.post(f"/invoices/{invoice}/delete/", confirmation(asked))
    assert page.status_code == 409
    assert "Lines" in text(page)


# --- Cancelled -----------------------------------------------------------------------------------


def test_undo_keeps_the_record_and_deletes_the_copy(desk, pending_url, contact, standin, gateway):
    page = desk.post(f"{pending_url}keep/", follow=True)
    assert "Not deleted." in text(page)
    run_worker(after=9)
    assert gateway.get(CONTACTS, contact)
    assert deletes(standin) == 0
    assert Write.objects.get().content_sealed == ""


def test_undo_after_sending_reports_the_deletion(desk, pending_url):
    delete_now(desk, pending_url)
    assert "was deleted" in text(desk.post(f"{pending_url}keep/", follow=True))


def test_an_undone_deletion_can_be_confirmed_again_with_the_same_form(desk, contact, standin):
    form = {**confirmation(desk.get(f"/contacts/{contact}/")), "token": "one"}
    for _ in range(2):
        desk.post(f"/contacts/{contact}/delete/", form)
        desk.post(f"{page_of(Write.objects.last())}keep/")
    desk.post(f"/contacts/{contact}/delete/", form)
    assert "was deleted" in text(delete_now(desk, page_of(Write.objects.last())))
    assert deletes(standin) == 1


# --- Sent ----------------------------------------------------------------------------------------


def test_deleting_a_missing_record_completes_the_deletion(desk, pending_url, contact, gateway):
    gateway.delete(CONTACTS, contact)
    page = delete_now(desk, pending_url)
    assert "was already gone" in text(page)
    assert "Create again" in text(page)
    assert state() == State.SKIPPED
    assert len(desk.get("/unfinished/").context["deleted"]) == 1


# --- Unresolved ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "words", "after"),
    [
        ("reset-after", "Contact Zebra Ltd was deleted", Write.Resolution.FOUND),
        ("reset-before", "know if Zebra Ltd was deleted", Write.Resolution.OPEN),
    ],
)
def test_a_lost_answer_is_looked_for_on_the_page_of_the_write(
    desk, pending_url, standin, fault, words, after
):
    standin.fault(fault, operation="delete", times=1)
    assert words in text(delete_now(desk, pending_url))
    listed = desk.get("/unfinished/")
    assert len(listed.context["deleted"]) == (after == Write.Resolution.FOUND)
    write = Write.objects.get()
    state = State.SAVED if after == Write.Resolution.FOUND else State.NOT_SURE
    assert (write.state, write.resolution) == (state, after)
    assert deletes(standin) == 1


def test_an_unresolved_deletion_waits_no_longer_when_left_and_is_done_when_sent_again(
    desk, pending_url, contact, standin
):
    standin.fault("reset-before", operation="delete", times=1)
    delete_now(desk, pending_url)
    desk.post(f"/unsure/{Write.objects.get().pk}/leave/")
    assert not desk.get("/unfinished/").context["deleted"]
    assert "Zebra" not in text(desk.get("/help/"))
    other = ask_to_delete(desk, f"/contacts/{contact}/")
    standin.fault("reset-before", operation="delete", times=1)
    delete_now(desk, other)
    last = Write.objects.order_by("pk").last()
    end_looks()
    page = desk.post(f"/unsure/{last.pk}/again/", follow=True)
    assert "Sent again, and deleted" in text(page)
    assert len(desk.get("/unfinished/").context["deleted"]) == 1


# --- Owner and keys ------------------------------------------------------------------------------


def test_another_persons_pending_deletion_is_not_found(
    pending_url, client_of, with_keys, administrator, standin
):
    other = client_of(with_keys(administrator))
    assert other.post(f"{pending_url}keep/").status_code == 404
    assert other.get(f"{pending_url}outcome/").status_code == 404
    assert other.post(f"{pending_url}close/").status_code == 404
    for address in ("/unfinished/", "/help/"):
        assert "Zebra" not in text(other.get(address))
    assert state() == State.WAITING


def test_a_deletion_of_another_workspace_is_not_told(desk, pending_url, manager, standin):
    age_deletions(timedelta(hours=1))
    access, secret = standin.keys["globex"][0]
    connect(manager, access=access, secret=secret, workspace="Globex")
    for address in ("/unfinished/", "/help/"):
        assert "Zebra" not in text(desk.get(address))


# --- The copy ------------------------------------------------------------------------------------


def test_a_deleted_record_is_recreated_from_its_copy_with_a_new_id(
    desk, pending_url, contact, gateway, standin
):
    page = delete_now(desk, pending_url)
    url = f"/contacts/new/?again={Write.objects.get().pk}"
    assert f'href="{url}"' in page.content.decode()
    form = desk.get(url)
    assert "creates a new contact with a new ID" in text(form)
    assert form.context["form"]["cstemail"].value() == "zoe@zebra.example"
    made = desk.post(url, fields(form), follow=True)
    assert "Contact Zebra Ltd was created" in text(made)
    assert "new id" not in text(made)
    new = int(made.redirect_chain[-1][0].split("/")[2])
    assert new != contact
    assert gateway.get(CONTACTS, new)["cstemail"] == "zoe@zebra.example"


def test_all_copies_are_reached_page_by_page(desk, pending_url, monkeypatch):
    delete_now(desk, pending_url)
    monkeypatch.setattr(unfinished, "COPIES_ON_A_PAGE", 1)
    one = Write.objects.get()
    for number in range(2):
        one.pk, one.token = None, f"another {number}"
        one.save()
    page = desk.get("/unfinished/")
    shown = set()
    for number in range(1, 4):
        assert f"Page {number} of 3" in text(page)
        shown |= {each["again_url"] for each in page.context["deleted"]}
        page = desk.get("/unfinished/", {"deleted": number + 1})
    assert len(shown) == 3


@pytest.mark.parametrize("asked", ["999999", "x", "-1", "9" * 40])
def test_a_missing_copy_gives_an_empty_form_with_a_message(desk, asked):
    page = desk.get(f"/contacts/new/?again={asked}")
    assert "That copy has expired" in text(page)
    assert not page.context["form"]["cstname"].value()


def test_a_copy_does_not_fill_the_form_of_another_resource(desk, pending_url):
    delete_now(desk, pending_url)
    page = desk.get(f"/leads/new/?again={Write.objects.get().pk}")
    assert "That copy has expired" in text(page)


def test_the_copy_of_a_pending_deletion_fills_no_form(desk, pending_url):
    page = desk.get(f"/contacts/new/?again={Write.objects.get().pk}")
    assert "That copy has expired" in text(page)


def test_a_recreated_invoice_has_its_dates_and_lines(desk, gateway):
    invoice = gateway.list(INVOICES).records[0].id
    before = gateway.get(INVOICES, invoice)
    delete_now(desk, ask_to_delete(desk, f"/invoices/{invoice}/"))
    form = desk.get(f"/invoices/new/?again={Write.objects.get().pk}").context["form"]
    assert form["customer_id"].value() == str(before["customer_id"])
    assert str(before["transaction_date"].year) in str(form["transaction_date"].value())
    assert len([row for row in form.rows if any(row.cells.values())]) >= len(before.lines)


def test_a_deletion_with_an_unreadable_copy_is_sent(desk, pending_url, contact):
    Write.objects.update(content="shut")
    assert f"Deleting Contact {contact}" in text(desk.get("/help/"))
    page = delete_now(desk, pending_url)
    assert "Zebra Ltd was deleted." in text(page)
