"""A record that is about to be deleted is left out of every page that lists records."""

import re

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.gateway import CONTACTS, DEALS, INVOICES, TASKS
from tests.helpers import ask_to_delete, text

pytestmark = pytest.mark.django_db
LEFT_OUT = "1 hidden, pending deletion"
LINE = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 10, "type": "item"}


def main(page) -> str:
    """The page without its menu and its toasts."""
    return re.search(r"<main.*</main>", page.content.decode(), re.S)[0]


def test_a_deal_goes_from_today_the_board_and_its_contact(desk, gateway, lists, zebra):
    body = {"deal_name": "Stripes", "pipeline_id": 1, "cstid": zebra}
    deal = gateway.create(DEALS, {**body, "deal_expected_close_date": timezone.localdate()}).id
    pages = ("/", "/deals/board/", f"/contacts/{zebra}/")
    assert all("Stripes" in main(desk.get(page)) for page in pages)
    ask_to_delete(desk, f"/deals/{deal}/")
    for page in pages:
        shown = desk.get(page)
        assert "Stripes" not in main(shown), page
        assert LEFT_OUT in text(shown), page


def test_an_overdue_invoice_goes_from_today(desk, gateway, zebra):
    body = {"customer_id": zebra, "template_id": 11, "items": [LINE], "due_date": "2001-02-03"}
    cache.clear()
    invoice = gateway.create(INVOICES, body).id
    assert f'href="/invoices/{invoice}/"' in main(desk.get("/"))
    ask_to_delete(desk, f"/invoices/{invoice}/")
    assert f'href="/invoices/{invoice}/"' not in main(desk.get("/"))


def test_a_task_goes_from_the_agenda(desk, gateway, zebra, switch_on):
    switch_on("tasks.delete")
    starts = f"{timezone.localdate()}T09:00:00"
    body = {"title": "Call them", "start_datetime": starts, "cstid": zebra}
    task = gateway.create(TASKS, body).id
    assert "Call them" in main(desk.get("/tasks/agenda/"))
    ask_to_delete(desk, f"/tasks/{task}/")
    shown = desk.get("/tasks/agenda/")
    assert "Call them" not in main(shown)
    assert LEFT_OUT in text(shown)


def test_a_contact_goes_from_the_search_the_palette_and_the_menu(desk, gateway):
    contact = gateway.create(CONTACTS, {"cstname": "Quagga Ltd", "contact_type": 2}).id
    link = f'href="/contacts/{contact}/"'
    desk.get(f"/contacts/{contact}/")
    desk.post("/search/star/", {"resource": "contacts", "record": str(contact), "on": "1"})
    pages = ("/search/?q=Quagga", "/search/?q=Quagga&hits=1", "/search/", "/help/")
    assert all(link in desk.get(page).content.decode() for page in pages)
    ask_to_delete(desk, f"/contacts/{contact}/")
    for page in pages:
        shown = re.sub(
            r'<section class="toasts".*?</section>', "", desk.get(page).content.decode(), flags=re.S
        )
        assert link not in shown, page
    assert "No results for" in text(desk.get("/search/?q=Quagga"))
