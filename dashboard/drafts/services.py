"""Keeping what was typed, finding it again, and dropping it once it is saved. Nothing is sent here.

Everything that a form would post is kept, value for value, but for what would be a secret or out
of date: tokens, marks and the button that was pressed.
"""

import json
import logging
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from dashboard import cipher
from dashboard.accounts.models import User

from .marks import Mark, new_key
from .models import Deletion, Draft

logger = logging.getLogger(__name__)

PURPOSE = "drafts"
MOST_CHARACTERS = 400_000  # an invoice of 200 full lines has about a tenth of it
MOST_DRAFTS = 200  # of one person
MOST_UNSIGNED = 60  # times an hour that a form is kept for somebody who is not signed in
BEGUN_AGAIN = 60 * 60  # seconds
DISCARDED_FOR = timedelta(days=1)
SAVED_FOR = timedelta(days=1)
LEFT_OUT = frozenset({"csrfmiddlewaretoken", "token", "draft"})
BUTTONS = frozenset({"save_new", "find", "new", "make", "do", "before"})

State = Draft.State


class NotKept(Exception):  # noqa: N818 (what it is, without Error)
    """It could not be kept; `reason` is "size", "many", "often", "saved" or "database"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Typed(NamedTuple):
    """What is inside a draft: what its form is called, the query of its address, all its fields."""

    label: str
    query: str
    data: QueryDict


def typed_in(data: QueryDict) -> QueryDict:
    """All that was typed, without what is only good once."""
    kept = data.copy()
    for name in LEFT_OUT | BUTTONS:
        kept.pop(name, None)
    return kept


@sensitive_variables()
def keep(mark: Mark, data: QueryDict, *, sent_with: str = "") -> None:
    """Keep what was typed into the form of this mark, in place of what was kept for it before.

    Raises NotKept: too long, too many, saved meanwhile, or the database is full or locked.
    """
    typed = {"label": mark.label, "query": mark.query, "fields": list(typed_in(data).lists())}
    text = json.dumps(typed)
    if len(text) > MOST_CHARACTERS:
        raise NotKept("size")
    try:
        _write(mark, cipher.seal(text, owner=mark.person, purpose=PURPOSE), sent_with)
    except DatabaseError:
        raise NotKept("database") from None


def _write(mark: Mark, sealed: str, sent_with: str) -> None:
    now = {"sealed": sealed, "sent_with": sent_with, "kept_at": timezone.now()}
    mine = Draft.objects.filter(key=mark.key, person_id=mark.person)
    if mine.exclude(state=State.SAVED).update(state=State.OPEN, **now):
        return
    if mine.exists():
        raise NotKept("saved")
    if Draft.objects.filter(person_id=mark.person, state=State.OPEN).count() >= MOST_DRAFTS:
        raise NotKept("many")
    place = {"workspace": mark.workspace, "path": mark.path, "person_id": mark.person}
    try:
        with transaction.atomic():
            Draft.objects.create(key=mark.key, **place, **now)
    except IntegrityError:  # the same form at the same moment
        mine.exclude(state=State.SAVED).update(**now)


def keep_unsigned(mark: Mark, data: QueryDict) -> None:
    """Keep for its owner what somebody posts who is not signed in; not without end."""
    counter = f"drafts:unsigned:{mark.person}"
    cache.add(counter, 0, BEGUN_AGAIN)
    try:
        if cache.incr(counter) > MOST_UNSIGNED:
            raise NotKept("often")
    except ValueError:  # it expired between the two
        pass
    keep(mark, data)


def fork(mark: Mark) -> Mark:
    """The mark of another form with the same place."""
    return mark._replace(key=new_key())


def open_ones(person: User, workspace: str) -> QuerySet[Draft]:
    """The drafts that a person has in a workspace, newest first."""
    mine = Draft.objects.filter(person=person, workspace=workspace, state=State.OPEN)
    return mine.order_by("-kept_at")


def count_unfinished(person: User, workspace: str) -> int:
    """How many forms were not saved and how many deletions are pending. Two queries."""
    deletions = Deletion.objects.filter(
        person=person, workspace=workspace, state=Deletion.State.HELD
    )
    return open_ones(person, workspace).filter(sent_with="").count() + deletions.count()


def discarded_ones(person: User, workspace: str) -> QuerySet[Draft]:
    """What can still be put back."""
    mine = Draft.objects.filter(person=person, workspace=workspace, state=State.DISCARDED)
    return mine.order_by("-kept_at")


@sensitive_variables()
def open_draft(draft: Draft) -> Typed:
    """What was typed; raises cipher.Unreadable."""
    text = cipher.unseal(draft.sealed, owner=draft.person_id, purpose=PURPOSE)
    found = json.loads(text)
    data = QueryDict(mutable=True)
    for name, values in found["fields"]:
        data.setlist(name, values)
    return Typed(found["label"], found["query"], data)


def hand_over(draft: Draft, mark: Mark) -> None:
    """From now on the draft belongs to the form of this mark.

    A tab that is still open with it starts a draft of its own with the next thing typed there.
    """
    Draft.objects.filter(pk=draft.pk).update(key=mark.key, sent_with="")


def release(mark: Mark) -> None:
    """The save that was under way came to nothing: the draft is open again."""
    _update(Draft.objects.filter(key=mark.key, person_id=mark.person), sent_with="")


def hold(mark: Mark, token: str) -> None:
    """Nobody knows yet what became of the save that was made with this token."""
    _update(Draft.objects.filter(key=mark.key, person_id=mark.person), sent_with=token)


def drop(mark: Mark) -> None:
    """It was saved: forget what was typed."""
    _saved(Draft.objects.filter(key=mark.key, person_id=mark.person))


def release_sent(person_id: int, token: str) -> None:
    """A save of unknown outcome was left as it is, or came to nothing: the draft is open again."""
    _update(_sent(person_id, token), sent_with="")


def drop_sent(person_id: int, token: str) -> None:
    """A save of unknown outcome turned out to have been saved. If it was but one of the writes of
    a form, the rest of what was typed is still to be done, and the draft is open again.
    """
    if ":" in token:
        release_sent(person_id, token)
    else:
        _saved(_sent(person_id, token))


def sent_with(person_id: int, token: str) -> Draft | None:
    """The draft of the form that was sent with this very token."""
    return _sent(person_id, token).filter(sent_with=_bare(token), state=State.OPEN).first()


def _sent(person_id: int, token: str) -> QuerySet[Draft]:
    """Several writes of one form, and those sent again, have tokens that begin with the form's."""
    first = _bare(token).partition(":")[0]
    mine = Draft.objects.filter(person_id=person_id)
    return mine.filter(sent_with=first) if first else mine.none()


def _bare(token: str) -> str:
    """A token without what says that it was sent again."""
    return token.partition("+")[0]


def _saved(drafts: QuerySet[Draft]) -> None:
    _update(drafts, sealed="", state=State.SAVED, sent_with="", kept_at=timezone.now())


def _update(drafts: QuerySet[Draft], **values: object) -> None:
    """A draft that cannot be updated must not make an answer of what was saved a failure."""
    try:
        drafts.update(**values)
    except DatabaseError:
        logger.exception("a draft could not be updated")


def discard(draft: Draft) -> None:
    """The person does not want it; it can be put back for a day."""
    _turn(draft, State.OPEN, State.DISCARDED)


def put_back(draft: Draft) -> None:
    """The person wants it after all."""
    _turn(draft, State.DISCARDED, State.OPEN)


def _turn(draft: Draft, before: State, after: State) -> None:
    Draft.objects.filter(pk=draft.pk, state=before).update(state=after, sent_with="")


def purge() -> int:
    """Delete what is older than it is to be kept; how many that were."""
    now = timezone.now()
    ages = {
        State.OPEN: timedelta(days=settings.DRAFT_RETENTION_DAYS),
        State.DISCARDED: DISCARDED_FOR,
        State.SAVED: SAVED_FOR,
    }
    old = [Draft.objects.filter(state=state, kept_at__lt=now - age) for state, age in ages.items()]
    return sum(drafts.delete()[0] for drafts in old)
