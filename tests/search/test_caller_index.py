"""Who is calling is found among all contacts of the workspace, by marks that tell no name."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.core import retention
from dashboard.gateway import CONTACTS
from dashboard.jobs import slices
from dashboard.jobs.models import Job
from dashboard.people.models import KeyPair, Workspace
from dashboard.search import caller_index
from dashboard.search.models import CallerIndex, ContactMark
from tests.conftest import person
from tests.helpers import encryption_key, text
from tests.jobs.conftest import work

pytestmark = pytest.mark.django_db

NUMBER, TYPED = "+493012345678", "030 123 456 78"


@pytest.fixture(autouse=True)
def _short_pages(monkeypatch):
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 20)
    monkeypatch.setattr("dashboard.reader.listing.MAX_CONCURRENT_CALLS", 1)
    monkeypatch.setattr(slices, "SECONDS", 0)


@pytest.fixture
def zoe(gateway):
    body = {"cstname": "Zoe Zebra", "contact_type": 1, "cstmobile": NUMBER}
    return gateway.create(CONTACTS, {**body, "cstemail": "zoe@zebra.example"}).id


def searched(client, typed):
    return client.post("/search/", {"q": typed, "hits": "1"})


def found(client, typed):
    """The addresses in the group of the caller index."""
    groups = searched(client, typed).context["groups"]
    return [hit.label.url for each in groups if each.title == "All contacts" for hit in each.hits]


def read_all(client):
    searched(client, TYPED)
    work()


def test_a_number_is_found_among_all_contacts(desk, zoe):
    answer = searched(desk, TYPED)
    assert "Searching all contacts for this number" in text(answer)
    assert found(desk, TYPED) == []
    work()
    assert Job.objects.get().state == Job.State.FINISHED
    for typed in (TYPED, "0049 30 12345678", "Tel. +49 (0)30/12345678"):
        assert found(desk, typed) == [f"/contacts/{zoe}/"]
    assert found(desk, "030 12345679") == []


def test_the_search_says_how_far_the_contacts_are_read_and_goes_on(desk, zoe, monkeypatch):
    searched(desk, TYPED)
    assert searched(desk, TYPED).context["is_waiting"]
    job = Job.objects.get()
    job.counts = {"read": 40}
    job.save()
    CallerIndex.objects.update(totals=[232])
    answer = searched(desk, TYPED)
    assert "40 of 232" in text(answer)
    assert b"data-again" in answer.content
    work()
    assert "is_waiting" not in searched(desk, TYPED).context


def test_the_page_says_how_fresh_it_is(desk, zoe, gateway):
    read_all(desk)
    words = text(searched(desk, TYPED))
    total = gateway.list(CONTACTS).total_records
    at = timezone.localtime(Job.objects.get().created_at)
    assert f"Searched all {total} contacts ({at:%-d %b %Y, %H:%M})" in words


def test_a_reading_that_ends_below_the_total_says_so(desk, zoe, tell_totals):
    tell_totals(total_records=300, total_pages=1)
    read_all(desk)
    count = ContactMark.objects.values("record_id").distinct().count()
    assert 20 < count < 300
    words = text(searched(desk, TYPED))
    assert f"Searched {count} of 300 contacts" in words
    assert "Contacts loaded so far" in words
    assert "All contacts" not in words


def test_every_page_is_read_and_each_in_a_slice_of_its_own(desk, zoe, gateway):
    read_all(desk)
    total = gateway.list(CONTACTS).total_records
    read = CallerIndex.objects.get()
    assert read.pages_read == -(-total // 20) > 2
    assert read.job.slices >= read.pages_read
    assert ContactMark.objects.values("record_id").distinct().count() == total


def test_an_address_and_the_words_of_a_name_are_found_where_the_service_finds_none(
    desk, zoe, standin
):
    read_all(desk)
    assert found(desk, "zebra zoe") == [f"/contacts/{zoe}/"]  # in another order than the name
    assert found(desk, "zebra zoo") == []
    assert found(desk, "Zoe Zebra") == []  # the service found it
    standin.fault("status-503", operation="list", resource="contacts")
    assert found(desk, "ZOE@zebra.example") == [f"/contacts/{zoe}/"]


def test_it_is_read_once_a_day_and_takes_the_place_of_the_last(desk, zoe, gateway):
    read_all(desk)
    searched(desk, TYPED)
    assert Job.objects.count() == 1
    gateway.update(CONTACTS, zoe, {"cstmobile": "+493087654321"})
    Job.objects.update(created_at=timezone.now() - timedelta(hours=25))
    cache.clear()
    read_all(desk)
    assert Job.objects.count() == 2
    assert found(desk, "030 87654321") == [f"/contacts/{zoe}/"]
    assert found(desk, TYPED) == []
    assert set(ContactMark.objects.values_list("index", flat=True)) == {
        CallerIndex.objects.latest("pk").pk
    }


def test_a_changed_number_is_compared_with_the_contact_itself(desk, zoe, gateway):
    read_all(desk)
    gateway.update(CONTACTS, zoe, {"cstmobile": "+493087654321"})
    cache.clear()
    assert found(desk, TYPED) == []


def test_a_deleted_contact_is_left_out(desk, zoe, gateway):
    read_all(desk)
    gateway.delete(CONTACTS, zoe)
    cache.clear()
    assert found(desk, TYPED) == []


def test_the_marks_tell_nothing_and_are_others_in_another_workspace(desk, zoe):
    read_all(desk)
    marks = set(ContactMark.objects.filter(record_id=zoe).values_list("mark", flat=True))
    assert len(marks) == 4  # two words, an address, a number
    for mark in marks:
        assert len(mark) == 32
        assert int(mark, 16)
    assert caller_index._marks("other", "word zebra")[0] not in marks
    assert caller_index._marks("Acme", "word zebra") != caller_index._marks("acme", "word zebra")


def test_marks_are_found_after_the_keys_were_rotated(desk, zoe, settings):
    read_all(desk)
    settings.FIELD_ENCRYPTION_KEYS = [
        encryption_key(), *settings.FIELD_ENCRYPTION_KEYS
    ]  # fmt: skip
    assert found(desk, TYPED) == [f"/contacts/{zoe}/"]


def test_colleagues_find_by_it_and_another_workspace_does_not(
    desk, zoe, client_of, with_keys, gateway_to, viewer
):
    read_all(desk)
    colleague = client_of(with_keys(viewer))
    assert found(colleague, TYPED) == [f"/contacts/{zoe}/"]
    stranger = person("oscar", "Manager")
    with_keys(stranger)
    pair = KeyPair.objects.get(user=stranger)
    pair.workspace = Workspace.objects.create(name="Acme")
    pair.save()
    assert found(client_of(stranger), TYPED) == []


def test_somebody_who_may_only_look_begins_no_job(zoe, client_of, with_keys, viewer):
    answer = searched(client_of(with_keys(viewer)), TYPED)
    assert "being read" not in text(answer)
    assert not Job.objects.exists()


def test_part_of_a_number_begins_no_job(desk):
    searched(desk, "00123")
    assert not Job.objects.exists()


def test_it_is_emptied_after_a_week_and_with_the_last_keys(desk, zoe):
    read_all(desk)
    assert retention.purge(ContactMark) == 0
    KeyPair.objects.all().delete()
    assert retention.purge(ContactMark) > 0
    assert not ContactMark.objects.exists()


def test_an_index_of_a_week_ago_is_not_used(desk, zoe):
    read_all(desk)
    cache.clear()
    Job.objects.update(created_at=timezone.now() - timedelta(days=8))
    assert found(desk, TYPED) == []
    retention.purge(ContactMark)
    assert not ContactMark.objects.exists()
