"""A database that fails at any step after the service's yes changes nothing that a person is told.

Every statement after the answer fails in turn, once or for the rest of the request.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.test import Client

from dashboard.gateway import Gateway, Service
from dashboard.standin import StandIn
from dashboard.writes import history, verification
from dashboard.writes.models import Draft, Write
from tests.faults.samples import SAMPLES, Sample
from tests.helpers import text
from tests.page_forms import fields

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
OPERATIONS = ("create", "update")  # a worker sends deletions
# Without lines, with operations that are switched on, and with lines; what is done after the answer
# is the same for the others.
NAMES = ("contacts", "tasks", "invoices")


@dataclass
class Database:
    """Fails the statement number `at` after the answer of the service, and with `lasting` all
    later ones. `count`: the statements after the answer.
    """

    at: int
    lasting: bool
    count: int = 0
    answered: bool = False

    def __call__(self, execute: Callable, *args: Any) -> Any:
        self.count += self.answered
        if self.count and (self.count == self.at or (self.lasting and self.count > self.at)):
            raise OperationalError("the database is away")
        return execute(*args)


@pytest.fixture
def clerk(desk: Client, lists: None, unpublished: StandIn) -> Client:
    desk.raise_request_exception = False
    return desk


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Database]:
    """failing(press, at=2, lasting=True): press() while the database fails after the answer."""
    write = Service.write

    def press(pressed: Callable[[], Any], at: int, *, lasting: bool) -> tuple[Database, Any]:
        database = Database(at, lasting)

        def answered(*args: Any, **kwargs: Any) -> Any:
            answer = write(*args, **kwargs)
            database.answered = True
            return answer

        with monkeypatch.context() as patched, connection.execute_wrapper(database):
            patched.setattr(Service, "write", answered)
            return database, pressed()

    return press


def button(
    clerk: Client, gateway: Gateway, sample: Sample, operation: str, mark: str
) -> Callable[[], Any]:
    if operation == "create":
        url, typed = f"{sample.url}new/", sample.typed(mark)
        data = fields(clerk.get(url), **typed)
        return lambda: clerk.post(url, data)
    number = gateway.create(sample.resource.endpoint, sample.record(mark)).id
    url = f"{sample.url}{number}/edit/"
    data = fields(clerk.get(url), **sample.changed(mark))
    return lambda: clerk.post(url, data)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    ("name", "lasting"), [*((name, True) for name in NAMES), ("invoices", False)]
)
def test_saved_stays_saved_whichever_statement_fails(
    clerk, gateway, failing, unpublished, name, lasting, operation
):
    for at in count(1):
        mark = f"zebra{at}"
        press = button(clerk, gateway, SAMPLES[name], operation, mark)
        database, answer = failing(press, at, lasting=lasting)
        assert database.answered
        assert told_saved(clerk, answer, lasting=lasting and database.count >= at), text(answer)
        assert nothing_is_left_over(clerk, mark)
        assert sent_once(unpublished, operation, mark)
        if database.count < at:
            assert at > 3, "the statements after the answer were not found"
            return


def told_saved(clerk: Client, answer: Any, *, lasting: bool) -> bool:
    """Whether the answer says Saved: by itself if the following page cannot be shown."""
    if answer.status_code == 302 and not lasting:
        assert "/unsure/" not in answer["Location"]
        answer = clerk.get(answer["Location"])
    said = text(answer)
    return (
        answer.status_code == 200
        and bool(re.search("was |were saved", said))
        and "Not saved" not in said
    )


def nothing_is_left_over(clerk: Client, mark: str) -> bool:
    """Whether no page asks for the form once more, and the write is known as saved at the latest
    once its page was opened.
    """
    if Write.objects.latest("pk").state == Write.State.SENDING:
        settle_lost(clerk)
    unfinished = clerk.get("/unfinished/").context
    assert [unfinished[name] for name in ("unfinished", "unsure")] == [[], 0], mark
    assert Write.objects.latest("pk").state == Write.State.SAVED
    assert history.finished().count() == Write.objects.count()
    assert not Draft.objects.exists()
    return True


def settle_lost(clerk: Client) -> None:
    """Some minutes later the write is Not sure, and its page finds it; for a create the person
    selects it there.
    """
    assert clerk.get("/unfinished/").context["unfinished"] == []
    Write.objects.filter(state="sending").update(reserved_until=Now() - timedelta(seconds=1))
    unfinished = clerk.get("/unfinished/").context
    assert [unfinished[name] for name in ("unfinished", "unsure")] == [[], 1]
    page = f"/unsure/{Write.objects.latest('pk').pk}/"
    looked = clerk.get(page)
    if looked.status_code == 200:
        candidate, *_ = looked.context["found"]  # the most alike first
        clerk.post(f"{page}found/", {"record_id": candidate.id})


def sent_once(standin: StandIn, operation: str, mark: str) -> bool:
    sent = standin.ledger(operation=operation)
    return sum(mark in str(one["body"]) for one in sent) == 1


def test_a_write_is_sent_again_once_at_most(clerk, gateway, failing, standin, monkeypatch):
    monkeypatch.setattr(verification, "RECONCILE_AT", ())
    sample = SAMPLES["contacts"]
    for at in count(1):
        press = button(clerk, gateway, sample, "update", f"zebra{at}")
        standin.fault("reset-before", operation="update", resource="contacts", times=1)
        entry = press()["Location"]
        token = clerk.get(entry).context["token"]
        again = partial(clerk.post, f"{entry}again/", {"token": token})
        database, answer = failing(again, at, lasting=True)
        assert database.answered
        assert answer.status_code in (200, 302), text(answer)
        clerk.post(f"{entry}again/", {"token": token})
        assert len(standin.ledger(operation="update")) == 2 * at
        assert clerk.get("/unfinished/").context["unfinished"] == [], at
        if database.count < at:
            assert at > 3, "the statements after the answer were not found"
            return
