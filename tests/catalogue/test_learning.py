"""What records carry is learned, at no cost to the page that is read."""

import pytest
from django.db import OperationalError

from dashboard.catalogue import learning, snapshot
from dashboard.catalogue.keeping import put, sightings_of
from dashboard.catalogue.kinds import Kind
from dashboard.catalogue.models import Entry, Sighting
from dashboard.catalogue.services import Seen, label, names, see, suggestions

pytestmark = pytest.mark.django_db


def seen(*values, kind=Kind.TEMPLATE, name=""):
    return [Seen(kind, value, "/invoices/7001/", "Invoice 7001", name) for value in values]


def waiting():
    return [(one.kind, one.code) for one in sightings_of("Acme")]


def test_an_id_without_a_name_is_written_down_with_where_it_was_seen():
    see("Acme", seen(17, "17", 18, None, "", "nonsense", 0, -3, True, 10**30))
    assert waiting() == [("template", "17"), ("template", "18")]
    assert sightings_of("Acme")[0].place == "Invoice 7001"


def test_nothing_new_costs_no_query(django_assert_num_queries):
    put("Acme", Kind.TEMPLATE, [{"code": "1", "name": "Standard"}])
    see("Acme", seen(1, 17))
    snapshot.of("Acme")
    with django_assert_num_queries(0):
        see("Acme", seen(1, 17))
        assert label("Acme", Kind.TEMPLATE, 1) == "Standard"
        assert label("Acme", Kind.TEMPLATE, 17) == "#17 (not named yet)"
        assert names("Acme", Kind.TEMPLATE) == {1: "Standard"}


def test_what_is_waiting_is_known_to_a_process_that_has_just_started(django_assert_num_queries):
    see("Acme", seen(17))
    snapshot.forget()
    snapshot.of("Acme")
    with django_assert_num_queries(0):
        see("Acme", seen(17))


def test_an_id_that_gets_a_name_waits_no_longer():
    see("Acme", seen(17, 18))
    put("Acme", Kind.TEMPLATE, [{"code": "17", "name": "Letter"}])
    assert waiting() == [("template", "18")]


def test_a_database_that_is_busy_never_fails_a_page(monkeypatch):
    def busy(*args, **kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr(learning, "_write", busy)
    see("Acme", seen(17))
    monkeypatch.undo()
    assert waiting() == []
    see("Acme", seen(17))
    assert waiting() == [("template", "17")]


def test_nothing_is_learned_for_nobodys_workspace():
    see("", seen(17))
    assert not Sighting.objects.exists()


def test_words_become_suggestions_once_each(monkeypatch):
    monkeypatch.setattr(learning, "MOST_WORDS", 2)
    see("Acme", seen("Fair", "Cold call", kind=Kind.LEAD_SOURCE))
    see("Acme", seen("FAIR", "One too many", kind=Kind.LEAD_SOURCE))
    assert suggestions("Acme", Kind.LEAD_SOURCE) == ("Fair", "Cold call")
    assert Entry.objects.count() == 2


def test_another_process_sees_a_change_soon(monkeypatch):
    put("Acme", Kind.TEMPLATE, [{"code": "1", "name": "Standard"}])
    assert label("Acme", Kind.TEMPLATE, 1) == "Standard"
    monkeypatch.setattr(snapshot, "forget", lambda workspace="": None)  # as if done elsewhere
    put("Acme", Kind.TEMPLATE, [{"code": "1", "name": "Plain"}])
    assert label("Acme", Kind.TEMPLATE, 1) == "Standard"
    monkeypatch.setattr(snapshot, "FRESH", 0.0)
    assert label("Acme", Kind.TEMPLATE, 1) == "Plain"
