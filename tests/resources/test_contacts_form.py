"""Creating and editing a contact: sent bodies, refused input, and typed input that stays."""

import pytest

from dashboard.gateway import CONTACTS
from dashboard.people import keys
from tests.helpers import text
from tests.page_forms import fields


@pytest.fixture
def contact(gateway) -> int:
    body = {
        "cstname": "Zebra Ltd",
        "contact_type": 2,
        "cstemail": "info@zebra.example",
        "cstnotes": "Old customer",
    }
    return gateway.create(CONTACTS, body).id


def test_save_and_new_opens_an_empty_form(desk):
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Ada Zebra", "save_new": "1"}
    page = desk.post("/contacts/new/", typed, follow=True)
    assert page.redirect_chain[-1][0] == "/contacts/new/"
    assert "Ada Zebra was created" in text(page)


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        ("status-422", 422, ""),
        ("status-403", 403, "let you do this"),
        ("status-429:60", 503, "is busy"),
        ("status-404", 501, "support this"),
    ],
)
def test_the_form_keeps_typed_input_after_every_fault(desk, standin, fault, status, words, sent):
    standin.fault(fault, operation="create")
    precious = {"cstname": "Precious", "cstaddress": "typed with care"}
    typed = {**fields(desk.get("/contacts/new/")), **precious}
    page = desk.post("/contacts/new/", typed)
    assert page.status_code == status
    assert words in text(page)
    assert 'value="Precious"' in page.content.decode()
    assert "typed with care" in page.content.decode()
    assert len(sent("create")) <= 1


def test_a_form_without_a_snapshot_is_not_saved_and_keeps_typed_input(desk, sent, contact):
    url = f"/contacts/{contact}/edit/"
    typed = {**fields(desk.get(url)), "cstname": "Zebra GmbH", "snapshot": "forged"}
    page = desk.post(url, typed)
    assert page.status_code == 409
    assert 'value="Zebra GmbH"' in page.content.decode()
    assert sent("update") == []
    desk.post(url, {**typed, "snapshot": page.context["snapshot"]})
    assert sent("update") == [{"cstname": "Zebra GmbH"}]


def test_editing_a_deleted_record_keeps_typed_input(desk, gateway, contact):
    url = f"/contacts/{contact}/edit/"
    typed = {**fields(desk.get(url)), "cstname": "Zebra GmbH"}
    gateway.delete(CONTACTS, contact)
    page = desk.post(url, typed)
    assert page.status_code == 404
    assert "Record not found" in text(page)
    assert 'value="Zebra GmbH"' in page.content.decode()


def test_the_end_of_a_line_is_one_character_that_is_counted_and_sent(desk, sent):
    address = "\n".join(["012345678"] * 25) + "abcdef"
    assert len(address) == 255
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Ada Zebra"}
    typed["cstaddress"] = address.replace("\n", "\r\n")  # as browsers post it
    assert desk.post("/contacts/new/", typed).status_code == 302
    assert [body["cstaddress"] for body in sent("create")] == [address]


def test_a_text_that_is_too_long_is_refused_and_stays_whole(desk, sent):
    page, name = desk.get("/contacts/new/"), "Zebra " * 100
    for field in ("cstname", "cstaddress", "cstnotes"):
        assert "maxlength" not in str(page.context["form"][field])  # browsers cut without a word
    page = desk.post("/contacts/new/", {**fields(page), "cstname": name})
    assert "Use 100 characters or fewer. You have used 599." in text(page)
    assert f'value="{name}"' in page.content.decode()
    assert sent("create") == []


@pytest.mark.parametrize("token", ["", "with\x00nul", "with/slash", "x" * 5000])
def test_a_form_with_an_invalid_token_is_not_sent_and_keeps_typed_input(desk, sent, token):
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Ada Zebra", "token": token}
    page = desk.post("/contacts/new/", typed)
    assert "nothing was sent" in text(page)
    assert sent("create") == []
    again = {**typed, "token": page.context["token"]}
    assert desk.post("/contacts/new/", again).status_code == 302


def test_without_keys_no_form_opens_and_typed_input_is_stored(desk, manager):
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Ada Zebra"}
    keys.remove(manager)
    assert "Connect the CRM first" in text(desk.get("/contacts/new/"))
    assert "What you typed is kept under Unfinished" in text(desk.post("/contacts/new/", typed))
    del typed["draft"]
    page = desk.post("/contacts/new/", typed)
    assert page.status_code == 424
    assert "Connect the CRM first" in text(page)
    assert 'value="Ada Zebra"' in page.content.decode()


def test_refused_keys_keep_typed_input_and_are_reported_on_every_page(desk, manager, standin):
    typed = {**fields(desk.get("/contacts/new/")), "cstname": "Ada Zebra"}
    standin.revoke(standin.keys["acme"][0][0])
    page = desk.post("/contacts/new/", typed)
    assert "The CRM rejected your API keys" in text(page)
    assert 'value="Ada Zebra"' in page.content.decode()
    assert "The CRM rejected your API keys" in text(desk.get("/accounts/"))


def test_a_copy_of_a_deleted_record_can_be_saved(desk, gateway):
    first = gateway.create(CONTACTS, {"cstname": "Zebra Trading", "contact_type": 2}).id
    typed = {**fields(desk.get(f"/contacts/new/?copy={first}")), "cstname": "Zebra Too"}
    gateway.delete(CONTACTS, first)
    page = desk.post(f"/contacts/new/?copy={first}", typed, follow=True)
    assert "Contact Zebra Too was created" in text(page)


@pytest.mark.parametrize("typed", ["Saint Anne\u2019s  Cycles", "SAINT ANNE'S CYCLES"])
def test_a_name_that_is_there_in_another_spelling_is_told(desk, gateway, typed):
    gateway.create(CONTACTS, {"cstname": "Saint\u00a0Anne's Cycles", "contact_type": 2})
    page = desk.get("/contacts/known/", {"field": "cstname", "value": typed})
    assert "This name is already there" in text(page)


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("cstname", "#N/A"),
        ("cstname", "M\ufffdller"),
        ("ct_taxnumber", "1,23E+11"),
        ("cstmobile", "4,93E+11"),
        ("cstmobile", "n/a"),
        ("cstemail", "n/a"),
    ],
)
def test_what_a_spreadsheet_shows_for_a_value_is_refused_and_stays(desk, sent, name, typed):
    form = {**fields(desk.get("/contacts/new/")), "cstname": "Zebra", name: typed}
    page = desk.post("/contacts/new/", form)
    assert page.context["form"].errors.keys() == {name}
    assert page.context["form"][name].value() == typed
    assert sent("create") == []


def test_a_contact_with_such_a_value_can_be_edited(desk, gateway, sent):
    body = {"cstname": "Zebra", "contact_type": 1, "cstmobile": "n/a"}
    url = f"/contacts/{gateway.create(CONTACTS, body).id}/edit/"
    desk.post(url, {**fields(desk.get(url)), "cstname": "Zoe"})
    assert sent("update") == [{"cstname": "Zoe"}]


def test_the_token_of_someone_else_keeps_what_was_typed(desk, client_of, with_keys, editor, sent):
    first = fields(desk.get("/contacts/new/"), cstname="Zoe")
    desk.post("/contacts/new/", first)
    other = client_of(with_keys(editor))
    typed = fields(other.get("/contacts/new/"), cstname="Quokka", token=first["token"], draft=None)
    page = other.post("/contacts/new/", typed)
    assert page.status_code == 422
    assert "Someone else sent this form." in text(page)
    assert page.context["form"]["cstname"].value() == "Quokka"
    assert len(sent("create")) == 1
