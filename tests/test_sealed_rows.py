"""A sealed value that is moved to another row, column or workspace of the database is not read."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from django.apps import apps
from django.utils import timezone

from dashboard.core import sealed
from dashboard.imports.models import Import
from dashboard.jobs.models import Chunk, Export, Job
from dashboard.office.models import RecentRecord, ReminderTexts, SavedView
from dashboard.people.models import KeyPair, Mail
from dashboard.writes import history, ledger
from dashboard.writes.models import Draft, Event, Write

OF = {"workspace": "acme", "person_id": 3}
JOB, FILE = Job(pk=7, **OF), Import(pk=6, **OF)
RECORD = {"owner": "o", "resource": "deals", "record_id": 9}
WRITE = Write(token="t", job=7, **OF)
AT = datetime(2026, 3, 5, tzinfo=UTC)
MAIL = Mail(token=UUID(int=8))
LINE = Event(workspace="acme", resource="deals", record_id=9, operation="update", at=AT)
MICROSECONDS = str(int(AT.timestamp()) * 1_000_000)
# A row, its sealed column, its owner, its purpose and its place, as they stand in ciphertexts.
BOUND = [
    (KeyPair(user_id=3), "keys", 3, "api keys", ["people_keypair", "ciphertext", "3"]),
    (Draft(path="/x/", **OF), "content", 3, "drafts", ["writes_draft", "sealed", "acme", "/x/"]),
    (WRITE, "content", 3, "writes", ["writes_write", "content", "acme", "t"]),
    (WRITE, "answer", 3, "writes", ["writes_write", "answer", "acme", "t"]),
    (WRITE, "job_row", 3, "jobs", ["writes_write", "job_row", "7", "t"]),
    (WRITE, "changes", 0, "history", ["writes_write", "changes", "acme", "t"]),
    (LINE, "changes", 0, "history",
     ["writes_event", "changes", "acme", "deals", "9", "update", MICROSECONDS]),
    (MAIL, "content", 0, "mails", ["people_mail", "content", str(MAIL.token)]),
    (JOB, "params", 3, "jobs", ["jobs_job", "params", "acme", "7"]),
    (Chunk(export=Export(pk=5, job=JOB)), "content", 3, "exports",
     ["jobs_chunk", "content", "5"]),
    (FILE, "content", 3, "imports", ["imports_import", "content", "acme", "6"]),
    (FILE, "settings", 3, "imports", ["imports_import", "settings", "acme", "6"]),
    (FILE, "table", 3, "imports", ["imports_import", "table", "acme", "6"]),
    (SavedView(workspace="acme", user_id=3, resource="deals"), "content", 3, "views",
     ["office_savedview", "sealed", "acme", "3", "deals"]),
    (RecentRecord(user_id=3, **RECORD), "content", 3, "recents",
     ["office_recentrecord", "sealed", "3", "o", "deals", "9"]),
    (ReminderTexts(workspace="acme"), "content", 0, "reminders",
     ["office_remindertexts", "content", "acme"]),
]  # fmt: skip


def test_every_sealed_column_has_a_place():
    columns = {(model, one.name) for model in apps.get_models() for one in model._meta.fields
               if isinstance(one, sealed.SealedJSON)}  # fmt: skip
    assert {(type(row), name) for row, name, *_ in BOUND} == columns


@pytest.mark.parametrize(("row", "name", "owner", "purpose", "place"), BOUND)
def test_what_is_stored_is_read_by_its_owner_purpose_and_place(row, name, owner, purpose, place):
    stored = sealed.seal('"Zoe"', owner=owner, purpose=purpose, context=json.dumps(place))
    setattr(row, f"{name}_sealed", stored)
    assert getattr(row, name) in ("Zoe", '"Zoe"')
    setattr(row, name, getattr(row, name))
    again = sealed.sealed_text(row, name)
    assert again != stored
    bound = {"owner": owner, "purpose": purpose, "context": json.dumps(place)}
    assert sealed.unseal(again, **bound) == '"Zoe"'


def test_amounts_stay_exact_and_days_are_written_as_the_service_takes_them():
    WRITE.content = {"total": Decimal("1.10"), "rate": 0.1, "due": date(2026, 3, 5), "at": AT}
    assert WRITE.content == {"total": Decimal("1.10"), "rate": Decimal("0.1"), "due": "2026-03-05",
                          "at": "2026-03-05T00:00:00+00:00"}  # fmt: skip


@pytest.mark.parametrize("value", ["no amount", None, {}, ["1"]])
def test_an_object_of_the_service_that_only_looks_like_an_amount_stays_as_it_is(value):
    assert sealed.from_text(sealed.as_text({sealed.DECIMAL: value})) == {sealed.DECIMAL: value}


def test_an_empty_column_is_unreadable():
    WRITE.content = None
    assert sealed.sealed_text(WRITE, "content") == ""
    assert sealed.readable(WRITE, "content") == {}
    with pytest.raises(sealed.DecryptionError):
        ledger.content_of(WRITE)


def test_a_row_that_is_bound_by_its_number_is_stored_first():
    with pytest.raises(ValueError, match="params can be set once"):
        Job(**OF).params = {}


def test_a_value_is_not_stored_readably_by_mistake(db):
    with pytest.raises(TypeError, match="content takes the ciphertext"):
        Write.objects.update(content={"secret": 1})


def entry_of(workspace, label):
    entry = Event(
        who="vera", owner="o", workspace=workspace, resource="deals", record_id=335,
        operation="update", at=timezone.now(),
    )  # fmt: skip
    history.add(entry, label=label, changes={})
    return entry
