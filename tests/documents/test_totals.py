"""Totals equal an independent computation in integers of the smallest unit."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.documents.totals import CENT, FIXED, PERCENT, LineAmounts, add_up, rounded
from dashboard.schema.money import smallest_unit
from dashboard.text.numbers import EXACT

# Everything below is in whole units: quantities and prices in 1/10,000, discounts and rates in
# 1/100 (of money or of percent). The expected sums use none of the code under test.
UNIT, PART = 10_000, 100


def half_up(numerator: int, denominator: int) -> int:
    """The quotient rounded half away from zero."""
    sign = -1 if numerator < 0 else 1
    return sign * ((2 * abs(numerator) + denominator) // (2 * denominator))


def net_of(line) -> tuple[int, int]:
    """(numerator, denominator) of a line's net in cents."""
    quantity, price, discount, kind, _ = line
    gross = quantity * price  # in 1/10^8
    if kind == PERCENT:
        return gross * (100 * PART - discount) * 100, UNIT * UNIT * 100 * PART
    return gross * 100 - discount * UNIT * UNIT, UNIT * UNIT


def expected_total(lines, discount: int, kind: int) -> int:
    """The total in cents."""
    nets, tax = 0, 0
    for line in lines:
        net = half_up(*net_of(line))
        nets += net
        tax += half_up(net * line[4], 100 * PART)
    base = nets + tax
    return base - (half_up(base * discount, 100 * PART) if kind == PERCENT else discount)


def scaled(value: int, by: int) -> Decimal:
    return Decimal(value) / by


KINDS = st.sampled_from([FIXED, PERCENT])
LINES = st.lists(
    st.tuples(
        st.integers(-(10**8), 10**8),
        st.integers(-(10**9), 10**9),
        st.integers(0, 10_000),
        KINDS,
        st.sampled_from([0, 550, 1000, 2000, 1925]),
    ),
    max_size=12,
)


@given(LINES, st.integers(0, 10_000), KINDS)
@example([(33_071, -3_471_849, 622, FIXED, 1000)], 9401, PERCENT)
def test_totals_equal_an_integer_computation(lines, discount, kind):
    ours = add_up(
        [
            LineAmounts(
                quantity=scaled(quantity, UNIT),
                price=scaled(price, UNIT),
                discount=scaled(off, PART),
                discount_type=off_kind,
                rate=scaled(rate, PART),
            )
            for quantity, price, off, off_kind, rate in lines
        ],
        discount=scaled(discount, PART),
        discount_type=kind,
    )
    assert ours.total * 100 == expected_total(lines, discount, kind)


def line(quantity="1", price="0", **more) -> LineAmounts:
    numbers = {name: Decimal(value) for name, value in more.items() if isinstance(value, str)}
    return LineAmounts(quantity=Decimal(quantity), price=Decimal(price), **{**more, **numbers})


def test_every_line_is_rounded():
    assert add_up([line(price="0.333", rate="20")] * 3).total == Decimal("1.20")
    assert add_up([line(price="0.335")] * 3).total == Decimal("1.02")


@pytest.mark.parametrize(("currency", "total"), [("JPY", "3"), ("KWD", "4.005"), ("", "4.02")])
def test_every_line_is_rounded_to_the_smallest_unit_of_the_currency(currency, total):
    lines = [line(price="1.335"), line(price="1.335"), line(price="1.335")]
    assert add_up(lines, unit=smallest_unit(currency)).total == Decimal(total)


def test_a_header_counts_nothing_and_shows_the_subtotal_of_its_lines():
    lines = [
        line(price="5"),
        line(quantity="9", price="9", is_header=True),
        line(price="10"),
        line(price="20"),
        line(is_header=True),
    ]
    totals = add_up(lines)
    assert totals.amounts == tuple(map(Decimal, ("5", "30", "10", "20", "0")))
    assert totals.total == 35


def test_taxes_are_shown_by_rate():
    lines = [line(price="100", rate="20"), line(price="50", rate="10"), line(price="1", rate="20")]
    assert add_up(lines).taxes == {Decimal(20): Decimal("20.20"), Decimal(10): Decimal(5)}


def test_an_overall_discount_is_subtracted_from_the_sum_with_taxes():
    found = add_up([line(price="100", rate="20")], discount=Decimal(10), discount_type=FIXED)
    assert found.total == Decimal(110)


def test_numbers_of_any_accepted_length_stay_exact():
    huge = "9" * 20 + "." + "9" * 20
    total = add_up([line(quantity=huge, price=huge)]).total
    assert total == rounded(Decimal(int(huge.replace(".", "")) ** 2).scaleb(-40, EXACT), CENT)
