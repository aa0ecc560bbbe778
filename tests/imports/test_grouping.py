"""Each row of a table is in one document, or in a group that says why it is none."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.imports.document_rows import NO_DOCUMENT, NO_NUMBER, group_rows, why_apart
from dashboard.imports.rows import CheckedCell, CheckedRow

heads = st.builds(
    lambda key, has_head: (key, has_head), st.sampled_from(["", "", "a", "b"]), st.booleans()
)


def row(number, key="", *, has_head=False):
    cells = {"no": CheckedCell(text=key), "customer": CheckedCell(text="Acme" if has_head else "")}
    return CheckedRow(number, cells)


def groups_of(heads):
    """The groups of these rows, as the numbers of their rows and why they are none."""
    rows = [row(number, key, has_head=head) for number, (key, head) in enumerate(heads, 2)]
    groups = group_rows(rows, "no", ["customer"])
    return [([each.number for each in group.rows], group.problem) for group in groups]


@given(st.lists(heads, max_size=12))
def test_every_row_is_in_one_group(rows):
    groups = [numbers for numbers, _ in groups_of(rows)]
    assert sorted(chain.from_iterable(groups)) == [*range(2, len(rows) + 2)]
    assert all(numbers == sorted(numbers) for numbers in groups)


@given(st.lists(heads, max_size=12))
def test_rows_of_one_number_are_in_one_group_and_of_two_numbers_in_two(rows):
    of_row = {
        number: place for place, (numbers, _) in enumerate(groups_of(rows)) for number in numbers
    }
    keys = {number: key for number, (key, _) in enumerate(rows, 2) if key}
    for one, key in keys.items():
        for other, other_key in keys.items():
            assert (of_row[one] == of_row[other]) == (key == other_key)


@given(st.lists(heads, max_size=12))
def test_a_row_without_a_head_follows_the_row_above(rows):
    of_row = {number: numbers for numbers, _ in groups_of(rows) for number in numbers}
    for number, (key, has_head) in enumerate(rows, 2):
        if number > 2 and not key and not has_head:
            assert number - 1 in of_row[number]


@given(st.lists(heads, max_size=12))
def test_a_group_that_is_no_document_says_so(rows):
    for numbers, problem in groups_of(rows):
        key, has_head = rows[numbers[0] - 2]
        is_document = key or (has_head and not any(key for key, _ in rows))
        assert bool(problem) != bool(is_document)


def test_without_numbers_each_filled_head_begins_a_document():
    assert groups_of([("", True), ("", False), ("", True)]) == [([2, 3], ""), ([4], "")]


def test_a_head_without_number_among_numbers_and_a_line_above_all_documents_are_told():
    rows = [row(2), row(3, "a", has_head=True), row(4, has_head=True), row(5)]
    rows[2].cells["customer"].text = "Umbra"
    groups = group_rows(rows, "no", ["customer"])
    assert [([each.number for each in group.rows], group.problem) for group in groups] == [
        ([2], NO_DOCUMENT),
        ([3], ""),
        ([4, 5], NO_NUMBER),
    ]


def test_a_number_that_is_written_once_counts_for_the_rows_below_with_the_same_head():
    assert groups_of([("a", True), ("", True), ("", False), ("b", True), ("", True)]) == [
        ([2, 3, 4], ""),
        ([5, 6], ""),
    ]


@pytest.mark.parametrize(
    ("rows", "words"),
    [([2], ""), ([2, 3], ""), ([2, 4], ""), ([2, 5], "2, 5"), ([2, 4, 6, 7], "2 to 4, 6 to 7")],
)
def test_rows_with_others_between_them_stand_apart(rows, words):
    places = {2: 0, 4: 1, 5: 2, 6: 3, 7: 4} if 3 not in rows else {2: 0, 3: 1}
    told = why_apart(map(row, rows), places)
    assert bool(told) == bool(words)
    assert f"({words})." in told if words else not told
