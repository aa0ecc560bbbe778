"""Hostile strings on pages in a browser: no script of theirs runs, and nothing is asked for."""

import pytest

from dashboard.gateway import CONTACTS, INVOICES
from tests.hostile import STRINGS

MARKUP = [one for one in STRINGS if "zz" in one.casefold() or "evil" in one]


@pytest.fixture
def addresses(db, gateway):
    """Pages full of markup: a contact, an invoice, and what lists, counts and completes them."""
    texts = [one.replace("\0", "") for one in MARKUP]
    made = [
        gateway.create(
            CONTACTS,
            {"cstname": one[:100], "contact_type": 2, "cstaddress": one[:255], "cstnotes": one,
             "custom_fields": {"Preferred language": one}},
        ).id
        for one in texts[:40] if one.strip()
    ]  # fmt: skip
    line = {"item_id": 501, "quantity": 1, "price": 10, "type": "item"}
    lines = [{**line, "item_name": one, "description": one} for one in texts[40:60] if one.strip()]
    body = {"customer_id": made[0], "template_id": 11, "due_date": "2026-12-01", "items": lines}
    invoice = gateway.create(INVOICES, {**body, "notes": texts[0], "reference": texts[1]}).id
    return [
        "/contacts/?size=100", f"/contacts/{made[0]}/", f"/contacts/{made[0]}/edit/",
        f"/invoices/{invoice}/", f"/invoices/{invoice}/edit/", "/invoices/", "/",
        f"/contacts/?search={'%3Czz-hit%3E%22onzz'}",
    ]  # fmt: skip


def test_no_script_of_a_record_runs(page, sign_in, manager, with_keys, addresses, live_server):
    dialogs, asked = [], []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script("window.hits = 0; window.zzHit = () => { window.hits += 1 }")
    sign_in(page, with_keys(manager))
    for address in addresses:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert "zz-hit" in page.content() or address == "/"
        assert page.evaluate("document.querySelectorAll('zz-hit, [onzz], [zz-a]').length") == 0
        assert page.evaluate("window.hits") == 0, address
    page.keyboard.press("Control+k")
    page.keyboard.type("zz-hit")
    page.wait_for_timeout(1_000)
    assert page.evaluate("window.hits + document.querySelectorAll('zz-hit, [onzz]').length") == 0
    page.evaluate("window.zzHit()")
    assert page.evaluate("window.hits") == 1  # what a script of theirs would have counted
    assert dialogs == []
    assert [one for one in asked if not one.startswith((live_server.url, "data:"))] == []
