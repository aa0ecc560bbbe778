"""Stores and finds drafts of forms. The ledger deletes them once the form is saved.

Every field that a form would post is stored, except tokens, marks and buttons, which are secret or
expire. Nothing is sent here.

Every form has a signed mark in a hidden field: its owner, workspace and URL. With it a form can be
stored for its owner after the session has ended, but not saved by another person or with keys of
another workspace. It grants no read access.
"""

import hashlib
import re
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.db import Error
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.http import QueryDict
from django.views.decorators.debug import sensitive_variables

from dashboard.core.sealed import as_text, sealed_text
from dashboard.people.models import User

from .ledger import new_token
from .models import Draft, Write

PARAM = "draft"  # of an address: the draft to open again; of a form: its mark
MARK_SALT = "drafts.mark"
MAX_CHARACTERS = 400_000  # an invoice of 200 full lines has about a tenth of it
FINISHED = ""  # content of a draft
MAX_DRAFTS = 200  # of one person
MAX_UNSIGNED = 60  # times an hour that a form is kept for someone who is not signed in
AN_HOUR = 60 * 60  # seconds
LEFT_OUT = frozenset({"csrfmiddlewaretoken", "token", "draft"})
BUTTONS = frozenset({"save_new", "do", "use", "draw", "choose", "choose-all", "pasted-lines"})
# What a page sends of a blank form: the keys of lines, an offered date, the names of custom fields.
NOT_TYPED, NO_TAX = re.compile(r"^line$|^offered$|-name$"), "|"


class NotStored(Exception):  # noqa: N818 (what it is, without Error)
    """The draft was not stored; `reason` is "size", "many", "saved" or "database"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Mark(NamedTuple):
    """`token`: of this opened form. `address`: with its query. `label`: the form's name. `blank`:
    the digest of a new form's initial fields.
    """

    token: str
    person: int
    workspace: str
    address: str
    label: str
    blank: str = ""

    @property
    def path(self) -> str:
        return self.address.partition("?")[0]

    @property
    def query(self) -> str:
        return self.address.partition("?")[2]

    def signed(self) -> str:
        return signing.dumps(list(self), salt=MARK_SALT, compress=True)


def parse_mark(text: str) -> Mark | None:
    """Return the mark; None if the signature is wrong or it is older than any draft."""
    try:
        fields = signing.loads(
            text, salt=MARK_SALT, max_age=timedelta(days=settings.DRAFT_RETENTION_DAYS)
        )
    except signing.BadSignature:
        return None
    return Mark(*fields)


class Typed(NamedTuple):
    """The content of a draft: the label of its form, the query of its URL, all fields."""

    label: str
    query: str
    data: QueryDict


def typed_fields(data: QueryDict) -> QueryDict:
    fields = data.copy()
    for name in LEFT_OUT | BUTTONS:
        fields.pop(name, None)
    return fields


def digest_of(data: QueryDict) -> str:
    """Return a digest that is equal for two forms with the same input, ignoring empty fields."""
    filled = {
        name: texts
        for name, texts in typed_fields(data).lists()
        if any(texts) and texts != [NO_TAX] and not NOT_TYPED.search(name)
    }
    text = as_text(filled, sort_keys=True)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:20]


@sensitive_variables()
def store_draft(mark: Mark, data: QueryDict, *, is_step: bool = False) -> bool:
    """Store the fields of the form with this mark, replacing earlier ones. Return False for an
    unchanged new form, which is not stored.

    Raises NotStored: too long, too many, saved meanwhile, or the database is full or locked.
    """
    typed = {"label": mark.label, "query": mark.query, "fields": list(typed_fields(data).lists())}
    if len(as_text(typed)) > MAX_CHARACTERS:
        raise NotStored("size")
    of_form = {"token": mark.token, "workspace": mark.workspace, "path": mark.path}
    draft = Draft(**of_form, person_id=mark.person)
    draft.content = typed
    try:
        if is_blank(mark, data):
            delete_draft(mark)
            return False
        _write(draft, None if is_step else digest_of(data))
    except Error:
        raise NotStored("database") from None
    return True


def is_blank(mark: Mark, data: QueryDict) -> bool:
    """Return True for an unchanged new form."""
    return bool(mark.blank) and mark.blank == digest_of(data)


def _write(draft: Draft, digest: str | None) -> None:
    """Store the draft. `digest`: that of its fields, which must not differ from the stored ones
    while a write of its form is Not sure.
    """
    own_drafts = Draft.objects.filter(person=draft.person_id)
    settled = ~Exists(_writes(Write.SAVES_FORM | Write.UNCLEAR))
    changed = {"content": sealed_text(draft, "content"), "stored_at": draft.stored_at}
    stored = own_drafts.filter(settled, token=draft.token).exclude(content=FINISHED)
    if stored.update(discarded_at=None, **changed):
        return
    writes = Write.objects.filter(form_token=draft.token, person=draft.person_id)
    if writes.filter(Write.SAVES_FORM).exists():
        raise NotStored("saved")
    of_form = Q(token=draft.token)
    counts = own_drafts.aggregate(
        open=Count("pk", filter=Q(discarded_at=None)), same=Count("pk", filter=of_form)
    )
    if counts["same"]:
        first = own_drafts.get(of_form)
        is_finished = sealed_text(first, "content") == FINISHED
        if is_finished or (digest and digest != digest_of(read_draft(first).data)):
            raise NotStored("saved")
    elif counts["open"] >= MAX_DRAFTS:
        raise NotStored("many")
    Draft.objects.bulk_create(  # the same form may come twice at the same moment
        [draft], update_conflicts=True, unique_fields=["token"], update_fields=[*changed]
    )


def with_new_token(mark: Mark) -> Mark:
    """Return the mark of another form at the same URL."""
    return mark._replace(token=new_token())


def open_drafts(person: User) -> QuerySet[Draft]:
    return _unsaved(person).filter(discarded_at=None)


def discarded_drafts(person: User) -> QuerySet[Draft]:
    """Return the drafts that can be restored, newest first."""
    return _unsaved(person).exclude(discarded_at=None)


def _unsaved(person: User) -> QuerySet[Draft]:
    """Return drafts whose form is not saved, and has no write that may still be."""
    lapsed = Q(sent_at=None, reserved_until__lte=Now())
    maybe_saved = Exists(_writes(Write.SAVES_FORM | (Write.OPEN & ~lapsed)))
    unsaved = Draft.objects.filter(~maybe_saved, person=person).exclude(content=FINISHED)
    return unsaved.order_by("-stored_at")


def _writes(only: Q) -> QuerySet[Write]:
    return Write.objects.filter(only, form_token=OuterRef("token"), person=OuterRef("person"))


@sensitive_variables()
def read_draft(draft: Draft) -> Typed:
    """Return the content of a draft. Raises sealed.DecryptionError."""
    content = draft.content
    data = QueryDict(mutable=True)
    for name, values in content["fields"]:
        data.setlist(name, values)
    return Typed(content["label"], content["query"], data)


def assign_draft(draft: Draft, mark: Mark) -> None:
    """Assign a draft and its rejected writes to the form with this mark.

    Another tab with the draft creates a new one with its next autosave.
    """
    refused = Write.objects.filter(form_token=draft.token, person=draft.person_id)
    refused.filter(state=Write.State.NOT_SAVED).update(form_token=mark.token)
    Draft.objects.filter(pk=draft.pk).update(token=mark.token)


def delete_draft(mark: Mark) -> None:
    Draft.objects.filter(token=mark.token, person_id=mark.person).delete()


def finish_draft(mark: Mark) -> None:
    """Empty the draft of a form that is finished without a write of its own. It stays for a day, so
    that a late autosave does not bring it back.
    """
    own_draft = Draft.objects.filter(token=mark.token, person_id=mark.person)
    own_draft.update(content=FINISHED, discarded_at=Now())


def discard(drafts: QuerySet[Draft]) -> None:
    """Discard drafts; they can be restored for a day."""
    drafts.filter(discarded_at=None).update(discarded_at=Now())


def restore(drafts: QuerySet[Draft]) -> None:
    drafts.update(discarded_at=None)
