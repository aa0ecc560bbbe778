"""Recording of unnamed references and words that records contain."""

from decimal import Decimal

import pytest
from django.db import OperationalError

from dashboard.office import observed_references, reference_lists
from dashboard.office.editing import save_entries, unnamed_of
from dashboard.office.kinds import Kind
from dashboard.office.models import ListEntry
from dashboard.office.observed_references import SeenReference, record_all, record_references
from dashboard.office.reference_lists import entry, label, names, suggestions, unnamed_parents

pytestmark = pytest.mark.django_db


def seen(*values, kind=Kind.TEMPLATE, name=""):
    return [SeenReference(kind, value, "/invoices/7001/", "Invoice 7001", name) for value in values]


def waiting():
    return [(one.kind, one.code) for one in unnamed_of("Acme")]


def test_an_unnamed_id_is_stored_with_its_source():
    record_references("Acme", seen(17, "17", 18, None, "", "nonsense", 0, -3, True, 10**30))
    assert waiting() == [("template", "17"), ("template", "18")]
    assert unnamed_of("Acme")[0].place == "Invoice 7001"


def test_known_references_need_no_query(django_assert_num_queries):
    save_entries("Acme", Kind.TEMPLATE, [{"code": "1", "name": "Standard"}])
    record_references("Acme", seen(1, 17))
    record_references("Acme", seen(1, 17))
    with django_assert_num_queries(0):
        record_references("Acme", seen(1, 17))
        assert label("Acme", Kind.TEMPLATE, 1) == "Standard"
        assert label("Acme", Kind.TEMPLATE, 17) == "#17 (not named yet)"
        assert names("Acme", Kind.TEMPLATE) == {1: "Standard"}


def test_a_new_process_loads_stored_references_once(django_assert_num_queries):
    record_references("Acme", seen(17))
    reference_lists.forget()
    record_references("Acme", seen(17))
    with django_assert_num_queries(0):
        record_references("Acme", seen(17))


def test_a_named_id_is_removed_from_the_unnamed_references():
    record_references("Acme", seen(17, 18))
    save_entries("Acme", Kind.TEMPLATE, [{"code": "17", "name": "Letter"}])
    assert waiting() == [("template", "18")]


def test_a_locked_database_does_not_fail_a_page(monkeypatch):
    def busy(*args, **kwargs):
        raise OperationalError("database is locked")

    monkeypatch.setattr(observed_references, "_write", busy)
    record_references("Acme", seen(17))
    monkeypatch.undo()
    assert waiting() == []
    record_references("Acme", seen(17))
    assert waiting() == [("template", "17")]


def test_each_word_is_stored_as_one_suggestion(monkeypatch):
    monkeypatch.setattr(observed_references, "MAX_WORDS", 2)
    record_references("Acme", seen("Fair", "Cold call", kind=Kind.LEAD_SOURCE))
    record_references("Acme", seen("FAIR", "One too many", kind=Kind.LEAD_SOURCE))
    assert suggestions("Acme", Kind.LEAD_SOURCE) == ("Fair", "Cold call")
    assert ListEntry.objects.count() == 2


def test_another_process_sees_a_change_after_a_while(monkeypatch):
    save_entries("Acme", Kind.TEMPLATE, [{"code": "1", "name": "Standard"}])
    assert label("Acme", Kind.TEMPLATE, 1) == "Standard"
    # As if another process made the change:
    monkeypatch.setattr(reference_lists, "forget", lambda workspace="": None)
    save_entries("Acme", Kind.TEMPLATE, [{"code": "1", "name": "Plain"}])
    assert label("Acme", Kind.TEMPLATE, 1) == "Standard"
    monkeypatch.setattr(reference_lists, "FRESH", 0.0)
    assert label("Acme", Kind.TEMPLATE, 1) == "Plain"


def test_a_told_name_is_used_at_once_and_replaces_an_id_without_one():
    record_references("Acme", seen(17))
    assert reference_lists.get_cached_lists("Acme").active_choices(Kind.TEMPLATE) == {
        "17": "#17 (not named yet)"
    }
    record_references("Acme", seen(17, name=" Letter  head "))
    assert names("Acme", Kind.TEMPLATE) == {17: "Letter head"}
    assert waiting() == []


def test_a_persons_name_stands_before_a_told_one():
    record_references("Acme", seen(17, name="Letter"))
    save_entries("Acme", Kind.TEMPLATE, [{"code": "17", "name": "Standard"}])
    record_all("Acme", seen(17, name="Letter"))
    assert names("Acme", Kind.TEMPLATE) == {17: "Standard"}


def test_many_records_give_the_usual_name_and_renew_what_was_told():
    record_references("Acme", seen(17, name="Old"))
    found = [*seen(17, 18, name="New"), *seen(17, 18, 17), *seen(17, name="New")]
    record_all("Acme", [*found, *seen(17, 19, name="Rare")])
    assert names("Acme", Kind.TEMPLATE) == {17: "New", 18: "New", 19: "Rare"}


def test_a_number_that_no_column_holds_is_left_out():
    price = Decimal("1e15")
    one = SeenReference(Kind.ITEM, 5, "/invoices/1/", "Invoice 1", "Hour", {"price": price})
    record_references("Acme", [one])
    assert entry("Acme", Kind.ITEM, 5).price is None


def stage(code, pipeline):
    return SeenReference(
        Kind.STAGE, code, "/deals/1/", "Deal 1", details={"parent": pipeline} if pipeline else {}
    )


def test_a_stage_keeps_the_pipeline_of_its_deal():
    record_references("Acme", [stage(4, 7)])
    assert unnamed_parents("Acme", Kind.STAGE) == {"4": "7"}


def test_stages_without_a_pipeline_get_it_from_many_records():
    save_entries("Acme", Kind.STAGE, [{"code": "4", "name": "Won"}, {"code": "5", "name": "Lost"}])
    save_entries("Acme", Kind.STAGE, [{"code": "5", "name": "Lost", "parent": "1"}])
    record_references("Acme", [stage(6, "")])
    record_all("Acme", [stage(4, 7), stage(5, 7), stage(6, 7)])
    assert [entry("Acme", Kind.STAGE, code).parent for code in (4, 5)] == ["7", "1"]
    assert unnamed_parents("Acme", Kind.STAGE) == {"6": "7"}


def test_a_process_keeps_the_lists_of_the_workspaces_that_were_used_last(db, monkeypatch):
    monkeypatch.setattr(reference_lists, "MAX_WORKSPACES", 2)
    monkeypatch.setattr(reference_lists, "FRESH", 0.0)
    reference_lists.forget()
    first, second = (
        reference_lists.get_cached_lists("First"),
        reference_lists.get_cached_lists("Second"),
    )
    assert reference_lists.get_cached_lists("First") is first
    reference_lists.get_cached_lists("Third")
    assert reference_lists.get_cached_lists("First") is first
    assert reference_lists.get_cached_lists("Second") is not second


def test_a_process_keeps_so_many_entries_beside_the_workspace_in_use(db, monkeypatch):
    monkeypatch.setattr(reference_lists, "MAX_ENTRIES", 3)
    monkeypatch.setattr(reference_lists, "FRESH", 0.0)
    for workspace in ("First", "Second"):
        entries = [{"code": str(code), "name": f"Term {code}"} for code in range(1, 3)]
        save_entries(workspace, Kind.TEMPLATE, entries)
    first, second = map(reference_lists.get_cached_lists, ("First", "Second"))
    assert first.of(Kind.TEMPLATE)
    assert reference_lists.get_cached_lists("First") is first
    assert reference_lists.get_cached_lists("Second") is second
    assert second.of(Kind.TEMPLATE)
    assert reference_lists.get_cached_lists("Second") is second
    assert reference_lists.get_cached_lists("First") is not first


def test_a_list_is_loaded_when_it_is_asked_for(django_assert_num_queries):
    save_entries("Acme", Kind.TEMPLATE, [{"code": "1", "name": "Standard"}])
    lists = reference_lists.get_cached_lists("Acme")
    with django_assert_num_queries(1):
        assert list(lists.of(Kind.TEMPLATE)) == ["1"]
    assert lists.size == 1
