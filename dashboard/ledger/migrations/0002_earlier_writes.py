"""The writes of earlier releases, with their numbers, which open pages refer to."""

from typing import Any

from django.db import migrations

from dashboard.former.moving import SealedPlace, moved, number_on

AT_A_TIME = 500
SAME = ("id", "token", "person_id", "owner", "workspace", "resource", "operation", "record_id",
        "job", "state", "digest", "in_history")  # fmt: skip


def take_over(apps: Any, schema_editor: Any) -> None:
    """Copy every row of the former table, each value sealed for its new place."""
    write = apps.get_model("ledger", "Write")
    former = apps.get_model("outbox", "Submission").objects.order_by("pk")
    last = 0
    while rows := list(former.filter(pk__gt=last)[:AT_A_TIME]):
        write.objects.bulk_create(write(**_values(row)) for row in rows)
        last = rows[-1].pk
    number_on(schema_editor.connection, write)


def _values(row: Any) -> dict[str, Any]:
    of = (row.workspace, row.token)

    def resealed(column: str, name: str) -> str:
        before = SealedPlace("outbox", "outbox_submission", column, of)
        after = SealedPlace("writes", "ledger_write", name, of)
        return moved(getattr(row, column), row.person_id, before, after)

    return {
        **{name: getattr(row, name) for name in SAME},
        "resolution": row.settled,
        "content": resealed("body", "content"),
        "answer": resealed("answer", "answer"),
        "asked_at": row.started_at,
        "sent_at": row.started_at,
        "done_at": row.finished_at,
    }


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0001_writes"),
        ("outbox", "0006_workspace_of_earlier_writes"),
    ]

    operations = [migrations.RunPython(take_over, migrations.RunPython.noop)]
