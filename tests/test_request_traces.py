"""How many modules of the dashboard run for one request, until its response is returned, and how
many statements go to the database.

What runs in other threads, or once the page was sent, is not counted.
"""

import sys
from types import FrameType
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.client import ClientHandler
from django.test.utils import CaptureQueriesContext

from dashboard.gateway import INVOICES
from tests.page_forms import fields
from tests.sources import modules

pytestmark = pytest.mark.django_db
NAMES = {str(path): name for name, path in modules().items()}


class TracedHandler(ClientHandler):
    """Notes the modules whose functions are called, in the order of their first call."""

    modules: list[str]

    def get_response(self, request: HttpRequest) -> HttpResponse:
        self.modules = []
        sys.setprofile(self.note)
        try:
            return super().get_response(request)
        finally:
            sys.setprofile(None)

    def note(self, frame: FrameType, event: str, arg: Any) -> None:
        name = NAMES.get(frame.f_code.co_filename)
        if event == "call" and name and name not in self.modules:
            self.modules.append(name)


def trace(client: Client, url: str) -> list[str]:
    client.get(url)  # what is read once for a process, and names that are cached then
    client.handler = TracedHandler()
    assert client.get(url).status_code == 200
    return client.handler.modules


def test_the_modules_of_a_list(desk, zebra):
    found = trace(desk, "/contacts/")
    rooms = {name.split(".")[1] for name in found}
    assert len(found) <= 38, found
    assert len(rooms) <= 10, rooms


def test_the_modules_of_a_record(desk, zebra):
    found = trace(desk, f"/contacts/{zebra}/")
    assert len(found) <= 47, found


def test_the_statements_of_an_invoice_that_is_saved(desk, gateway):
    url = f"/invoices/new/?copy={gateway.list(INVOICES).records[0].id}"
    assert desk.post(url, fields(desk.get(url))).status_code == 302  # reads what is cached then
    typed = fields(desk.get(url))
    with CaptureQueriesContext(connection) as captured:
        assert desk.post(url, typed).status_code == 302
    statements = [each["sql"] for each in captured.captured_queries]
    assert len([each for each in statements if "SAVEPOINT" not in each]) <= 12, statements
