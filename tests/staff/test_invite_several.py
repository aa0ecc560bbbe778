"""The page Invite several and `manage.py invite`: what a list of people does."""

import io
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from dashboard.accounts import roles
from dashboard.accounts.models import User
from dashboard.ledger import history
from dashboard.ledger.models import Event
from dashboard.staff import invite_list
from tests.conftest import PASSWORD, person
from tests.helpers import mails, text
from tests.page import InspectingClient as Client

PAGE = "/staff/invite/list/"
LIST = "Nina New, Nina@Example.test, Editor\nOtto Old, otto@example.test, viewer\n"


@pytest.fixture
def desk(administrator, client_of) -> Client:
    client = client_of(administrator)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def check(desk: Client, words: str, **values: object):
    return desk.post(PAGE, {"text": words, "check": "1", **values})


def invite(desk: Client, words: str, **values: object):
    """Check the list, then press the button that invites."""
    shown = check(desk, words, **values).content.decode()
    fingerprint = re.search(r'name="fingerprint" value="([^"]+)"', shown)[1]
    return desk.post(
        PAGE, {"text": words, "invite": "1", "fingerprint": fingerprint, **values}, follow=True
    )


def rows(page) -> list[str]:
    """The lines of the table, as read aloud."""
    found = re.findall(r"<tr>.*?</tr>", page.content.decode(), re.DOTALL)[1:]
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in found]


def usernames() -> set[str]:
    return set(User.objects.values_list("username", flat=True))


def test_a_list_is_shown_before_anybody_is_invited(desk):
    assert rows(check(desk, LIST)) == [
        "1 Nina New nina@example.test Editor will be invited Signs in as nina",
        "2 Otto Old otto@example.test Viewer will be invited Signs in as otto",
    ]
    assert usernames() == {"ada"}
    assert not mails()


def test_everybody_of_the_list_gets_an_account_with_a_role_and_a_link(desk):
    page = invite(desk, LIST)
    assert page.redirect_chain[-1][0] == "/staff/"
    assert "2 people are invited. Each gets a mail with a link." in text(page)
    nina = User.objects.get(username="nina")
    assert (nina.first_name, nina.last_name, nina.email) == ("Nina", "New", "nina@example.test")
    assert (nina.role, User.objects.get(username="otto").role) == (roles.EDITOR, roles.VIEWER)
    assert not nina.has_usable_password()
    sent = {message.to[0]: message.body for message in mails()}
    assert set(sent) == {"nina@example.test", "otto@example.test"}
    assert "/accounts/password/reset/" in sent["nina@example.test"]
    entries = Event.objects.filter(resource=history.STAFF, record_id=nina.pk).order_by("pk")
    assert [each.who for each in entries] == ["ada", "ada"]
    made, link = [history.details(each).changes for each in entries]
    assert made["Role"] == ("", roles.EDITOR)
    assert link == {"Link for choosing a password": ("", "nina@example.test")}


def test_administrators_are_told_of_a_new_administrator(desk):
    invite(desk, "Nina New, nina@example.test, Administrator")
    told = [message for message in mails() if message.to == ["ada@example.test"]]
    assert "Role: Administrator" in told[0].body


def test_who_is_there_already_is_named_and_left_alone(desk, viewer):
    person("gone", is_active=False)
    words = "Vera, VERA@example.test, Manager\ngone@example.test, Viewer\n" + LIST
    shown = rows(check(desk, words))
    assert shown[3] == "2 gone@example.test here already gone is deactivated. Nothing changes."
    assert shown[2] == "1 Vera vera@example.test here already vera has an account. Nothing changes."
    invite(desk, words)
    viewer.refresh_from_db()
    assert viewer.role == roles.VIEWER
    assert "vera@example.test" not in {to for message in mails() for to in message.to}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Nina New, Editor", "There is no email address in this line."),
        ("Nina New, nina@, Editor", "Enter a valid email address."),
        ("Nina New, nina@example.test, Boss", "There is no role “Boss”: write Viewer, Editor,"),
        ("Nina New, nina@example.test", "Choose a role."),
        ("Root, root@example.test, Editor", "Somebody else already has this email address."),
        ("Otto, otto@example.test, Viewer", "Line 1 has the same address."),
    ],
)
def test_what_is_wrong_stands_beside_its_line_and_stays_in_the_list(desk, line, words):
    person("root", is_superuser=True)
    good = "Otto Old, otto@example.test, Viewer"
    page = check(desk, f"{good}\n{line}")
    [wrong] = [row for row in rows(page) if row.startswith("2 ")]
    assert f"needs fixing {words}" in wrong
    after = invite(desk, f"{good}\n{line}")
    assert "1 person is invited." in text(after)
    assert line in after.context["form"]["text"].value()
    assert usernames() == {"ada", "root", "otto"}


def test_headings_name_the_columns_in_any_order(desk):
    words = "Role;E-Mail;Surname;First name;Username;Desk\nEditor;nina@example.test;New;Nina;nn;12"
    page = check(desk, words)
    assert rows(page) == ["2 Nina New nina@example.test Editor will be invited Signs in as nn"]
    assert "Columns that are not read: Desk." in text(page)


def test_addresses_alone_get_the_chosen_role(desk):
    words = "nina@example.test\nOtto Old <otto@example.test>"
    assert rows(check(desk, words, role=roles.EDITOR)) == [
        "1 nina@example.test Editor will be invited Signs in as nina",
        "2 Otto Old otto@example.test Editor will be invited Signs in as otto",
    ]


def test_a_username_that_somebody_has_is_replaced_by_the_address(desk, viewer):
    words = "vera@other.test, Viewer\no'hara@x.test, Viewer\nohara@y.test, Viewer"
    shown = rows(check(desk, words))
    assert [row.rpartition(" ")[2] for row in shown] == ["vera@other.test", "ohara", "ohara@y.test"]


def test_a_file_is_read_and_can_be_put_right_as_text(desk):
    file = SimpleUploadedFile("staff.csv", LIST.encode("utf-16"))
    page = check(desk, "", file=file)
    assert len(rows(page)) == 2
    assert page.context["form"]["text"].value() == LIST
    for wrong in (SimpleUploadedFile("x.csv", b"\0\1\2"), SimpleUploadedFile("e.csv", b"")):
        page = check(desk, "", file=wrong)
        assert page.status_code == 422
        assert page.context["form"].errors["file"]


def test_too_many_lines_and_none_are_refused_beside_the_field(desk):
    many = "\n".join(f"p{number}@example.test, Viewer" for number in range(202))
    for words in (many, "  ", '"'):
        page = check(desk, words)
        assert page.status_code == 422
        assert page.context["form"].errors


def test_nothing_is_done_where_something_changed_since_it_was_shown(desk):
    fingerprint = re.search(r'fingerprint" value="(\w+)', check(desk, LIST).content.decode())[1]
    person("nina", roles.VIEWER)
    page = desk.post(PAGE, {"text": LIST, "invite": "1", "fingerprint": fingerprint})
    assert page.status_code == 409
    assert "nobody was invited" in text(page)
    assert usernames() == {"ada", "nina"}


def test_an_address_taken_at_the_same_moment_invites_nobody(desk, monkeypatch):
    send = invite_list.send_link

    def taken(request, user):
        User.objects.get_or_create(username="other", email="otto@example.test")
        return send(request, user)

    monkeypatch.setattr(invite_list, "send_link", taken)
    page = invite(desk, LIST)
    assert page.status_code == 409
    assert usernames() == {"ada"}
    assert not mails()


def test_the_password_is_asked_for_before_anybody_is_invited(administrator, client_of):
    desk = client_of(administrator)
    shown = check(desk, LIST)
    assert shown.status_code == 200
    asked = invite(desk, LIST)
    assert asked.redirect_chain[0][0].startswith("/accounts/reauthenticate/")
    assert usernames() == {"ada"}
    desk.post(asked.redirect_chain[0][0], {"password": PASSWORD}, follow=True)
    assert usernames() == {"ada", "nina", "otto"}


@pytest.fixture
def site(settings, db) -> None:
    settings.SITE_URL = "https://testserver"


def run(tmp_path, words: str, *options: str) -> str:
    file, out = tmp_path / "staff.csv", io.StringIO()
    file.write_text(words, encoding="utf-8")
    call_command("invite", "--file", str(file), *options, stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_invites_by_the_same_reader(site, tmp_path, viewer):
    out = run(tmp_path, f"{LIST}vera@example.test\n", "--role", roles.VIEWER)
    assert out.splitlines() == [
        "vera@example.test has an account already. Nothing changes.",
        "nina@example.test is invited as Editor.",
        "otto@example.test is invited as Viewer.",
    ]
    assert "https://testserver/accounts/password/reset/" in mails()[0].body
    entry = Event.objects.filter(resource=history.STAFF).earliest("pk")
    assert (entry.who, entry.person) == ("the operator", None)


def test_the_command_checks_without_inviting(site, tmp_path):
    assert "nina@example.test would be invited as Editor." in run(tmp_path, LIST, "--check")
    assert not usernames()


def test_the_command_invites_nobody_where_a_line_is_wrong(site, tmp_path):
    with pytest.raises(CommandError, match="Nobody was invited, as 1 line is wrong"):
        run(tmp_path, f"{LIST}nowhere, Viewer\n")
    assert not usernames()


@pytest.mark.parametrize(
    ("url", "words"), [("", "Set SITE_URL"), ("https://other.test", "Add the host of SITE_URL")]
)
def test_the_command_says_which_setting_links_need(db, settings, tmp_path, url, words):
    settings.SITE_URL, settings.ALLOWED_HOSTS = url, ["testserver"]
    with pytest.raises(CommandError, match=words):
        run(tmp_path, LIST)
