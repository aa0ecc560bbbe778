"""A table pasted into the form of a new lead is an import that is opened with its cells."""

import pytest

from dashboard.gateway import CONTACTS, LEADS
from dashboard.imports.models import Import
from dashboard.jobs.models import Job
from dashboard.people.permissions import set_role
from tests.helpers import text
from tests.imports.test_import import counts, mapped
from tests.jobs.conftest import work
from tests.page_forms import fields

TABLE = """Name\tE-Mail\tTel.\tFax
Zoe Zebra\tzoe@zebra.example\t030 1234567\t030 99
Ada Berg\tada@berg.eu\t\t"""


@pytest.fixture
def edith(client_of, with_keys, editor):
    """The test client of a person who may not import files."""
    return client_of(with_keys(editor))


def paste(client, cells, **more):
    """The page of the cells, at once."""
    return client.post("/leads/table/", {"text": cells, **more}, follow=True)


def send(client, page, **typed):
    url = page.request["PATH_INFO"]
    return client.post(url, {**fields(page), **typed, "do": "send"}, follow=True)


def test_rows_are_shown_at_once_and_saved_by_a_job(edith, sent):
    page = paste(edith, TABLE)
    assert counts(page) == {"ready": 2}
    assert sent("create") == []
    page = send(edith, page)
    assert Job.objects.get().title == "Import 2 leads"
    work()
    assert sorted(body["cstname"] for body in sent("create")) == ["Ada Berg", "Zoe Zebra"]
    assert "Undo" not in text(edith.get(page.request["PATH_INFO"]))


def test_tags_of_rows_go_by_name(desk, sent):
    send(desk, paste(desk, "Name\tTags\nZoe Zebra\tvip, fair"))
    work()
    assert [body.get("tag_names") for body in sent("create")] == [["vip", "fair"]]


def test_columns_without_a_field_become_lines_of_the_notes(desk, sent):
    send(desk, paste(desk, "Name\tFax\tNotes\tHat\nZoe\t030 99\tmet in Berlin\tred"))
    work()
    assert sent("create")[0]["cstnotes"] == "met in Berlin\nFax: 030 99\nHat: red"


@pytest.mark.parametrize("mark", ["\t", ";", ","])
def test_columns_without_headings_are_told_by_their_content(desk, mark):
    lines = [
        "Zoe Zebra|Zebra Ltd|zoe@zebra.example|030 1234567|met in Berlin",
        "Ada|Berg AG|ada@berg.eu||",
    ]
    page = paste(desk, "\n".join(lines).replace("|", mark))
    assert mapped(page) == [
        "cstname",
        "lead_company_name",
        "cstemail",
        "cstmobile",
        "loose",
    ]
    assert page.context["rows"][0].text("cstnotes") == "met in Berlin"


def test_a_first_row_that_names_no_field_is_no_heading(desk):
    page = paste(desk, "Zoe Zebra\tZebra Ltd\nAda\tBerg AG")
    assert counts(page) == {"ready": 2}
    assert {name: cell.text for name, cell in page.context["rows"][0].cells.items()} == {
        "cstname": "Zoe Zebra",
        "lead_company_name": "Zebra Ltd",
    }


def test_contacts_and_leads_that_are_there_are_told_and_left_out(desk, gateway, sent):
    zoe = gateway.create(
        CONTACTS, {"cstname": "Zoe", "contact_type": 1, "cstemail": "zoe@zebra.example"}
    )
    gateway.create(LEADS, {"cstname": "Bob Bear", "cstemail": "bob@bear.eu"})
    before = len(sent("create"))
    page = paste(
        desk,
        "Name\tEmail\nZOE\tZOE@zebra.example\nbob bear\tb@bear.eu\nAda\tada@berg.eu\n"
        "ada\tada@berg.eu",
    )
    assert counts(page) == {"exists": 2, "duplicate_row": 1, "ready": 1}
    record, *_ = page.context["records"].values()
    assert (record.same.noun, record.same.url) == ("contact", f"/contacts/{zoe.id}/")
    assert "Already exists: contact Zoe" in text(page)
    send(desk, page)
    work()
    assert [one["cstname"] for one in sent("create")[before:]] == ["Ada"]


def test_without_the_right_to_import_fifty_rows_are_taken_and_no_file(edith):
    assert 'type="file"' not in edith.get("/leads/table/").content.decode()
    lines = ["name\temail", *(f"Ada {number}\ta{number}@b.eu" for number in range(51))]
    page = paste(edith, "\n".join(lines))
    assert page.status_code == 422
    assert "More than 50 rows" in text(page)
    assert paste(edith, "\n".join(lines[:-1])).status_code == 200
    assert edith.get("/leads/import/").status_code == 403


def test_who_may_import_no_more_sees_no_file_that_is_longer_or_of_another_resource(
    desk, client_of, editor
):
    lines = ["name\temail", *(f"Ada {number}\ta{number}@b.eu" for number in range(51))]
    url = paste(desk, "\n".join(lines)).request["PATH_INFO"]
    other = desk.post("/contacts/import/", {"text": "name\nZoe"})["Location"]
    found = Import.objects.first()
    set_role(found.person, editor.role)
    edith = client_of(type(editor).objects.get(pk=found.person_id))
    assert edith.get(url).status_code == 403
    assert edith.get(other).status_code == 403


def test_an_empty_paste_is_refused_and_an_unread_one_can_be_discarded(edith):
    page = paste(edith, " ")
    assert "Choose a file, or paste cells." in text(page)
    page = paste(edith, TABLE)
    answer = edith.post(f"{page.request['PATH_INFO']}discard/")
    assert answer["Location"] == "/leads/table/"
    assert not Import.objects.filter(discarded_at=None).exists()
