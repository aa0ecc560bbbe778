"""How many calls a clerk's day takes for the rows that it shows.

Counted are lists and Today with the names that follow them. The columns Stage and Assigned are of
the records alone, so that each of their rows takes a call; these are counted apart.
"""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from html import unescape

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from dashboard.standin import StandIn
from tests.conftest import person
from tests.workspaces import connect

LATE = re.compile(r'hx-get="([^"]+)" hx-trigger="load"')
ROW = re.compile(r"<tr[ >]")
MOST = 0.1  # calls per row
DAY = range(0, 510, 30)  # minutes, from half past eight to five
EACH_HALF_HOUR = (  # the address of each minute
    "/invoices/",
    "/invoices/?page=2",
    "/invoices/?due=overdue",
    "/invoices/?inv_status=0",
    "/contacts/",
    "/contacts/?search=a",
    "/contacts/?page=2",
    "/leads/",
)
EACH_HOUR = ("/", "/tasks/", "/tasks/?status=0", "/estimates/", "/deals/")


def trace() -> Iterator[tuple[int, str]]:
    """What a clerk opens: minutes from the morning on, and addresses."""
    for begin in DAY:
        hourly = EACH_HOUR if begin % 60 == 0 else ()
        for minute, address in enumerate((*EACH_HALF_HOUR, *hourly)):
            yield begin + minute, address


def visit(client: Client, address: str) -> int:
    """Opens a list with all that follows it; how many rows it shows."""
    page = client.get(address).content.decode()
    main = page[page.index("<main") :]
    late = LATE.findall(main)
    while late:
        answers = [client.get(unescape(each), headers={"HX-Request": "true"}) for each in late]
        late = [each for answer in answers for each in LATE.findall(answer.content.decode())]
    return len(ROW.findall(main)) - main.count("<thead")


@pytest.fixture
def office(settings) -> Iterator[StandIn]:
    """A stand-in with 420 contacts and 330 invoices."""
    with StandIn(size="demo") as running:
        settings.API_BASE_URL = running.url
        yield running


@pytest.mark.slow
def test_a_clerks_day_takes_a_call_for_ten_rows(db, office):
    clerk, (access, secret) = person("max", "Manager"), office.keys["acme"][0]
    connect(clerk, access=access, secret=secret, workspace="Acme")
    client, rows = Client(), Counter[str]()
    morning = timezone.localtime().replace(hour=8, minute=30)
    for minute, address in trace():
        with time_machine.travel(morning + timedelta(minutes=minute)):
            client.force_login(clerk)
            rows[address.partition("?")[0]] += visit(client, address)
    calls = Counter((each["operation"], each["resource"]) for each in office.ledger())
    of_columns = calls.pop(("get", "deals")) + calls.pop(("get", "tasks"))
    assert calls.total() <= MOST * rows.total(), (rows, calls)
    assert of_columns <= rows["/deals/"] + rows["/tasks/"], (rows, of_columns)


def test_a_colleague_with_the_same_keys_asks_for_no_name_again(desk, standin, client_of, editor):
    visit(desk, "/invoices/")
    access, secret = standin.keys["acme"][0]
    connect(editor, access=access, secret=secret, workspace="Acme")
    standin.application.ledger.clear()
    visit(client_of(editor), "/invoices/")
    assert [each["operation"] for each in standin.ledger()] == ["list"]
