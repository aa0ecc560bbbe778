"""Reads texts, forms and addresses from responses."""

import base64
import html
import os
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from types import MappingProxyType, SimpleNamespace
from typing import Any
from unittest import mock

import time_machine
from django.core import mail
from django.core.mail import EmailMessage
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from django_tasks_db.management.commands import db_worker

from dashboard.people.context import RequestContext
from dashboard.people.models import User
from dashboard.schema.values import DisplayValue
from dashboard.standin import StandIn
from dashboard.standin.faults.data import SOMEBODY
from dashboard.writes import deletions, ledger, verification
from dashboard.writes.deletions import send_deletion
from dashboard.writes.models import Write


def context_of(user: User, workspace: str = "Acme", owner: str = "pair") -> RequestContext:
    """The context of a person with this mark of their key pair, who makes no calls."""
    gateway: Any = SimpleNamespace(fingerprint=lambda key: owner)
    return RequestContext(gateway=gateway, person=user, workspace=workspace)


def text(response: HttpResponse) -> str:
    """The text of a page without markup."""
    body = re.sub(r"<[^>]+>", " ", response.content.decode().replace("<wbr>", ""))
    return re.sub(r"\s+", " ", html.unescape(body))


def ask_to_delete(client: Client, address: str) -> str:
    """Delete a record on its page; returns the address below which it can be undone."""
    client.post(f"{address}delete/", confirmation(client.get(address)))
    return page_of(Write.objects.filter(Write.COUNTED_DOWN).order_by("asked_at").last())


def confirmation(page: HttpResponse) -> dict[str, str]:
    """What the page of a record sends to delete it."""
    shown = page.context.get("record_page")
    return {"snapshot": shown.snapshot if shown else page.context["snapshot"]}


def page_of(deletion: Write) -> str:
    return f"/unfinished/deletions/{deletion.pk}/"


def age_deletions(by: timedelta) -> None:
    """Let deletions be older than they are, by the database's clock, and the copies of records."""
    Write.objects.filter(Write.COUNTED_DOWN).update(
        not_before=F("not_before") - by,
        asked_at=F("asked_at") - by,
        done_at=F("done_at") - by,
    )
    Write.objects.update(copy_until=F("copy_until") - by)


def run_worker(after: float = 0, *, ahead: float = 0) -> None:
    """Carry out the tasks that are due after so many seconds, as `manage.py db_worker` does.

    ahead: how many seconds the worker's clock is ahead of the database's.
    """
    if after:
        age_deletions(timedelta(seconds=after))
    with time_machine.travel(timezone.now() + timedelta(seconds=after + ahead)), _kept_open():
        db_worker.Worker(
            queue_names=["default"],
            interval=0,
            batch=True,
            backend_name="default",
            startup_delay=False,
            max_tasks=None,
            worker_id="test",
            excluded_queue_names=[],
        ).run()


def _kept_open() -> AbstractContextManager[object]:
    """Let a worker keep the connection whose transaction is that of the test; it would take it for
    one that was left in a wrong state.
    """
    if connection.in_atomic_block:
        return mock.patch.object(db_worker, "close_old_connections")
    return nullcontext()


def mails() -> list[EmailMessage]:
    """All mails so far, once the worker has sent those that wait."""
    run_worker()
    return list(mail.outbox)


def delete_now(client: Client, pending_url: str) -> HttpResponse:
    """Let the worker send a pending deletion; returns what the toast says then, or the page of one
    whose outcome is unknown.
    """
    age_deletions(timedelta(seconds=deletions.SECONDS + 1))
    deletion = Write.objects.get(pk=int(pending_url.split("/")[-2]))
    send_deletion.call(deletion.pk)
    if Write.objects.filter(pk=deletion.pk, state=Write.State.NOT_SURE).exists():
        return client.get(f"/unsure/form/{deletion.token}/", follow=True)
    return client.get(f"{pending_url}outcome/", headers={"HX-Request": "true"})


def end_looks() -> None:
    """Let the looks at all unresolved writes be over, so that they can be sent again."""
    Write.objects.update(done_at=Now() - timedelta(seconds=verification.RECONCILE_AT[-1] + 1))


def encryption_key() -> str:
    return base64.urlsafe_b64encode(os.urandom(32)).decode()


def drawn(value: DisplayValue) -> str:
    return value.__html__()


def undo(page: HttpResponse) -> tuple[str, dict[str, list[str]]]:
    """The address and the fields of the Undo beside the message of a page."""
    notes = re.split(r'<div class="notice', page.content.decode())
    note = next(each for each in notes if 'data-key-label="Undo"' in each).partition("</form>")[0]
    data: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="(\w+)" value="(.*?)"', note):
        data.setdefault(name, []).append(html.unescape(value))
    return re.findall(r'action="([^"]*)"', note)[0], data


def deletes(standin: StandIn) -> int:
    calls = standin.ledger(operation="delete")
    return sum(call["pair"] != SOMEBODY for call in calls)


def write_of(
    person: User,
    token: str,
    *,
    label: str = "",
    body: Mapping[str, Any] = MappingProxyType({}),
    changes: Mapping[str, Any] = MappingProxyType({}),
    content: Mapping[str, Any] = MappingProxyType({}),
    **columns: Any,
) -> Write:
    """A write as the writer makes it, before it is stored. `content`: more of that."""
    known = {"owner": "pair", "workspace": "Acme", "resource": "contacts", "operation": "create"}
    row = Write(token=token, person=person, **{**known, **columns})
    parts = {"label": label, "body": dict(body), "before": {}, "typed": list(body), **content}
    row.content = vars(ledger.Content(**parts))
    row.changes = ledger.seen_by_colleagues(label, changes)
    row.digest = ledger.digest_of(dict(body))
    return row
