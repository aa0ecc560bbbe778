"""Leads from a pasted table: what is read, shown, sent and told of each row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.drafts.models import Draft
from dashboard.gateway import CONTACTS, LEADS
from dashboard.outbox.models import Submission
from dashboard.resources.table_words import HEADINGS, MOST_ROWS, read_table
from tests.helpers import text

from .forms import submitted

TABLE = """Name\tE-Mail\tTel.\tFax
Zoe Zebra\tzoe@zebra.example\t030 1234567\t030 99
Ada Berg\tada@berg.eu\t\t"""


def rows(text):
    return [{name: cell for name, cell in row.items() if cell} for row in read_table(text).rows]


def test_headings_select_the_columns_and_others_go_to_the_notes():
    table = read_table(TABLE)
    assert table.unmatched == ["Fax"]
    assert rows(TABLE) == [
        {
            "cstname": "Zoe Zebra",
            "cstemail": "zoe@zebra.example",
            "cstmobile": "030 1234567",
            "cstnotes": "Fax: 030 99",
        },
        {"cstname": "Ada Berg", "cstemail": "ada@berg.eu"},
    ]


@pytest.mark.parametrize("mark", ["\t", ";", ","])
def test_columns_without_headings_are_told_by_their_content(mark):
    lines = [
        "Zoe Zebra|Zebra Ltd|zoe@zebra.example|030 1234567|met in Berlin",
        "Ada|Berg AG|ada@berg.eu||",
    ]
    assert rows("\n".join(lines).replace("|", mark)) == [
        {
            "cstname": "Zoe Zebra",
            "lead_company_name": "Zebra Ltd",
            "cstemail": "zoe@zebra.example",
            "cstmobile": "030 1234567",
            "cstnotes": "met in Berlin",
        },
        {"cstname": "Ada", "lead_company_name": "Berg AG", "cstemail": "ada@berg.eu"},
    ]


def test_rows_beyond_the_most_are_kept_with_the_headings():
    lines = ["name,email", *(f"Ada {number},a{number}@b.eu" for number in range(60))]
    table = read_table("\n".join(lines))
    assert len(table.rows) == MOST_ROWS
    assert table.more.splitlines() == ["name,email", *lines[51:]]


CELL = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@given(st.lists(st.lists(CELL, min_size=1, max_size=40), min_size=1, max_size=60))
def test_no_cell_is_lost(cells):
    pasted = "\n".join(
        "\t".join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row) for row in cells
    )
    table = read_table(pasted)
    kept = "\n".join(
        [*table.unmatched, table.more, *(v for row in table.rows for v in row.values())]
    )
    headings = {word for words in HEADINGS.values() for word in words}
    assert all(cell in kept or cell.casefold() in headings for row in cells for cell in row)


@pytest.fixture
def pasted(desk, db):
    """pasted(text): the page of its rows."""

    def page(table, **typed):
        return desk.post("/leads/table/", {"pasted": table, **typed})

    return page


def save(desk, page, **typed):
    return desk.post("/leads/table/", {**submitted(page), **typed})


def test_each_row_is_saved_by_its_own_submission(desk, pasted, sent):
    page = pasted(TABLE)
    assert "No field is called “Fax”" in text(page)
    assert sent("create") == []
    page = save(desk, page)
    assert [body["cstname"] for body in sent("create")] == ["Zoe Zebra", "Ada Berg"]
    assert sent("create")[0]["cstnotes"] == "Fax: 030 99"
    assert sent("create")[0]["cstmobile"] == "0301234567"
    assert {one.token.partition(":")[2] for one in Submission.objects.all()} == {"0", "1"}
    assert [name for _, name in page.context["saved"]] == ["Zoe Zebra", "Ada Berg"]
    for url, name in page.context["saved"]:
        assert f'href="{url}">{name}' in page.content.decode()
    assert not Draft.objects.filter(state=Draft.State.OPEN).exists()


def test_the_same_page_sent_twice_saves_each_row_once(desk, pasted, sent):
    fields = submitted(pasted(TABLE))
    for _ in range(2):
        page = desk.post("/leads/table/", fields)
        assert len(page.context["saved"]) == 2
    assert len(sent("create")) == 2


def test_a_bad_cell_is_mended_in_place_and_the_others_are_saved(desk, pasted, sent):
    page = pasted("Name\tEmail\nZoe\tzoe@zebra\nAda\tada@berg.eu\n\tnobody@berg.eu")
    body = page.content.decode()
    assert 'aria-label="Email, row 1" placeholder="Email" aria-invalid="true"' in body
    assert body.count("autofocus") == 1
    page = save(desk, page)
    assert [one["cstname"] for one in sent("create")] == ["Ada"]
    assert [row.key for row in page.context["sheet"].rows] == [0, 2]
    [draft] = Draft.objects.filter(state=Draft.State.OPEN)
    again = desk.get(f"{draft.path}?draft={draft.pk}")
    assert [row.cells["cstemail"] for row in again.context["sheet"].rows] == [
        "zoe@zebra",
        "nobody@berg.eu",
    ]
    mended = {"row-0-cstemail": "zoe@zebra.example", "row-2-cstname": "Nobody"}
    page = save(desk, again, **mended)
    assert [one["cstname"] for one in sent("create")] == ["Ada", "Zoe", "Nobody"]
    assert [name for _, name in page.context["saved"]] == ["Ada", "Zoe", "Nobody"]
    assert not Draft.objects.filter(state=Draft.State.OPEN).exists()


def test_people_who_are_there_and_repeated_rows_are_told_and_not_ticked(
    desk, pasted, gateway, sent
):
    gateway.create(CONTACTS, {"cstname": "Zoe", "contact_type": 1, "cstemail": "zoe@zebra.example"})
    gateway.create(LEADS, {"cstname": "Bob Bear"})
    before = len(sent("create"))
    page = pasted(
        "Name\tEmail\nZ\tZOE@zebra.example\nbob bear\t\nAda\tada@berg.eu\nA. Berg\tada@berg.eu"
    )
    assert [row.is_kept for row in page.context["sheet"].rows] == [False, False, True, False]
    assert "Already there: contact Zoe (zoe@zebra.example)" in text(page)
    assert "is already further up in the table" in text(page)
    save(desk, page, **{"row-1-keep": "1"})
    assert [one["cstname"] for one in sent("create")[before:]] == ["bob bear", "Ada"]


def test_a_refused_row_stays_with_the_reason_and_one_without_an_answer_is_linked(
    desk, pasted, standin
):
    page = pasted("Name\tNotes\nZoe\t!fault:status-400\nAda\t!fault:reset-after\nBob\t")
    page = save(desk, page)
    [row] = page.context["sheet"].rows
    assert row.cells["cstname"] == "Zoe"
    assert row.problems or row.errors
    assert [name for _, name in page.context["saved"]] == ["Bob"]
    [(url, name)] = page.context["unsure"]
    assert name == "Ada"
    assert desk.get(url).status_code == 200


def test_rows_that_are_not_sent_in_time_wait_for_the_next_press(desk, pasted, sent, monkeypatch):
    page = pasted(TABLE)
    monkeypatch.setattr("dashboard.resources.leads_table.LONGEST", -1)
    page = save(desk, page)
    assert "Not sent yet: the service is slow" in text(page)
    monkeypatch.undo()
    save(desk, page)
    assert len(sent("create")) == 2


def test_more_than_fifty_rows_come_in_parts(desk, pasted, sent):
    lines = ["name\temail", *(f"Ada {number}\ta{number}@b.eu" for number in range(52))]
    page = pasted("\n".join(lines))
    assert "For long tables there is the import" in text(page)
    page = save(desk, page)
    assert len(sent("create")) == 50
    page = save(desk, page)
    assert [row.cells["cstname"] for row in page.context["sheet"].rows] == ["Ada 50", "Ada 51"]
    save(desk, page)
    assert len(sent("create")) == 52


def test_the_form_of_a_new_lead_takes_a_table_and_that_of_a_contact_none(desk):
    assert 'action="/leads/table/"' in desk.get("/leads/new/").content.decode()
    assert "Paste a table" not in desk.get("/contacts/new/").content.decode()
    assert desk.get("/leads/table/").status_code == 200


def test_nothing_ticked_sends_nothing_and_keeps_the_rows(desk, pasted, sent):
    fields = submitted(pasted(TABLE))
    page = desk.post("/leads/table/", {k: v for k, v in fields.items() if not k.endswith("-keep")})
    assert "no row is ticked" in text(page)
    assert len(page.context["sheet"].rows) == 2
    assert sent("create") == []


def test_a_viewer_cannot_paste(client_of, with_keys, viewer):
    assert client_of(with_keys(viewer)).get("/leads/table/").status_code == 403
