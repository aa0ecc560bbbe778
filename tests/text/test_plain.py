"""Marks that nobody sees are taken out of texts, and names are compared as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.text.plain import cleaned, folded

ZWJ, ZWNJ, ZWSP, LRM = "\u200d", "\u200c", "\u200b", "\u200e"
FAMILY = f"\U0001f469{ZWJ}\U0001f467"


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("\u202a+49 30\u200b 1234567\u202c", "+49 30 1234567"),
        (f"zoe@{ZWSP}zebra.example", "zoe@zebra.example"),
        (f"{ZWSP}€ 65{LRM}.00", "€ 65.00"),
        ("2026\u2060-11-02\ufeff", "2026-11-02"),
        (f"Zoë{ZWSP} Müller\u00ad", "Zoë Müller"),
        (ZWSP * 2, ""),
        (f"{LRM} שלום{LRM} (Ltd) {LRM}", f" שלום{LRM} (Ltd) "),
        (f"\u202bمی{ZWNJ}خواهم", f"می{ZWNJ}خواهم"),
        (f"١٤٤٨ م{ZWJ}", f"١٤٤٨ م{ZWJ}"),
        (f"क्{ZWJ}ष Ltd{ZWSP}", f"क्{ZWJ}ष Ltd"),
        ("Ltd \u2067חברה\u2069", "Ltd \u2067חברה\u2069"),
        ("Ltd \u2067חברה", "Ltd חברה"),
        ("\u2067Zoe\u2069 Zebra", "Zoe Zebra"),
        (FAMILY, FAMILY),
        (f"{FAMILY}{ZWJ} a{ZWJ}b", f"{FAMILY} ab"),
        (f"Acme®{ZWSP} 20{LRM}° {ZWNJ}™", "Acme® 20° ™"),
        (f"Zoe\u0301{ZWSP} Zebra{ZWJ}", "Zoe\u0301 Zebra"),
        ("Corrib Hotel\n\nGalway ", "Corrib Hotel\n\nGalway "),
    ],
)
def test_marks_are_removed_but_within_letters_that_need_them(text, bare):
    assert cleaned(text) == bare


@given(
    st.text(
        st.sampled_from([*"aé1 @.\n®👩", "م", ZWJ, ZWNJ, ZWSP, LRM, "\ufeff", "\u2067", "\u2069"]),
        max_size=12,
    )
)
def test_cleaning_twice_changes_nothing_more_and_a_name_stays_the_same(text):
    assert cleaned(cleaned(text)) == cleaned(text)
    assert folded(cleaned(text)) == folded(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("O\u2019Brien & Söhne", "O'BRIEN  & SO\u0308HNE"),
        ("„Zum Löwen“", '"zum löwen"'),
        ("Smith\u2013Jones", "Smith\u2011Jones"),
        (f"Acme{ZWSP}\u00a0Ltd", "\uff21cme Ltd"),
        ("Straße", "STRASSE"),
        ("VAT 10 %", "vat 10%"),
    ],
)
def test_names_that_are_read_alike_are_one(one, other):
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Acme Ltd", "Acme GmbH"), ("Ann", "Anne"), ("A-B", "AB")]
)
def test_names_that_are_read_otherwise_are_two(one, other):
    assert folded(one) != folded(other)
