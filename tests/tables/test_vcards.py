"""The cards of phones, Outlook and Apple become rows."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.tables.limits import MAX_ROWS, UnreadableTable
from tests.tables.files import read_table


def cards(content):
    table = read_table(content)
    titles = [column.title for column in table.columns]
    return [{k: v for k, v in zip(titles, row.cells, strict=True) if v} for row in table.rows]


GOOGLE = """BEGIN:VCARD
VERSION:3.0
FN:Ria Dune
N:Dune;Ria;;;
item1.EMAIL;TYPE=INTERNET,PREF:ria@dune.example
EMAIL:ria@home.example
TEL;TYPE=WORK,FAX:+44 20 7946 0001
TEL;TYPE=WORK:+44 20 7946 0000
TEL;TYPE=CELL:+44 7911 400001
ADR;TYPE=WORK:;;1 Sand Lane;Hythe;Kent;CT21 5AA;United Kingdom
ORG:Dune\\, Sand & Co;Sales
NOTE:Likes tea\\nand long
  walks
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD
 AAAA
END:VCARD
BEGIN:VCARD
VERSION:3.0
FN:Corrib Hotel
ORG:Corrib Hotel
END:VCARD
"""


def test_cards_of_version_3():
    assert cards(GOOGLE.encode()) == [
        {
            "Name": "Ria Dune",
            "Company": "Dune, Sand & Co",
            "Department": "Sales",
            "Email": "ria@dune.example",
            "Other emails": "ria@home.example",
            "Phone": "+44 7911 400001",
            "Other phones": "+44 20 7946 0000, +44 20 7946 0001",
            "Street": "1 Sand Lane",
            "Postcode": "CT21 5AA",
            "City": "Hythe",
            "Region": "Kent",
            "Country": "United Kingdom",
            "Notes": "Likes tea\nand long walks",
        },
        {"Company": "Corrib Hotel"},
    ]


def test_a_card_of_version_2_in_quoted_printable():
    text = (
        "BEGIN:VCARD\r\nVERSION:2.1\r\n"
        "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg;;Dr.;\r\n"
        "TEL;CELL;PREF:0171 5550101\r\n"
        "NOTE;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:erste Zeile=0D=0Azweite, =\r\n"
        "fr=FCher\r\n"
        "PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQ\r\n AAAA\r\n\r\nEND:VCARD\r\n"
    )
    [card] = cards(text.encode())
    assert card["Name"] == "Dr. Jörg Müller"
    assert card["Phone"] == "0171 5550101"
    assert card["Notes"] == "erste Zeile\r\nzweite, früher"


def test_a_card_of_version_4_and_one_of_another_code_page():
    text = (
        "begin:vcard\nversion:4.0\nkind:org\nfn:Möbel Weber, Köln\norg:Möbel Weber\n"
        'tel;value=uri;type="voice,home":tel:+49-221-555-0101\nemail:mailto:info@weber.example\n'
        "end:vcard\n"
    )
    expected = {
        "Company": "Möbel Weber",
        "Email": "info@weber.example",
        "Phone": "+49-221-555-0101",
    }
    assert cards(text.encode("utf-16")) == cards(text.encode("cp1252")) == cards(text) == [expected]


def test_too_many_cards_are_refused():
    with pytest.raises(UnreadableTable):
        read_table("BEGIN:VCARD\nFN:A\nEND:VCARD\n" * (MAX_ROWS + 1))


@given(st.text(alphabet='BEGIN:VCARD\nFNTLO;=\\,3\r "é', max_size=200))
def test_any_cards_are_read_or_refused(text):
    with suppress(UnreadableTable):
        for card in cards(f"BEGIN:VCARD\n{text}"):
            assert any(card.values())


def test_only_structured_values_are_split_and_the_card_of_an_agent_is_left_out():
    [ann, bob] = cards(
        b"BEGIN:VCARD\nVERSION:2.1\nFN:Ann Ash\nNOTE:Call Mon;Tue\nAGENT:\nBEGIN:VCARD\n"
        b"FN:Cy Cole\nTEL:+49 30 1111111\nEND:VCARD\nTEL:+49 30 2222222\nEND:VCARD\n"
        b"BEGIN:VCARD\nVERSION:2.1\nFN:Bob Best\nEND:VCARD\n"
    )
    assert ann == {"Name": "Ann Ash", "Notes": "Call Mon;Tue", "Phone": "+49 30 2222222"}
    assert bob == {"Name": "Bob Best"}
