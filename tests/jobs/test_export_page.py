"""A list is exported as its address says, by managers, and the history notes it."""

import csv
import io
from datetime import date, datetime
from decimal import Decimal

import pytest

from dashboard.gateway import CONTACTS, INVOICES
from dashboard.jobs.models import Export
from dashboard.tables.columns import date_of
from dashboard.tables.reading import TableChoices
from dashboard.writes.models import Event
from tests.conftest import every_profile
from tests.jobs.conftest import work
from tests.tables.files import read_table


def body(answer):
    assert answer.status_code == 200, answer.content
    assert answer["Content-Disposition"].startswith("attachment;")
    return answer.getvalue()


def exported(desk, url, content="columns", form="xlsx"):
    return body(desk.post(url, {"content": content, "form": form}))


def everything(gateway, endpoint, **query):
    first = gateway.list(endpoint, page_size=100, **query)
    more = [
        gateway.list(endpoint, page_size=100, page_index=index, **query)
        for index in range(1, first.total_pages)
    ]
    return [record for page in (first, *more) for record in page.records]


@pytest.mark.parametrize(
    "resource", ["contacts", "leads", "deals", "tasks", "estimates", "invoices"]
)
def test_the_list_leads_to_the_page_of_its_export(desk, resource):
    page = desk.get(f"/{resource}/?size=10")
    url = page.context["list_page"].export_url
    assert url in page.content.decode().replace("&amp;", "&")
    form = desk.get(url)
    assert "size=10" in form.context["list_url"]


@every_profile
def test_every_contact_is_in_the_file_once_and_in_order(desk, gateway):
    table = read_table(exported(desk, "/contacts/export/"))
    records = everything(gateway, CONTACTS)
    assert [row.cells[0] for row in table.rows] == [record["cstname"] for record in records]
    assert [column.title for column in table.columns][:2] == ["Name", "Email"]
    assert isinstance(table.rows[0].cells[4], date)
    assert table.rows[0].cells[3] in ("Individual", "Business")


@pytest.mark.parametrize("total_records", [None, 25, 300])
@pytest.mark.parametrize("total_pages", [0, 1])
def test_totals_that_the_rows_refute_do_not_end_a_file(
    desk, gateway, tell_totals, monkeypatch, total_records, total_pages
):
    monkeypatch.setattr("dashboard.reader.listing.PAGE_SIZE", 25)
    names = [record["cstname"] for record in everything(gateway, CONTACTS)]
    assert len(names) > 50
    tell_totals(total_records=total_records, total_pages=total_pages)
    begun = desk.post("/contacts/export/", {"content": "columns", "form": "xlsx"})
    if total_records == 300:
        file = begun.getvalue()
        notes = read_table(file, TableChoices(sheet="Notes", header=0)).rows
        assert any("lists 300 contacts but sent" in row.cells[0] for row in notes)
    else:  # nobody knows how long it will be
        work(most=5)
        file = desk.get(f"{begun['Location']}file/").getvalue()
    assert [row.cells[0] for row in read_table(file).rows] == names


def test_search_filters_and_order_of_the_list_are_kept(desk, gateway):
    table = read_table(exported(desk, "/contacts/export/?search=a&type=2&sort=cstname&order=desc"))
    query = {"search": "a", "filters": {"type": 2}, "sort_by": "cstname", "sort_order": "desc"}
    records = everything(gateway, CONTACTS, **query)
    assert records
    assert [row.cells[0] for row in table.rows] == [record["cstname"] for record in records]


@every_profile
def test_amounts_and_dates_keep_their_types_and_ids_become_names(desk, gateway):
    [first, *_] = everything(gateway, INVOICES)
    row = read_table(exported(desk, "/invoices/export/")).rows[0].cells
    customer = gateway.get(CONTACTS, first["customer_id"])
    assert row[0] == first["inv_number"]
    assert row[1] == customer["cstname"]
    assert first["total"] in row
    assert first["transaction_date"] in row


def test_csv_is_written_as_the_person_writes(desk, manager):
    manager.number_style, manager.day_style = ",", "dmy"
    manager.save()
    text = exported(desk, "/invoices/export/", form="csv").decode("utf-8-sig")
    [heading, first, *_] = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    row = dict(zip(heading, first, strict=True))
    assert "," in row["Total"]
    assert date_of(row["Date"], "dmy")


def test_csv_for_programs_has_iso_dates_and_no_byte_order_mark(desk):
    data = exported(desk, "/invoices/export/", form="plain")
    [heading, first, *_] = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
    row = dict(zip(heading, first, strict=True))
    assert datetime.fromisoformat(row["Date"])
    assert Decimal(row["Total"]) >= 0


@every_profile
def test_all_fields_are_read_from_each_record(desk, gateway):
    table = read_table(exported(desk, "/contacts/export/?search=a", content="all"))
    titles = [column.title for column in table.columns]
    assert titles[0] == "ID"
    assert {"Address", "Tax number", "Belongs to", "Belongs to ID"} <= set(titles)
    record = gateway.get(CONTACTS, int(table.rows[0].cells[0]))
    cells = dict(zip(titles, table.rows[0].cells, strict=True))
    assert cells["Name"] == record["cstname"]
    assert cells["Address"] == (record.get("cstaddress") or "")


@every_profile
def test_documents_have_one_row_for_each_line(desk, gateway):
    records = everything(gateway, INVOICES)
    lines = sum(max(1, len(gateway.get(INVOICES, record.id).lines)) for record in records)
    table = read_table(exported(desk, "/invoices/export/", content="lines"))
    assert len(table.rows) == lines
    first = gateway.get(INVOICES, records[0].id).lines[0]
    cells = dict(zip([column.title for column in table.columns], table.rows[0].cells, strict=True))
    assert (cells["Item"], cells["Quantity"]) == (first["item_name"], first["quantity"])


def test_the_second_sheet_says_whose_list_it_is(desk):
    data = exported(desk, "/contacts/export/?search=a")
    notes = [row.cells[0] for row in read_table(data, TableChoices(sheet="Notes", header=0)).rows]
    assert notes[0].startswith("Contacts, read on ")
    assert notes[1:] == ["Workspace: Acme.", "Only: “a”.", "Fields: the columns of this list."]


def test_a_list_that_changes_while_it_is_read_is_said_to(desk, monkeypatch):
    monkeypatch.setattr(Export, "see", lambda self, page: setattr(self, "totals", [60, 61]))
    data = exported(desk, "/contacts/export/")
    notes = "\n".join(
        row.cells[0] for row in read_table(data, TableChoices(sheet="Notes", header=0)).rows
    )
    assert "at the end. Some may be missing." in notes
    assert "Some may be missing." in desk.get("/contacts/export/").content.decode()


def test_the_history_notes_who_exported_what(desk, manager):
    exported(desk, "/contacts/export/")
    entry = Event.objects.get()
    assert (entry.who, entry.operation, entry.resource) == (manager.username, "export", "contacts")


def test_a_form_without_choices_is_shown_again(desk):
    assert desk.post("/contacts/export/", {"content": "none", "form": "exe"}).status_code == 422
    assert not Event.objects.exists()
