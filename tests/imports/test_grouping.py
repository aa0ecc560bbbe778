"""Each row of a table is in one document, or in a group that says why it is none."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.imports.document_rows import NO_DOCUMENT, NO_NUMBER, RowHead, group_rows, why_apart

heads = st.builds(
    lambda key, has_head: (key, has_head), st.sampled_from(["", "", "a", "b"]), st.booleans()
)


def numbered(rows):
    return [
        RowHead(number, key, has_head=has_head) for number, (key, has_head) in enumerate(rows, 2)
    ]


def grouped(*rows):
    return [(group.rows, group.problem) for group in group_rows(numbered(rows))]


@given(st.lists(heads, max_size=12))
def test_every_row_is_in_one_group(rows):
    groups = group_rows(numbered(rows))
    assert sorted(number for group in groups for number in group.rows) == [*range(2, len(rows) + 2)]
    assert all(group.rows == sorted(group.rows) for group in groups)


@given(st.lists(heads, max_size=12))
def test_rows_of_one_number_are_in_one_group_and_of_two_numbers_in_two(rows):
    of_row = {
        number: place
        for place, group in enumerate(group_rows(numbered(rows)))
        for number in group.rows
    }
    keys = {head.number: head.key for head in numbered(rows) if head.key}
    for one, key in keys.items():
        for other, other_key in keys.items():
            assert (of_row[one] == of_row[other]) == (key == other_key)


@given(st.lists(heads, max_size=12))
def test_a_row_without_a_head_follows_the_row_above(rows):
    all_heads = numbered(rows)
    of_row = {number: group.rows for group in group_rows(all_heads) for number in group.rows}
    for above, head in pairwise(all_heads):
        if not head.key and not head.has_head:
            assert above.number in of_row[head.number]


@given(st.lists(heads, max_size=12))
def test_a_group_that_is_no_document_says_so(rows):
    for group in group_rows(numbered(rows)):
        first = numbered(rows)[group.rows[0] - 2]
        is_document = first.key or (first.has_head and not any(key for key, _ in rows))
        assert bool(group.problem) != bool(is_document)


def test_without_numbers_each_filled_head_begins_a_document():
    assert grouped(("", True), ("", False), ("", True)) == [([2, 3], ""), ([4], "")]


def test_a_head_without_number_among_numbers_and_a_line_above_all_documents_are_told():
    assert grouped(("", False), ("a", True), ("", True), ("", False)) == [
        ([2], NO_DOCUMENT),
        ([3], ""),
        ([4, 5], NO_NUMBER),
    ]


@pytest.mark.parametrize(
    ("rows", "words"),
    [([2], ""), ([2, 3], ""), ([2, 4], ""), ([2, 5], "2, 5"), ([2, 4, 6, 7], "2 to 4, 6 to 7")],
)
def test_rows_with_others_between_them_stand_apart(rows, words):
    places = {2: 0, 4: 1, 5: 2, 6: 3, 7: 4} if 3 not in rows else {2: 0, 3: 1}
    told = why_apart(rows, places)
    assert bool(told) == bool(words)
    assert f": {words}." in told if words else not told
