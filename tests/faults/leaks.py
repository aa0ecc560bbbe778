"""Builds of the dashboard broken on purpose that only the soak can find out: what belongs to one
workspace or person gets to another, or is lost on the way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from dashboard.catalogue import cached_lists
from dashboard.credentials import services as credentials
from dashboard.records.references import lookups

from . import broken
from .deeds import Deeds, begin, list_, pry, save


@contextmanager
def shared_names() -> Iterator[None]:
    """The names of records are kept without regard to whose keys they were read with."""
    with patch.object(lookups, "fingerprint", lambda gateway: "everybody"):
        yield


@contextmanager
def shared_lists() -> Iterator[None]:
    """All workspaces have one set of lists."""
    with patch.object(cached_lists, "normal", lambda workspace: "one"):
        yield


@contextmanager
def shared_keys() -> Iterator[None]:
    """Whoever comes gets the keys of the first who came."""
    honest, first = credentials.keys_for, []

    def remembered(user: Any) -> Any:
        first.append(honest(user))
        return first[0]

    with patch.object(credentials, "keys_for", remembered):
        yield


FORMS = (begin, save)
Build = tuple[Callable[[], Any], Deeds, list[str], str]
# Each with the deeds and the kinds of faults that show it, and the oracle that must speak up.
BUILDS: dict[str, Build] = {
    "shared-names": (shared_names, (list_, pry), [], "apart"),
    "shared-lists": (shared_lists, (begin,), [], "apart"),
    "shared-keys": (shared_keys, (list_,), [], "apart"),
    "no-drafts": (broken.no_drafts, FORMS, ["status-422"], "kept"),
    "resend": (broken.resend, FORMS, ["reset"], "once"),
    "believes": (broken.believes, FORMS, ["reset"], "honest"),
    "forgets": (broken.forgets, FORMS, ["status-422"], "shown_again"),
    "sends-all": (broken.sends_all, FORMS, [], "untouched"),
    "no-reread": (broken.no_reread, FORMS, [], "nobody_overwritten"),
    "tells-keys": (broken.tells_keys, FORMS, [], "no_secret"),
    "crashes": (broken.crashes, FORMS, ["status-422"], "no_crash"),
}


def made(build: str) -> Any:
    """The build as a context manager; "" for the dashboard as it is."""
    return BUILDS[build][0]() if build in BUILDS else broken.made(build)
