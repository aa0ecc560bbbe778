"""Cells of documents that depend on a day."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from dashboard.documents.cells import deadline
from dashboard.gateway import Record
from dashboard.people.context import RequestContext
from dashboard.schema.cells import NO_NAMES
from dashboard.text.dates import short_date

NOBODY = RequestContext(gateway=None)
OPEN, PAID = 0, 1


def due(day, status=OPEN):
    return deadline("due_date")(
        Record({"due_date": day, "inv_status": status}, {}), NOBODY, NO_NAMES
    )


@pytest.mark.parametrize(
    ("left", "note", "tone"),
    [
        (-41, "41 days overdue", "late"),
        (-1, "1 day overdue", "late"),
        (0, "today", "muted"),
        (1, "tomorrow", "muted"),
        (12, "in 12 days", "muted"),
    ],
)
def test_the_last_day_of_an_open_document_says_how_far_it_is(left, note, tone):
    today = timezone.localdate()
    day = today + timedelta(days=left)
    shown = due(day)
    assert shown.words == f"{short_date(day, today)} {note}"
    assert shown.tone == tone


def test_an_estimate_after_its_last_day_is_not_overdue():
    day = timezone.localdate() - timedelta(days=7)
    estimate = Record({"expiry_date": day, "est_status": OPEN}, {})
    assert deadline("expiry_date")(estimate, NOBODY, NO_NAMES).words.endswith("7 days ago")


@pytest.mark.parametrize(("day", "words"), [(date(2020, 3, 4), "4 Mar 2020"), (None, "")])
def test_that_of_any_other_document_is_a_day_alone(day, words):
    assert due(day, PAID).words == words
    assert due(None).words == ""
