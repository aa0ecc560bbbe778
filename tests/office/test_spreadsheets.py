"""Export and import of lists as CSV, with generated lists and files."""

import contextlib
from decimal import Decimal
from unittest import mock

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from dashboard.office import editing, entry_forms, list_import
from dashboard.office.entry_forms import NameField
from dashboard.office.kinds import KIND_SPECS, Kind, ValueType, code_of
from dashboard.office.list_import import decode, write
from dashboard.office.models import ListEntry
from dashboard.tables.cells import why_unreadable
from dashboard.tables.limits import UnreadableTable
from dashboard.text.plain import cleaned, folded


def strip_control_characters(text):
    try:
        is_kept = NameField(max_length=200).clean(text) == text == cleaned(text)
        return is_kept and not why_unreadable(text)
    except ValidationError:
        return False


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30) | st.from_regex(
    r"[=+@'\-\t,;\"|]{1,3}[a-z\" ,;']{0,5}", fullmatch=True
)
names = names.map(lambda text: " ".join(text.split())).filter(strip_control_characters)
numbers = st.none() | st.decimals(-(10**9), 10**9, places=4)
choices = st.lists(names.filter(lambda name: "|" not in name), max_size=3, unique=True)


@st.composite
def lists(draw):
    kind = draw(st.sampled_from((Kind.ITEM, Kind.TAX, Kind.CONTACT_FIELD, Kind.LEAD_SOURCE)))
    found = []
    for number, name in enumerate(draw(st.lists(names, max_size=6, unique_by=folded)), 1):
        code = code_of(kind, name)
        if kind in (Kind.ITEM, Kind.TAX):
            code = str(number)
        entry = ListEntry(
            workspace="acme", kind=kind, code=code, name=name, retired=draw(st.booleans())
        )
        entry.price = draw(numbers) if kind == Kind.ITEM else None
        entry.rate = draw(st.none() | st.decimals(0, 100, places=3)) if kind == Kind.TAX else None
        if kind == Kind.CONTACT_FIELD:
            entry.choices = draw(choices)
            wanted = ValueType.CHOICE if entry.choices else ValueType.YES_NO
            entry.value_type = wanted
        found.append(entry)
    return kind, found


def planned(kind, text, entries=()):
    """The preview for a list in memory, as a database would take minutes for all examples."""
    with mock.patch.object(editing, "entries_of", return_value=list(entries)):
        return list_import.preview_text("", kind, text)


@given(lists())
def test_importing_an_export_changes_nothing(listed):
    kind, entries = listed
    text, note = decode(write(kind, entries))
    plan = planned(kind, text, entries)
    assert [row.errors or row.changes for row in plan.rows] == [()] * len(entries)
    assert {row.action for row in plan.rows} <= {list_import.SAME}
    assert (note, plan.ignored) == ("", ())


@given(
    st.binary() | st.binary().map(lambda data: b"id,name\n" + data),
    st.sampled_from(list(KIND_SPECS)),
)
def test_any_bytes_are_read_or_refused(data, kind):
    with contextlib.suppress(UnreadableTable):
        text, _ = decode(data)
        planned(kind, text)


def test_a_price_is_exact():
    plan = planned(Kind.ITEM, "id,name,price\n1,Word,0.140001\n")
    assert plan.rows[0].values["price"] == Decimal("0.140001")


@pytest.mark.parametrize("name", ["#N/A", "#REF!", "M\ufffdller"])
def test_a_name_that_the_file_does_not_have_is_an_error(name):
    [row] = planned(Kind.ITEM, f"id,name\n1,{name}\n").rows
    assert row.action == list_import.WRONG


@pytest.mark.parametrize(
    ("kind", "table", "values"),
    [
        (Kind.TAX, "id,name,rate\n7,Reduced,7 %", {"rate": 7}),
        (Kind.TAX, 'id,name,rate\n7,Odd,"5,5%"', {"rate": Decimal("5.5")}),
        (Kind.ITEM, "id,name,price\n\u202a7\u202c,A\u200b,\u200b65", {"code": "7", "price": 65}),
        (Kind.ITEM, 'id,name,price\n7,A,"EUR 1,200.00"', {"price": 1200}),
        (Kind.ITEM, "id,name,price\n7,A,65 €", {"price": 65}),
        (Kind.ITEM, "id,name,price\n7,A,$65", None),
        (Kind.ITEM, "id,name,price\n7,A,65 GBP", None),
        (Kind.ITEM, "id,name,price\n7,A,n/a", None),
        (Kind.ITEM, "id,name,price\n7,A,1.2E+05", None),
        (Kind.LEAD_SOURCE, "name\nO\u2019Brien\u00a0fair", {"code": "o'brien fair"}),
    ],
)
def test_a_cell_is_read_as_an_import_reads_it_or_refused(kind, table, values):
    with mock.patch.object(entry_forms, "only_currency", return_value="EUR"):
        (row,) = planned(kind, table).rows
    assert bool(row.errors) == (values is None)
    assert row.values.items() >= (values or {}).items()
