"""The page Invite people and `manage.py invite`: one address per line."""

import io
import re
from datetime import timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.utils import timezone

from dashboard.administration import invitations
from dashboard.people import permissions
from dashboard.people.models import User
from dashboard.writes import history
from dashboard.writes.models import Event
from tests.administration.pages import desk_of
from tests.conftest import person
from tests.helpers import mails, text
from tests.page import InspectingClient as Client

PAGE = "/staff/invite/"
LINES = "Nina van New <Nina@Example.test>\n\n  otto@example.test \n"


@pytest.fixture
def desk(administrator) -> Client:
    return desk_of(administrator)


def invite(desk: Client, lines: str, role: str = permissions.EDITOR):
    return desk.post(PAGE, {"addresses": lines, "role": role}, follow=True)


def usernames() -> set[str]:
    return set(User.objects.values_list("username", flat=True))


def test_everybody_gets_an_account_with_the_role_and_a_link(desk):
    page = invite(desk, LINES)
    assert page.redirect_chain[-1][0] == "/staff/"
    assert "2 people are invited by email." in text(page)
    nina, otto = User.objects.get(username="nina"), User.objects.get(username="otto")
    assert (nina.first_name, nina.last_name, nina.email) == (
        "Nina van", "New", "nina@example.test",
    )  # fmt: skip
    assert (nina.role, otto.role, otto.display_name) == (
        permissions.EDITOR,
        permissions.EDITOR,
        "otto",
    )
    assert not nina.has_usable_password()
    sent = {message.to[0]: message.body for message in mails()}
    assert set(sent) == {"nina@example.test", "otto@example.test"}
    assert "/accounts/password/reset/" in sent["nina@example.test"]
    entries = Event.objects.filter(resource=history.STAFF, record_id=nina.pk).order_by("pk")
    made, link = [history.details(each).changes for each in entries]
    assert made["Role"] == ("", permissions.EDITOR)
    assert link == {"Password link": ("", "nina@example.test")}


def test_administrators_are_told_of_a_new_administrator(desk):
    invite(desk, "nina@example.test", permissions.ADMINISTRATOR)
    told = [message for message in mails() if message.to == ["ada@example.test"]]
    assert "Role: Administrator" in told[0].body


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nina@", "Line 2: Enter a valid email address."),
        ("Nina New, nina@example.test", "Line 2: Enter a valid email address."),
        ("ROOT@example.test", "Line 2: This email address is taken."),
        ("Otto@example.test", "Line 2: Line 1 has the same address."),
    ],
)
def test_a_line_that_is_wrong_has_an_error_and_nobody_is_invited(desk, line, words):
    person("root", is_superuser=True)
    lines = f"otto@example.test\n{line}\nnina@example.test"
    page = invite(desk, lines)
    assert page.status_code == 422
    assert page.context["form"].errors == {"addresses": [words]}
    assert page.context["form"]["addresses"].value() == lines
    assert usernames() == {"ada", "root"}
    assert not mails()


def test_a_username_that_somebody_has_is_replaced_by_the_address(desk, viewer):
    invite(desk, "vera@other.test\no'hara@x.test\nohara@y.test")
    assert usernames() == {"ada", "vera", "vera@other.test", "ohara", "ohara@y.test"}


def test_too_many_lines_none_and_no_role_are_refused(desk):
    many = "\n".join(f"p{number}@example.test" for number in range(201))
    for lines, role, name in ((many, "Viewer", "addresses"), (" ", "Viewer", "addresses"),
                              ("nina@example.test", "", "role")):  # fmt: skip
        assert set(invite(desk, lines, role).context["form"].errors) == {name}


def test_an_address_taken_at_the_same_moment_invites_nobody(desk, monkeypatch):
    send = invitations.send_link

    def taken(request, user):
        User.objects.get_or_create(username="other", email="otto@example.test")
        return send(request, user)

    monkeypatch.setattr(invitations, "send_link", taken)
    page = invite(desk, LINES)
    assert page.status_code == 422
    assert usernames() == {"ada"}
    assert not mails()


@pytest.fixture
def site(settings, db) -> None:
    settings.SITE_URL = "https://testserver"


def run(tmp_path, lines: str, *options: str) -> str:
    file, out = tmp_path / "addresses.txt", io.StringIO()
    file.write_text(lines, encoding="utf-8")
    call_command("invite", "--file", str(file), "--role", permissions.EDITOR, *options, stdout=out)
    return out.getvalue()


def test_the_command_invites_by_the_same_form(site, tmp_path):
    assert run(tmp_path, LINES).splitlines() == [
        "nina@example.test was invited as Editor.",
        "otto@example.test was invited as Editor.",
    ]
    assert "https://testserver/accounts/password/reset/" in mails()[0].body
    entry = Event.objects.filter(resource=history.STAFF).earliest("pk")
    assert (entry.who, entry.person) == ("the operator", None)


def test_the_command_prints_links_instead_of_mailing_them(site, tmp_path):
    printed = run(tmp_path, LINES, "--print-link").splitlines()
    assert [line.partition(" ")[0] for line in printed] == [
        "nina@example.test",
        "otto@example.test",
    ]
    link = re.search(r"https://testserver(/accounts/password/reset/\S+)", printed[0])[1]
    assert "Choose a new password" in text(Client().get(link, follow=True))
    assert not mails()


def test_staff_says_that_an_invitation_has_not_left_until_another_has(desk, monkeypatch):
    invite(desk, "nina@example.test")
    nina = User.objects.get(username="nina")
    assert "Invited, email not sent" in text(desk.get("/staff/"))
    assert "Invited, email not sent" in text(desk.get(f"/staff/{nina.pk}/"))
    with time_machine.travel(timezone.now() + timedelta(days=4)):
        desk.post(f"/staff/{nina.pk}/act/", {"action": "invite"})
        assert [message.to for message in mails()] == [["nina@example.test"]]
        assert "email not sent" not in text(desk.get("/staff/"))


def test_the_command_invites_nobody_where_a_line_is_wrong(site, tmp_path):
    with pytest.raises(CommandError, match=r"Nobody was invited\.\nLine 4: Enter a valid"):
        run(tmp_path, f"{LINES}nowhere\n")
    assert not usernames()


@pytest.mark.parametrize(
    ("url", "words"), [("", "Set SITE_URL"), ("https://other.test", "Add the host of SITE_URL")]
)
def test_the_command_says_which_setting_links_need(db, settings, tmp_path, url, words):
    settings.SITE_URL, settings.ALLOWED_HOSTS = url, ["testserver"]
    with pytest.raises(CommandError, match=words):
        run(tmp_path, LINES)
