"""A draft stores a form exactly, for its owner only, until the form is saved."""

from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.http import QueryDict
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from dashboard.core import retention
from dashboard.records import form_drafts
from dashboard.writes import drafts
from dashboard.writes.drafts import NotStored
from dashboard.writes.ledger import new_token
from dashboard.writes.models import Draft, Write
from dashboard.writes.sidebar import read_sidebar
from tests.conftest import person

fields = st.dictionaries(
    st.text().filter(lambda name: name not in drafts.LEFT_OUT | drafts.BUTTONS),
    st.lists(st.text(alphabet=st.characters()), max_size=4),  # lone surrogates included
    max_size=8,
)


def mark_of(user, address="/contacts/new/", **changed) -> drafts.Mark:
    return drafts.Mark(new_token(), user.pk, "Acme", address, "New contact")._replace(**changed)


def query(**values) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in values.items():
        data.setlist(name, value if isinstance(value, list) else [value])
    return data


def kept(mark, **values) -> Draft:
    drafts.store_draft(mark, query(**values))
    return Draft.objects.get(token=mark.token)


def saved(mark, **values) -> Write:
    """A saved write of the form with this mark."""
    given = {"form_token": mark.token, "token": mark.token, "state": Write.State.SAVED, **values}
    return Write.objects.create(person_id=mark.person, **given)


class AnyForm(TestCase):
    @given(fields)
    def test_any_posted_form_is_restored_exactly(self, posted):
        user = person(new_token())
        data = query(**{})
        for name, values in posted.items():
            data.setlist(name, values)
        mark = mark_of(user)
        drafts.store_draft(mark, data)
        typed = drafts.read_draft(Draft.objects.get(token=mark.token))
        assert dict(typed.data.lists()) == posted
        assert typed.label == "New contact"


def test_tokens_marks_and_pressed_buttons_are_not_stored(editor):
    draft = kept(
        mark_of(editor), cstname="Zebra", token="t", csrfmiddlewaretoken="c", draft="d", do="x"
    )
    assert drafts.read_draft(draft).data.dict() == {"cstname": "Zebra"}


def test_each_form_has_one_draft(editor):
    first, second = mark_of(editor), mark_of(editor)
    for name in ("Z", "Ze", "Zebra"):
        kept(first, cstname=name)
    kept(second, cstname="Yak")
    names = [drafts.read_draft(d).data["cstname"] for d in drafts.open_drafts(editor)]
    assert names == ["Yak", "Zebra"]


def test_a_late_autosave_does_not_restore_a_saved_draft(editor):
    mark = mark_of(editor)
    kept(mark, cstname="Zebra")
    saved(mark)
    with pytest.raises(NotStored, match="saved"):
        drafts.store_draft(mark, query(cstname="Zebr"))
    assert not drafts.open_drafts(editor)
    drafts.delete_draft(mark)
    with pytest.raises(NotStored, match="saved"):
        drafts.store_draft(mark, query(cstname="Zebr"))


def test_a_tab_whose_draft_was_continued_elsewhere_starts_another(editor):
    here, there = mark_of(editor), mark_of(editor)
    drafts.assign_draft(kept(here, cstname="Zebra"), there)
    kept(there, cstname="Zebra Ltd")
    kept(here, cstname="Zebra plc")
    assert Draft.objects.count() == 2


def test_a_discarded_draft_can_be_restored_also_by_typing(editor):
    mark = mark_of(editor)
    kept(mark, cstname="Zebra")
    drafts.discard(Draft.objects.all())
    assert not drafts.open_drafts(editor)
    drafts.restore(Draft.objects.all())
    assert drafts.open_drafts(editor).count() == 1
    drafts.discard(Draft.objects.all())
    kept(mark, cstname="Zebra L")
    assert drafts.open_drafts(editor).count() == 1


@pytest.mark.parametrize(
    ("values", "is_open"),
    [
        ({}, False),
        ({"token": "second.2"}, False),
        ({"token": "sent-again+"}, False),
        ({"token": "part:company"}, True),
        ({"state": "sending"}, False),
        ({"state": "not sure"}, False),
        ({"token": "part:company", "state": "not sure"}, False),
        ({"state": "not sure", "resolution": "left"}, True),
        ({"state": "not saved"}, True),
        ({"form_token": "another"}, True),
    ],
)
def test_a_draft_is_open_unless_its_form_was_or_may_have_been_saved(editor, values, is_open):
    mark = mark_of(editor)
    kept(mark, cstname="Zebra")
    saved(mark, workspace="Acme", **values)
    assert drafts.open_drafts(editor).exists() is is_open
    assert read_sidebar(editor, "Acme").forms == is_open


@pytest.mark.parametrize("token", ["", "forged", "a:b:c"])
def test_a_forged_mark_is_refused(token):
    assert drafts.parse_mark(token) is None


def test_a_mark_is_parsed_as_it_was_signed(editor):
    mark = mark_of(editor, "/contacts/new/?copy=17", label="Übung 1:2")
    assert drafts.parse_mark(mark.signed()) == mark
    assert (mark.path, mark.query) == ("/contacts/new/", "copy=17")
    assert drafts.parse_mark(mark.signed() + "x") is None


def test_a_mark_expires_with_its_draft(editor, settings):
    signed = mark_of(editor).signed()
    with time_machine.travel(timezone.now() + timedelta(days=settings.DRAFT_RETENTION_DAYS + 1)):
        assert drafts.parse_mark(signed) is None


def test_an_oversized_draft_is_refused(editor, monkeypatch):
    with pytest.raises(NotStored, match="size"):
        kept(mark_of(editor), cstname="x" * drafts.MAX_CHARACTERS)
    monkeypatch.setattr(drafts, "MAX_DRAFTS", 1)
    kept(mark_of(editor), cstname="x")
    with pytest.raises(NotStored, match="many"):
        kept(mark_of(editor), cstname="x")


def test_storing_after_the_session_is_limited(editor, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_UNSIGNED", 2)
    mark = mark_of(editor)
    stored = [form_drafts.store_for_owner(mark, query(a=text)) for text in "123"]
    assert stored == [mark, mark, None]


def test_old_drafts_are_purged(editor, settings, capsys):
    done, discarded, old = (mark_of(editor) for _ in range(3))
    for mark in (done, discarded, old):
        kept(mark, cstname="Zebra")
    drafts.delete_draft(done)
    drafts.discard(Draft.objects.filter(token=discarded.token))
    Draft.objects.update(stored_at=timezone.now() - timedelta(days=2))
    assert retention.purge(Draft) == 0
    left = Draft.objects.filter(token=discarded.token)
    left.update(discarded_at=timezone.now() - timedelta(days=2))
    assert retention.purge(Draft) == 1
    Draft.objects.update(
        stored_at=timezone.now() - timedelta(days=settings.DRAFT_RETENTION_DAYS + 1)
    )
    call_command("tidy")
    assert "unfinished forms: 1\n" in capsys.readouterr().out
    assert not Draft.objects.exists()
