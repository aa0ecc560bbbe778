"""The block of the page Today that needs no call: what the dashboard keeps for the person."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from django.urls import reverse
from django.utils import timezone

from dashboard import resources
from dashboard.accounts.models import User
from dashboard.drafts import services as drafts
from dashboard.drafts.models import Draft
from dashboard.ledger import history
from dashboard.ledger import services as ledger
from dashboard.ledger.models import Write
from dashboard.markup import address
from dashboard.pages.draft_entries import draft_entry
from dashboard.pages.form_drafts import time_in_words
from dashboard.pages.unfinished import count_unfinished
from dashboard.sealed import readable

FORMS = 3
ENTERED = 5
NAMED = {resource.name: resource for resource in resources.ALL}


class OwnBook(NamedTuple):
    """One line: what waits or was done, where it is, and when. `is_unsure` colours it."""

    label: str
    url: str
    time: str = ""
    is_unsure: bool = False


def own_books(person: User, workspace: str) -> list[OwnBook]:
    """Unresolved writes and unfinished forms."""
    unsure = [
        OwnBook(
            f"Was {ledger.label_of(each) or 'this'} saved?",
            reverse("unsure:show", args=[each.pk]),
            "not sure",
            is_unsure=True,
        )
        for each in _unresolved(person)
    ]
    forms = [
        OwnBook(", ".join([entry["label"], *entry["facts"]]), entry["url"], entry["at"])
        for entry in (
            draft_entry(draft, NAMED, person) for draft in _open_drafts(person, workspace)
        )
        if entry["url"]
    ]
    return [*unsure, *forms]


def _unresolved(person: User) -> list[Write]:
    """The latest writes of unknown outcome; most often a small count tells that none are."""
    return ledger.unresolved(person)[:FORMS] if ledger.count_unresolved(person) else []


def _open_drafts(person: User, workspace: str) -> Iterable[Draft]:
    """The latest open drafts; likewise."""
    if not count_unfinished(person, workspace).total:
        return ()
    return drafts.open_drafts(person, workspace)[:FORMS]


def entered_today(person: User, workspace: str) -> tuple[str, list[OwnBook]]:
    """What the person created today in words ("14 invoices, 3 contacts"), and the latest ones."""
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    found = history.created_by(person, workspace, since=midnight)
    counts = Counter(found.values_list("resource", flat=True))
    if not counts:
        return "", []
    words = [
        f"{number:,} {NAMED[name].singular if number == 1 else name}"
        for name, number in counts.most_common()
        if name in NAMED
    ]
    latest = [
        OwnBook(
            _label(entry),
            address(entry.resource, entry.record_id),
            time_in_words(entry.at),
        )
        for entry in found[:ENTERED]
        if entry.resource in NAMED
    ]
    return ", ".join(words), latest


def _label(entry: Write) -> str:
    noun = NAMED[entry.resource].singular.capitalize()
    return f"{noun} {readable(entry, 'changes').get('label', entry.record_id)}"
