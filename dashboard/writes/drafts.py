"""Stores drafts of forms, finds them again, and empties them once the form is saved.

Every field that a form would post is stored, except tokens, marks and the button that was pressed:
they are secret or out of date later. Nothing is sent here.
"""

import hashlib
import logging
import re
import secrets
from typing import NamedTuple

from django.db import Error, IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from dashboard.core import after_response
from dashboard.core.sealed import as_text, sealed_text
from dashboard.people.models import User

from .draft_marks import Mark
from .models import Draft

logger = logging.getLogger(__name__)

MOST_CHARACTERS = 400_000  # an invoice of 200 full lines has about a tenth of it
MOST_DRAFTS = 200  # of one person
MOST_UNSIGNED = 60  # times an hour that a form is kept for somebody who is not signed in
AN_HOUR = 60 * 60  # seconds
LEFT_OUT = frozenset({"csrfmiddlewaretoken", "token", "draft"})
BUTTONS = frozenset({"save_new", "do", "use", "choose", "choose-all", "pasted-lines"})
# What a page sends of a blank form: the keys of lines, an offered date, the names of custom fields,
# and the first kind of discount.
NOT_TYPED, NO_TAX = re.compile(r"^line$|^offered$|-name$|^overall_discount_type$"), "|"

State = Draft.State


class NotStored(Exception):  # noqa: N818 (what it is, without Error)
    """The draft was not stored; `reason` is "size", "many", "saved" or "database"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Typed(NamedTuple):
    """The content of a draft: the label of its form, the query of its address, all fields."""

    label: str
    query: str
    data: QueryDict


def typed_fields(data: QueryDict) -> QueryDict:
    """The posted fields without those that are valid only once."""
    kept = data.copy()
    for name in LEFT_OUT | BUTTONS:
        kept.pop(name, None)
    return kept


def digest_of(data: QueryDict) -> str:
    """Tells whether the same was typed into two forms, whatever they leave empty."""
    filled = {
        name: texts
        for name, texts in typed_fields(data).lists()
        if any(texts) and texts != [NO_TAX] and not NOT_TYPED.search(name)
    }
    text = as_text(filled, sort_keys=True)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:20]


@sensitive_variables()
def store_draft(mark: Mark, data: QueryDict, *, sent_with: str = "") -> bool:
    """Store the fields of the form with this mark, in place of those stored before; false where
    the form is as it began, of which nothing is stored.

    Raises NotStored: too long, too many, saved meanwhile, or the database is full or locked.
    """
    typed = {"label": mark.label, "query": mark.query, "fields": list(typed_fields(data).lists())}
    if len(as_text(typed)) > MOST_CHARACTERS:
        raise NotStored("size")
    of_form = {"key": mark.key, "workspace": mark.workspace, "path": mark.path}
    draft = Draft(**of_form, person_id=mark.person, sent_with=sent_with)
    draft.content = typed
    try:
        if is_blank(mark, data):
            Draft.objects.filter(key=mark.key, person_id=mark.person, state=State.OPEN).delete()
            return False
        _write(mark, draft)
    except Error:
        raise NotStored("database") from None
    return True


def is_blank(mark: Mark, data: QueryDict) -> bool:
    """Whether a new form is as it began."""
    return bool(mark.blank) and mark.blank == digest_of(data)


def _write(mark: Mark, draft: Draft) -> None:
    text = sealed_text(draft, "content")
    now = {"content": text, "sent_with": draft.sent_with, "kept_at": draft.kept_at}
    of_person = Draft.objects.filter(person_id=mark.person)
    stored = of_person.filter(key=mark.key).exclude(state=State.SAVED)
    if stored.update(state=State.OPEN, **now):
        return
    this_or_open = of_person.filter(Q(key=mark.key) | Q(state=State.OPEN))
    keys = set(this_or_open.values_list("key", flat=True))
    if mark.key in keys:
        raise NotStored("saved")
    if len(keys) >= MOST_DRAFTS:
        raise NotStored("many")
    try:
        with transaction.atomic():
            draft.save(force_insert=True)
    except IntegrityError:  # the same form at the same moment
        stored.update(**now)


def with_new_key(mark: Mark) -> Mark:
    """The mark of a new draft for the same form."""
    return mark._replace(key=secrets.token_urlsafe(24))


def open_drafts(person: User, workspace: str) -> QuerySet[Draft]:
    """The open drafts of a person in a workspace, newest first."""
    own_drafts = Draft.objects.filter(person=person, workspace=workspace, state=State.OPEN)
    return own_drafts.order_by("-kept_at")


@sensitive_variables()
def read_draft(draft: Draft) -> Typed:
    """The content of a draft; raises sealed.DecryptionError."""
    content = draft.content
    data = QueryDict(mutable=True)
    for name, values in content["fields"]:
        data.setlist(name, values)
    return Typed(content["label"], content["query"], data)


def assign_draft(draft: Draft, mark: Mark) -> None:
    """Assign a draft to the form with this mark.

    Another tab that still shows the draft creates a new one with its next autosave.
    """
    Draft.objects.filter(pk=draft.pk).update(key=mark.key, sent_with="")


def release_draft(mark: Mark, refused_with: str = "") -> None:
    """Reopen the draft after a save that failed. refused_with: the token of the write."""
    own_draft = Draft.objects.filter(key=mark.key, person_id=mark.person)
    _update(own_draft, sent_with="", refused_with=refused_with)


def note_refusal(draft: Draft, token: str) -> None:
    """Note the write that was refused when the form of this draft was sent again."""
    _update(Draft.objects.filter(pk=draft.pk), refused_with=token)


def mark_unresolved(mark: Mark, token: str) -> None:
    """Note that the save with this token is unresolved."""
    _update(Draft.objects.filter(key=mark.key, person_id=mark.person), sent_with=token)


def mark_saved(mark: Mark) -> None:
    """Empty the draft after its form was saved."""
    after_response.attempt(empty, person=mark.person, key=mark.key)


def release_by_token(person_id: int | None, token: str) -> None:
    """Reopen the draft of an unresolved save that was left, or that failed."""
    _update(_sent(person_id, token), sent_with="")


def mark_saved_by_token(person_id: int | None, token: str) -> None:
    """Empty the draft of an unresolved write that was saved. If it was only one of the writes of a
    form, reopen the draft instead: the others are still to be sent.
    """
    if ":" in token:
        after_response.attempt(release_by_token, person_id=person_id, token=token)
    else:
        after_response.attempt(empty, person=person_id, token=token)


def empty(*, person: int, key: str = "", token: str = "") -> None:
    """Empty the draft of a form that was saved, found by its key or by the token of its write."""
    saved = Draft.objects.filter(person_id=person, key=key) if key else _sent(person, token)
    saved.update(content="", state=State.SAVED, sent_with="", kept_at=timezone.now())


def find_by_token(person_id: int | None, token: str) -> Draft | None:
    """The open draft of the form that was sent with this token."""
    return _sent(person_id, token).filter(sent_with=_bare(token), state=State.OPEN).first()


def _sent(person_id: int | None, token: str) -> QuerySet[Draft]:
    """Several writes of one form, and repeated ones, have tokens that begin with the form's."""
    first = _bare(token).partition(":")[0]
    own_drafts = Draft.objects.filter(person_id=person_id)
    return own_drafts.filter(sent_with=first) if first else own_drafts.none()


def _bare(token: str) -> str:
    """A token without the suffix of a repeated write."""
    return token.partition("+")[0]


def _update(drafts: QuerySet[Draft], **values: object) -> None:
    """A failure is logged only: it must not hide the outcome of the save."""
    try:
        drafts.update(**values)
    except Error:
        logger.exception("a draft could not be updated")


def discard(drafts: QuerySet[Draft]) -> None:
    """Discard those that are open; they can be restored for a day."""
    drafts.filter(state=State.OPEN).update(state=State.DISCARDED, sent_with="")


def restore(drafts: QuerySet[Draft]) -> None:
    """Reopen those that were discarded."""
    drafts.filter(state=State.DISCARDED).update(state=State.OPEN, sent_with="")


PARAM = "draft"  # of an address: the draft to open again; of a form: its mark
