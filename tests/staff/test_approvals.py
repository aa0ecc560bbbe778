"""What could let somebody take over the account of a person with keys takes two administrators."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.db import connection
from django.test import Client
from django.utils import timezone

from dashboard.accounts import roles
from dashboard.accounts.models import AccountRequest, User
from dashboard.credentials import services
from dashboard.operations import backups, tidying
from dashboard.staff import people
from tests.conftest import person
from tests.helpers import text
from tests.staff.pages import (
    LIST,
    change,
    desk_of,
    links,
    mailed,
    noted,
    press,
    said,
    with_factor,
    with_pair,
)

NEW = "new@example.test"
OLD = "vera@example.test"
GONE = "This request waits no more"


@pytest.fixture
def vera(viewer) -> User:
    """A member of Acme with a second step."""
    return with_factor(with_pair(viewer, "Acme"))


@pytest.fixture
def bob(db) -> User:
    """A second administrator of Acme."""
    return with_pair(person("bob", roles.ADMINISTRATOR), "Acme")


@pytest.fixture
def desk(administrator) -> Client:
    """The client of ada, an administrator of Acme, who has just given the password."""
    return desk_of(with_pair(administrator, "Acme"))


@pytest.fixture
def second(bob) -> Client:
    """bob's client; he has just given the password."""
    return desk_of(bob)


def ask(desk: Client, user: User, kind: str):
    """Ask for a change of the account."""
    return change(desk, user, email=NEW) if kind == "address" else press(desk, user, kind)


def answer(desk: Client, name: str = "approve", pk: int | None = None):
    """Answer the request that waits, or the one with this number."""
    number = pk or AccountRequest.objects.values_list("pk", flat=True).first() or 0
    return desk.post(f"{LIST}requests/{number}/", {"answer": name})


def is_as_before(user: User) -> bool:
    user.refresh_from_db()
    has_factor = Authenticator.objects.filter(user=user).exists()
    return user.email == OLD and has_factor and not links(str(mailed()))


KINDS = {
    "invite": "send a link for a new password to vera@example.test",
    "second_factor": "switch off two-step sign-in",
    "address": "change the email address from vera@example.test to new@example.test",
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_waits_for_a_second_administrator_and_is_told_and_noted(desk, vera, bob, kind):
    words = said(ask(desk, vera, kind))
    assert "This waits for another administrator of the workspace" in words
    assert is_as_before(vera)
    assert noted() == [("ada", {f"Request to {KINDS[kind]}": ("", "waiting")})]
    told = mailed()
    assert set(told) == {OLD, "ada@example.test", "bob@example.test"}
    assert all(f"The administrator ada wants to {KINDS[kind]}" in words for words in told.values())


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_administrator_approves_it_by_one_button(
    desk, bob, second, vera, client_of, kind
):
    ask(desk, vera, kind)
    before = mailed()
    for path in (LIST, f"{LIST}{vera.pk}/"):
        page = client_of(bob).get(path)
        assert f"ada wants to {KINDS[kind]} for the account of vera" in text(page)
        assert 'value="approve"' in page.content.decode()
    assert "Approved: " in said(answer(second))
    assert not AccountRequest.objects.exists()
    vera.refresh_from_db()
    changed = {
        "invite": len(links(mailed()[OLD])) == 1,
        "second_factor": not Authenticator.objects.exists(),
        "address": vera.email == NEW,
    }
    assert [name for name, done in changed.items() if done] == [kind]
    assert noted()[-1][0] == "bob"
    assert noted()[-1][1]["Asked by"] == ("", "ada")
    told = {address for address, words in mailed().items() if words != before.get(address)}
    people_told = {OLD, "ada@example.test", "bob@example.test"}
    assert told == people_told | ({NEW} if kind == "address" else set())


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_approves_what_they_asked_for(desk, vera, bob, kind):
    ask(desk, vera, kind)
    page = desk.get(f"{LIST}{vera.pk}/").content.decode()
    assert 'value="approve"' not in page
    assert "Withdraw" in page
    assert "You asked for this yourself" in said(answer(desk))
    assert is_as_before(vera)
    assert AccountRequest.objects.exists()


def test_nobody_approves_what_is_about_their_own_account(desk, bob, second):
    press(desk, bob, "invite")
    assert "This is about your own account" in said(answer(second))
    assert not links(str(mailed()))


def test_a_request_is_withdrawn_or_declined(desk, second, vera):
    for who, browser in (("ada", desk), ("bob", second)):
        press(desk, vera, "second_factor")
        assert "Nothing has changed" in said(answer(browser, "decline"))
        words = {"Request to switch off two-step sign-in": ("waiting", "declined")}
        assert noted()[-1] == (who, words)
    assert is_as_before(vera)
    assert GONE in said(answer(second, pk=1))


def test_what_else_was_typed_is_saved_at_once(desk, vera, bob):
    change(desk, vera, email=NEW, role=roles.EDITOR, first_name="Vera")
    assert (vera.email, vera.first_name, User.objects.get(pk=vera.pk).role) == (
        OLD,
        "Vera",
        roles.EDITOR,
    )


def test_an_address_in_other_letters_is_no_change(desk, vera, bob):
    change(desk, vera, email=OLD.upper(), first_name="Vera")
    assert vera.first_name == "Vera"
    assert not AccountRequest.objects.exists()


def test_the_same_is_asked_for_once_and_another_address_replaces_the_first(desk, second, vera):
    ask(desk, vera, "address")
    assert "ada has asked for this already" in said(ask(second, vera, "address"))
    change(second, vera, email="other@example.test")
    [asked] = AccountRequest.objects.all()
    assert (asked.new_address, asked.asked_by.username) == ("other@example.test", "bob")


def test_without_another_administrator_a_superuser_approves(desk, vera):
    root = desk_of(person("root", is_superuser=True))
    assert "This waits for a superuser" in said(press(desk, vera, "second_factor"))
    assert "root@example.test" in mailed()
    answer(root)
    assert not Authenticator.objects.exists()


def test_a_superuser_needs_nobody(vera):
    root = desk_of(person("root", is_superuser=True))
    press(root, vera, "invite")
    assert len(links(mailed()[OLD])) == 1
    assert not AccountRequest.objects.exists()


def test_people_without_keys_get_links_at_once(desk, viewer):
    press(desk, viewer, "invite")
    assert len(links(mailed()[OLD])) == 1


def test_it_still_takes_two_once_the_keys_were_removed(desk, vera):
    services.remove(vera)
    press(desk, vera, "second_factor")
    assert is_as_before(vera)


def test_ones_own_address_is_changed_alone(desk, administrator):
    change(desk, administrator, email=NEW)
    assert administrator.email == NEW


@pytest.mark.parametrize(("days", "left"), [(2, 1), (4, 0)])
def test_a_request_expires_after_three_days(desk, bob, vera, days, left):
    press(desk, vera, "second_factor")
    with time_machine.travel(timezone.now() + timedelta(days=days)):
        page = answer(desk_of(bob))
        assert (GONE in said(page)) != bool(left)
        assert Authenticator.objects.count() == 1 - left
    AccountRequest.objects.update(asked_at=timezone.now() - timedelta(days=days))
    assert tidying.tidy()["requests for changes of accounts"] == 1 - left


@pytest.mark.parametrize("void", ["role", "account", "workspace"])
def test_a_request_is_void_once_its_asker_may_not_ask(desk, second, administrator, vera, void):
    press(desk, vera, "second_factor")
    if void == "role":
        roles.set_role(administrator, roles.MANAGER)
    elif void == "account":
        User.objects.filter(pk=administrator.pk).update(is_active=False)
    else:
        with_pair(administrator, "Globex")
    assert "wants to" not in text(second.get(LIST))
    assert GONE in said(answer(second))
    assert is_as_before(vera)


def test_a_change_of_the_address_cancels_requests(desk, second, vera):
    press(desk, vera, "invite")
    press(desk, vera, "second_factor")
    waiting = list(AccountRequest.objects.values_list("pk", flat=True))
    change(desk_of(person("root", is_superuser=True)), vera, email=NEW)
    assert ("waiting", "cancelled") in noted()[-1][1].values()
    for pk in waiting:
        assert GONE in said(answer(second, pk=pk))
    assert not links(str(mailed()))
    assert Authenticator.objects.exists()


def test_approving_asks_for_the_password(desk, bob, vera, client_of):
    press(desk, vera, "second_factor")
    pk = AccountRequest.objects.get().pk
    answered = client_of(bob).post(f"{LIST}requests/{pk}/", {"answer": "approve"})
    assert answered["Location"].startswith("/accounts/reauthenticate/")
    assert is_as_before(vera)


@pytest.mark.parametrize("asks", ["the maker", "the one who was made"])
@pytest.mark.parametrize(("days", "may"), [(6, False), (8, True)])
def test_nobody_makes_the_second_administrator_they_need(desk, vera, days, may, asks):
    desk.post(
        f"{LIST}invite/",
        {"username": "puppet", "email": "p@example.test", "role": roles.ADMINISTRATOR},
    )
    puppet = with_pair(User.objects.get(username="puppet"), "Acme")
    puppet.set_password("correct horse battery")
    puppet.save()
    with time_machine.travel(timezone.now() + timedelta(days=days)):
        both = [desk_of(User.objects.get(username="ada")), desk_of(puppet)]
        first, other = both if asks == "the maker" else reversed(both)
        page = press(first, vera, "second_factor")
        assert ("waits for a superuser" in said(page)) != may
        answer(other)
    assert Authenticator.objects.exists() != may


def test_a_new_administrator_is_told_to_administrators_and_superusers(desk):
    person("root", is_superuser=True)
    desk.post(
        f"{LIST}invite/",
        {"username": "puppet", "email": "p@example.test", "role": roles.ADMINISTRATOR},
    )
    assert "Role: Administrator" in mailed()["root@example.test"]
    assert "Role: Administrator" in mailed()["ada@example.test"]


def test_an_administrator_whom_a_superuser_has_just_made_may_approve(desk, vera):
    root = desk_of(person("root", is_superuser=True))
    carl = with_pair(person("carl", roles.MANAGER), "Acme")
    change(root, carl, role=roles.ADMINISTRATOR)
    press(desk, vera, "second_factor")
    answer(desk_of(carl))
    assert not Authenticator.objects.exists()


def test_an_address_that_somebody_has_taken_meanwhile_is_not_given_twice(desk, second, vera):
    ask(desk, vera, "address")
    User.objects.create(username="other", email=NEW)
    assert "Somebody else already has this email address" in said(answer(second))
    assert is_as_before(vera)
    assert NEW not in mailed()
    assert not AccountRequest.objects.exists()


def test_a_forgotten_password_goes_to_the_present_address_while_a_new_one_waits(desk, vera, bob):
    ask(desk, vera, "address")
    for address in (NEW, OLD):
        Client().post("/accounts/password/reset/", {"email": address})
    assert links(mailed()[OLD])
    assert NEW not in mailed()


def test_a_restored_copy_brings_no_request_back(desk, vera, bob):
    press(desk, vera, "second_factor")
    assert backups.note_restored()["requests for changes of accounts dropped"] == 1
    assert not AccountRequest.objects.exists()


def just_before(monkeypatch, happens) -> None:
    """Let something else happen right before the next request gets the lock of an account."""
    lock = people.lock
    once = [happens]

    def late(pk, administrator):
        if once:
            once.pop()()
        return lock(pk, administrator)

    monkeypatch.setattr(people, "lock", late)


def test_a_request_that_somebody_approves_at_the_same_moment_is_carried_out_once(
    desk, second, vera, monkeypatch
):
    press(desk, vera, "invite")
    pk = AccountRequest.objects.get().pk
    third = desk_of(with_pair(person("carl", roles.ADMINISTRATOR), "Acme"))
    just_before(monkeypatch, lambda: answer(third, pk=pk))
    assert GONE in said(answer(second, pk=pk))
    assert len(links(mailed()[OLD])) == 1


def test_an_address_changed_while_a_request_is_approved_gets_nothing(
    desk, second, vera, monkeypatch
):
    press(desk, vera, "invite")
    pk = AccountRequest.objects.get().pk
    root = desk_of(person("root", is_superuser=True))
    just_before(monkeypatch, lambda: change(root, vera, email=NEW))
    assert GONE in said(answer(second, pk=pk))
    assert not links(str(mailed()))


@pytest.mark.django_db(transaction=True)
def test_simultaneous_answers_and_changes_on_postgresql(administrator, viewer):
    """Two who approve a link and one who changes the address: one link at most, to the address that
    was asked for.
    """
    if connection.vendor != "postgresql":
        pytest.skip("needs TEST_DATABASE_URL=postgres://...; above is the same on SQLite")
    vera = with_pair(viewer, "Acme")
    desk = desk_of(with_pair(administrator, "Acme"))
    press(desk, vera, "invite")
    pk = AccountRequest.objects.get().pk
    names = ("bob", "carl")
    browsers = [desk_of(with_pair(person(name, roles.ADMINISTRATOR), "Acme")) for name in names]
    root = desk_of(person("root", is_superuser=True))
    acts = [lambda one=one: answer(one, pk=pk) for one in browsers]
    acts.append(lambda: change(root, User.objects.get(pk=vera.pk), email=NEW))
    together = Barrier(len(acts), timeout=20)

    def do(act):
        try:
            together.wait()
            return said(act())
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        pages = list(pool.map(do, acts))
    approved = sum("Approved: " in page for page in pages)
    assert approved == sum("Link for choosing a password" in changes for _, changes in noted())
    found = mailed()
    assert len(links(found.get(OLD, ""))) == approved <= 1
    assert not links(found.get(NEW, ""))
    assert not AccountRequest.objects.exists()
