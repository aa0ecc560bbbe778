"""The groups of a figure hold every record once, in one currency, whatever a service sends."""

from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.documents import receivables
from dashboard.gateway import DEALS, INVOICES
from dashboard.gateway.records import record_of
from dashboard.overviews import periods
from dashboard.overviews.periods import PERIODS, DaySpan, months, period_of, year_before
from dashboard.schema import charts
from dashboard.schema.charts import Item, columns, segments, short_amount
from dashboard.schema.money import total_of
from dashboard.text.style import Style

TODAY = date(2026, 11, 23)
DAYS = st.dates(date(1990, 1, 1), date(2060, 12, 31))
ODD = st.sampled_from([None, "", "soon", "0000-00-00", -1, True, [], {"id": 2}, "NaN", 1e300])
MONEY = st.decimals(-(10**9), 10**9, places=2, allow_nan=False).map(str) | ODD
DATED = DAYS.map(str) | ODD


def records(endpoint, **fields):
    """Lists of records of an endpoint whose fields have these values."""
    rows = st.lists(st.fixed_dictionaries(fields), max_size=30)
    key = endpoint.id_field
    made = rows.map(lambda all_: [{key: at, **row} for at, row in enumerate(all_, 1)])
    return made.map(lambda all_: [record_of(endpoint, row) for row in all_])


INVOICE = records(
    INVOICES,
    customer_id=st.integers(-2, 9) | ODD,
    inv_status=st.integers(-1, 4) | ODD,
    amount_due=MONEY,
    total=MONEY,
    transaction_date=DATED,
    due_date=DATED,
)
DEAL = records(DEALS, deal_amount=MONEY, deal_expected_close_date=DATED)


def holds_each_once(parts, whole, field):
    """Whether the parts have the records of the whole, and their sums make its sum."""
    parts = list(parts)
    ids = sorted(each.id for part in parts for each in part)
    sums = [total_of(part, field) for part in parts]
    every = total_of(whole, field)
    return (
        ids == sorted(each.id for each in whole)
        and sum(one.amount for one in sums) == every.amount
        and sum(one.missing for one in sums) == every.missing
    )


@given(INVOICE)
def test_the_ages_make_what_is_open(invoices):
    assert holds_each_once(receivables.by_age(invoices, TODAY).values(), invoices, "amount_due")


@given(INVOICE)
def test_the_customers_make_what_is_open(invoices):
    parts = receivables.by_customer(invoices)
    assert holds_each_once([them for _, them in parts], invoices, "amount_due")
    sums = [total_of(them, "amount_due").amount for _, them in parts]
    assert sums == sorted(sums, reverse=True)


@given(DEAL)
def test_the_closing_months_make_the_deals(deals):
    parts = [them for *_, them in periods.by_close(deals, TODAY)]
    assert holds_each_once(parts, deals, "deal_amount")


@given(INVOICE, st.sampled_from(sorted(PERIODS)))
def test_the_months_make_what_is_dated_in_the_period(invoices, key):
    period = period_of(key, TODAY)
    dated = [(each, each["transaction_date"]) for each in invoices]
    within = [each for each, day in dated if isinstance(day, date) and period.holds(day)]
    assert holds_each_once(periods.by_month(invoices, months(period)), within, "total")


@given(DAYS)
@example(TODAY)
@example(TODAY - timedelta(30))
@example(TODAY - timedelta(31))
@example(TODAY - timedelta(91))
def test_the_days_of_an_age_are_those_that_have_it(due):
    first, last = receivables.due_between(receivables.age_of(due, TODAY), TODAY)
    assert (first or date.min) <= due <= (last or date.max)
    others = {receivables.NOT_DUE, *receivables.AGES} - {receivables.age_of(due, TODAY)}
    for age in others:
        first, last = receivables.due_between(age, TODAY)
        assert not (first or date.min) <= due <= (last or date.max)


def test_no_filter_finds_what_has_no_due_date():
    assert receivables.due_between(receivables.age_of(None, TODAY), TODAY) is None


@given(DAYS, st.sampled_from(sorted(PERIODS)))
def test_the_months_of_a_period_follow_each_other(today, key):
    period = period_of(key, today)
    spans = months(period)
    assert (spans[0].first, spans[-1].last) == (period.first, today)
    for before, after in pairwise(spans):
        assert after.first == before.last + timedelta(1)
        assert after.first.day == 1
    assert len(spans) <= 12


@given(DAYS)
@example(date(2028, 2, 29))
@example(date(2029, 2, 28))
def test_the_year_before_ends_on_the_same_day_or_with_the_same_month(today):
    span = year_before(DaySpan(today.replace(day=1), today))
    assert (span.first.year, span.first.month) == (today.year - 1, today.month)
    assert span.last.month == today.month
    is_end = (today + timedelta(1)).day == 1
    assert (span.last + timedelta(1)).day == 1 if is_end else span.last.day == today.day


AMOUNTS = st.decimals(-(10**18), 10**18, places=2, allow_nan=False)


@given(st.lists(AMOUNTS, max_size=6))
def test_a_bar_is_as_wide_as_its_row_at_most(amounts):
    top = sum((each for each in amounts if each > 0), Decimal(0))
    parts = segments([("b0", each) for each in amounts], top)
    widths = [Decimal(part.width.removesuffix("%")) for part in parts]
    assert sum(widths) <= 100 + Decimal("0.01") * len(parts)
    assert all(0 <= width <= 100 for width in widths)


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS | st.none()), max_size=13))
def test_columns_stay_within_their_drawing(pairs):
    drawn = columns([Item("Nov", value, "", "", before=before) for value, before in pairs])
    for one in drawn.columns:
        assert 0 <= Decimal(one.height) <= charts.TALL
        assert 0 < Decimal(one.value_y) <= drawn.base
        assert not one.line_y or 0 < Decimal(one.line_y) <= drawn.base


def test_amounts_above_columns_are_short():
    words = ["0", "0.4", "999.5", "14630", "128400", "1200000", "-20500", "3e18"]
    short = [short_amount(Decimal(each), Style()) for each in words]
    assert short == ["0", "0", "1,000", "14.6k", "128k", "1.2M", "-20.5k", "3,000,000tn"]
    assert short_amount(Decimal("14630"), Style(mark=",")) == "14,6k"
