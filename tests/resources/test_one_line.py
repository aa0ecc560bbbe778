"""Parsing of records typed in one line."""

import re
from collections import Counter
from datetime import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.resources.quick_entry_grammar import (
    UNLABELLED,
    EntryContext,
    loose_text,
    read_entry,
    start_of,
    value_of,
)

NOW = datetime(2026, 3, 4, 10, 20)  # a Wednesday
ASKED = EntryContext(NOW, sources=("Trade fair", "Web"))
KINDS = ("contact", "lead", "task")


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


@pytest.mark.parametrize(
    ("numbers", "phone", "loose"),
    [
        ("030 1234567 / 0171 7654321", "0301234567", "0171 7654321"),
        ("030 1234567/0171 7654321", "0301234567", "0171 7654321"),
        ("030 123 45 67/0171 765 43 21", "0301234567", "0171 765 43 21"),
        ("+49 30 1234567/+49 171 7654321", "+49301234567", "+49 171 7654321"),
        ("0221 / 123456", "0221123456", ""),
    ],
)
def test_the_first_of_several_numbers_is_the_phone_and_the_others_stay(numbers, phone, loose):
    for kind in ("contact", "lead"):
        parts = read_entry(kind, f"Zoe Zebra {numbers}", ASKED)
        assert (value_of(parts, "phone"), loose_text(parts)) == (phone, loose)


def test_what_is_not_understood_is_loose():
    parts = read_entry("contact", "Zoe Zebra zoe@zebra.example met in Berlin", ASKED)
    assert value_of(parts, "name") == "Zoe Zebra"
    assert loose_text(parts) == "met in Berlin"


def test_a_contact_that_was_opened_lately_is_known_by_its_first_word():
    asked = EntryContext(NOW, contacts=("Acorn Trading", "Zebra One", "Zebra Two"))
    entered = read_entry("task", "call acorn tomorrow", asked)
    assert value_of(entered, "contact") == "Acorn Trading"
    assert value_of(entered, "title") == "call acorn"
    assert value_of(read_entry("task", "call zebra", asked), "contact") is None
    assert value_of(read_entry("task", "call zebra two", asked), "contact") == "Zebra Two"


@pytest.mark.parametrize("name", ["Acorn GmbH", "Owner & Sons, Inc.", "Zebra S.r.l.", "Yak Ltd."])
def test_a_legal_form_makes_a_contact_a_business(name):
    parts = read_entry("contact", f"{name.replace(',', '')} office@firm.example", ASKED)
    assert value_of(parts, "type") == "Business"
    assert value_of(read_entry("contact", "Ada Berg a@b.example", ASKED), "type") is None


def test_a_firm_beside_a_name_is_the_business_of_a_person():
    found = values("lead", "Zoe Fast, Acorn GmbH, zoe@acorn.example")
    assert found == {"name": "Zoe Fast", "business": "Acorn GmbH", "email": "zoe@acorn.example"}


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
        ("anrufen 5. März 2027", "anrufen", (2027, 3, 5, 9), None, ""),
        ("call 28-Nov-26 10:30", "call", (2026, 11, 28, 10, 30), None, ""),
        ("order 20261228", "order 20261228", (2026, 3, 4, 11), None, ""),
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
def test_every_word_is_in_exactly_one_part(kind, text):
    """And the parts that fill a text field have the words that were typed."""
    parts = read_entry(kind, text, ASKED)
    typed = Counter(re.findall(r"\w+", text))
    assert Counter(re.findall(r"\w+", " ".join(part.typed for part in parts))) == typed
    for part in parts:
        if part.name in ("name", "title", UNLABELLED):
            assert re.findall(r"\w+", part.value) == re.findall(r"\w+", part.typed)
