"""A form that another request is still sending gets a page that reloads; no thread waits."""

from datetime import timedelta

from django.db.models.functions import Now

from dashboard.gateway import CONTACTS
from dashboard.writes import ledger
from dashboard.writes.models import Write
from tests.helpers import text, write_of
from tests.page_forms import fields

State = Write.State


def sent(desk, **typed):
    """Save a new contact; returns what its form sent and the page after it."""
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Zebra", **typed}
    return typed, desk.post("/contacts/new/", typed)


def put_back(**values):
    """Reset the only write to the state it had while it was sent, or to another outcome."""
    Write.objects.update(**{"state": State.SENDING, "done_at": None, **values})


def test_a_second_post_is_redirected_to_the_record_once_it_is_saved(desk, standin):
    typed, answer = sent(desk)
    put_back()
    page = desk.post("/contacts/new/", typed, follow=True)
    assert page.redirect_chain[-1][0] == f"/unsure/form/{typed['token']}/"
    assert "Still being saved" in text(page)
    assert page.headers["Refresh"] == "1"
    put_back(state=State.SAVED, done_at=Now())
    page = desk.get(f"/unsure/form/{typed['token']}/", follow=True)
    assert page.redirect_chain[-1][0] == answer["Location"]
    assert "Contact Zebra was created" in text(page)
    assert len(standin.ledger(operation="create")) == 1


def test_a_refused_write_shows_the_reason_and_where_the_text_is_kept(desk, standin):
    standin.fault("status-422", operation="create", times=1)
    typed, _ = sent(desk)
    put_back()
    url = desk.post("/contacts/new/", typed)["Location"]
    put_back(state=State.NOT_SAVED)
    page = desk.get(url, follow=True)
    assert "Not created. The CRM rejected this." in text(page)
    assert "New contact" in text(page)  # among what is unfinished


def test_a_lost_answer_leads_to_the_unresolved_write(desk, standin):
    typed, _ = sent(desk)
    put_back(reserved_until=Now() - timedelta(seconds=1))
    page = desk.post("/contacts/new/", typed, follow=True)
    assert page.redirect_chain[-1][0] == f"/unsure/{Write.objects.get().pk}/"


def hold(person, contact, token):
    """Reserve a contact for a form that is reading it."""
    here = {"workspace": person.workspace_id, "record_id": contact}
    return ledger.reserve(write_of(person, token, operation="", **here))


def edit_form(desk, gateway, **typed):
    contact = gateway.create(CONTACTS, {"cstname": "Zebra", "contact_type": 1}).id
    url = f"/contacts/{contact}/edit/"
    return contact, url, {**fields(desk.get(url)), "cstname": "Zebra plc", **typed}


def test_an_edit_whose_record_is_being_read_is_still_being_saved(desk, gateway, standin, manager):
    contact, url, typed = edit_form(desk, gateway)
    held = hold(manager, contact, typed["token"])
    page = desk.post(url, typed, follow=True)
    assert "Still being saved" in text(page)
    ledger.release(write=held)
    page = desk.get(page.redirect_chain[-1][0], follow=True)
    assert "Nothing was sent. What you typed is kept under Unfinished." in text(page)
    assert "Edit Zebra" in text(page)
    assert not standin.ledger(operation="update")


def test_an_edit_while_somebody_else_saves_is_not_sent_and_keeps_what_was_typed(
    desk, gateway, standin, manager
):
    contact, url, typed = edit_form(desk, gateway)
    held = hold(manager, contact, "of-another-tab")
    page = desk.post(url, typed)
    ledger.release(write=held)
    assert page.status_code == 503
    assert "someone else is saving this record" in text(page)
    assert page.context["form"]["cstname"].value() == "Zebra plc"
    assert not standin.ledger(operation="update")
    assert "Your changes were saved" in text(desk.post(url, fields(page), follow=True))


def test_an_edit_that_lost_its_record_while_reading_sends_nothing(
    desk, gateway, standin, monkeypatch
):
    _, url, typed = edit_form(desk, gateway)
    begin = ledger.start_sending

    def too_late(write, related=()):
        Write.objects.update(reserved_until=Now() - timedelta(seconds=1))
        assert ledger.end_lost() == 1
        begin(write, related)

    monkeypatch.setattr(ledger, "start_sending", too_late)
    assert desk.post(url, typed).status_code == 503
    assert not standin.ledger(operation="update")
    assert not Write.objects.exists()


def test_another_person_sees_nothing_of_the_form(
    desk, client_of, with_keys, administrator, standin
):
    typed, _ = sent(desk)
    other = client_of(with_keys(administrator))
    assert other.get(f"/unsure/form/{typed['token']}/")["Location"] == "/unfinished/"
