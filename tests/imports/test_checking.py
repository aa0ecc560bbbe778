"""Every row of any table either needs fixing, with a reason, or ready to be sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.gateway import Unavailable
from dashboard.gateway.body import check_body
from dashboard.imports import checking
from dashboard.imports import targets as columns
from dashboard.imports.duplicates import Index
from dashboard.imports.import_file import ImportFile, ImportSettings
from dashboard.imports.models import Import
from dashboard.people.context import RequestContext
from dashboard.schema.registry import RESOURCES
from dashboard.tables.cells import Guess, Row
from dashboard.tables.reading import ReadTable, TableColumn

cells = (
    st.text(max_size=12)
    | st.sampled_from(
        ["a@b.example", "+49 30 123456", "Business", "1", "yes", "1.234,5", "x" * 300]
    )
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.dates()
    | st.datetimes()
    | st.booleans()
    | st.times()
)
WIDTH = 4


class Silent:
    """A service that does not answer."""

    def list(self, *args, **kwargs):
        raise Unavailable

    get = list

    def fingerprint(self, key):
        return "silent"


def checked(resource, rows, fields, known="skip", left=()):
    names = [
        TableColumn(f"Column {index}", Guess("."), Guess("dmy")) for index in range(len(fields))
    ]
    body = tuple(Row(number, tuple(row)) for number, row in enumerate(rows, 2))
    table = ReadTable("text", body, header=Guess(1), columns=tuple(names))
    settings = ImportSettings(
        fields={str(index): name for index, name in enumerate(fields)},
        on_existing=known,
        excluded=[*left],
    )
    ctx = RequestContext(gateway=Silent())
    file = ImportFile(Import(resource=resource.name), settings, table)
    index = Index(resource, is_whole=True)
    return checking.Checker(file, resource.create_form(ctx=ctx), ctx, index).check().records


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["contacts", "leads", "deals", "tasks"])
@given(st.data())
def test_any_row_is_ready_or_says_why_not(name, data):
    resource = RESOURCES[name]
    targets = ["", *columns.targets_of(resource, "")]
    rows = data.draw(st.lists(st.lists(cells, min_size=WIDTH, max_size=WIDTH), max_size=4))
    fields = data.draw(st.lists(st.sampled_from(targets), min_size=WIDTH, max_size=WIDTH))
    for one in checked(resource, rows, fields, data.draw(st.sampled_from(["skip", "create"]))):
        if one.status == checking.RowStatus.NEEDS_FIXING:
            assert any(one.rows[0].errors.values()) or one.problems
        elif one.status == checking.RowStatus.NEEDS_ANSWER:
            assert one.rows[0].is_open
        elif one.status == checking.RowStatus.EXCLUDED:
            assert "looks like a total" in one.rows[0].note
        else:
            assert check_body(resource.endpoint, "create", one.body)
