"""Mails are sent by the worker, encrypted while they wait, and tried again."""

import json
import logging
import re
from datetime import timedelta
from pathlib import Path
from smtplib import SMTPException

import pytest
import time_machine
from django.conf import settings
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.people import mails
from dashboard.people.models import Mail, User
from tests.conftest import PASSWORD
from tests.helpers import mails as sent
from tests.helpers import run_worker
from tests.page import InspectingClient as Client

RESET = "/accounts/password/reset/"
TEMPLATES = Path(settings.BASE_DIR) / "templates" / "account" / "email"


def ask(address: str):
    return Client().post(RESET, {"email": address})


def test_a_password_reset_does_not_wait_for_the_mail_server(viewer, monkeypatch):
    def connected(*args: object, **kwargs: object):
        raise AssertionError("the request connects to the mail server")

    monkeypatch.setattr("django.core.mail.get_connection", connected)
    assert ask("vera@example.test").status_code == 302


def test_known_and_unknown_addresses_take_the_same_queries(viewer):
    def statements(address: str) -> list[str]:
        with CaptureQueriesContext(connection) as made:
            ask(address)
        return [re.sub(r"'[^']*'|\d+", "", query["sql"])[:80] for query in made]

    statements("warm@example.test")
    assert statements("vera@example.test") == statements("nobody@example.test")


def test_only_an_active_person_gets_the_link(viewer, editor):
    User.objects.filter(pk=editor.pk).update(is_active=False)
    for address in ("Vera@example.test", "edith@example.test", "nobody@example.test"):
        ask(address)
    [message] = sent()
    assert message.to == ["vera@example.test"]
    assert "Then sign in as vera." in message.body
    assert "http://testserver/accounts/password/reset/" in message.body


def test_a_link_that_the_mail_server_does_not_take_is_known_as_that_of_the_person(
    viewer, monkeypatch
):
    monkeypatch.setattr(mails, "send_mail", refused)
    ask("vera@example.test")
    run_worker()
    assert Mail.objects.get().person == viewer


def test_a_waiting_mail_is_not_readable_in_the_database(viewer, client_of):
    mails.post(
        "invitation", ["vera@example.test"], {"person": User(), "url": "http://testserver/the-link"}
    )
    ask("vera@example.test")
    tasks = list(DBTaskResult.objects.values_list("args_kwargs", flat=True))
    stored = json.dumps([tasks, list(Mail.objects.values("kind", "content", "error"))])
    assert "the-link" not in stored
    assert "vera@example.test" not in stored


def refused(*args: object, **kwargs: object):
    raise SMTPException("busy")


def test_a_mail_that_is_not_taken_is_told_in_one_line_and_tried_again(viewer, monkeypatch, caplog):
    mails.post("invitation", ["Vera@example.test"], {"person": User(), "url": "secret words"})
    with monkeypatch.context() as away, caplog.at_level(logging.ERROR):
        away.setattr(mails, "send_mail", refused)
        run_worker()
    assert len(caplog.records) == 1
    for words in ("a mail was not sent", "'kind': 'invitation'", f"'person': {viewer.pk}"):
        assert words in caplog.text
    for secret in ("secret words", "vera@", "busy"):
        assert secret not in caplog.text
    run_worker()
    assert not mail.outbox
    with time_machine.travel(timezone.now()) as now:
        now.shift(mails.RETRY_DELAYS[0] + 1)
        run_worker(after=mails.RETRY_DELAYS[0] + 1)
    assert [message.subject for message in mail.outbox] == ["Choose your password for Entry Desk"]
    assert not Mail.objects.exists()


@pytest.mark.parametrize(
    ("kind", "context", "days"),
    [("invitation", {"url": ""}, 3), ("changed", {"by": "", "changes": {}}, 30)],
)
def test_a_mail_is_tried_until_its_link_expires_or_for_30_days(
    db, monkeypatch, kind, context, days
):
    monkeypatch.setattr(mails, "send_mail", refused)
    mails.post(kind, ["a@b.test"], {"person": User(), **context})
    [waiting] = mails.waiting()
    last = waiting.since
    with time_machine.travel(timezone.now(), tick=False) as now:
        while waiting.next_try:
            assert waiting.next_try - last < timedelta(hours=4, minutes=1)
            last = waiting.next_try
            now.move_to(last)
            run_worker()
            waiting.refresh_from_db()
    assert timedelta(days=days, hours=-5) < last - waiting.since < timedelta(days=days)
    assert not mails.waiting().exists()
    assert waiting.error == "SMTPException"


def test_a_mail_that_a_dying_worker_had_is_sent_by_the_next(db, monkeypatch):
    class Died(BaseException):
        pass

    def die(*args: object, **kwargs: object):
        raise Died

    mails.post("invitation", ["a@b.test"], {"person": User(), "url": ""})
    with monkeypatch.context() as dying:
        dying.setattr(mails, "send_mail", die)
        run_worker()
    run_worker(after=mails.RETRY_DELAYS[0] + 1)
    assert [message.subject for message in mail.outbox] == ["Choose your password for Entry Desk"]


def test_a_change_of_the_own_password_is_told_in_our_words(viewer, client_of):
    fields = {"oldpassword": PASSWORD, "password1": "a longer horse grazes"}
    fields["password2"] = fields["password1"]
    client_of(viewer).post(
        "/accounts/password/change/", fields, headers={"User-Agent": "Firefox/140.0 Windows"}
    )
    [message] = sent()
    assert message.subject == "Entry Desk: Your password was changed"
    assert "Browser: Firefox on Windows, network address 127.0.0.1" in message.body
    assert "Hello from" not in message.body


def test_a_link_works_as_long_as_the_mails_say():
    assert timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT) == timedelta(days=3)
    for name in ("invitation", "reset"):
        assert "in 3 days" in (TEMPLATES / f"{name}_message.txt").read_text(encoding="utf-8")
