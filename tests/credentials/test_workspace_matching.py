"""Which workspace keys join: by what they read, by an administrator's word, or a new one."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command

from dashboard.credentials import members, services, workspace_matching
from dashboard.credentials.models import KeyPair, KnownContact, Membership, Workspace
from dashboard.gateway import CONTACTS, GatewayError, Missing, Page, Record
from tests.helpers import mails
from tests.workspaces import connect, of_name

URL = "/settings/keys/"
State = Membership.State


@pytest.fixture
def submit(api, client_of):
    """submit(user, tenant, number, name): connect a pair of the stand-in; the response."""

    def submitted(user, tenant: str, number: int = 0, name: str = "", url: str = URL):
        access, secret = api.keys[tenant][number]
        typed = {"access": access, "secret": secret, "workspace": name, "password": ""}
        client = client_of(user)
        client.post("/accounts/reauthenticate/", {"password": "correct horse battery"})
        return client.post(url, {**typed, "action": "save"})

    return submitted


def workspace_of(user) -> Workspace:
    return KeyPair.objects.get(user=user).workspace


def migrated(user, keys: tuple[str, str], name: str = "Acme") -> KeyPair:
    """A member by label, as the migration leaves them: never compared."""
    pair = connect(user, access=keys[0], secret=keys[1], workspace=name)
    KeyPair.objects.filter(pk=pair.pk).update(checked_at=None)
    return pair


def test_who_connects_first_begins_a_workspace_and_is_its_member(submit, viewer):
    submit(viewer, "acme", name="Acme")
    assert workspace_of(viewer).name == "Acme"
    row = Membership.objects.get(user=viewer)
    assert (row.workspace, row.state, row.by_word) == (workspace_of(viewer), State.MEMBER, False)


def test_keys_that_read_the_same_contacts_join_without_a_name(submit, viewer, editor):
    submit(viewer, "acme", name="Acme")
    submit(editor, "acme", 1)
    assert workspace_of(editor) == workspace_of(viewer)
    submit(editor, "acme", 2, name="Something else", url=f"{URL}replace/")
    assert workspace_of(editor) == workspace_of(viewer)


def test_keys_of_another_workspace_do_not_join_by_typing_its_name(submit, viewer, editor):
    submit(viewer, "acme", name="Acme")
    page = submit(editor, "globex", name="acme")
    assert "There is a workspace with this name already." in page.content.decode()
    assert not KeyPair.objects.filter(user=editor).exists()
    submit(editor, "globex", name="Acme too")
    assert workspace_of(editor) != workspace_of(viewer)
    assert list(members.of_workspace(workspace_of(viewer)).values_list("user", flat=True)) == [
        viewer.pk
    ]


def test_without_proof_a_name_is_needed_and_nothing_is_stored_or_lost(submit, viewer, editor, api):
    submit(viewer, "acme", name="Acme")
    page = submit(editor, "globex")
    assert page.status_code == 422
    assert "Enter a name for the new workspace" in page.content.decode()
    assert api.keys["globex"][0][1] in page.content.decode()
    assert not KeyPair.objects.filter(user=editor).exists()
    assert Workspace.objects.count() == 1


def test_a_workspace_of_which_nothing_is_known_is_read_with_the_keys_of_its_first_member(
    submit, viewer, editor, api
):
    connect(viewer, access=api.keys["acme"][0][0], secret=api.keys["acme"][0][1], workspace="Acme")
    submit(editor, "acme", 1)
    assert workspace_of(editor).pk == "Acme"


def test_contacts_that_have_left_the_first_page_are_asked_for_by_their_ids(
    submit, viewer, editor, monkeypatch, api
):
    submit(viewer, "acme", name="Acme")
    *first, a, b, c = workspace_matching.read_marks(services.gateway_for(viewer))
    monkeypatch.setattr(workspace_matching, "PAGE", len(first))
    KnownContact.objects.all().delete()
    workspace_matching.remember(workspace_of(viewer), [a, b, c])
    before = len(api.ledger())
    submit(editor, "acme", 1)
    assert workspace_of(editor) == workspace_of(viewer)
    asked = [entry["operation"] for entry in api.ledger()[before:]]
    assert asked.count("get") == workspace_matching.ENOUGH  # and no more


def test_a_workspace_with_few_contacts_is_read_again_before_they_prove_it(submit, viewer, editor):
    """One that began with a single contact may have hundreds by now, so that one proves nothing."""
    submit(viewer, "acme", name="Acme")
    first, *_ = workspace_matching.read_marks(services.gateway_for(viewer))
    KnownContact.objects.all().delete()
    workspace_matching.remember(workspace_of(viewer), [first])
    assert workspace_matching.like_small([first]) == [workspace_of(viewer)]
    submit(editor, "acme", 1)
    assert workspace_of(editor) == workspace_of(viewer)
    assert (
        workspace_matching.compare(Service({}), [first], workspace_of(viewer))
        is workspace_matching.Verdict.UNKNOWN
    )


class Service:
    """Answers with contacts by id; a time of None is left out of the record. The time is that of
    `at`, or a text as it is.
    """

    def __init__(self, contacts: dict[int, int | str | None], *, listed: int = 100) -> None:
        self.rows = {
            number: Record(
                {"cstid": number} | ({"cstcreated_on": as_text(day)} if day else {}),
                CONTACTS.kinds,
                number,
            )
            for number, day in contacts.items()
        }
        self.listed = listed

    def list(self, endpoint, **asked) -> Page:
        return Page(tuple(self.rows.values())[: self.listed], 0, 100, None, None, 0)

    def get(self, endpoint, number: int) -> Record:
        if number not in self.rows:
            raise Missing
        return self.rows[number]


def as_text(day: int | str) -> str:
    return day if isinstance(day, str) else at(day).isoformat()


def at(day: int) -> datetime:
    return datetime(2026, 1, day, 9, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("service", "verdict"),
    [
        (Service({1: 3, 2: 4, 3: 5}), workspace_matching.Verdict.SAME),
        (Service({9: 9, 1: 3, 2: 4, 3: 5}, listed=1), workspace_matching.Verdict.SAME),
        (Service({9: 9, 1: 3, 2: 4, 3: 5}, listed=3), workspace_matching.Verdict.SAME),
        (Service({1: 3}), workspace_matching.Verdict.UNKNOWN),  # one alone is no proof
        (Service({1: 3, 2: 4}), workspace_matching.Verdict.UNKNOWN),
        (Service({1: 3, 2: 4, 9: 9}), workspace_matching.Verdict.UNKNOWN),
        (
            Service({1: 5, 2: 6}),
            workspace_matching.Verdict.OTHER,
        ),  # numbered from 1 in each workspace
        (Service({1: 3, 2: 6, 3: 7}), workspace_matching.Verdict.OTHER),
        (Service({9: 9}), workspace_matching.Verdict.OTHER),
        (Service({}), workspace_matching.Verdict.UNKNOWN),
        (Service({1: None, 2: None}), workspace_matching.Verdict.UNKNOWN),
        (Service({9: 9, 1: None, 2: None, 3: None}, listed=1), workspace_matching.Verdict.UNKNOWN),
    ],
)
@pytest.mark.django_db
def test_an_id_proves_nothing_without_the_time_of_creation(service, verdict):
    known = [
        workspace_matching.ContactMark(1, at(3)),
        workspace_matching.ContactMark(2, at(4)),
        workspace_matching.ContactMark(3, at(5)),
    ]
    workspace_matching.remember(of_name("Acme"), known)
    marks = workspace_matching.read_marks(service)
    assert workspace_matching.compare(service, marks, of_name("Acme")) is verdict
    assert workspace_matching.proven(service, marks) == (
        [of_name("Acme")] if verdict is workspace_matching.Verdict.SAME else []
    )


@pytest.mark.parametrize(
    ("known", "read", "verdict"),
    [
        ({1: 3}, {1: 3}, workspace_matching.Verdict.SAME),  # all that either side has
        ({1: 3, 2: 4}, {1: 3, 2: 4}, workspace_matching.Verdict.SAME),
        ({1: 3, 2: 4}, {1: 3}, workspace_matching.Verdict.UNKNOWN),
        ({1: 3}, {1: 3, 2: 4}, workspace_matching.Verdict.UNKNOWN),
        ({1: 3, 2: 4}, {1: 3, 2: 5}, workspace_matching.Verdict.OTHER),
        ({1: 3}, {}, workspace_matching.Verdict.UNKNOWN),
        ({}, {1: 3}, workspace_matching.Verdict.UNKNOWN),
    ],
)
@pytest.mark.django_db
def test_fewer_contacts_than_three_prove_a_workspace_only_all_together(known, read, verdict):
    workspace_matching.remember(
        of_name("Acme"),
        [workspace_matching.ContactMark(number, at(day)) for number, day in known.items()],
    )
    service = Service(read)
    assert (
        workspace_matching.compare(service, workspace_matching.read_marks(service), of_name("Acme"))
        is verdict
    )


@pytest.mark.parametrize(
    "day",
    [
        "2026-11-22",
        "2026-11-22T00:00:00Z",
        "2026-11-22 00:00:00",
        "2026-11-22T00:00:00+04:00",  # of the office
        "1970-01-01T00:00:00Z",
        "1970-01-01T04:00:01Z",
        "0001-01-01T10:00:00Z",
    ],
)
@pytest.mark.django_db
def test_a_bare_day_is_no_time(day, settings):
    settings.TIME_ZONE = "Asia/Dubai"
    assert workspace_matching.read_marks(Service(dict.fromkeys(range(1, 6), day))) == []
    assert workspace_matching.read_marks(Service({1: "2026-11-22T10:30:00Z"})) != []


def test_members_by_label_are_compared_with_the_first_before_they_see_a_page(
    api, viewer, editor, manager, client_of
):
    first, second = api.keys["acme"][:2]
    migrated(viewer, first)
    migrated(editor, api.keys["globex"][0])
    migrated(manager, second)
    page = client_of(editor).get("/help/").content.decode()  # who does not belong comes first
    assert "you have left it and work in a workspace of your own" in page.replace("\n", " ")
    assert workspace_of(editor).pk != "Acme"
    for user in (viewer, manager):
        client_of(user).get("/help/")
        assert workspace_of(user).pk == "Acme"
    assert Membership.objects.get(user=editor, workspace="Acme").state == State.UNMATCHED


def test_a_stored_pair_is_compared_once_a_day(api, viewer, client_of):
    migrated(viewer, api.keys["acme"][0])
    client, before = client_of(viewer), len(api.ledger())
    client.get("/help/")
    asked = len(api.ledger()) - before
    assert asked in (1, 2)  # the first comparison learns the contacts as well
    client.get("/help/")
    assert len(api.ledger()) - before == asked
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=25)):
        assert workspace_matching.check_if_due(type(viewer).objects.get(pk=viewer.pk)) is False
    assert len(api.ledger()) - before == asked + 1


def test_a_service_that_does_not_answer_puts_nobody_out(api, viewer, editor, client_of):
    migrated(viewer, api.keys["acme"][0])
    migrated(editor, api.keys["globex"][0])
    api.fault("status-503")
    client_of(editor).get("/help/")
    assert workspace_of(editor).pk == "Acme"
    api.clear_faults()
    services.service().breakers.reset()
    client_of(editor).get("/help/")  # within ten minutes nothing is asked again
    assert workspace_of(editor).pk == "Acme"
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=11)):
        workspace_matching.check_if_due(type(editor).objects.get(pk=editor.pk))
    assert workspace_of(editor).pk != "Acme"


def test_keys_of_another_workspace_in_place_of_a_members_leave_it(submit, viewer, editor):
    submit(viewer, "acme", name="Acme")
    submit(editor, "acme", 1)
    submit(editor, "globex", name="Other", url=f"{URL}replace/")
    assert workspace_of(editor).name == "Other"
    assert not Membership.objects.filter(user=editor, workspace=workspace_of(viewer)).exists()


def test_who_was_put_out_is_in_again_once_the_keys_match(submit, viewer, editor, api):
    submit(viewer, "acme", name="Acme")
    submit(editor, "acme", 1)
    members.put_out(editor, workspace_of(viewer), State.UNMATCHED)
    assert workspace_of(editor) != workspace_of(viewer)
    submit(editor, "acme", 2, url=f"{URL}replace/")
    assert workspace_of(editor) == workspace_of(viewer)


def test_who_was_removed_by_an_administrator_is_not_in_again_by_proof(
    submit, viewer, editor, client_of
):
    submit(viewer, "acme", name="Acme")
    submit(editor, "acme", 1)
    members.put_out(editor, workspace_of(viewer), State.REMOVED, by=viewer)
    submit(editor, "acme", 2, name="Mine", url=f"{URL}replace/")
    assert workspace_of(editor) != workspace_of(viewer)
    let_in(editor, workspace_of(viewer), by=viewer)
    assert workspace_of(editor) != workspace_of(viewer)  # these keys are not those put out
    client_of(editor).post(f"{URL}move/", {"workspace": workspace_of(viewer).pk})
    assert workspace_of(editor) == workspace_of(viewer)


def let_in(user, workspace, by) -> str:
    at_once = workspace_matching.is_back_at_once(user, workspace)
    return members.let_in(user, workspace, by=by, at_once=at_once)


def test_who_was_removed_is_back_at_once_with_the_keys_that_were_put_out(submit, viewer, editor):
    submit(viewer, "acme", name="Acme")
    submit(editor, "acme", 1)
    members.put_out(editor, workspace_of(viewer), State.REMOVED, by=viewer)
    assert let_in(editor, workspace_of(viewer), by=viewer) == State.MEMBER
    assert workspace_of(editor) == workspace_of(viewer)


@pytest.mark.parametrize("state", [State.UNMATCHED, State.REMOVED])
def test_whose_keys_read_other_contacts_is_not_back_without_a_press(
    api, submit, viewer, editor, state
):
    submit(viewer, "acme", name="Acme")
    access, secret = api.keys["globex"][0]
    services.connect(editor, access=access, secret=secret, workspace=workspace_of(viewer))
    members.put_out(editor, workspace_of(viewer), state, by=viewer)
    assert let_in(editor, workspace_of(viewer), by=viewer) == State.INVITED
    assert workspace_of(editor).name == "Keys of edith"


def test_keys_that_are_replaced_while_they_are_compared_stay_where_they_are(
    api, submit, viewer, editor
):
    submit(viewer, "acme", name="Acme")
    submit(editor, "acme", 1)
    acme = workspace_of(viewer)
    members.put_out(editor, acme, State.REMOVED, by=viewer)
    assert workspace_matching.is_back_at_once(editor, acme)
    access, secret = api.keys["globex"][0]
    services.connect(editor, access=access, secret=secret, workspace=workspace_of(editor))
    assert members.let_in(editor, acme, by=viewer, at_once=True) == State.INVITED
    assert workspace_of(editor) != acme


def test_an_invitation_counts_where_keys_prove_nothing_until_they_match(
    api, submit, viewer, editor
):
    submit(viewer, "acme", name="Acme")
    members.let_in(editor, workspace_of(viewer), by=viewer)
    api.fault("list-empty")
    submit(editor, "globex")
    api.clear_faults()
    assert workspace_of(editor) == workspace_of(viewer)
    pair = KeyPair.objects.get(user=editor)
    assert workspace_matching.check(pair, services.gateway(services.open_pair(pair))) is False
    submit(editor, "acme", 1, url=f"{URL}replace/")
    assert not Membership.objects.get(user=editor).by_word


def test_somebody_with_keys_goes_to_another_workspace_by_a_button(
    submit, viewer, editor, client_of
):
    submit(viewer, "acme", name="Acme")
    submit(editor, "globex", name="Mine")
    acme, client = workspace_of(viewer), client_of(editor)
    assert "Go to" not in client.get(URL).content.decode()
    client.post(f"{URL}move/", {"workspace": acme.pk})
    assert workspace_of(editor).name == "Mine"
    members.let_in(editor, acme, by=viewer)
    assert "Go to Acme" in client.get(URL).content.decode()
    asked = client.post(f"{URL}move/", {"workspace": acme.pk}).content.decode()
    assert "read other contacts" in asked
    assert workspace_of(editor).name == "Mine"
    client.post(f"{URL}move/", {"workspace": acme.pk, "yes": "yes"})
    assert workspace_of(editor) == acme


def test_keys_of_another_workspace_do_not_follow_an_invitation_by_themselves(
    submit, viewer, editor, client_of
):
    submit(viewer, "acme", name="Acme")
    members.let_in(editor, workspace_of(viewer), by=viewer)
    assert "Enter a name" in submit(editor, "globex").content.decode()
    submit(editor, "globex", name="Mine")
    assert workspace_of(editor).name == "Mine"
    assert "Go to Acme" in client_of(editor).get(URL).content.decode()


def test_nobody_moves_while_the_service_does_not_answer(api, submit, viewer, editor, client_of):
    submit(viewer, "acme", name="Acme")
    submit(editor, "globex", name="Mine")
    members.let_in(editor, workspace_of(viewer), by=viewer)
    api.fault("status-503")
    chosen = {"workspace": workspace_of(viewer).pk, "yes": "yes"}
    page = client_of(editor).post(f"{URL}move/", chosen, follow=True).content.decode()
    assert "so we cannot compare your keys. Nothing was changed." in page.replace("\n", " ")
    assert workspace_of(editor).name == "Mine"


def test_a_workspace_begun_twice_is_joined_by_a_button_after_a_test(
    submit, viewer, editor, client_of
):
    submit(viewer, "acme", name="Acme")
    second = connect_again(editor, submit)
    client = client_of(editor)
    page = client.post(URL, {"action": "test-stored"}).content.decode()
    assert "Go to Acme" in page
    client.post(f"{URL}move/", {"workspace": workspace_of(viewer).pk})
    assert workspace_of(editor) == workspace_of(viewer) != second


def connect_again(user, submit) -> Workspace:
    """The user's own workspace, begun while the service did not answer."""
    submit(user, "acme", 1)
    begun = members.begin("Twice")
    members.join(user, begun)
    return begun


def test_the_operator_lets_somebody_in_and_moves_no_keys_that_came_later(
    submit, viewer, editor, capsys
):
    submit(viewer, "acme", name="Acme")
    submit(editor, "acme", 1)
    members.put_out(editor, workspace_of(viewer), State.REMOVED, by=viewer)
    call_command("let_in", editor.username, "Acme")
    assert workspace_of(editor) == workspace_of(viewer)
    members.put_out(editor, workspace_of(viewer), State.REMOVED, by=viewer)
    submit(editor, "globex", name="Mine", url=f"{URL}replace/")
    call_command("let_in", editor.username, "Acme")
    assert workspace_of(editor).name == "Mine"
    assert "may join Acme by a button" in capsys.readouterr().out
    told = [sent.body for sent in mails()]
    assert ["let you into" in body for body in told] == [True, False]
    assert "The operator has invited you" in told[1]
    with pytest.raises(CommandError, match="There is none"):
        call_command("let_in", editor.username, "Acmee")
    members.begin("Acme")
    with pytest.raises(CommandError, match="give one of the ids"):
        call_command("let_in", editor.username, "Acme")


def test_a_pair_that_cannot_be_compared_while_it_is_checked_raises(viewer, settings):
    settings.API_TIMEOUT = 0.5  # no server listens at the address in tests/settings.py
    pair = connect(viewer, access="ak", secret="sk", workspace="Acme")
    with pytest.raises(GatewayError):
        workspace_matching.check(pair, services.gateway_for(viewer))
