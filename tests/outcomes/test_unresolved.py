"""A write of unknown outcome is looked for in the service, shown, and settled by the person."""

import re

import pytest
from django.contrib import messages

from dashboard.writes import ledger, outcomes
from dashboard.writes.models import Write
from tests.helpers import end_looks, text
from tests.outcomes.test_form_outcome import edit_form
from tests.page_forms import fields

Resolution = Write.Resolution


def create(desk, standin, fault, name="Zebra Unsure"):
    """Save a new contact while the answer is lost; returns the next page."""
    typed = {**fields(desk.get("/contacts/new/")), "cstname": name}
    standin.fault(fault, operation="create", times=1)
    return desk.post("/contacts/new/", typed, follow=True)


def creates(standin) -> int:
    return len(standin.ledger(operation="create"))


def press_again(desk, url, pressed=None, *, follow=True):
    """Press Send again once the looks are over."""
    end_looks()
    return desk.post(f"{url}again/", pressed or {}, follow=follow)


def test_a_record_that_was_saved_is_found_and_selected(desk, standin):
    page = create(desk, standin, "reset-after")
    assert "know if Zebra Unsure was created" in text(page)
    assert "It's this one : Zebra Unsure" in text(page)
    found = page.context["found"][0].id
    url = page.redirect_chain[-1][0]
    settled = desk.post(f"{url}found/", {"record_id": found}, follow=True)
    assert settled.redirect_chain[-1][0] == f"/contacts/{found}/"
    assert Write.objects.get().resolution == Resolution.FOUND
    assert creates(standin) == 1


def test_an_unsaved_write_is_sent_again_only_on_request(desk, standin):
    page = create(desk, standin, "reset-before")
    assert "No match in the CRM so far" in text(page)
    assert creates(standin) == 1
    url = page.redirect_chain[-1][0]
    again = press_again(desk, url)
    assert "Sent again, and created" in text(again)
    twice = press_again(desk, url)
    assert twice.redirect_chain == again.redirect_chain
    assert creates(standin) == 2


def test_a_second_tab_that_sends_it_again_leads_to_what_is_not_sure_now(desk, standin):
    url = create(desk, standin, "reset-before").redirect_chain[-1][0]
    standin.fault("reset-before", operation="create", times=1)
    press_again(desk, url)
    other_tab = press_again(desk, url)
    first, again = Write.objects.order_by("pk")
    assert (first.resolution, again.resolution) == (Resolution.SENT_AGAIN, Resolution.OPEN)
    assert other_tab.redirect_chain[0][0] == f"/unsure/{again.pk}/"
    asked = "Was contact Zebra Unsure created?"
    assert outcomes.outcome_of(first) == (asked, f"/unsure/{again.pk}/", messages.WARNING)
    assert creates(standin) == 2


def test_an_entry_stays_open_if_it_could_not_be_sent_again(desk, standin, monkeypatch):
    url = create(desk, standin, "reset-before").redirect_chain[-1][0]

    def full(write, related):
        raise ledger.NotRecorded

    with monkeypatch.context() as broken:
        broken.setattr(ledger, "start_sending", full)
        page = press_again(desk, url)
    assert "Not created" in text(page)
    assert Write.objects.get().resolution == Resolution.OPEN
    assert "Sent again, and created" in text(press_again(desk, url))
    assert creates(standin) == 2


@pytest.mark.parametrize(("fault", "settled"), [("reset-after", "found"), ("reset-before", "")])
def test_an_update_is_settled_by_looking_at_the_record(desk, standin, gateway, fault, settled):
    _, url, typed = edit_form(desk, gateway)
    standin.fault(fault, operation="update")
    desk.post(url, typed, follow=True)
    assert Write.objects.get().resolution == settled


def test_what_can_no_longer_be_opened_is_not_compared(desk, standin):
    url = create(desk, standin, "reset-before").redirect_chain[-1][0]
    Write.objects.update(content="shut")
    page = text(desk.get(url))
    assert "compare it" in page
    assert "No match in" not in page


def test_the_second_post_of_a_double_click_gets_the_first_outcome(
    desk, standin, gateway, monkeypatch
):
    _, url, typed = edit_form(desk, gateway)
    reserve = ledger.reserve

    def after_the_first(write, waiting=None):
        monkeypatch.setattr(ledger, "reserve", reserve)
        desk.post(url, typed)
        return reserve(write, waiting)

    monkeypatch.setattr(ledger, "reserve", after_the_first)
    page = desk.post(url, typed, follow=True)
    assert "Your changes were saved" in text(page)
    assert len(standin.ledger(operation="update")) == 1


def test_a_refused_form_sent_again_is_refused_again_without_asking_the_service(desk, standin):
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Zebra Twice"}
    standin.fault("status-422", operation="create", times=1)
    assert [desk.post("/contacts/new/", typed).status_code for _ in range(2)] == [422, 422]
    assert creates(standin) == 1


def test_a_form_changed_after_sending_is_not_answered_as_the_first(desk, standin):
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Zebra One"}
    desk.post("/contacts/new/", typed)
    page = desk.post("/contacts/new/", {**typed, "cstname": "Zebra Two"})
    assert page.status_code == 409
    assert "An earlier version of this form" in text(page)
    assert 'value="Zebra Two"' in page.content.decode()
    assert creates(standin) == 1
    desk.post("/contacts/new/", {**typed, "cstname": "Zebra Two", "token": page.context["token"]})
    assert creates(standin) == 2


def test_another_person_does_not_see_an_unresolved_write(
    desk, standin, client_of, with_keys, editor
):
    url = create(desk, standin, "reset-before").redirect_chain[-1][0]
    assert client_of(with_keys(editor)).get(url).status_code == 404


def refused_again(desk, standin, url, operation="create"):
    """Press Send again while the service refuses; returns the next page."""
    standin.fault("status-422", operation=operation, times=1)
    return press_again(desk, url)


def test_a_refused_resend_shows_the_form_with_everything_typed(desk, standin):
    url = create(desk, standin, "reset-before").redirect_chain[-1][0]
    page = refused_again(desk, standin, url)
    assert page.status_code == 422
    assert 'value="Zebra Unsure"' in page.content.decode()
    assert "The CRM rejected the second attempt" in text(page)
    assert "It is not saved yet" not in text(page)
    assert page.context["form"].errors
    assert creates(standin) == 2
    assert Write.objects.order_by("pk")[0].resolution == Resolution.OPEN
    assert "know if Zebra Unsure was created" in text(desk.get(url))


def test_a_refused_form_can_be_corrected_and_saved(desk, standin):
    url = create(desk, standin, "reset-before").redirect_chain[-1][0]
    page = refused_again(desk, standin, url)
    typed = {**fields(page), "cstname": "Zebra Right"}
    assert "was created" in text(desk.post("/contacts/new/", typed, follow=True))
    assert creates(standin) == 3


def test_pressing_send_again_twice_sends_once_even_if_refused(desk, standin):
    page = create(desk, standin, "reset-before")
    url, pressed = page.redirect_chain[-1][0], {"token": page.context["token"]}
    standin.fault("status-422", operation="create", times=1)
    first, second = (press_again(desk, url, pressed, follow=False) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert creates(standin) == 2
    again = {"token": desk.get(url).context["token"]}
    assert "Sent again, and created" in text(press_again(desk, url, again, follow=True))


def test_a_success_that_stored_something_else_is_not_told_as_saved(desk, standin, gateway):
    more = {"cstemail": "new@zebra.example", "cstaddress": "8 Tow Path"}
    _, url, form = edit_form(desk, gateway, **more)
    standin.fault("partial-saved", operation="update", times=1)
    page = text(desk.post(url, form, follow=True))
    assert re.search("Saved, but the CRM now shows (nothing|“.+?”) for ", page)
    assert "Your changes were saved." not in page
