"""A session that ends while a form is open loses no text, sends nothing and shows no bare 403."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.sessions.models import Session

from dashboard.writes import drafts
from dashboard.writes.models import Draft
from tests.conftest import PASSWORD
from tests.helpers import text
from tests.outcomes.test_draft_pages import NEW, opened
from tests.page import InspectingClient
from tests.page_forms import fields


@pytest.fixture
def strict(manager, with_keys):
    """A manager's client with CSRF checks enabled."""
    client = InspectingClient(enforce_csrf_checks=True)
    client.force_login(with_keys(manager))
    return client


def with_token(client, form) -> dict:
    return {**form, "csrfmiddlewaretoken": client.cookies["csrftoken"].value}


def creates(standin):
    return [entry["body"]["cstname"] for entry in standin.ledger(operation="create")]


def test_a_form_posted_without_a_session_is_stored_and_reopened_after_signing_in(
    desk, standin, manager
):
    form = opened(desk, cstname="Zebra")
    Session.objects.all().delete()
    answer = desk.post(NEW, form)
    assert answer.status_code == 302
    assert not creates(standin)
    login = desk.get(answer["Location"])
    assert "what you typed is still here" in text(login)
    target = parse_qs(urlsplit(answer["Location"]).query)["next"][0]
    who = {"login": manager.username, "password": PASSWORD, "next": target}
    page = desk.post("/accounts/login/", who, follow=True)
    assert page.redirect_chain[-1][0] == target
    assert 'value="Zebra"' in page.content.decode()
    assert not creates(standin)
    desk.post(NEW, fields(page))
    assert creates(standin) == ["Zebra"]
    assert not Draft.objects.exists()


def test_a_form_is_stored_even_if_the_csrf_token_ended_with_the_session(strict, standin):
    form = with_token(strict, opened(strict, cstname="Zebra"))
    Session.objects.all().delete()
    strict.cookies.pop("csrftoken")
    answer = strict.post(NEW, form)
    assert "/login/?next=" in answer["Location"]
    assert Draft.objects.get().path == NEW
    assert not creates(standin)


def test_a_stale_csrf_token_shows_the_form_with_everything_typed(strict, standin):
    form = opened(strict, cstname="Zebra")
    page = strict.post(NEW, {**form, "csrfmiddlewaretoken": "x" * 64})
    assert page.status_code == 409
    assert 'value="Zebra"' in page.content.decode()
    assert "nothing was sent" in text(page)
    assert not creates(standin)
    again = with_token(strict, fields(page))
    assert strict.post(NEW, again).status_code == 302
    assert creates(standin) == ["Zebra"]
    assert not Draft.objects.exists()


def test_a_stale_csrf_token_at_another_address_changes_nothing(strict):
    form = {**opened(strict, cstname="Zebra"), "csrfmiddlewaretoken": "x" * 64}
    page = strict.post("/contacts/1/delete/", form)
    assert page.status_code == 403
    assert "This page has expired" in text(page)


def test_a_stale_form_of_another_person_is_stored_for_them_and_not_shown(
    desk, strict, client_of, with_keys, editor, standin
):
    form = opened(desk, cstname="Zebra")
    other = InspectingClient(enforce_csrf_checks=True)
    other.force_login(with_keys(editor))
    page = other.post(NEW, form)
    assert page.status_code == 409
    assert "Zebra" not in text(page)
    assert len(desk.get("/unfinished/").context["unfinished"]) == 1
    assert not creates(standin)


def test_a_form_that_cannot_be_stored_is_reported(desk, monkeypatch):
    form = opened(desk, cstname="Zebra")
    Session.objects.all().delete()
    monkeypatch.setattr(drafts, "MAX_UNSIGNED", 0)
    page = desk.post(NEW, form)
    assert page.status_code == 503
    assert "save what you typed" in text(page)


def test_text_posted_on_leaving_is_stored_after_the_session_ended(desk):
    form = opened(desk, cstname="Zebra")
    Session.objects.all().delete()
    assert desk.post("/unfinished/keep/", form).status_code == 401
    assert Draft.objects.get().discarded_at is None


def test_a_saved_form_posted_again_without_a_session_is_stored(desk):
    form = opened(desk, cstname="Zebra")
    desk.post(NEW, form)
    Session.objects.all().delete()
    assert "/login/" in desk.post(NEW, {**form, "cstname": "Yak"})["Location"]
    assert Draft.objects.count() == 1


def test_a_form_without_anything_typed_is_opened_again_after_signing_in(desk):
    form = opened(desk)
    Session.objects.all().delete()
    answer = desk.post(NEW, form)
    assert parse_qs(urlsplit(answer["Location"]).query)["next"] == [NEW]
    assert not Draft.objects.exists()


def test_without_a_session_the_status_reports_it_and_gives_a_csrf_token(client, db):
    answer = client.get("/accounts/session/")
    assert (answer.json()["person"], answer.json()["seconds"]) == (None, 0)
    assert answer.json()["csrf"]
    assert client.post("/accounts/session/").status_code == 401
    assert "You are not signed in" in text(client.get("/accounts/signed-in/"))
