"""Several columns make one text, in the order of the file; nothing is dropped unsaid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import CONTACTS
from dashboard.imports import guessing
from dashboard.imports import targets as columns
from dashboard.imports.targets import CHARGE, EXTRA_NOTES, NOTES, targets_of
from dashboard.schema.registry import RESOURCES
from tests.imports.test_checking import WIDTH, checked
from tests.imports.test_import import counts, send, upload
from tests.jobs.test_export_page import everything
from tests.page_forms import fields
from tests.tables.files import read_table

OFFICE = """First name;Last name;Street;Postcode;City;E-mail;Second mail
Marta;Weber;Dorfstr. 4;50667;Köln;marta@weber.example;office@weber.example
Jan;;ul. Polna 12;;Gdynia;jan@polna.example;
"""
ADDRESS = {"field-2": "cstaddress", "field-3": "cstaddress", "field-4": "cstaddress"}
MAPPED = {"field-0": "cstname", "field-1": "cstname", **ADDRESS, "field-6": "cstemail"}
words = st.sampled_from(["Marta", "Weber & Co.", "50667", "Köln", "12,50", "2026-12-01"])


def made(gateway):
    return {one["cstname"]: gateway.get(CONTACTS, one.id) for one in everything(gateway, CONTACTS)}


def test_columns_of_one_text_are_joined_in_the_order_of_the_file(desk, gateway):
    url = upload(desk, OFFICE)
    desk.post(url, {**fields(desk.get(url)), **MAPPED, "answer-2-join": "line"})
    page = desk.get(url)
    assert counts(page) == {"ready": 2}
    name, _, street, *_ = page.context["columns"]
    assert (name.joined, name.joiner) == (("First name", "Last name"), "space")
    assert (street.joiner, street.becomes) == ("line", "Dorfstr. 4\n50667\nKöln")
    send(desk, url)
    people = made(gateway)
    assert people["Marta Weber"]["cstaddress"] == "Dorfstr. 4\n50667\nKöln"
    assert people["Jan"]["cstaddress"] == "ul. Polna 12\nGdynia"


@pytest.mark.parametrize(
    ("parts", "address"),
    [
        (("Dorfstr.", "4", "50667", "Köln"), "Dorfstr. 4, 50667 Köln"),
        (("ul. Polna", "12/3", "60-101", "Poznań"), "ul. Polna 12/3, 60-101 Poznań"),
        (
            ("Keizersgracht", "12 a", "1015 CX", "Amsterdam"),
            "Keizersgracht 12 a, 1015 CX Amsterdam",
        ),
        (("12 Main St", "Austin", "TX", "78701", "USA"), "12 Main St, Austin, TX, 78701 USA"),
        (("Calle Mayor, 3", "28013", "Madrid"), "Calle Mayor, 3, 28013 Madrid"),
    ],
)
def test_an_address_is_joined_as_people_write_it(parts, address):
    assert targets_of(RESOURCES["contacts"], "")["cstaddress"].join(parts) == address
    chosen = targets_of(RESOURCES["contacts"], "", {"cstaddress": "line"})
    assert chosen["cstaddress"].join(parts) == "\n".join(parts)


def test_a_field_that_takes_one_column_says_which_and_that_the_other_is_not_used(desk):
    text = "Name;VAT;VAT number\nZebra GmbH;DE1;DE2\n"
    url = upload(desk, text)
    shown = desk.get(url).context["columns"][2]
    assert (shown.is_used, shown.target, shown.instead) == (
        False, None, "Not used: Tax number takes VAT."
    )  # fmt: skip
    desk.post(url, {**fields(desk.get(url)), "field-2": "ct_taxnumber"})
    page = desk.get(url)
    assert page.context["columns"][2].is_used is False
    assert '<span class="n">2 of 3 used</span>' in page.content.decode()


def test_the_next_file_with_the_same_headings_is_joined_in_the_same_way(desk):
    url = upload(desk, OFFICE)
    desk.post(url, {**fields(desk.get(url)), **MAPPED, "answer-2-join": "line"})
    again = desk.get(upload(desk, OFFICE + "Lucía;Ortiz;;;;;\n"))
    assert again.context["columns"][2].joiner == "line"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Whole;First;Last\nMarta Weber;Marta;Weber\nJan Cohen;Jan;Cohen\n", [0]),
        ("Last;First\nWeber;Marta\nCohen;Jan\n", [0, 1]),
        ("First;Last\nAnn;Hannah\n", [0, 1]),
        ("Name;Same\nAnn;Ann\n", [0]),
        ("One;Blank;Two\na;;b\n", [0, 2]),
        ("Blank;Also\n;\n", [0]),
    ],
)
def test_a_column_that_repeats_another_is_not_joined_to_it(text, kept):
    table = read_table(text + ";;\n" * 2)
    indexes = range(len(text.splitlines()[0].split(";")))
    assert guessing.without_repeats(table, indexes) == kept


@pytest.mark.django_db
@pytest.mark.parametrize("name", RESOURCES)
@given(st.data())
def test_no_cell_is_dropped_unsaid_whichever_columns_go_where(name, data):
    resource = RESOURCES[name]
    known = targets_of(resource, "")
    targets = data.draw(st.lists(st.sampled_from(["", *known]), min_size=WIDTH, max_size=WIDTH))
    rows = data.draw(st.lists(st.lists(words, min_size=WIDTH, max_size=WIDTH), min_size=1))
    fields = {str(index): one for index, one in enumerate(targets)}
    places = columns.columns_of(known, fields, WIDTH)
    read = [row for record in checked(resource, rows, targets) for row in record.rows]
    read.sort(key=lambda row: row.number)
    for row, cells in zip(read, rows, strict=True):
        for index, target in enumerate(targets):
            used = places.get(target, ())
            if index not in used:  # it is left out, or the page names the column that is taken
                assert not target or (len(used) == 1 and used[0] < index)
            elif target != CHARGE and (known[target].joiner or target == EXTRA_NOTES):
                field = NOTES if target == EXTRA_NOTES else target
                if cells[index] not in row.text(field):  # the value of another column is used
                    assert known[target].takes_first
                    assert cells[index] in row.text(NOTES)
