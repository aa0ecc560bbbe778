"""The sinks that secrets could run out by: logs, caches, contexts of templates, answers."""

import logging
import pickle
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote_plus

import pytest
from django.core.cache.backends.locmem import LocMemCache
from django.test import Client
from django.test.signals import template_rendered

from dashboard.core import logs


class Sinks:
    """What has come out so far, by sink."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {}

    def add(self, sink: str, *texts: object) -> None:
        self.texts.setdefault(sink, []).extend(map(str, texts))

    def found(self, secrets: dict[str, str]) -> set[tuple[str, str]]:
        """(sink, name of the secret) where a secret stands, percent-encoded or not."""
        whole = {sink: "\n".join(texts) for sink, texts in self.texts.items()}
        whole = {sink: f"{text}\n{unquote_plus(text)}" for sink, text in whole.items()}
        return {
            (sink, name)
            for sink, text in whole.items()
            for name, secret in secrets.items()
            if secret in text
        }


class Lines(logging.Handler):
    """Formats each record as an operator's log has it."""

    def __init__(self, sinks: Sinks) -> None:
        super().__init__(logging.DEBUG)
        self.sinks, self.formatter = sinks, logs.json_lines()

    def emit(self, record: logging.LogRecord) -> None:
        sink = "security log" if record.name == "security" else "logs"
        self.sinks.add(sink, self.format(record))


class NotingClient(Client):
    """Notes what each answer holds, and where it leads to."""

    sinks: Sinks

    def request(self, **request: Any) -> Any:
        answer = super().request(**request)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        kind = "error pages" if answer.status_code >= 500 else "pages"
        is_file = "attachment" in answer.headers.get("Content-Disposition", "")
        self.sinks.add("files" if is_file else kind, body.decode(errors="replace"))
        self.sinks.add("addresses", answer.headers.get("Location", ""))
        self.sinks.add("cookies", *(f"{one.key}={one.value}" for one in answer.cookies.values()))
        return answer


@pytest.fixture
def sinks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sinks]:
    """Sinks that logs, caches, contexts of templates, and clients write to."""
    found, root, level = Sinks(), logging.getLogger(), logging.getLogger().level
    handler = Lines(found)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)

    def noting(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
            found.add("cache", key, repr(value), pickle.dumps(value).decode("latin-1"))
            return method(self, key, value, *args, **kwargs)

        return call

    for name in ("set", "add"):
        monkeypatch.setattr(LocMemCache, name, noting(getattr(LocMemCache, name)))

    def note(context: Any, **_more: Any) -> None:
        found.add("contexts", repr(context))

    template_rendered.connect(note)
    monkeypatch.setattr(NotingClient, "sinks", found, raising=False)
    yield found
    template_rendered.disconnect(note)
    root.removeHandler(handler)
    root.setLevel(level)
