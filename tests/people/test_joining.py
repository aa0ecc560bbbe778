"""Which workspace keys join: that of an invitation, unless they contradict it, or a new one."""

from datetime import UTC, datetime
from threading import Barrier, Event
from time import monotonic

import pytest
from django.core.management import CommandError, call_command

from dashboard.gateway import CONTACTS, Busy, Keys, KeysRefused, Missing, Page, Record, Unavailable
from dashboard.people import comparison, members
from dashboard.people.models import KeyPair, Membership, User, Workspace
from dashboard.people.permissions import ADMINISTRATOR
from tests.conftest import person
from tests.helpers import mails, text
from tests.workspaces import connect, of_name

URL = "/settings/keys/"


@pytest.fixture
def submit(standin, client_of):
    """submit(user, tenant, number, name): connect a pair of the stand-in; the page after it."""

    def submitted(user, tenant: str, number: int = 0, name: str = ""):
        access, secret = standin.keys[tenant][number]
        typed = {"access": access, "secret": secret, "workspace": name, "action": "save"}
        client = client_of(user)
        client.post("/accounts/reauthenticate/", {"password": "correct horse battery"})
        return client.post(f"{URL}replace/", typed, follow=True)

    return submitted


@pytest.fixture
def acme(submit, administrator) -> Workspace:
    submit(administrator, "acme", name="Acme")
    return workspace_of(administrator)


def workspace_of(user) -> Workspace:
    return KeyPair.objects.get(user=user).workspace


def test_without_an_invitation_keys_begin_a_workspace_that_needs_a_name(acme, submit, editor):
    page = submit(editor, "acme", 1)
    assert page.status_code == 422
    assert "Enter a name for the new workspace" in text(page)
    assert not KeyPair.objects.filter(user=editor).exists()
    submit(editor, "acme", 1, name="Mine")
    assert workspace_of(editor).name == "Mine"


@pytest.mark.parametrize("fault", ["", "list-empty"])
def test_keys_join_the_workspace_of_an_invitation(
    acme, submit, administrator, editor, standin, fault
):
    members.invite(editor, acme, by=administrator)
    if fault:  # too little can be compared
        standin.fault(fault)
    page = submit(editor, "globex" if fault else "acme", 1)
    assert "now in Acme." in text(page)
    assert workspace_of(editor) == acme
    assert Membership.objects.get(user=editor).joined_at


def test_keys_of_another_account_begin_a_workspace_and_it_is_told(
    acme, submit, administrator, editor
):
    members.invite(editor, acme, by=administrator)
    page = submit(editor, "globex")
    assert workspace_of(editor).name == "Keys of edith"
    assert "belong to another account of the CRM than those of ada" in text(page)
    (told,) = mails()
    assert told.to == ["ada@example.test"]
    assert "keys that edith connected in Entry Desk belong to another account" in told.body
    submit(editor, "acme", 1)  # the right ones
    assert workspace_of(editor) == acme


def test_keys_of_another_account_in_place_of_a_members_leave_the_workspace(acme, submit, editor):
    members.join(editor, acme)
    submit(editor, "acme", 1)
    submit(editor, "globex", name="Other")
    assert workspace_of(editor).name == "Other"
    assert not Membership.objects.filter(user=editor, workspace=acme).exists()


def test_new_keys_of_a_member_stay_in_the_workspace_in_spite_of_an_invitation(
    acme, submit, administrator, editor
):
    submit(editor, "acme", 1, name="Mine")
    members.invite(editor, acme, by=administrator)
    page = submit(editor, "acme", 0)
    assert workspace_of(editor).name == "Mine"
    assert "now in Acme" not in text(page)


def test_whoever_can_be_mailed_and_looks_after_a_workspace_is_told(acme, administrator, viewer):
    for name in ("ruth", "silent"):
        members.join(person(name, ADMINISTRATOR), acme)
    User.objects.filter(username="silent").update(email="")
    person("other", ADMINISTRATOR)
    root = User.objects.create_superuser("root", "root@example.test")
    members.join(viewer, acme)
    told = members.administrators(acme)
    assert {each.username for each in told} == {"ada", "ruth", root.username}


def test_an_invitation_is_accepted_by_a_button_unless_the_keys_contradict(
    acme, submit, administrator, editor, client_of
):
    client, chosen = client_of(editor), {"workspace": acme.pk}
    for tenant, joins in (("globex", False), ("acme", True)):
        submit(editor, tenant, 1, name=f"Mine {tenant}")
        client.post(f"{URL}move/", chosen)
        assert workspace_of(editor) != acme  # not invited
        members.invite(editor, acme, by=administrator)
        assert "Go to Acme" in text(client.get(URL))
        page = client.post(f"{URL}move/", chosen, follow=True)
        assert ("now in Acme." in text(page)) is joins
        assert (workspace_of(editor) == acme) is joins
        Membership.objects.filter(user=editor, workspace=acme, joined_at=None).delete()


def test_nobody_moves_while_the_service_does_not_answer(
    acme, submit, administrator, editor, client_of, standin
):
    submit(editor, "globex", name="Mine")
    members.invite(editor, acme, by=administrator)
    standin.fault("status-503")
    page = client_of(editor).post(f"{URL}move/", {"workspace": acme.pk}, follow=True)
    assert "Nothing was changed." in text(page)
    assert workspace_of(editor).name == "Mine"


def test_the_operator_moves_somebody(acme, submit, editor):
    submit(editor, "globex", name="Mine")
    call_command("add_member", editor.username, "Acme")
    assert workspace_of(editor) == acme
    assert "The operator has added you" in mails()[0].body
    with pytest.raises(CommandError, match="There is none"):
        call_command("add_member", editor.username, "Acmee")


class Account:
    """Answers with contacts by id, and when they were created: a day, or a text as it is."""

    def __init__(
        self,
        contacts: dict[int, int | str | None],
        *,
        listed: int = 100,
        before=lambda: None,  # called first
    ) -> None:
        self.listed, self.before = listed, before
        self.rows = {
            number: Record({"cstid": number, "cstcreated_on": as_text(day)}, CONTACTS.kinds, number)
            for number, day in contacts.items()
        }

    def list(self, endpoint, **asked) -> Page:
        self.before()
        return Page(tuple(self.rows.values())[: self.listed], 0, 100, None, None, 0)

    def get(self, endpoint, number: int) -> Record:
        if number not in self.rows:
            raise Missing
        return self.rows[number]


def as_text(day: int | str | None) -> str | None:
    return (
        datetime(2026, 1, day, 9, 30, 12, tzinfo=UTC).isoformat() if isinstance(day, int) else day
    )


@pytest.mark.parametrize(
    ("account", "agrees"),
    [
        (Account({1: 3, 2: 4, 3: 5}), True),
        (Account({9: 9, 1: 3, 2: 4, 3: 5}, listed=1), True),  # found by id
        (Account({1: 3}), True),
        (Account({1: 5, 2: 6}), False),  # numbered from 1 in each account
        (Account({1: 3, 2: 6, 3: 7}), False),
        (Account({9: 9}), False),
        (Account({}), None),
        (Account({1: None, 2: None}), None),
        (Account({9: 9, 1: None, 2: None, 3: None}, listed=1), None),
    ],
)
def test_keys_are_compared_by_ids_with_their_times_of_creation(account, agrees):
    others = comparison.read_marks(Account({1: 3, 2: 4, 3: 5}))
    marks = comparison.read_marks(account)
    assert comparison.agrees(account, marks, others, monotonic() + 60) is agrees


@pytest.fixture
def others(db, monkeypatch):
    """others(account, ...): the workspace of people whose pairs read these accounts."""

    def connected(*accounts: Account) -> Workspace:
        by_key = {}
        for number, account in enumerate(accounts):
            keys = {"access": f"access-{number}", "secret": f"secret-{number}"}
            connect(person(f"member{number}"), **keys, workspace="Acme")
            by_key[Keys(**keys)] = account
        monkeypatch.setattr(comparison.keys, "gateway", by_key.__getitem__)
        return of_name("Acme")

    return connected


def failing(error: type[Exception]) -> Account:
    def fail() -> None:
        raise error

    return Account({}, before=fail)


OURS, FOREIGN = {1: 3, 2: 4, 3: 5}, {1: 6, 2: 7, 3: 8}


def test_one_foreign_pair_in_a_workspace_keeps_no_right_pair_out(others):
    workspace = others(Account(FOREIGN), Account(OURS))
    assert comparison.choose(Account(OURS), [workspace]).workspace == workspace
    contradicted = comparison.choose(Account({1: 9, 2: 9, 3: 9}), [workspace]).contradicted
    owners = [owner.username for owner in contradicted[workspace]]
    assert owners == ["member0", "member1"]


@pytest.mark.parametrize("error", [Unavailable, Busy])
def test_without_an_answer_to_the_pairs_of_a_workspace_nobody_can_tell(others, error):
    workspace = others(failing(KeysRefused), failing(error))
    with pytest.raises(error):
        comparison.choose(Account(FOREIGN), [workspace])


def test_pairs_that_are_refused_are_not_compared(others):
    workspace = others(failing(KeysRefused))
    assert comparison.choose(Account(OURS), [workspace]).workspace == workspace


def test_pairs_are_read_side_by_side_and_waited_for_until_one_time(others, monkeypatch):
    both = Barrier(2)
    meeting = [Account(contacts, before=lambda: both.wait(30)) for contacts in (FOREIGN, OURS)]
    workspace = others(*meeting)
    assert comparison.choose(Account(OURS), [workspace]).workspace == workspace
    monkeypatch.setattr(comparison, "MAX_SECONDS", 0)
    answered = Event()
    with pytest.raises(Unavailable):
        comparison.choose(Account(OURS, before=lambda: answered.wait(30)), [workspace])
    answered.set()


@pytest.mark.parametrize(
    "day",
    [
        "2026-11-22",
        "2026-11-22T00:00:00Z",
        "2026-11-22T00:00:00+04:00",  # of the office
        "1970-01-01T04:00:01Z",
    ],
)
def test_a_bare_day_is_no_time(day, settings):
    settings.TIME_ZONE = "Asia/Dubai"
    assert comparison.read_marks(Account(dict.fromkeys(range(1, 6), day))) == {}
    assert comparison.read_marks(Account({1: "2026-11-22T10:30:00Z"})) != {}
