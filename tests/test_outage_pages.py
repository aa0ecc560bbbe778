"""Without the database: 503 in the dashboard's look, and what was typed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.exceptions import BadRequest
from django.db import InterfaceError, OperationalError, connection
from django.http import HttpRequest
from django.test import Client

from dashboard.people import sessions
from dashboard.writes import writer
from dashboard.writes.models import Write
from tests.helpers import text
from tests.page import inspect
from tests.page_forms import fields

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def away(kind: type[Exception] = OperationalError) -> Iterator[None]:
    def fail(*args: Any) -> None:
        raise kind("the database is away")

    with connection.execute_wrapper(fail):
        yield


@pytest.fixture
def clerk(desk: Client) -> Client:
    desk.raise_request_exception = False
    return desk


@pytest.mark.parametrize("kind", [OperationalError, InterfaceError])
@pytest.mark.parametrize("path", ["/contacts/", "/accounts/login/", "/unfinished/", "/staff/"])
def test_a_page_is_503_with_a_link_to_itself(clerk, path, kind):
    with away(kind):
        page = clerk.get(f"{path}?page=2")
    if path == "/accounts/login/" and page.status_code == 200:
        return  # it needs no database
    assert page.status_code == 503
    assert page["Retry-After"] == "5"
    assert f'href="{path}?page=2"' in page.content.decode()
    assert "reach its database" in text(page)


def test_an_htmx_request_gets_an_alert(clerk):
    with away():
        page = clerk.get("/contacts/", headers={"HX-Request": "true"})
    assert (page.status_code, page["HX-Retarget"]) == (503, "#alerts")
    assert "<h1" not in page.content.decode()


def test_a_form_is_not_saved_and_can_be_sent_again_as_typed(clerk, standin):
    typed = fields(clerk.get("/contacts/new/"), cstname="Zebra <b>", cstaddress="1 Old\r\nRoad")
    with away():
        page = clerk.post("/contacts/new/", typed)
    assert page.status_code == 503
    assert "Not saved" in text(page)
    assert "Zebra <b>" in text(page)
    assert not standin.ledger(operation="create")
    again = hidden(page)
    assert {name: again.get(name) for name in typed} == typed
    assert clerk.post("/contacts/new/", again).status_code == 302
    assert [one["body"]["cstname"] for one in standin.ledger(operation="create")] == ["Zebra <b>"]


def hidden(page: Any) -> dict[str, list[str]]:
    """The fields of the page's form, and nothing typed as a visible field."""
    body = page.content.decode().replace(
        '<form method="post"', '<form data-save-form method="post"'
    )
    return fields(body)


def test_a_password_is_not_repeated_on_a_page(client):
    client.raise_request_exception = False
    with away():
        page = client.post("/accounts/login/", {"login": "ann", "password": "s3cret-typed"})
    assert page.status_code == 503
    assert "s3cret-typed" not in page.content.decode()
    assert "You are not signed in" in text(page)  # rather than of something to be saved


@pytest.mark.parametrize("operation", ["create", "update"])
def test_any_fault_after_the_answer_leads_to_a_page_that_says_saved(
    clerk, zebra, standin, monkeypatch, operation
):
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("a fault of the dashboard")

    is_new = operation == "create"
    url = "/contacts/new/" if is_new else f"/contacts/{zebra}/edit/"
    typed = fields(clerk.get(url), cstname="Yak")
    before = len(standin.ledger(operation=operation))
    monkeypatch.setattr("dashboard.records.forms.NewForm.announce", broken)
    monkeypatch.setattr("django.contrib.messages.success", broken)
    for _ in range(2):  # the second press is told what the first was
        page = clerk.post(url, typed)
        assert page.status_code == 200
        said = "Contact Yak was created." if is_new else "Contact Zebra Ltd was changed."
        assert said in text(page)
    assert len(standin.ledger(operation=operation)) == before + 1


def test_a_session_that_ends_after_the_answer_does_not_hide_it(clerk, monkeypatch):
    send: Callable[..., Any] = writer.create

    def sign_out(**kwargs: Any) -> Any:
        created = send(**kwargs)
        raise BadRequest("the session was deleted") if created else AssertionError
        return created

    typed = fields(clerk.get("/contacts/new/"), cstname="Zebra")
    monkeypatch.setattr(writer, "create", sign_out)
    page = clerk.post("/contacts/new/", typed)
    assert (page.status_code, "Contact Zebra was created." in text(page)) == (200, True)


def test_a_session_that_the_database_cannot_store_is_no_bad_request(clerk, monkeypatch):
    def change_session(request: HttpRequest) -> bool:
        request.session["changed"] = True
        return True

    def fail_to_store(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        if sql.startswith('UPDATE "django_session"'):
            raise OperationalError("the database is away")
        return execute(sql, *given)

    form = fields(clerk.get("/contacts/new/"), cstname="Yak")
    monkeypatch.setattr(sessions, "touch_session", change_session)
    other_tab = Client()  # not InspectingClient: the page writes
    other_tab.cookies = clerk.cookies
    with connection.execute_wrapper(fail_to_store):
        page = other_tab.get("/help/")
        created = clerk.post("/contacts/new/", form)
    assert (page.status_code, "reach its database" in text(page)) == (503, True)
    assert (created.status_code, "Contact Yak was created." in text(created)) == (200, True)


def test_a_fault_after_a_lost_answer_is_not_sure(clerk, standin, monkeypatch):
    def broken(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("away")

    typed = fields(clerk.get("/contacts/new/"), cstname="Zebra")
    standin.fault("reset-after", operation="create", times=1)
    monkeypatch.setattr("dashboard.writes.outcomes.url_for_token", broken)
    page = clerk.post("/contacts/new/", typed)
    assert page.status_code == 503
    assert "Not sure whether it was saved" in text(page)
    assert f"/unsure/form/{Write.objects.get().token}/" in page.content.decode()


def test_the_page_is_sound(clerk):
    typed = fields(clerk.get("/invoices/new/"), reference="Zebra")
    with away():
        page = clerk.post("/invoices/new/", typed)
    assert not inspect(page.content.decode())
    said = text(page)
    assert "Reference Zebra" in said
    assert "discount type" not in said  # a code
