"""Columns written the other way, addresses that are none, and what an update does not take."""

import pytest

from dashboard.gateway import CONTACTS
from dashboard.jobs.models import Job
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from tests.imports.test_deals_tasks import PIPELINE
from tests.imports.test_import import counts, send, upload
from tests.page_forms import fields


@pytest.fixture
def customer(db, gateway):
    save_entries("Acme", Kind.PIPELINE, [{"code": str(PIPELINE), "name": "Retail"}])
    return gateway.create(CONTACTS, {"cstname": "Umbra Ltd", "contact_type": 2}).id


def deals(desk, *rows):
    head = "Deal\tCustomer\tPipeline\tAmount\tClose date\n"
    text = head + "".join(f"D{n}\tUmbra Ltd\tRetail\t{row}\n" for n, row in enumerate(rows))
    return upload(desk, text, resource="deals")


@pytest.mark.usefixtures("customer")
def test_an_answer_that_the_cells_contradict_can_be_changed_by_one_button(desk, sent):
    url = deals(desk, "1.234,50\t", "12,5\t", "99,00\t")
    desk.post(url, {**fields(desk.get(url)), "answer-3-mark": "."})
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 3}
    [question] = page.context["questions"]
    desk.post(url, {**fields(page), question.name: [".", ","]})
    page = desk.get(url)
    assert (counts(page), page.context["questions"]) == ({"ready": 3}, [])
    send(desk, url)
    assert [one["deal_amount"] for one in sent("create", resource="deals")[-3:]] == [
        1234.5,
        12.5,
        99,
    ]


def test_invalid_emails_are_told_as_invalid_and_make_nobody_the_same(desk):
    url = upload(desk, "Name;Email\nAnn;ask him\nBea;ask him\nCleo;ask him\n")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 3}
    assert {record.first for record in page.context["records"].values()} == {0}
    assert {*page.context["rows"][1].errors} == {"cstemail"}


def test_a_custom_field_that_is_not_updated_says_so_in_the_outcome_of_its_row(desk, gateway):
    save_entries("Acme", Kind.CONTACT_FIELD, [{"code": "Region", "name": "Region"}])
    body = {"cstname": "Uma Umber", "contact_type": 2, "cstemail": "uma@umber.example"}
    made = gateway.create(CONTACTS, body)
    gateway.create(CONTACTS, {**body, "cstname": "Vic", "cstemail": "vic@umber.example"})
    rows = "uma@umber.example;South;New Street;VIP\nvic@umber.example;;New Street;\n"
    url = upload(desk, f"Email;Region;Address;Notes\n{rows}")
    desk.post(url, {**fields(desk.get(url)), "on_existing": "update"})
    send(desk, url, known="update")
    page = desk.get(f"/jobs/{Job.objects.get().pk}/")
    words = {row["number"]: row["words"] for row in page.context["rows"]}
    assert words == {2: "Not changed: Notes, Region. Only used for a new contact.", 3: ""}
    assert gateway.get(CONTACTS, made.id)["cstaddress"] == "New Street"


def test_check_again_reads_the_service_anew(desk, gateway):
    url = upload(desk, "Name,Email\nCleo Crane,cleo@crane.example\n")
    page = desk.get(url)
    assert counts(page) == {"ready": 1}
    gateway.create(
        CONTACTS,
        {"cstname": "Cleo Crane", "cstemail": "cleo@crane.example", "contact_type": 1},
    )
    desk.post(url, {**fields(page), "do": "check"})
    assert counts(desk.get(url)) == {"exists": 1}
