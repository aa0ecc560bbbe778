"""A list page draws any JSON value in any field of a row, in bounded time and length."""

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.gateway.protocol import read_page
from dashboard.gateway.values import read_object
from dashboard.lists import table
from dashboard.lists.query import ListQuery
from dashboard.people.context import RequestContext
from dashboard.schema import values
from dashboard.schema.registry import RESOURCES
from tests.conftest import one_everyday
from tests.helpers import drawn

LONGEST_ROW = 40_000  # characters
SLOWEST = 2.0  # CPU seconds for a row
EXTREME = {
    "exponent": "1e999999999",
    "negative exponent": "-1.5e-999999999",
    "zero": "0e-999999999",
    "double": "1.7976931348623157e308",
    "sixty digits": "9" * 60,
    "digits": "9" * 5000,
    "text": json.dumps("x" * 150_000),
    "digits as text": json.dumps("9" * 150_000),
    "exponent as text": '"1e999999999"',
    "lines": json.dumps("\n" * 150_000),
    "address": json.dumps("a@" * 75_000),
    "moment": '"9999-12-31T23:59:59-14:00"',
    "ids": json.dumps([1] * 75_000),
    "texts": json.dumps(["x" * 1000] * 150),
    "object": json.dumps({str(number): number for number in range(10_000)}),
    "deep": "[" * 28 + "]" * 28,
    "wide and deep": json.dumps([[[[1] * 10] * 10] * 10] * 10),
    "control characters": json.dumps("\0\x1b\u202e<script>&\"'"),
}
NOBODY = RequestContext(gateway=None)

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.datetimes().map(str) | st.sampled_from([name.strip('"') for name in EXTREME.values()]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["id", "name", "value"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def written(resource, value: str, rows: int = 25) -> list[str]:
    """The HTML of the rows of a list, each field of which holds the JSON text `value`."""
    endpoint = resource.endpoint
    fields = {name: None for name in endpoint.kinds if name != endpoint.id_field} | {"odd": None}
    row = json.dumps({endpoint.id_field: 7} | fields).replace("null", value)
    body = f'{{"success": true, "data": {{"data": [{", ".join([row] * rows)}]}}}}'
    envelope = read_object(body.encode())
    if envelope is None:
        return []
    page = read_page(endpoint, envelope, 0, rows)
    listed = table.ListTable(ListQuery.of(resource, NOBODY), page.records, NOBODY)
    return [drawn(values.TableRows([row], "", may_choose=True)) for row in listed.rows]


@pytest.mark.django_db
@one_everyday("name", RESOURCES)
def test_an_extreme_value_is_drawn_in_bounded_time_and_length(name, subtests):
    for words, value in EXTREME.items():
        with subtests.test(words):
            began = time.process_time()
            rows = written(RESOURCES[name], value, rows=1)
            assert time.process_time() - began < SLOWEST
            assert all(len(row) < LONGEST_ROW for row in rows)


@pytest.mark.django_db
@given(st.sampled_from(sorted(RESOURCES)), anything)
@example("deals", {"id": 3, "name": "Ann"})
def test_any_value_in_any_field_of_a_row_is_drawn(name, value):
    for row in written(RESOURCES[name], json.dumps(value), rows=1):
        assert len(row) < LONGEST_ROW
        assert "<script" not in row


@given(anything)
def test_any_value_has_bounded_words(value):
    display = values.text(value)
    drawn(display)
    assert len(values.shortened(display).words) < LONGEST_ROW
