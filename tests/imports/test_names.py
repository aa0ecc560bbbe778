"""A name that no record has, or that several have, is chosen once for all its rows."""

import pytest

from dashboard.bulk import needed_contacts
from dashboard.catalogue.editing import save_entries
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import CONTACTS, DEALS, OutcomeUnknown
from dashboard.imports.row_texts import core_of
from dashboard.jobs.models import Job
from tests.exports.test_page import everything
from tests.imports.test_deals_tasks import PIPELINE, send
from tests.imports.test_import import _one_at_a_time, counts, fields, upload

__all__ = ["_one_at_a_time"]
DEALS_FILE = "Deal;Customer;Pipeline\n" + "".join(
    f"{deal};{customer};Retail\n"
    for deal, customer in (
        ("Roof", "Atelier Dubois"), ("Door", "atelier dubois"), ("Stair", "Möbel Weber"),
    )
)  # fmt: skip


@pytest.fixture(autouse=True)
def pipeline(db):
    save_entries("Acme", Kind.PIPELINE, [{"code": str(PIPELINE), "name": "Retail"}])


@pytest.fixture
def weber(gateway):
    return gateway.create(CONTACTS, {"cstname": "Weber Möbel GmbH", "contact_type": 2}).id


def deals_page(desk):
    url = upload(desk, DEALS_FILE, resource="deals")
    return url, desk.get(url)


def choose(desk, url, page, **chosen):
    """Choose for names, which are given with _ for spaces."""
    asked = page.context["unknown"]
    wanted = {name.replace("_", " "): code for name, code in chosen.items()}
    posted = {
        "means-field": [one.name for one in asked],
        "means-text": [one.text for one in asked],
        "means": [wanted.get(one.text, one.chosen) for one in asked],
    }
    desk.post(url, {**fields(page), **posted})
    return desk.get(url)


def contacts(gateway, name):
    return [one for one in everything(gateway, CONTACTS) if one["cstname"] == name]


def test_a_business_that_is_not_there_is_created_before_its_deals_once(desk, gateway):
    url, page = deals_page(desk)
    assert counts(page) == {"mend": 3}
    assert [one.creates for one in page.context["unknown"]] == [
        {"new:2": "Create as a business"}
    ] * 3
    page = choose(desk, url, page, Atelier_Dubois="new:2", atelier_dubois="new:2",
                  Möbel_Weber="leave")  # fmt: skip
    assert counts(page) == {"ready": 2, "left": 1}
    assert not contacts(gateway, "Atelier Dubois")  # nothing is sent before Send
    send(desk, url)
    [made] = contacts(gateway, "Atelier Dubois")
    assert gateway.get(CONTACTS, made.id)["contact_type"] == 2
    deals = {one["deal_name"]: gateway.get(DEALS, one.id) for one in everything(gateway, DEALS)}
    assert [deals[name]["cstid"] for name in ("Roof", "Door")] == [made.id] * 2
    assert "Stair" not in deals
    assert Job.objects.get().counts == {"saved": 2}


def test_all_unknown_ones_are_created_by_one_button_and_that_can_be_taken_back(desk, gateway):
    url, page = deals_page(desk)
    desk.post(url, {**fields(page), "means-all": "cstid new:2"})
    page = desk.get(url)
    assert (counts(page), page.context["created_all"]) == ({"ready": 3}, {"cstid": "Company"})
    desk.post(url, {**fields(page), "means-all": "cstid "})
    assert counts(desk.get(url)) == {"mend": 3}
    desk.post(url, {**fields(desk.get(url)), "means-all": "cstid new:2"})
    send(desk, url)
    assert len(contacts(gateway, "Möbel Weber")) == 1


def test_another_record_is_picked_and_the_choice_can_be_changed(desk, weber, sent):
    url, page = deals_page(desk)
    place = next(n for n, one in enumerate(page.context["unknown"]) if one.text == "Möbel Weber")
    names = [one.text for one in page.context["unknown"]]
    asked = {"means-field": ["cstid"] * 3, "means-text": names, "means": ["leave"] * 3}
    asked["means"][place] = ""
    desk.post(url, {**fields(page), **asked, f"means-pick-{place}": str(weber)})
    page = desk.get(url)
    assert counts(page) == {"ready": 1, "left": 2}
    [chosen] = [one for one in page.context["unknown"] if one.text == "Möbel Weber"]
    assert chosen.options == {str(weber): "Weber Möbel GmbH"}
    page = choose(desk, url, page, Atelier_Dubois=str(weber))
    assert counts(page) == {"ready": 2, "left": 1}
    page = choose(desk, url, page, Atelier_Dubois="")
    assert counts(page) == {"mend": 1, "ready": 1, "left": 1}


def test_a_name_that_is_typed_into_the_picker_without_a_match_says_so(desk):
    url, page = deals_page(desk)
    one = page.context["unknown"][0]
    asked = {"means-field": [one.name], "means-text": [one.text], "means": [""]}
    page = desk.post(url, {**fields(page), **asked, "means-pick-0-text": "Nobody"}, follow=True)
    assert "Company: No contact is called “Nobody”." in page.content.decode()


def test_an_unknown_word_of_a_choice_is_chosen_once_for_all_its_rows(desk):
    text = "Name;Type\nZebra;supplier\nYara;supplier\nXaver;Individual\n"
    url = upload(desk, text)
    page = desk.get(url)
    [asked] = page.context["unknown"]
    assert (asked.text, asked.rows) == ("supplier", 2)
    assert asked.options == {"1": "Individual", "2": "Business"}
    page = choose(desk, url, page, supplier="2")
    types = [one.body["contact_type"] for one in page.context["records"].values()]
    assert (counts(page), types) == ({"ready": 3}, [2, 2, 1])


def test_a_contact_of_a_task_may_be_created_as_a_person_or_a_business(desk, gateway):
    text = "Task;Contact;Start\nCall;Lucía Ortiz;2026-12-01 09:00\n"
    url = upload(desk, text, resource="tasks")
    page = desk.get(url)
    assert [*page.context["unknown"][0].creates] == ["new:2", "new:1"]
    choose(desk, url, page, Lucía_Ortiz="new:1")
    send(desk, url)
    [made] = contacts(gateway, "Lucía Ortiz")
    assert gateway.get(CONTACTS, made.id)["contact_type"] == 1


def test_a_row_whose_business_may_not_have_been_created_is_not_sent(desk, gateway, monkeypatch):
    def lost(**_):
        raise OutcomeUnknown

    url, page = deals_page(desk)
    desk.post(url, {**fields(page), "means-all": "cstid new:2"})
    monkeypatch.setattr(needed_contacts.writer, "create", lost)
    send(desk, url)
    assert Job.objects.get().counts == {"skipped": 3}
    assert "Roof" not in {one["deal_name"] for one in everything(gateway, DEALS)}


def test_a_business_that_has_another_legal_form_is_offered(desk, weber, gateway):
    other = gateway.create(CONTACTS, {"cstname": "Weber Möbel", "contact_type": 2}).id
    text = "Deal;Customer;Pipeline\nRoof;Weber Möbel sp. z o.o.;Retail\n"
    page = desk.get(upload(desk, text, resource="deals"))
    [asked] = page.context["unknown"]
    assert {*asked.options} == {str(other), str(weber)}


@pytest.mark.parametrize(
    ("name", "core"),
    [
        ("Kowalczyk Meble sp. z o.o.", "Kowalczyk Meble"),
        ("Weber GmbH", "Weber"),
        ("Umbra, Inc.", "Umbra"),
        ("Atelier Dubois", ""),
        ("AG", ""),
    ],
)
def test_a_name_without_its_legal_form(name, core):
    assert core_of(name) == core


def test_rows_that_are_left_out_for_a_tag_or_a_word_can_be_brought_back(desk):
    save_entries("Acme", Kind.CONTACT_TAG, [{"code": "5", "name": "VIP"}])
    url = upload(desk, "Name;Type;Tags\nZebra;supplier;VIP\nYara;Business;VIP, Old\nXaver;;VIP\n")
    page = choose(desk, url, desk.get(url), supplier="leave", Old="leave")
    assert counts(page) == {"ready": 1, "left": 2}
    assert {one.text: one.chosen for one in page.context["unknown"]} == {
        "supplier": "leave", "Old": "leave"
    }  # fmt: skip
    page = choose(desk, url, page, supplier="2", Old="5")
    assert counts(page) == {"ready": 3}
