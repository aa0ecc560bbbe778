"""The rows of the jobs of earlier releases: what a row has written becomes the row itself."""

import secrets
from collections import Counter
from typing import Any

from django.db import migrations

from dashboard.sealed import Unreadable, as_text, from_text, place_of, seal, unseal

AT_A_TIME = 500
ENDED = ("stopped", "finished")
NOT_SENT = ("waiting", "sending", "not sent")  # of rows that no write belongs to


def take_over(apps: Any, schema_editor: Any) -> None:
    """Give each row to the write with its token; one without becomes a write of its own."""
    write, job = apps.get_model("ledger", "Write"), apps.get_model("jobs", "Job")
    former = apps.get_model("jobs", "JobRow").objects.select_related("job").order_by("pk")
    write.objects.filter(state="not sure", resolution="found").update(state="saved")
    last = 0
    while rows := list(former.filter(pk__gt=last)[:AT_A_TIME]):
        tokens = [row.token for row in rows]
        writes = {each.token: each for each in write.objects.filter(token__in=tokens)}
        new = [made for row in rows if (made := _placed(write, row, writes.get(row.token)))]
        write.objects.bulk_create(new)
        last = rows[-1].pk
    for each in job.objects.filter(rows__isnull=False).distinct():
        each.counts = _counts(write, each)
        each.save(update_fields=["counts"])


def _placed(model: Any, row: Any, sent: Any) -> Any:
    """Store a row with the write that was sent with its token; a new write if there is none, or
    none that the row can be.
    """
    if sent and sent.resolution == "sent again":
        repeated = model.objects.filter(person=sent.person_id, token__startswith=f"{sent.token}+")
        sent = repeated.order_by("-pk").first() or sent
    if sent and row.state != "skipped" and sent.number is None:
        _fill(row, sent)
        sent.save()
        return None
    made = model(
        token=secrets.token_urlsafe(24) if sent or not row.token else row.token,
        person_id=row.job.person_id,
        owner=row.job.owner,
        workspace=row.job.workspace,
        resource=row.job.resource,
        record_id=row.record_id,
        state=_state(row),
        resolution="left" if row.state == "not sure" else "",
        asked_at=row.job.created_at,
    )
    _fill(row, made)
    return made


def _fill(row: Any, write: Any) -> None:
    write.job, write.number, write.tries = row.job_id, row.number, row.tries
    write.found, write.plan = row.found, row.plan
    write.reviewed = row.looked or row.state in ("saved", "not saved")
    write.job_row = _job_row(row, write)


def _state(row: Any) -> str:
    if row.state not in NOT_SENT:
        return str(row.state)
    return "cancelled" if row.job.state in ENDED or row.state == "not sent" else "waiting"


def _job_row(row: Any, write: Any) -> str:
    """What a row held, sealed for its new place; "" where no key opens it."""
    held: dict[str, Any] = {}
    for column, value in (("result", row.result), ("content", row.content)):
        if value:
            place = place_of("jobs_jobrow", column, row.job_id, row.number)
            try:
                text = unseal(value, owner=row.job.person_id, purpose="jobs", place=place)
            except Unreadable:
                return ""
            held |= {"sends": from_text(text)} if column == "content" else from_text(text)
    place = place_of("ledger_write", "job_row", row.job_id, write.token)
    return seal(as_text(held), owner=row.job.person_id, purpose="jobs", place=place)


def _counts(model: Any, job: Any) -> dict[str, int]:
    rows = model.objects.filter(job=job.pk, number__isnull=False)
    return dict(Counter(rows.values_list("state", flat=True)))


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0005_rows_of_jobs"),
        ("jobs", "0002_not_sent_and_found_rows"),
    ]

    operations = [migrations.RunPython(take_over, migrations.RunPython.noop)]
