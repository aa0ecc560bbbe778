"""A sealed value that is moved to another row, column or workspace of the database is not read."""

import pytest
from django.utils import timezone

from dashboard import cipher
from dashboard.audit import services as audit
from dashboard.audit.models import Entry
from dashboard.jobs import content as job_content
from dashboard.jobs import services as jobs
from dashboard.outbox import services as outbox
from dashboard.outbox.models import Submission
from dashboard.preferences import recents
from dashboard.preferences.models import RecentRecord


def entry_of(workspace, label):
    entry = Entry(
        who="vera", owner="o", workspace=workspace, resource="deals", record_id=335,
        operation="update", outcome="saved", seconds=0, at=timezone.now(),
    )  # fmt: skip
    audit.write(entry, label=label, changes={})
    return entry


def test_the_history_of_one_workspace_cannot_be_read_in_another(db):
    acme, globex = entry_of("acme", "Secret of Acme"), entry_of("globex", "Deal 335")
    Entry.rows.filter(pk=globex.pk).update(sealed=acme.sealed)
    with pytest.raises(cipher.Unreadable):
        audit.details(Entry.objects.get(pk=globex.pk))
    Entry.rows.filter(pk=acme.pk).update(workspace="globex")
    with pytest.raises(cipher.Unreadable):
        audit.details(Entry.objects.get(pk=acme.pk))


def test_the_parts_of_jobs_cannot_be_exchanged(viewer):
    common = {"kind": "bulk", "owner": "o", "workspace": "acme", "title": "Change"}
    one, other = (
        jobs.create(person=viewer, params={"of": name}, rows=[{"label": name}], **common)
        for name in ("deals", "leads")
    )
    row, second = one.rows.get(), other.rows.get()
    row.content, row.result = second.content, row.content
    one.params = other.params
    for moved, column in ((one, "params"), (row, "content"), (row, "result")):
        with pytest.raises(cipher.Unreadable):
            job_content.unseal(moved, column, viewer.pk)


def test_the_parts_of_a_write_cannot_be_exchanged(viewer):
    common = {"person": viewer, "owner": "o", "workspace": "acme", "resource": "deals"}
    one = outbox.begin(outbox.Write(token="a", operation="create", record_id=None, label="A",
                                    **common))  # fmt: skip
    outbox.begin(outbox.Write(token="b", operation="create", record_id=None, label="B", **common))
    Submission.objects.filter(token="b").update(body=one.body, answer=one.body)
    other = Submission.objects.get(token="b")
    for read in (outbox.content_of, outbox.answer_of):
        with pytest.raises(cipher.Unreadable):
            read(other)
    assert outbox.content_of(one).label == "A"


def test_names_of_opened_records_cannot_be_exchanged(viewer):
    recents.note_opened(viewer, "o", "deals", 1, title="One")
    recents.note_opened(viewer, "o", "deals", 2, title="Two")
    RecentRecord.objects.filter(record_id=2).update(
        sealed=RecentRecord.objects.get(record_id=1).sealed
    )
    titles = {each.record_id: each.title for each in recents.seen(viewer, "o")}
    assert titles == {1: "One", 2: ""}
