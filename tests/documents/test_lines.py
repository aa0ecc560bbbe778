"""Lines of a document are parsed from a page or a record, and validated."""

from decimal import Decimal

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from dashboard.documents.line_table import UNREADABLE, LineTable
from dashboard.documents.lines import (
    CELLS,
    MAX_LINES,
    LinesField,
    cell_of,
    check_lines,
    filled_lines,
    lines_from_texts,
    pad_with_blank_lines,
    read_lines,
    texts_of_record,
    why_lines_unreadable,
)
from dashboard.gateway import INVOICES
from dashboard.gateway.records import record_of
from dashboard.text.style import COMMA, POINT, Style
from tests.documents.test_paste import PRICES

GOOD = {"item_name": "Hour", "item_id": "501", "quantity": "2", "price": "95.00"}


def rows(*texts):
    return lines_from_texts(texts)


def page(*lines, order=None) -> QueryDict:
    """The data that a browser posts for these lines; `order`: their keys in order."""
    data = QueryDict(mutable=True)
    data.setlist("line", [str(key) for key in (order or range(len(lines)))])
    for key, cells in enumerate(lines):
        for name, text in cells.items():
            data[f"line-{key}-{name}"] = text
    return data


def test_lines_are_read_in_posted_order_and_keep_their_keys():
    found = read_lines(page({"item_name": "a"}, {"item_name": "b"}, order=[1, 0]))
    assert [(row.key, row.cells["item_name"]) for row in found] == [(1, "b"), (0, "a")]


def test_blank_lines_are_ignored():
    found = read_lines(page({"item_name": "a"}, {"discount_type": "2"}, {"quantity": " "}))
    assert [row.key for row in filled_lines(found)] == [0]


def test_invalid_and_repeated_keys_are_ignored():
    data = page({"item_name": "a"})
    data.setlist("line", ["0", "0", "00", "x", "-1", "99999", "\u0661"])
    assert len(read_lines(data)) == 1


def test_a_line_is_sent_with_its_filled_in_cells():
    texts = {**GOOD, "discount": "10", "discount_type": "2", "tax_id": "61", "tax_rate": "20"}
    (body,) = check_lines(rows(texts))
    assert body == {
        "type": "item",
        "item_name": "Hour",
        "item_id": 501,
        "quantity": Decimal(2),
        "price": Decimal("95.00"),
        "discount": Decimal(10),
        "discount_type": 2,
        "tax_id": "61",
        "tax_rate": Decimal(20),
    }


@pytest.mark.parametrize(
    ("change", "cell"),
    [
        ({"item_name": " "}, "item_name"),
        ({"item_id": ""}, "item_id"),
        ({"item_id": "five"}, "item_id"),
        ({"quantity": ""}, "quantity"),
        ({"price": "1,5"}, "price"),
        ({"discount": "-1"}, "discount"),
        ({"discount": "101", "discount_type": "2"}, "discount"),
        ({"tax_rate": "-1"}, "tax_rate"),
    ],
)
def test_an_invalid_cell_gets_the_error(change, cell):
    wrong = rows({**GOOD, **change})
    check_lines(wrong)
    assert set(wrong[0].errors) == {cell}


def test_a_header_counts_nothing_and_uses_the_item_below():
    found = rows({"type": "header", "item_name": "Phase 1"}, GOOD)
    header, _ = check_lines(found)
    assert header == {
        "type": "header",
        "item_name": "Phase 1",
        "item_id": 501,
        "quantity": 0,
        "price": 0,
    }
    assert found[0].amounts(Style()).is_header


HEADER = {"type": "header", "item_name": "Phase"}


@pytest.mark.parametrize(
    ("ids", "sent"),
    [
        (["501", None, "502", "503"], 502),  # the nearest line below
        (["501", "502", None], 502),  # none below: the nearest above
        ([None, None, "503"], 503),  # another header has none to give
        ([None, "", "x", "503"], 503),  # lines without a readable id are passed over
    ],
)
def test_a_header_is_sent_with_the_item_id_of_the_nearest_line(ids, sent):
    found = rows(*(HEADER if number is None else {**GOOD, "item_id": number} for number in ids))
    bodies = check_lines(found)
    assert bodies[ids.index(None)]["item_id"] == sent


def test_a_header_keeps_its_own_item_id():
    own, _ = check_lines(rows({**HEADER, "item_id": "7"}, GOOD))
    assert own["item_id"] == 7


def test_a_document_of_headers_alone_needs_an_item():
    found = rows(HEADER, HEADER)
    assert all("item_id" not in body for body in check_lines(found))
    assert "Add an item below this header" in found[0].errors["item_name"]


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ("2.price", (2, "price")),
        ("2", (2, "")),
        ("2.colour", (2, "colour")),
        ("", (MAX_LINES, "")),
        ("x.price", (MAX_LINES, "")),
    ],
)
def test_the_cell_that_an_error_means_is_found(part, place):
    assert cell_of(part) == place


@pytest.mark.parametrize("typed", [{"item_name": "consulting HOUR"}, {"item_id": "501"}])
def test_a_listed_item_fills_in_its_number_price_and_tax(typed):
    found = rows({**typed, "quantity": "1"})
    found[0].complete(PRICES, Style(mark=COMMA))
    cells = found[0].cells
    assert cells["item_name"] == "Consulting hour"
    assert [cells[name] for name in ("item_id", "price", "tax_id", "tax_rate")] == [
        "501",
        "95,00",
        "61",
        "20",
    ]


def test_the_list_does_not_replace_typed_cells():
    found = rows({"item_name": "Consulting hour", "item_id": "501", "price": "80"})
    found[0].complete(PRICES, Style())
    assert (found[0].cells["price"], found[0].cells["tax_id"]) == ("80", "")


WRONG = {**GOOD, "price": "a lot"}


@pytest.mark.parametrize(
    ("lines", "discount", "left_out"),
    [
        ([GOOD, WRONG], "", "line 2"),
        ([WRONG, GOOD, WRONG], "", "lines 1 and 3"),
        ([WRONG, WRONG], "much", "lines 1, 2 and the discount"),
        ([WRONG] * 9, "", "9 lines"),
        ([GOOD], "much", "the discount"),
        ([GOOD], "1", ""),
    ],
)
def test_a_total_names_the_lines_that_it_leaves_out(lines, discount, left_out):
    table = LineTable(rows(*lines), Style(), discount=(discount, "1"))
    assert table.left_out == left_out
    read = sum(line is GOOD for line in lines)
    assert table.totals.subtotal == read * Decimal("190.00")


def test_a_line_that_cannot_be_read_has_a_dash_and_so_has_its_header():
    found = rows(HEADER, WRONG, HEADER, GOOD, {**GOOD, "quantity": ""})
    shown = [row.amount for row in LineTable(found, Style()).rows]
    assert shown == [UNREADABLE, UNREADABLE, "190.00", "190.00", ""]


NUMBER = st.decimals(0, 10**6, places=4)
LINE = st.fixed_dictionaries(
    {
        "item_id": st.integers(1, 10**6),
        "item_name": st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1),
        "quantity": NUMBER,
        "price": NUMBER,
        "type": st.sampled_from(["item", "header"]),
    },
    optional={
        "description": st.text(st.characters(exclude_categories=["C"]), min_size=1),
        "tax_id": st.from_regex("[0-9]{1,4}", fullmatch=True),
        "tax_rate": NUMBER,
    },
)


@given(st.lists(LINE, min_size=1, max_size=4), st.sampled_from([POINT, COMMA]))
def test_unchanged_lines_are_sent_as_they_were_read(raw, number):
    style = Style(mark=number)
    record = record_of(INVOICES, {"inv_id": 1, "items": raw})
    assert record is not None
    found = lines_from_texts(texts_of_record(record, style))
    sent = check_lines(found, style)
    assert not any(row.errors for row in found)
    assert sent == raw


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ({}, "read its lines"),
        ({"items": "none"}, "read its lines"),
        ({"items": [1]}, "read its lines"),
        ({"items": [{"price": "a lot"}]}, "read Price on line 1"),
        ({"items": [{}] * 301}, "more than 300 lines"),
    ],
)
def test_unreadable_lines_give_a_reason(raw, why):
    record = record_of(INVOICES, {"inv_id": 1, **raw})
    assert record is not None
    assert why in why_lines_unreadable(record)
    with pytest.raises(ValueError, match=why):
        texts_of_record(record)


def test_lines_with_other_keys_compare_equal():
    field = LinesField()
    full = {**dict.fromkeys(CELLS, ""), "type": "item", **GOOD}
    one = field.widget.value_from_datadict(page(full, {}), {}, "items")
    assert field.comparable(one) == field.comparable({"rows": [full]})


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ({"discount": "10 %"}, ("10", "2")),
        ({"discount": "10%"}, ("10", "2")),
        ({"discount": "5"}, ("5", "1")),
        ({"discount": "5 off"}, ("5", "1")),
        ({"discount": "5off", "discount_type": ""}, ("5", "1")),
        ({"discount": "5", "discount_type": ""}, ("5", "")),  # the service left the kind out
        ({"discount": "10", "discount_type": "2"}, ("10", "2")),  # a header, an older draft
        ({"discount": "%"}, ("%", "")),
        ({"discount": "", "discount_type": "2"}, ("", "")),
    ],
)
def test_a_discount_is_read_with_its_kind(typed, read):
    (row,) = read_lines(page(typed))
    assert (row.cells["discount"], row.cells["discount_type"]) == read


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ({"tax_id": "61|20", "tax_rate": "7"}, ("61", "20")),
        ({"tax_id": "other", "tax_rate": "7"}, ("", "7")),
        ({"tax_id": "|", "tax_rate": "7"}, ("", "")),
        ({"tax_id": "61", "tax_rate": "20"}, ("61", "20")),  # a header, an older draft
        ({"tax_rate": "20"}, ("", "20")),
    ],
)
def test_a_tax_is_read_with_its_rate(typed, read):
    (row,) = read_lines(page(typed))
    assert (row.cells["tax_id"], row.cells["tax_rate"]) == read


@given(
    st.fixed_dictionaries(
        {
            "discount": st.sampled_from(["", "10", "7.5", "a lot"]),
            "discount_type": st.sampled_from(["", "1", "2"]),
            "tax_id": st.sampled_from(["", "61", "62", "a|b"]),
            "tax_rate": st.sampled_from(["", "20", "7.5"]),
        }
    )
)
def test_what_the_page_shows_is_read_as_the_same_cells(cells):
    (line,) = rows({**GOOD, **cells})
    posted = {"discount": line.discount, "tax_id": line.tax, "tax_rate": cells["tax_rate"]}
    posted |= {"discount_type": cells["discount_type"]} if line.lacks_discount_type else {}
    (row,) = read_lines(page({**GOOD, **posted}))
    kind = cells["discount_type"] if cells["discount"] else ""
    assert {name: row.cells[name] for name in cells} == {**cells, "discount_type": kind}


def test_three_blank_lines_follow_the_last_used_one():
    assert len(pad_with_blank_lines([])) == 3
    assert len(pad_with_blank_lines(rows({}, GOOD, {}))) == 5
    assert len(pad_with_blank_lines(rows(GOOD, {}, {}, {}, {}))) == 5
