"""What is recognised in signatures and on business cards, measured over 140 samples of our own."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.resources.signatures import LABELS, MAX_LENGTH, read_signature
from dashboard.text.plain import cleaned

OF_TAX_LABELS = (
    "USt IdNr N TVA P IVA CIF NIF BTW NIP CVR ИНН ΑΦΜ GSTIN ABN UID Org nr VAT EIN St id no "
    "統一編號 DIČ Adószám OIB CUI KMKR PVM kodas CNPJ RUC Momsreg"
)
OF_LABELS = set(re.findall(r"\w+", " ".join([*LABELS, OF_TAX_LABELS, "number"]).casefold()))


class Sample(NamedTuple):
    """A text and what is in it, by part."""

    expected: dict[str, str]
    text: str


def _sample(block: str) -> Sample:
    head, _, text = block.partition("---\n")
    return Sample(dict(line.split(": ", 1) for line in head.strip().splitlines()), text)


def _samples(file: str) -> list[Sample]:
    return [
        _sample(block)
        for block in Path(__file__).with_name(file).read_text("utf-8").split("====\n")
    ]


SAMPLES = _samples("signatures.txt")
ABROAD = _samples("signatures_abroad.txt")


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def lost(text: str) -> set[str]:
    """The words of a text, without marks that nobody sees, that are in no part nor in the rest."""
    read = read_signature(text)
    parts = [read.name, read.business, *read.emails, *read.phones, read.address]
    kept = words(" ".join([*parts, read.tax_number, read.rest]))
    return words(cleaned(text)) - kept


def digits(number: str) -> str:
    """The digits of a number, without the zero that is dialled within a country only."""
    return "".join(str(int(sign)) for sign in number.replace("(0)", "") if sign.isdecimal())


def share(pairs: list[tuple[set[str], set[str]]]) -> float:
    """How many of the expected values were found."""
    return sum(len(found & expected) for expected, found in pairs) / sum(
        len(expected) for expected, _ in pairs
    )


@pytest.mark.parametrize("samples", [SAMPLES, ABROAD])
def test_95_percent_of_the_emails_and_numbers_are_found(samples):
    emails, phones = [], []
    for expected, text in samples:
        read = read_signature(text)
        emails.append((set(expected["emails"].split("; ")), set(read.emails)))
        numbers = {digits(number) for number in expected["phones"].split("; ")}
        phones.append((numbers, {digits(number) for number in read.phones}))
    assert share(emails) >= 0.95
    assert share(phones) >= 0.95
    surplus = sum(len(found - expected) for expected, found in [*emails, *phones])
    assert surplus <= 0.05 * 2 * len(samples)


@pytest.mark.parametrize(
    ("part", "samples"),
    [(part, SAMPLES) for part in ("name", "business", "address", "tax")]
    + [(part, ABROAD) for part in ("name", "business", "tax")],
)
def test_80_percent_of_the_other_parts_are_right(part, samples):
    field = {"tax": "tax_number"}.get(part, part)
    asked = [sample for sample in samples if part in sample.expected]
    right = [
        sample
        for sample in asked
        if getattr(read_signature(sample.text), field).replace("\n", " / ").casefold()
        == sample.expected[part].casefold()
    ]
    assert len(right) / len(asked) >= 0.8, [
        (sample.expected[part], getattr(read_signature(sample.text), field))
        for sample in asked
        if sample not in right
    ]


def test_nothing_of_the_samples_is_dropped():
    dropped = {word for sample in SAMPLES + ABROAD for word in lost(sample.text)}
    assert {word for word in dropped if not word.isdecimal()} <= OF_LABELS


SIGNS = st.sampled_from(
    r"\n; ;, ; | ; - ;+49 30 1234567;a@b.de;Jane Doe;Acme Ltd;Tel: ;VAT 123456;Fax: 030 1234;"
    "www.acme.de;10117 Berlin;(0);x;7;@;:".replace(r"\n", "\n").split(";")
)


@given(st.one_of(st.text(max_size=300), st.lists(SIGNS, max_size=20).map("".join)))
@example("a@b.de a@b.de c@d.de")
@example("VAT 00100:00000 VAT 001000")
@example("A,+29020000A+29020000")
@example("0\xadQ")
@example("0WWW.0 00000")
@example("Jane Doe, a@b.de, +49 30 1234567 +49 30 1234567 ext. 5")
def test_no_word_of_any_text_is_lost(text):
    missing = lost(text)
    assert {word for word in missing if not word.isdecimal()} <= OF_LABELS
    kept = digits(" ".join(str(value) for value in vars(read_signature(text)).values()))
    assert all(digits(word) in kept for word in missing)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Tel. +49 (0)221 / 123 45-671", {"4922112345671"}),
        ("Tel. 0221 / 123 45 67", {"02211234567"}),
        ("+43 (0) 1 / 512 34 56 - 12", {"431512345612"}),
        ("020 7946 0123 / 07700 900123\na@b.co.uk", {"02079460123", "07700900123"}),
        ("T 01 234 5678 | M 087 765 4321\na@b.ie", {"012345678", "0877654321"}),
        ("+49 30 1234567 89 0123 45 67 89 01 23", set()),
    ],
)
def test_a_number_is_proposed_whole_or_not_at_all(text, numbers):
    assert {digits(number) for number in read_signature(text).phones} == numbers


@pytest.mark.parametrize("line", ["Best wishes", "Kind regards,", "Pozdrawiam", "-- "])
def test_a_closing_line_is_no_name(line):
    assert read_signature(f"{line}\nAda Berg\nada@acorn.example").name == "Ada Berg"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Emily Tran (she/her)", "Emily Tran"),
        ("Emily Tran (she/her), Lead", "Emily Tran"),
        ("Robert (Bob) Tran", "Robert (Bob) Tran"),
    ],
)
def test_what_stands_in_brackets_behind_a_name_is_no_part_of_it(line, name):
    read = read_signature(f"{line}\ntran@acorn.example")
    assert read.name == name
    assert ("she/her" in read.rest) == ("she/her" in line)


def test_a_number_before_a_fax_on_its_line_is_found_and_the_fax_is_not():
    read = read_signature("Tel. 030 1234567, Fax 030 1234568\nada@acorn.de")
    assert [digits(number) for number in read.phones] == ["0301234567"]
    assert "030 1234568" in read.rest


def test_a_role_before_a_firm_is_no_part_of_it():
    read = read_signature("Ada Berg, Owner, Acorn, Inc.\nada@acorn.example")
    assert (read.name, read.business, read.rest) == ("Ada Berg", "Acorn, Inc.", "Owner")


def test_a_second_email_and_number_are_in_the_rest():
    read = read_signature("Ann Lee\na@b.de\nOffice: c@d.de\n030 1234567\nHome 030 7654321")
    assert "Office: c@d.de" in read.rest


def test_what_is_too_long_is_in_the_rest():
    assert read_signature("a " * MAX_LENGTH + "end").rest.endswith("end")
