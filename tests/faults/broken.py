"""Deliberately broken builds of the dashboard: each must be caught, or an oracle is asleep."""

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

from dashboard.gateway import GatewayError, OutcomeUnknown, Service
from dashboard.gateway.protocol import Broken
from dashboard.outbox import locks
from dashboard.outbox import services as outbox
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.pages import form_drafts, rendering, unresolved, views
from dashboard.records.writes import writer


@contextmanager
def resend() -> Iterator[None]:
    """A write that got no answer is sent again."""
    once = Service.write

    def twice(self: Service, *args: Any) -> Any:
        outcome = once(self, *args)
        return once(self, *args) if isinstance(outcome, Broken) else outcome

    with patch.object(Service, "write", twice):
        yield


@contextmanager
def no_token() -> Iterator[None]:
    """Writes go out without a row in the outbox."""

    def straight(kind: Any, call: Callable[[], Any], note: Any) -> Any:
        return call()

    with (
        patch.object(writer, "_send", straight),
        patch.object(writer, "was_saved", lambda **_: False),
    ):
        yield


@contextmanager
def no_reread() -> Iterator[None]:
    """An edit does not compare the record with what the person saw."""
    with patch.object(views, "conflicts", lambda form, theirs: iter(())):
        yield


@contextmanager
def believes() -> Iterator[None]:
    """An answer that cannot be read is taken for a success."""
    honest = writer._send

    def hopeful(kind: Any, call: Any, note: Any) -> Any:
        try:
            return honest(kind, call, note)
        except OutcomeUnknown:
            return kind(**({"id": None, "label": ""} if kind is writer.Created else {}), message="")

    with patch.object(writer, "_send", hopeful):
        yield


@contextmanager
def despairs() -> Iterator[None]:
    """What is not sure is called not saved."""
    honest = writer._send

    def gloomy(kind: Any, call: Any, note: Any) -> Any:
        try:
            return honest(kind, call, note)
        except OutcomeUnknown:
            raise writer.Unavailable(reason="broken on purpose") from None

    with patch.object(writer, "_send", gloomy):
        yield


@contextmanager
def sends_all() -> Iterator[None]:
    """An edit sends every field, touched or not."""

    def everything(self: RecordForm) -> dict[str, Any]:
        return {name: self.cleaned_data.get(name) or "" for name in self.base_fields}

    with patch.object(RecordForm, "payload", everything):
        yield


@contextmanager
def forgets() -> Iterator[None]:
    """The form comes back empty when a write fails."""

    def emptied(request: Any, resource: Any, form: Any, error: GatewayError, **more: Any) -> Any:
        if isinstance(error, OutcomeUnknown):
            return unresolved.go(request.POST["token"])
        empty = type(form)(ctx=form.ctx, opened_with=form.opened_with)
        return rendering.render_form(
            request, resource, empty, status=422, record_id=more.get("record_id")
        )

    with patch.object(views, "render_failed_save", emptied):
        yield


@contextmanager
def tells_keys() -> Iterator[None]:
    """The secret key is logged with every write."""
    once = Service.write

    def talkative(self: Service, method: str, path: str, body: bytes, keys: Any, *rest: Any) -> Any:
        logging.getLogger("dashboard").warning("%s with %s", method, keys._secret)
        return once(self, method, path, body, keys, *rest)

    with patch.object(Service, "write", talkative):
        yield


@contextmanager
def crashes() -> Iterator[None]:
    """A failure of the service is not caught."""

    def fall(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("broken on purpose")

    with patch.object(views, "render_failed_save", fall):
        yield


@contextmanager
def no_look_after() -> Iterator[None]:
    """Nobody looks whether the record reads as it was saved."""
    with patch.object(rendering, "verify_saved", lambda *args: []):
        yield


# Each with the steps and kinds that are enough to show it, and the oracle that must speak up.
BUILDS: dict[str, tuple[Callable[[], Any], list[str], list[str], str]] = {
    "resend": (resend, ["create"], ["reset", "truncate"], "once"),
    "no-token": (no_token, ["create"], ["data-null"], "once"),
    "no-reread": (no_reread, ["two people"], [], "nobody_overwritten"),
    "believes": (believes, ["create"], ["status-500", "reset"], "honest"),
    "despairs": (despairs, ["create"], ["status-500", "reset"], "honest"),
    "sends-all": (sends_all, ["two people"], [], "untouched"),
    "forgets": (forgets, ["create"], ["status-422"], "kept"),
    "tells-keys": (tells_keys, ["create"], ["data-null"], "no_secret"),
    "crashes": (crashes, ["create"], ["status-422"], "no_crash"),
    "no-look-after": (no_look_after, ["update"], ["partial-saved"], "nobody_overwritten"),
}


@contextmanager
def impatient() -> Iterator[None]:
    """The page of a second press does not wait for what becomes of the first."""
    with patch.object(outbox, "is_under_way", lambda token, person: False):
        yield


@contextmanager
def notes_late() -> Iterator[None]:
    """A write is noted once it was sent, not before."""
    honest = writer._send

    def late(kind: Any, call: Callable[[], Any], note: Any) -> Any:
        answer = call()
        return honest(kind, lambda: answer, note)

    with patch.object(writer, "_send", late):
        yield


@contextmanager
def sends_after_crash() -> Iterator[None]:
    """What may have been sent before a crash is sent again by the same form."""
    honest = writer._send

    def eager(kind: Any, call: Callable[[], Any], note: Any) -> Any:
        try:
            return honest(kind, call, note)
        except OutcomeUnknown as error:
            if error.reason.startswith("sent before"):
                return call()
            raise

    with patch.object(writer, "_send", eager):
        yield


@contextmanager
def unlisted() -> Iterator[None]:
    """What is not sure is listed nowhere."""
    with patch.object(outbox, "unresolved", lambda person: []):
        yield


@contextmanager
def no_drafts() -> Iterator[None]:
    """A form is not kept before its view runs."""
    with patch.object(form_drafts, "keep", lambda mark, data, token="": mark):
        yield


@contextmanager
def no_locks() -> Iterator[None]:
    """Two people may write the same record at the same moment."""
    honest = locks._acquire

    def another(record: str, token: str) -> Any:
        return honest(f"{record}/{secrets.token_hex(8)}", token)

    with patch.object(locks, "_acquire", another):
        yield


# Those that show in the other proofs: in which, on what, and the oracle that must speak up.
ELSEWHERE: dict[str, dict[str, tuple[Callable[[], Any], dict[str, Any], str]]] = {
    "parallel": {
        "no-token": (no_token, {"steps": ["create"], "kinds": [""]}, "once"),
        "impatient": (impatient, {"steps": ["create"], "kinds": ["slow:0.3"]}, "same"),
    },
    "crashes": {
        "notes-late": (notes_late, {"steps": ["create"], "kinds": ["asked and done"]}, "once"),
        "sends-after-crash": (
            sends_after_crash,
            {"steps": ["create"], "kinds": ["row committed", "asked and done"]},
            "once",
        ),
        "unlisted": (unlisted, {"steps": ["create"], "kinds": ["asked and done"]}, "told"),
        "no-drafts": (no_drafts, {"steps": ["create"], "kinds": ["no row"]}, "kept"),
    },
    "interleavings": {
        "no-locks": (no_locks, {"resources": ["invoices"], "rounds": 20}, "untouched"),
        "no-reread": (no_reread, {}, "overwritten"),
        "sends-all": (sends_all, {}, "untouched"),
        "forgets-token": (no_token, {}, "once"),
    },
}


def made(build: str) -> Any:
    """The build as a context manager; "" for the dashboard as it is."""
    builds = {name: make for proof in ELSEWHERE.values() for name, (make, _, _) in proof.items()}
    builds |= {name: make for name, (make, *_) in BUILDS.items()}
    return builds[build]() if build else nullcontext()
