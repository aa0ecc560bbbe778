"""The page that offers two versions of the same fields, and what each choice sends."""

import pytest

from dashboard.gateway import CONTACTS
from tests.helpers import text
from tests.page_forms import fields


@pytest.fixture
def contact(gateway) -> int:
    return gateway.create(
        CONTACTS, {"cstname": "Zebra Ltd", "contact_type": 2, "cstmobile": "0100"}
    ).id


@pytest.fixture
def clash(desk, gateway, contact):
    """The page after name and phone were changed by both, the address by one and the email by the
    other.
    """
    url = f"/contacts/{contact}/edit/"
    typed = fields(desk.get(url), cstname="Zebra GmbH", cstmobile="0200", cstaddress="mine\nalone")
    theirs = {"cstname": "Zebra plc", "cstmobile": "0300", "cstemail": "new@zebra.example"}
    gateway.update(CONTACTS, contact, theirs)
    page = desk.post(url, typed)
    assert page.status_code == 409
    return page


def test_the_versions_stand_side_by_side(clash):
    words = text(clash)
    assert "Someone else changed Zebra Ltd while you were editing" in words
    assert "Name Zebra Ltd Zebra plc Zebra GmbH" in words
    assert "2 fields were changed by both of you." in words
    assert [one.name for one in clash.context["only_theirs"]] == ["cstemail"]
    assert [one.name for one in clash.context["only_mine"]] == ["cstaddress"]


def test_each_field_is_saved_as_chosen(desk, gateway, contact, clash, sent):
    url = f"/contacts/{contact}/edit/"
    answer = desk.post(url, fields(clash, **{"choice-cstname": "theirs"}))
    assert answer.status_code == 302
    assert sent("update")[1:] == [{"cstmobile": "0200", "cstaddress": "mine\nalone"}]
    record = gateway.get(CONTACTS, contact)
    assert (record["cstname"], record["cstemail"]) == ("Zebra plc", "new@zebra.example")


@pytest.mark.parametrize(
    ("side", "body"),
    [
        ("theirs", {"cstaddress": "mine\nalone"}),
        ("yours", {"cstname": "Zebra GmbH", "cstmobile": "0200", "cstaddress": "mine\nalone"}),
    ],
)
def test_all_of_one_side_is_taken_by_one_button(desk, contact, clash, side, body, sent):
    choices = {"choice-cstname": "theirs", "choose-all": side}
    desk.post(f"/contacts/{contact}/edit/", fields(clash, **choices))
    assert sent("update")[1:] == [body]


def test_back_to_the_form_keeps_what_was_typed_and_asks_again(desk, contact, clash, sent):
    url = f"/contacts/{contact}/edit/"
    form = desk.post(url, fields(clash, **{"choice-cstname": "theirs"}, choose="form"))
    assert form.context["form"]["cstname"].value() == "Zebra GmbH"
    assert form.context["form"]["cstaddress"].value() == "mine\nalone"
    again = desk.post(url, fields(form))
    assert again.status_code == 409
    assert "Name Zebra Ltd Zebra plc Zebra GmbH" in text(again)
    assert sent("update")[1:] == []


def test_a_refused_choice_asks_again_and_overwrites_nothing(desk, contact, clash, sent):
    url = f"/contacts/{contact}/edit/"
    chosen = {"choice-cstmobile": "theirs", "cstname": ""}
    refused = desk.post(url, fields(clash, **chosen))
    assert refused.status_code == 422
    again = desk.post(url, fields(refused, cstname="Zebra GmbH"))
    assert again.status_code == 409
    assert [one.name for one in again.context["versions"]] == ["cstname", "cstmobile"]
    assert sent("update")[1:] == []


def test_a_further_change_of_a_kept_field_asks_again(desk, standin, gateway, contact, clash):
    url = f"/contacts/{contact}/edit/"
    gateway.update(CONTACTS, contact, {"cstname": "Zebra SA", "cstmobile": "0400"})
    page = desk.post(url, fields(clash, **{"choice-cstmobile": "theirs"}))
    assert page.status_code == 409
    assert [one.name for one in page.context["versions"]] == ["cstname"]
    assert "Name Zebra plc Zebra SA Zebra GmbH" in text(page)


def test_an_own_change_in_another_window_is_told_as_own(desk, contact):
    url = f"/contacts/{contact}/edit/"
    typed = fields(desk.get(url), cstname="Zebra GmbH", cstaddress="Leith")
    desk.post(url, fields(desk.get(url), cstname="Zebra plc", cstemail="new@zebra.example"))
    words = text(desk.post(url, typed))
    assert "You changed Zebra Ltd while you were editing" in words
    assert "Use all of the other window Keep all of this window" in words
    assert "heirs" not in words


def test_an_older_change_from_here_is_not_taken_for_the_others(desk, gateway, contact):
    url = f"/contacts/{contact}/edit/"
    desk.post(url, fields(desk.get(url), cstname="Zebra plc"))
    typed = fields(desk.get(url), cstname="Zebra GmbH")
    gateway.update(CONTACTS, contact, {"cstname": "Zebra SA"})
    assert "Someone else changed Zebra plc" in text(desk.post(url, typed))


def test_a_draft_of_the_choice_opens_the_form_that_asks_again(desk, contact, clash, sent):
    url = f"/contacts/{contact}/edit/"
    desk.post("/unfinished/keep/", fields(clash, **{"choice-cstname": "theirs"}))
    form = desk.get(desk.get(url).context["offer"]["url"])
    assert form.context["form"]["cstname"].value() == "Zebra GmbH"
    assert desk.post(url, fields(form)).status_code == 409
    assert sent("update")[1:] == []
