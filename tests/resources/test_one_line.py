"""Parsing of records typed in one line."""

import re
from collections import Counter
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.resources.quick_entry.grammar import (
    Asked,
    Line,
    loose_text,
    read_entry,
    start_of,
    value_of,
)
from dashboard.resources.quick_entry.tokens import LOOSE
from dashboard.text.style import Style

NOW = datetime(2026, 3, 4, 10, 20)  # a Wednesday
ASKED = Asked(NOW, sources=("Trade fair", "Web"))
KINDS = ("contact", "lead", "task", "deal", "invoice", "estimate")


def values(kind, text):
    parts = read_entry(kind, text, ASKED)
    return {part.name: part.value for part in parts}


def task(text):
    parts = read_entry("task", text, ASKED)
    return (
        value_of(parts, "title"),
        start_of(parts, NOW),
        value_of(parts, "priority"),
        value_of(parts, "contact") or "",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Zoe Zebra zoe@zebra.example 030 1234567 trade fair",
        "trade fair 030 1234567 zoe@zebra.example Zoe Zebra",
        '030 1234567, "Trade Fair", Zoe Zebra, zoe@zebra.example',
        "zoe@zebra.example, Zoe Zebra, 030 1234567, trade fair",
    ],
)
def test_the_parts_of_a_lead_stand_in_any_order(text):
    assert values("lead", text) == {
        "name": "Zoe Zebra",
        "email": "zoe@zebra.example",
        "phone": "0301234567",
        "source": "Trade fair",
    }


def test_a_source_that_is_not_known_is_quoted_and_a_business_follows_an_at():
    found = values("lead", 'Zoe "Open day" @"Zebra Trading"')
    assert found == {"name": "Zoe", "source": "Open day", "business": "Zebra Trading"}


def test_what_is_not_understood_is_loose():
    parts = read_entry("contact", "Zoe Zebra zoe@zebra.example met in Berlin", ASKED)
    assert value_of(parts, "name") == "Zoe Zebra"
    assert loose_text(parts) == "met in Berlin"


@pytest.mark.parametrize(
    ("typed", "amount"),
    [
        ("12.500", "12500"),
        ("12,500", "12500"),
        ("1.234.567", "1234567"),
        ("12.500,50", "12500.50"),
        ("12,500.50", "12500.50"),
        ("€12.500", "12500"),
        ("950", "950"),
    ],
)
@pytest.mark.parametrize("mark", [",", "."])
def test_an_amount_is_known_in_both_ways_of_writing(typed, amount, mark):
    parts = read_entry("deal", f"Roof {typed}", Asked(NOW, Style(mark=mark)))
    assert value_of(parts, "amount") == Decimal(amount)
    assert value_of(parts, "name") == "Roof"


def test_a_contact_that_was_opened_lately_is_known_by_its_first_word():
    asked = Asked(NOW, contacts=("Acorn Trading", "Zebra One", "Zebra Two"))
    deal = read_entry("deal", "Website acorn 12.500", asked)
    assert {part.name: part.value for part in deal} == {
        "name": "Website",
        "company": "Acorn Trading",
        "amount": Decimal(12500),
    }
    entered = read_entry("task", "call acorn tomorrow", asked)
    assert value_of(entered, "contact") == "Acorn Trading"
    assert value_of(entered, "title") == "call acorn"
    assert value_of(read_entry("deal", "Roof zebra", asked), "company") is None
    assert value_of(read_entry("deal", "Roof zebra two", asked), "company") == "Zebra Two"


@pytest.mark.parametrize("name", ["Acorn GmbH", "Owner & Sons, Inc.", "Zebra S.r.l.", "Yak Ltd."])
def test_a_legal_form_makes_a_contact_a_business(name):
    parts = read_entry("contact", f"{name.replace(',', '')} office@firm.example", ASKED)
    assert value_of(parts, "type") == "Business"
    assert value_of(read_entry("contact", "Ada Berg a@b.example", ASKED), "type") is None


def test_a_firm_beside_a_name_is_the_business_of_a_person():
    found = values("lead", "Zoe Fast, Acorn GmbH, zoe@acorn.example")
    assert found == {"name": "Zoe Fast", "business": "Acorn GmbH", "email": "zoe@acorn.example"}


@pytest.mark.parametrize("kind", ["invoice", "estimate"])
def test_an_invoice_has_a_customer_lines_and_a_due_date(kind):
    text = "acorn 3 consulting hour, 2 design day at 800, due +14, as agreed"
    parts = read_entry(kind, text, ASKED)
    assert value_of(parts, "customer") == "acorn"
    assert [part.value for part in parts if part.name == "line"] == [
        Line("3", "consulting hour"),
        Line("2", "design day", "800"),
    ]
    assert value_of(parts, "due") == date(2026, 3, 18)
    assert loose_text(parts) == "as agreed"


def test_a_deal_has_an_amount_a_company_and_a_day():
    found = values("deal", "Website phase 2 12,500 @Acorn closes fri")
    assert found == {
        "name": "Website phase 2",
        "amount": Decimal(12500),
        "company": "Acorn",
        "close": date(2026, 3, 6),
    }


@pytest.mark.parametrize(
    ("text", "title", "start", "priority", "whom"),
    [
        ("call Acme tomorrow 15:00 !high", "call Acme", (2026, 3, 5, 15), 3, ""),
        ("tomorrow at 3pm call Acme", "call Acme", (2026, 3, 5, 15), None, ""),
        ("send offer on friday !u @Acme", "send offer Acme", (2026, 3, 6, 9), 4, "Acme"),
        (
            'visit @"Baltic Sails" 15/3 9:30',
            "visit Baltic Sails",
            (2026, 3, 15, 9, 30),
            None,
            "Baltic Sails",
        ),
        ("pay 15 invoices 15 mar", "pay 15 invoices", (2026, 3, 15, 9), None, ""),
        ("call in 3 days", "call", (2026, 3, 7, 9), None, ""),
        ("may call at 8:00 today", "may call", (2026, 3, 4, 8), None, ""),
        ("order 2.5 tonnes +7", "order 2.5 tonnes", (2026, 3, 11, 9), None, ""),
        ("wow! nice !0", "wow! nice", (2026, 3, 4, 11), 0, ""),
        ("mail a@b.example", "mail a@b.example", (2026, 3, 4, 11), None, ""),
    ],
)
def test_days_times_priorities_and_contacts_of_a_task(text, title, start, priority, whom):
    assert task(text) == (title, datetime(*start), priority, whom)


def test_the_default_time_is_the_next_full_hour_today_and_nine_on_other_days():
    assert task("call")[1] == task("call today")[1] == datetime(2026, 3, 4, 11)
    assert task("call tomorrow")[1] == datetime(2026, 3, 5, 9)
    assert start_of([], datetime(2026, 3, 4, 23, 30)) == datetime(2026, 3, 5, 0)


TOKENS = [
    "Zoe",
    "zoe@zebra.example",
    "030",
    "1234567",
    '"trade fair"',
    "trade",
    "fair",
    "@Acme",
    '@"Acme Ltd"',
    ",",
    "due",
    "+14",
    "on",
    "fri",
    "3 hours",
    "2 days at 5",
    "!high",
    "15:00",
    "12,500",
    "€5",
    "@",
    '"',
    '@"',
    "Zoe,",
    "a@b.de,",
    "15 mar",
]


@given(
    st.sampled_from(KINDS),
    st.text(max_size=80) | st.lists(st.sampled_from(TOKENS), max_size=9).map(" ".join),
)
@example("lead", 'Zoe "')
@example("invoice", "5, 3 x")
def test_every_word_is_in_exactly_one_part(kind, text):
    """And the parts that fill a text field have the words that were typed."""
    parts = read_entry(kind, text, ASKED)
    typed = Counter(re.findall(r"\w+", text))
    assert Counter(re.findall(r"\w+", " ".join(part.typed for part in parts))) == typed
    for part in parts:
        if part.name in ("name", "title", "customer", LOOSE):
            assert re.findall(r"\w+", part.value) == re.findall(r"\w+", part.typed)


PLAIN = st.lists(st.sampled_from(["call", "Acme", "about", "the", "offer"]), min_size=1)


@given(
    PLAIN.map(" ".join),
    st.dates(date(2026, 1, 1), date(2099, 12, 31)),
    st.times(),
    st.integers(0, 4),
)
def test_a_generated_task_is_parsed_exactly(title, day, moment, priority):
    start = datetime(day.year, day.month, day.day, moment.hour, moment.minute)
    line = f"{title} {day.isoformat()} {moment:%H:%M} !{priority}"
    assert task(line) == (title, start, priority, "")
