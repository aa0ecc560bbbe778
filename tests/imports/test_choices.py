"""What a file does not say is set once for all its rows, for every resource."""

import pytest

from dashboard.imports.choices import NEEDED
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from tests.imports.test_deals_tasks import OWNER, PIPELINE, WORDS
from tests.imports.test_import import counts, send, upload
from tests.page_forms import fields

pytestmark = pytest.mark.usefixtures("umbra")
OTHER = WORDS["pipelines"][1]["id"]
DEALS = "Deal;Customer;Amount\nRoof;Umbra Ltd;12,50\nDoor;Umbra Ltd;900\n"


@pytest.fixture
def pipelines(db):
    entries = [{"code": str(PIPELINE), "name": "Retail"}, {"code": str(OTHER), "name": "Works"}]
    save_entries("Acme", Kind.PIPELINE, entries)
    save_entries("Acme", Kind.USER, [{"code": str(OWNER), "name": "Ola Owner"}])


def usual(page):
    return {field.name: list(field.errors) for field in page.context["defaults"]}


def set_for_all(desk, url, **chosen):
    desk.post(url, {**fields(desk.get(url)), "usual": [*chosen], **chosen})


@pytest.mark.usefixtures("pipelines")
def test_a_file_of_deals_without_a_pipeline_is_asked_for_it_once(desk, sent):
    url = upload(desk, DEALS, resource="deals")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 2}
    assert next(iter(usual(page).items())) == ("pipeline_id", [NEEDED])
    assert page.context["rows"] == []  # it is not said again for each of them
    set_for_all(desk, url, pipeline_id=str(OTHER), deal_owner_id=str(OWNER))
    page = desk.get(url)
    assert (counts(page), usual(page)["pipeline_id"]) == ({"ready": 2}, [])
    send(desk, url)
    bodies = sent("create", resource="deals")[-2:]
    assert [(one["pipeline_id"], one["deal_owner_id"]) for one in bodies] == [(OTHER, OWNER)] * 2


@pytest.mark.usefixtures("pipelines")
def test_all_deals_of_a_file_may_be_of_one_customer(desk, sent, umbra):
    url = upload(desk, "Deal;Amount;Pipeline\nRoof;5;Retail\nDoor;6;Retail\n", resource="deals")
    desk.post(url, {**fields(desk.get(url)), "usual": "cstid", "cstid-text": "umbra ltd"})
    send(desk, url)
    assert [one["cstid"] for one in sent("create", resource="deals")[-2:]] == [umbra] * 2


@pytest.mark.usefixtures("pipelines")
def test_a_customer_for_all_that_nobody_knows_is_told(desk):
    url = upload(desk, "Deal;Pipeline\nRoof;Retail\n", resource="deals")
    asked = {**fields(desk.get(url)), "usual": "cstid", "cstid-text": "Nobody Inc"}
    page = desk.post(url, asked, follow=True)
    assert "Company: No contact matches “Nobody Inc”." in page.content.decode()
    assert usual(page)["cstid"] == [NEEDED]


def test_a_file_of_firms_without_people_begins_as_businesses(desk, sent):
    url = upload(desk, "Firma;E-Mail\nMöbel Weber;info@weber.example\n")
    page = desk.get(url)
    [kind] = [field for field in page.context["defaults"] if field.name == "contact_type"]
    assert str(kind.value()) == "2"
    send(desk, url, usual="contact_type", contact_type="2")
    assert sent("create", resource="contacts")[-1]["contact_type"] == 2
