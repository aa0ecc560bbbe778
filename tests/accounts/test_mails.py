"""Mails are sent by the worker, encrypted while they wait, and tried again."""

import json
import logging
import re
from smtplib import SMTPException

import pytest
import time_machine
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from dashboard.accounts import mails
from dashboard.accounts.models import User
from tests.helpers import mails as sent
from tests.helpers import run_worker
from tests.page import InspectingClient as Client

RESET = "/accounts/password/reset/"


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


def test_a_waiting_mail_is_not_readable_in_the_database(viewer, client_of):
    mails.post("Subject", "http://testserver/the-link", "vera@example.test")
    ask("vera@example.test")
    stored = json.dumps(list(DBTaskResult.objects.values_list("args_kwargs", flat=True)))
    assert "the-link" not in stored
    assert "vera" not in stored


def test_a_mail_that_is_not_taken_is_tried_again(db, monkeypatch, caplog):
    def refused(*args: object, **kwargs: object):
        raise SMTPException("busy")

    mails.post("Subject", "secret words", "vera@example.test")
    with monkeypatch.context() as away, caplog.at_level(logging.ERROR):
        away.setattr(mails, "send_mail", refused)
        run_worker()
    assert "A mail was not sent (try 1): SMTPException" in caplog.text
    assert "secret words" not in caplog.text
    run_worker()
    assert not mail.outbox
    with time_machine.travel(timezone.now()) as now:
        now.shift(mails.PAUSES[0] + 1)
        run_worker(after=mails.PAUSES[0] + 1)
    assert [message.subject for message in mail.outbox] == ["Subject"]


@pytest.mark.parametrize("tried", [3])
def test_a_mail_is_given_up_in_the_end(db, monkeypatch, tried):
    def refused(*args: object, **kwargs: object):
        raise OSError

    monkeypatch.setattr(mails, "send_mail", refused)
    mails.send.func(mails._sealed(subject="S", body="b", address="a@b.test"), tried)
    assert not DBTaskResult.objects.exists()
