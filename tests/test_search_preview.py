"""What the palette shows beside a hit: its customer, and what can be opened or begun for them."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from dashboard.gateway import CONTACTS, INVOICES
from dashboard.people.models import KeyPair
from tests.helpers import text

pytestmark = pytest.mark.django_db
LINE = {"item_id": 501, "item_name": "Work", "quantity": 1, "price": 100, "type": "item"}


@pytest.fixture
def customer(gateway_to):
    cache.clear()
    body = {"cstname": "Zeppelin Works", "contact_type": 2, "cstemail": "hall@zeppelin.example"}
    return gateway_to("acme").create(CONTACTS, {**body, "cstmobile": "+49301234567"}).id


@pytest.fixture
def invoices(gateway_to, customer):
    """One invoice that is late by five days, and one that is not due."""
    today, gateway = timezone.localdate(), gateway_to("acme")
    body = {"customer_id": customer, "template_id": 11, "items": [LINE]}
    dues = (today - timedelta(5), today + timedelta(5))
    return [gateway.create(INVOICES, {**body, "due_date": due}).id for due in dues]


def preview(client, customer):
    return client.get("/search/preview/", {"contact": customer})


def test_a_customer_is_shown_with_what_they_owe(desk, customer, invoices):
    words = text(preview(desk, customer))
    assert "hall<wbr>@zeppelin.example</a>" in preview(desk, customer).content.decode()
    for each in ("Zeppelin Works", "Business", "+49301234567"):
        assert each in words
    assert re.search(r"Owes 200\.00", words)
    assert re.search(r"Overdue 100\.00", words)
    assert "Invoiced by month" in words


def test_their_documents_and_what_is_begun_for_them_are_further_hits(desk, customer, invoices):
    page = preview(desk, customer).content.decode()
    further = page[page.index('id="further"') :]
    links = re.findall(r'role="option" id="more-(\d+)".*?href="([^"]*)"', further)
    urls = [url.replace("&amp;", "&") for _, url in links]
    assert [int(number) for number, _ in links] == list(range(1, len(links) + 1))
    assert {f"/invoices/{each}/" for each in invoices} <= set(urls)
    assert f"/invoices/?cstid={customer}" in urls
    assert f"/invoices/new/?customer={customer}" in urls
    assert f"/tasks/new/?contact={customer}" in urls
    assert "Invoice for Zeppelin Works" in further


def test_only_the_contact_and_their_invoices_are_read(desk, customer, invoices, standin):
    standin.reset(data=False)
    preview(desk, customer)
    made = {(each["operation"], each["resource"]) for each in standin.ledger()}
    assert made <= {("get", "contacts"), ("list", "invoices")}
    assert ("list", "invoices") in made


def test_an_area_that_the_plan_lacks_is_not_asked_for(desk, customer, standin):
    KeyPair.objects.update(closed_areas=["invoices"])
    standin.reset(data=False)
    words = text(preview(desk, customer))
    assert "Owes" not in words
    assert "Invoice for" not in words
    assert not [each for each in standin.ledger() if each["resource"] == "invoices"]


@pytest.mark.parametrize("contact", ["", "0", "x", "-1"])
def test_without_a_contact_there_is_no_preview(desk, contact):
    assert preview(desk, contact).status_code == 404


def test_a_hit_tells_whose_preview_it_has(desk, customer, invoices):
    hits = desk.post("/search/", {"q": "Zeppelin", "hits": "1"}).content.decode()
    assert f'hx-get="/search/preview/?contact={customer}"' in hits
