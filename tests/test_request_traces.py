"""How many modules of the dashboard run for one request, until its response is returned, how many
of its functions are called, and how many statements go to the database.

What runs in other threads, or once the page was sent, is not counted.
"""

import sys
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from types import FrameType
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dashboard.gateway import INVOICES
from dashboard.writes import deletions
from dashboard.writes.models import Write
from tests.helpers import age_deletions, confirmation
from tests.imports.test_import import upload
from tests.page import ReadingHandler
from tests.page_forms import fields
from tests.sources import modules

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_lists")]
NAMES = {str(path): name for name, path in modules().items()}


def called(function: Callable[..., Any], *args: Any) -> tuple[Counter[str], Any]:
    """The modules whose functions a call enters, in the order of their first call, with the number
    of calls; its result.
    """
    found = Counter[str]()

    def note(frame: FrameType, event: str, arg: Any) -> None:
        name = NAMES.get(frame.f_code.co_filename)
        if event == "call" and name:
            found[name] += 1

    sys.setprofile(note)
    try:
        return found, function(*args)
    finally:
        sys.setprofile(None)


class TracedHandler(ReadingHandler):
    modules: Counter[str]

    def get_response(self, request: HttpRequest) -> HttpResponse:
        self.modules, response = called(super().get_response, request)
        return response


def trace(client: Client, url: str, data: dict[str, Any] | None = None) -> Counter[str]:
    client.handler = TracedHandler(enforce_csrf_checks=False)
    answer = client.get(url) if data is None else client.post(url, data)
    assert answer.status_code == (200 if data is None else 302)
    return client.handler.modules


def test_the_modules_of_a_list(desk, zebra):
    desk.get("/contacts/")  # what is read once for a process, and names that are cached then
    found = trace(desk, "/contacts/")
    rooms = {name.split(".")[1] for name in found}
    assert len(found) <= 40, found
    assert len(rooms) <= 10, rooms


def test_the_modules_of_a_record(desk, zebra):
    desk.get(f"/contacts/{zebra}/")
    found = trace(desk, f"/contacts/{zebra}/")
    assert len(found) <= 49, found


def test_the_modules_and_statements_of_an_invoice_that_is_saved(desk, gateway):
    copied = f"/invoices/new/?copy={gateway.list(INVOICES).records[0].id}"

    def typed() -> dict[str, Any]:
        plain = fields(desk.get("/invoices/new/"))
        own = {name: plain[name] for name in ("token", "draft")}
        return {**fields(desk.get(copied)), **own}

    trace(desk, "/invoices/new/", typed())  # reads what is cached then
    sent = typed()
    with CaptureQueriesContext(connection) as captured:
        found = trace(desk, "/invoices/new/", sent)
    statements = [each["sql"] for each in captured.captured_queries]
    assert len([each for each in statements if "SAVEPOINT" not in each]) <= 12, statements
    assert len(found) <= 50, (len(found), found)


def test_the_modules_of_a_deletion_that_is_asked_for_and_sent(desk, zebra):
    page = desk.get(f"/contacts/{zebra}/")
    sent = {**confirmation(page), "token": page.context["token"]}
    found = trace(desk, f"/contacts/{zebra}/delete/", sent)
    assert len(found) <= 25, (len(found), found)
    age_deletions(timedelta(seconds=9))
    found, _ = called(deletions.send_deletion.func, Write.objects.get().pk)
    assert Write.objects.get().state == Write.State.SAVED
    assert len(found) <= 27, (len(found), found)


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    ("resource", "row"),
    [
        ("contacts", "Name,Email\nAda,ada@x.example\n"),
        ("invoices", "Number,Customer,Item,Qty,Price\nA1,Zebra GmbH,Consulting hour,2,95\n"),
    ],
)
def test_the_calls_of_an_import_page_of_one_row(desk, zebra, resource, row):
    url = upload(desk, row, resource=resource)
    desk.get(url)  # reads the file
    found = trace(desk, url)
    assert found.total() <= 4_560, found
