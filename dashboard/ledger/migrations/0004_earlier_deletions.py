"""The deletions of earlier releases, and the copies of deleted records."""

from datetime import datetime, timedelta
from typing import Any

from django.db import migrations
from django.db.models import Q
from django.utils import timezone

from dashboard.sealed import Unreadable, as_text, from_text, place_of, seal, unseal

AT_A_TIME = 500
COPY_KEPT_FOR = timedelta(days=7)
LATE = "It was not sent when its countdown ended."
INTERRUPTED = "Sending it was interrupted before anything was sent."
REFUSED = "The service did not delete it."
NO_FIELDS = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"  # digest of {}


def take_over(apps: Any, schema_editor: Any) -> None:
    """Take over the deletions that wait, those that were sent, and the copies that are kept."""
    writes = apps.get_model("ledger", "Write").objects
    former = apps.get_model("drafts", "Deletion").objects.order_by("pk")
    ended = Q(state="undone") | Q(state="done", since__lte=timezone.now() - COPY_KEPT_FOR)
    last = 0
    while rows := list(former.filter(pk__gt=last).exclude(ended)[:AT_A_TIME]):
        for row in rows:
            {"held": _take_waiting, "sent": _take_sent, "done": _take_done}[row.state](writes, row)
        last = rows[-1].pk


def _take_waiting(writes: Any, row: Any) -> None:
    _store(writes, row, state="waiting", why=row.why or ("" if row.not_before else LATE))


def _take_sent(writes: Any, row: Any) -> None:
    """The write of this token has its outcome; without one nothing was sent."""
    sent = writes.filter(person=row.person_id, token__startswith=row.token).order_by("-pk").first()
    if sent is None:
        _store(writes, row, state="waiting", why=row.why or INTERRUPTED)
        return
    first = writes.filter(person=row.person_id, token=row.token).first() or sent
    writes.filter(pk=first.pk).update(not_before=row.not_before or row.since)
    if _is_gone(sent):
        _keep_copy(writes, sent, row, since=sent.done_at or row.since)
    elif sent.state == "not saved":
        _store(writes, row, state="waiting", why=row.why or REFUSED)


def _take_done(writes: Any, row: Any) -> None:
    """The write that has deleted the record keeps the copy. Without one the record was gone."""
    sent = writes.filter(person=row.person_id, token__startswith=row.token).order_by("-pk").first()
    if sent:
        _keep_copy(writes, sent, row, since=row.since)
    else:
        until = row.since + COPY_KEPT_FOR
        _store(writes, row, state="skipped", done_at=row.since, copy_until=until)


def _is_gone(write: Any) -> bool:
    """Whether the record is deleted; a missing one counts as deleted."""
    if write.state == "saved" or write.resolution == "found":
        return True
    answer = _opened(write.answer, write.person_id, "writes", *_place(write, "answer"))
    return write.state == "not saved" and (answer or {}).get("error") == "Missing"


def _store(writes: Any, row: Any, **values: Any) -> None:
    """A write of its own, under the token of the deletion unless that was used."""
    write = writes.model(
        token=row.token,
        person_id=row.person_id,
        owner=row.owner,
        workspace=row.workspace,
        resource=row.resource,
        operation="delete",
        record_id=row.record_id,
        digest=NO_FIELDS,
        asked_at=row.since,
        not_before=row.not_before or row.since,
        **values,
    )
    if writes.filter(token=row.token).exists():
        write.token = f"deletion-{row.pk}"
    write.content = _content(write, row)
    write.save(force_insert=True)


def _keep_copy(writes: Any, write: Any, row: Any, since: datetime) -> None:
    """Keep the copy in the write; most have it there already."""
    values: dict[str, Any] = {"copy_until": since + COPY_KEPT_FOR}
    held = _opened(write.content, write.person_id, "writes", *_place(write, "content"))
    if not (held or {}).get("copy"):
        values["content"] = _content(write, row, held or {})
    writes.filter(pk=write.pk).update(**values)


def _content(write: Any, row: Any, held: Any = None) -> str:
    """The label and the copy of a deletion, sealed for this write; "" if no key opens them."""
    was = ("drafts_deletion", "sealed", row.owner, row.person_id, row.resource, row.record_id)
    copy = _opened(row.content, row.person_id, "deletions", *was)
    if copy is None:
        return write.content
    empty = {"label": copy["label"], "body": {}, "before": {}, "typed": []}
    text = as_text({**empty, **(held or {}), "copy": copy["raw"]})
    place = place_of(*_place(write, "content"))
    return seal(text, owner=write.person_id, purpose="writes", place=place)


def _place(write: Any, column: str) -> tuple[object, ...]:
    return "ledger_write", column, write.workspace, write.token


def _opened(text: str, owner: int, purpose: str, *place: Any) -> Any:
    """The value; None for an empty one, and for one that no key opens."""
    try:
        return from_text(unseal(text, owner=owner, purpose=purpose, place=place_of(*place)))
    except Unreadable:
        return None


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0003_deletions"),
        ("drafts", "0006_content_of_sealed"),
        ("credentials", "0005_labels_to_workspaces"),
    ]

    operations = [migrations.RunPython(take_over, migrations.RunPython.noop)]
