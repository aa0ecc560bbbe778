"""Writes that are sent again, as new rows with tokens made from that of the first."""

import pytest
from django.db import IntegrityError
from django.db.models.functions import Now

from dashboard.jobs.models import Job
from dashboard.writes import retries
from dashboard.writes.models import Write

pytestmark = pytest.mark.django_db
State, Resolution = Write.State, Write.Resolution
SENDS = {"label": "Row 1"}


@pytest.fixture
def stored(editor):
    """Stores a write of one person; it was sent unless `sent` says otherwise."""

    def store(token, state=State.NOT_SURE, *, sent=True, person=editor, **values):
        row = Write(token=token, state=state, person=person, owner="pair", workspace="Acme",
                    resource="contacts", operation="create", **values)  # fmt: skip
        row.sent_at = Now() if sent else None
        if row.job:
            row.job_row = {"sends": SENDS, "words": "earlier"}
        row.save()
        return Write.objects.get(pk=row.pk)

    return store


@pytest.mark.parametrize(
    ("repetitions_before", "token"),
    [
        ({}, "t+"),
        ({"t+": State.SENDING}, "t+"),
        ({"t+": State.SAVED}, "t+"),
        ({"t+": State.NOT_SAVED}, "t+1"),
        ({"t+": State.NOT_SAVED, "t+1": State.NOT_SURE}, "t+1"),
    ],
)
def test_a_write_is_sent_again_under_a_new_token_after_each_refusal(
    stored, repetitions_before, token
):
    first = stored("t")
    for name, state in repetitions_before.items():
        stored(name, state)
    assert retries.retry_token(first) == token


def test_what_another_person_has_sent_does_not_count(stored, viewer):
    first = stored("t")
    stored("t+", State.NOT_SAVED, person=viewer)
    assert retries.retry_token(first) == "t+"
    assert retries.sent_again(first) is None


@pytest.mark.parametrize("pressed", ["t+", "t+1", "t+999"])
def test_the_token_of_the_page_is_used_again(stored, pressed):
    first = stored("t")
    stored(pressed, State.NOT_SAVED)
    assert retries.retry_token(first, pressed) == pressed


@pytest.mark.parametrize("pressed", ["", "t", "x+", "xt+", "t+1000", "t+a", "t++"])
def test_a_token_that_is_none_of_its_repetitions_is_not_used(stored, pressed):
    assert retries.retry_token(stored("t"), pressed) == "t+"


def test_a_repetition_is_found_once_it_was_sent(stored):
    first = stored("t")
    stored("t+", State.WAITING, sent=False)
    assert retries.sent_again(first) is None
    stored("t+1", State.NOT_SAVED)
    last = stored("t+2")
    assert retries.sent_again(first) == last


def test_the_next_attempts_at_rows_of_a_job_have_new_tokens(stored, monkeypatch):
    monkeypatch.setattr(retries, "BATCH_SIZE", 2)  # rows of one statement
    refused = stored("a", State.NOT_SAVED, job=7, number=1, attempt=3)
    unsent = stored("b", State.NOT_SAVED, sent=False, job=7, number=2, attempt=1)
    another = stored("c", State.NOT_SAVED, job=7, number=3)
    retries.retry([refused, unsent, another])
    rows = Job(pk=7).rows.order_by("number")
    attempts = rows.values_list("number", "attempt", "state", "sent_at")
    assert list(attempts) == [
        (1, 4, State.WAITING, None), (2, 2, State.WAITING, None), (3, 1, State.WAITING, None)
    ]  # fmt: skip
    assert [row.job_row for row in rows] == [{"sends": SENDS}] * 3
    assert not {"a", "b", "c"} & {row.token for row in rows}
    earlier = Write.objects.filter(token__in="abc").values_list("state", flat=True)
    assert list(earlier) == [State.NOT_SAVED] * 3


def test_a_row_has_each_attempt_once(stored):
    refused = stored("a", State.NOT_SAVED, job=7, number=1)
    retries.retry([refused])
    with pytest.raises(IntegrityError):
        retries.retry([refused])


def test_a_repetition_settles_the_first_write_once_and_is_its_next_attempt(stored):
    first, again = stored("t", job=7, number=1, attempt=2), stored("t+", State.SAVED)
    retries.resolve_as_sent_again(pk=first.pk)
    first.refresh_from_db()
    assert first.resolution == Resolution.SENT_AGAIN
    row = Job(pk=7).rows.get()
    assert (row.pk, row.attempt, row.job_row) == (again.pk, 3, {"sends": SENDS})
    Write.objects.filter(pk=again.pk).update(number=None)
    retries.resolve_as_sent_again(pk=first.pk)
    assert Job(pk=7).rows.get() == first, "it was settled before"


def test_a_write_of_no_job_is_settled_by_its_repetition(stored):
    first, again = stored("t"), stored("t+", State.SAVED)
    retries.resolve_as_sent_again(pk=first.pk)
    first.refresh_from_db()
    again.refresh_from_db()
    assert (first.resolution, again.number) == (Resolution.SENT_AGAIN, None)
