"""The page that deactivates an account: what is theirs, what a colleague gets, and what ends."""

import re
from datetime import date
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from dashboard.administration.deactivation import LEFT_BEHIND, home_of
from dashboard.jobs import services as jobs
from dashboard.office import repeats
from dashboard.office.models import Conversion, RecentRecord, Repeat, SavedChoices, SavedView
from dashboard.people import permissions
from dashboard.people.models import KeyPair, Mail, Membership, User
from dashboard.writes import history
from dashboard.writes.models import Draft, Event, Write
from tests.administration.pages import desk_of, with_pair
from tests.conftest import person
from tests.helpers import context_of, mails, text
from tests.page import InspectingClient as Client


def member(user: User, workspace: str = "Acme") -> User:
    return with_pair(user, workspace)


@pytest.fixture
def desk(administrator) -> Client:
    return desk_of(member(administrator))


@pytest.fixture
def max_(manager) -> User:
    return member(manager)


def view_of(user: User, name: str, *, shared: bool = False) -> SavedView:
    view = SavedView(user=user, workspace="Acme", resource="deals", shared=shared)
    view.name, view.params = name, f"search={name}"
    view.save()
    return view


def write_of(user: User, token: str, **values: Any) -> Write:
    place = {
        "person": user,
        "workspace": "Acme",
        "resource": "contacts",
        "digest": "",
        "owner": "o",
    }
    return Write.objects.create(token=token, **{**place, "operation": "create", **values})


def job_of(user: User, **values: Any):
    given = {"kind": "x", "title": "Change 2 contacts", "resource": "contacts"}
    return jobs.create(context_of(user, owner="o"), **given, rows=[{"label": "a"}], **values)


def everything_of(user: User) -> None:
    view_of(user, "Mine")
    view_of(user, "Ours", shared=True)
    write_of(user, "unsure", state="not sure")
    now = timezone.now()
    write_of(user, "gone", operation="delete", state="waiting", not_before=now, record_id=1)
    job_of(user)
    job_of(user, proposed=True)
    draft = Draft(person=user, workspace="Acme", path="/contacts/new/", token="k" * 8)
    draft.content = {"fields": []}
    draft.save()
    RecentRecord.objects.create(
        user=user, owner="o", resource="deals", record_id=3, seen_at=now, starred=True
    )


def address(user: User) -> str:
    return f"/staff/{user.pk}/deactivate/"


def rows(page) -> dict[str, str]:
    """How many of what the page shows, by its name."""
    found = re.findall(r'<th scope="row">([^<]+)</th>\s*<td[^>]*>(\d+)</td>', page.content.decode())
    return dict(found)


def changes_of(user: User) -> dict[str, tuple[str, str]]:
    entries = Event.objects.filter(resource=history.STAFF, record_id=user.pk)
    return dict(history.details(entries.latest("pk")).changes)


def test_the_page_shows_what_is_theirs_and_what_becomes_of_it(desk, max_):
    everything_of(max_)
    person_page = desk.get(f"/staff/{max_.pk}/").content.decode()
    assert address(max_) in person_page
    page = desk.get(address(max_))
    assert rows(page) == {
        "Not sure": "1",
        "Pending deletions": "1",
        "Unfinished jobs": "2",
        "Unfinished forms": "1",
        "Saved views": "2",
        "Starred records": "1",
        "API keys": "1",
    }
    assert "Only they can resolve these, with their own keys" in text(page)
    assert "Mine" not in text(page)
    max_.refresh_from_db()
    assert max_.is_active


def test_views_go_to_the_colleague_who_is_chosen_and_the_rest_ends(
    desk, max_, editor, security_log
):
    everything_of(max_)
    view_of(member(editor), "Mine")
    page = desk.post(address(max_), {"colleague": editor.pk}, follow=True)
    assert "max can no longer sign in" in text(page)
    views = SavedView.objects.filter(user=editor).order_by("pk")
    names = [(view.name, view.params, view.shared) for view in views]
    assert sorted(names) == [
        ("Mine", "search=Mine", False),
        ("Mine (2)", "search=Mine", False),
        ("Ours", "search=Ours", True),
    ]
    max_.refresh_from_db()
    assert not max_.is_active
    assert not KeyPair.objects.filter(user=max_).exists()
    assert [job.state for job in max_.jobs.all()] == ["stopped"]
    states = dict(Write.objects.filter(person=max_, job=None).values_list("token", "state"))
    assert states == {"unsure": "not sure", "gone": "cancelled"}
    assert changes_of(max_) == {
        "Active": ("yes", "no"),
        "Deletions cancelled": ("", "1"),
        "Jobs stopped": ("", "2"),
        "Saved views handed to edith": ("", "2"),
        "API keys": ("connected", "removed"),
    }
    assert changes_of(editor) == {"Saved views of max": ("", "2")}
    [left] = [line for line in security_log() if line["event"] == "account deactivated"]
    assert left["person"] == max_.pk
    told = {to: message.body for message in mails() for to in message.to}
    assert "Saved views of max: 2" in told["edith@example.test"]
    assert "API keys: connected is now removed" in told["max@example.test"]


def repeat_of(user: User, record_id: int, frequency: str = "monthly") -> None:
    days = {"frequency": frequency, "begins_on": date(2026, 1, 31), "next_on": date(2026, 2, 28)}
    repeats.store(user.pk, home_of(user), "invoices", record_id, days)


def test_repeating_documents_go_to_the_colleague_who_is_chosen(desk, max_, editor):
    member(editor)
    repeat_of(max_, 1)
    repeat_of(max_, 2)
    repeat_of(editor, 2, "weekly")
    assert rows(desk.get(address(max_)))["Recurring documents and tasks"] == "2"
    desk.post(address(max_), {"colleague": editor.pk})
    assert not Repeat.objects.filter(person=max_).exists()
    taken = [
        (row.frequency, row.next_on, row.record_id)
        for row in Repeat.objects.filter(person=editor).order_by("record_id")
    ]
    day = date(2026, 2, 28)
    assert taken == [("monthly", day, 1), ("weekly", day, 2)]
    assert changes_of(editor) == {"Recurring documents and tasks of max": ("", "1")}


def test_without_a_colleague_views_stay_as_they_are(desk, max_):
    mine = view_of(max_, "Mine")
    desk.post(address(max_), {"colleague": ""})
    mine.refresh_from_db()
    assert (mine.user, mine.name) == (max_, "Mine")
    assert "Saved views handed" not in str(changes_of(max_))


def test_what_is_not_sure_stays_listed_until_somebody_says_it_was_looked_up(desk, max_):
    write = write_of(max_, "unsure", state="not sure")
    desk.post(address(max_), {})
    assert "Create in contacts" in text(desk.get("/settings/operation/"))
    assert "Not sure" not in str(changes_of(max_))
    desk.post(address(max_), {"close": "on"})
    write.refresh_from_db()
    assert write.resolution == Write.Resolution.CLOSED
    assert changes_of(max_) == {"Not sure, closed": ("", "1")}
    assert "Create in contacts" not in text(desk.get("/settings/operation/"))


@pytest.mark.parametrize("who", ["elsewhere", "gone", "keyless", "roleless", "max_"])
def test_only_active_colleagues_of_the_workspace_take_over(desk, max_, editor, who):
    member(editor)
    mine = view_of(max_, "Mine")
    others = {
        "elsewhere": member(person("ella", permissions.EDITOR), "Bolt"),
        "gone": member(person("gone", permissions.EDITOR, is_active=False)),
        "keyless": person("kim", permissions.EDITOR),
        "roleless": member(person("rolf")),
        "max_": max_,
    }
    page = desk.post(address(max_), {"colleague": others[who].pk})
    assert page.status_code == 422
    assert "colleague" in page.context["form"].errors
    mine.refresh_from_db()
    max_.refresh_from_db()
    assert mine.user == max_
    assert max_.is_active


def test_who_was_deactivated_before_can_still_hand_over(desk, max_, editor, security_log):
    member(editor)
    mine = view_of(max_, "Mine")
    User.objects.filter(pk=max_.pk).update(is_active=False)
    assert "This account is already deactivated." in text(desk.get(address(max_)))
    page = desk.post(address(max_), {"colleague": editor.pk}, follow=True)
    assert "Saved. History shows what was closed or handed over." in text(page)
    mine.refresh_from_db()
    assert mine.user == editor
    assert "Active" not in changes_of(max_)
    assert "account deactivated" not in {line["event"] for line in security_log()}


def test_every_model_with_a_person_is_in_the_table_or_not_theirs(viewer):
    shown = {each.rows(viewer).model for each in LEFT_BEHIND}
    others = {SavedChoices, Conversion, Event, Mail, Membership}
    known = {
        model
        for model in apps.get_models()
        if model.__module__.startswith("dashboard.")
        and any(field.related_model is User for field in model._meta.concrete_fields)
    }
    assert known == shown | others
