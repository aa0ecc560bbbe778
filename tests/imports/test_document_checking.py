"""Every row of any table of documents is in one document that can be sent, or that says why not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway.body import check_body
from dashboard.imports import checking
from dashboard.imports import targets as columns
from dashboard.schema.registry import RESOURCES
from tests.imports.test_checking import cells, checked

pytestmark = pytest.mark.slow

GOOD = ["A", "#7", "3", "Shipping", "513", "2", "12.50"]
ROUTES = [
    "",
    "customer_id",
    "template_id",
    "line:item_name",
    "line:item_id",
    "line:quantity",
    "line:price",
]
of_lines = cells | st.sampled_from(
    ["10 %", "5 off", "Subtotal", "header", "A", "B", "", "not readable"]
)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["invoices", "estimates"])
@given(st.data())
def test_any_row_is_in_one_document_that_can_be_sent_or_says_why_not(name, data):
    resource = RESOURCES[name]
    number, *routes = [resource.title_field, *ROUTES[1:]]
    targets = st.sampled_from(["", *columns.targets_of(resource, "")])
    fields = [number, *(data.draw(st.just(route) | targets) for route in routes)]
    good = st.tuples(*(st.just(text) | of_lines for text in GOOD)).map(list)
    rows = data.draw(st.lists(good, max_size=5))
    left = data.draw(st.sets(st.integers(2, 6)))
    found = checked(resource, rows, fields, left=left)
    numbers = [row.number for document in found for row in document.rows]
    assert sorted(numbers) == [*range(2, len(rows) + 2)]
    for document in found:
        if document.status == checking.RowStatus.NEEDS_FIXING:
            assert document.problems or any(
                filter(None, row.errors.values()) for row in document.rows
            )
        elif document.status == checking.RowStatus.NEEDS_ANSWER:
            assert any(row.is_open for row in document.rows)
        elif document.status == checking.RowStatus.EXCLUDED:
            assert document.number in left
        else:
            assert check_body(resource.endpoint, "create", document.body)
            sent = [row for row in document.rows if not row.is_excluded and not row.note]
            assert len(document.body["items"]) <= len(sent)


@pytest.mark.django_db
@given(st.lists(st.tuples(st.sampled_from("AB"), st.integers(1, 9)), min_size=1, max_size=8))
def test_the_lines_of_good_rows_are_sent_in_their_order(rows):
    rows = sorted(rows, key=lambda row: row[0])
    table = [[key, "#7", "3", "Shipping", "513", str(count), "12.50"] for key, count in rows]
    fields = ["inv_number", *ROUTES[1:]]
    found = checked(RESOURCES["invoices"], table, fields)
    sent = {
        one.body["reference"]: [int(line["quantity"]) for line in one.body["items"]]
        for one in found
    }
    assert sent == {key: [count for other, count in rows if other == key] for key in dict(rows)}
