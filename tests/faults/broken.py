"""Builds of the dashboard that are broken on purpose: the machine must find each of them."""

import logging
import os
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard.gateway import Created, Done, GatewayError, OutcomeUnknown, Unavailable
from dashboard.gateway.protocol import TransportFailure
from dashboard.writes import outcomes

from . import internals as at
from .internals import replaced

Replacement = tuple[str, Callable[[Any], Any]]


def instead(path: str, answer: Callable[..., Any]) -> Replacement:
    """Replace what `path` names, whatever it did."""
    return path, lambda honest: answer


def of_the_first_asked(read: Any) -> Any:
    """Every workspace gets the lists of the one that was asked for first."""
    first: list[str] = []

    def of(workspace: str) -> Any:
        first.extend([workspace] if workspace and not first else [])
        return read(first[0] if workspace else "")

    return of


def resend(write: Any) -> Any:
    """A write without an answer is sent again."""

    def twice(*args: Any) -> Any:
        outcome = write(*args)
        return write(*args) if isinstance(outcome, TransportFailure) else outcome

    return twice


def on_unknown(then: Callable[..., Any]) -> Replacement:
    """An unclear outcome of a write becomes what `then(kind, call, error)` returns or raises."""

    def make(send: Any) -> Any:
        def sent(write: Any, kind: Any, call: Any) -> Any:
            try:
                return send(write, kind, call)
            except OutcomeUnknown as error:
                return then(kind, call, error)

        return sent

    return at.SEND, make


def believed(kind: Any, call: Any, error: OutcomeUnknown) -> Any:
    return Created(None, "") if kind is Created else Done()


def despaired(kind: Any, call: Any, error: OutcomeUnknown) -> Any:
    raise Unavailable(reason="broken on purpose") from None


def sent_after_crash(kind: Any, call: Any, error: OutcomeUnknown) -> Any:
    if error.reason.startswith("sent before"):
        return call()
    raise error


def everything(form: Any) -> dict[str, Any]:
    return {name: form.cleaned_data.get(name) or "" for name in form.base_fields}


def emptied(page: Any, error: GatewayError) -> Any:
    if isinstance(error, OutcomeUnknown):
        return redirect(outcomes.url_for_token(page.input.token))
    return HttpResponse("<form data-save-form></form>", status=422)


def logged(write: Any) -> Any:
    def talkative(service: Any, method: str, path: str, body: bytes, keys: Any, *rest: Any) -> Any:
        logging.getLogger("dashboard").warning("%s with %s", method, keys.headers("a", "b"))
        return write(service, method, path, body, keys, *rest)

    return talkative


def fallen(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("broken on purpose")


def noted_late(send: Any) -> Any:
    def late(write: Any, kind: Any, call: Callable[[], Any]) -> Any:
        answer = call()
        return send(write, kind, lambda: answer)

    return late


def without_lock(reserve: Any) -> Any:
    """The row of a form does not name its record before the end."""

    def reserved(row: Any, waiting: Any = None) -> Any:
        number, row.record_id = row.record_id, None if waiting is None else row.record_id
        stored = reserve(row, waiting)
        stored.record_id = number
        return stored

    return reserved


def of_the_first(keys_of: Any) -> Any:
    first: list[Any] = []

    def remembered(pair: Any) -> Any:
        first.append(keys_of(pair))
        return first[0]

    return remembered


REPLACEMENTS: dict[str, list[Replacement]] = {
    "resend": [(at.GATEWAY_WRITE, resend)],
    # writes go out without a row in the ledger
    "no-token": [
        instead(at.SEND, lambda write, kind, call: call()),
    ],
    # an edit is not compared with what the user saw
    "no-reread": [instead(at.CONFLICTS, lambda form, theirs: iter(()))],
    "believes": [on_unknown(believed)],
    "despairs": [on_unknown(despaired)],
    # the answer to a create is taken for true
    "trusts": [instead(at.CONFIRM_CREATED, lambda ctx, resource, body, created: created)],
    # an edit sends every field, touched or not
    "sends-all": [instead(at.PAYLOAD, everything)],
    # the form comes back empty when a write fails
    "forgets": [instead(at.NOT_SAVED, emptied)],
    # the secret key is logged with every write
    "tells-keys": [(at.GATEWAY_WRITE, logged)],
    "crashes": [instead(at.NOT_SAVED, fallen)],
    "no-look-after": [instead(at.VERIFY_SAVED, lambda *args: [])],
    # the page of a second submit does not wait for the outcome of the first
    "impatient": [instead(at.IS_UNDER_WAY, lambda token, person: False)],
    # the row of a write is written after the write
    "notes-late": [(at.SEND, noted_late)],
    # what may have been sent before a crash is sent again by the same form
    "sends-after-crash": [on_unknown(sent_after_crash)],
    # unresolved writes are listed nowhere
    "unlisted": [instead(at.UNRESOLVED, lambda person: [])],
    # a form is not stored before its view runs
    "no-drafts": [instead(at.STORE_DRAFT, lambda mark, data: mark)],
    # two users may write the same record at the same moment
    "no-locks": [(at.RESERVE, without_lock)],
    # names of records are cached without regard to the keys they were read with
    "shared-names": [instead(at.NAMES_CACHE_KEY, lambda gateway: "everybody")],
    # all workspaces have one set of reference lists
    "shared-lists": [(at.LISTS_OF, of_the_first_asked)],
    # every user gets the keys of the first
    "shared-keys": [(at.KEYS_OF, of_the_first)],
}
# The promises that a build breaks, whichever is seen first.
BUILDS: dict[str, set[str]] = {
    "resend": {"once"},
    "no-token": {"honest", "once"},
    "no-reread": {"overwritten"},
    "believes": {"honest", "once"},
    "despairs": {"honest"},
    "trusts": {"honest"},
    "sends-all": {"untouched"},
    "forgets": {"kept"},
    "tells-keys": {"no_secret"},
    "crashes": {"no_crash"},
    "no-look-after": {"told"},
    "impatient": {"honest"},
    "notes-late": {"once", "honest"},
    "sends-after-crash": {"once"},
    "unlisted": {"kept"},
    "no-drafts": {"kept"},
    "no-locks": {"overwritten"},
    "shared-names": {"apart"},
    "shared-lists": {"apart"},
    "shared-keys": {"apart", "honest"},
}


def build(name: str) -> ExitStack:
    import_module(settings.ROOT_URLCONF)  # a module imported later would keep what is replaced
    with ExitStack() as stack:
        for path, make in REPLACEMENTS[name]:
            stack.enter_context(replaced(path, make))
        return stack.pop_all()


def in_turn() -> list[str]:
    """Every third build, another third for each TURN; all of them for TURN=all."""
    turn, builds = os.environ.get("TURN", "all"), list(BUILDS)
    return builds if turn == "all" else builds[int(turn) % 3 :: 3]
