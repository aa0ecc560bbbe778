"""Browsers keep the address of a list for the way back; a search in it is encrypted."""

import re
from html import unescape


def kept(page):
    """What the page tells the browser to keep; None if that is the address itself."""
    found = re.search(r'data-way-back="([^"]*)"', page.content.decode())
    return unescape(found[1]) if found else None


def test_a_search_is_kept_encrypted_and_leads_back(desk):
    sealed = kept(desk.get("/contacts/?search=Ada+Lovelace&size=50"))
    assert sealed.startswith("?sealed=")
    assert "Lovelace" not in sealed
    back = desk.get(f"/contacts/{sealed}")
    assert back["Location"] == "/contacts/?search=Ada+Lovelace&size=50"


def test_a_list_without_a_search_is_kept_as_it_is(desk):
    assert kept(desk.get("/contacts/?page=2&sort=cstname")) is None


def test_nobody_else_opens_it_and_rubbish_leads_to_the_list(desk, client_of, with_keys, editor):
    sealed = kept(desk.get("/contacts/?search=Ada"))
    other = client_of(with_keys(editor))
    for address in (sealed, "?sealed=", "?sealed=x&search=y"):
        assert other.get(f"/contacts/{address}")["Location"] == "/contacts/"
