"""A name that no record has, or that several have, is chosen once for all its rows."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.core import sealed
from dashboard.gateway import CONTACTS, DEALS, OutcomeUnknown
from dashboard.imports.names import first_spellings
from dashboard.jobs import needed_contacts, rows
from dashboard.jobs.models import Job
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from dashboard.text.plain import folded
from dashboard.writes import ledger
from dashboard.writes.models import Write
from tests.helpers import text
from tests.imports.test_deals_tasks import PIPELINE
from tests.imports.test_import import counts, send, upload
from tests.jobs.conftest import let_time_pass, run_one, work
from tests.jobs.test_export_page import everything
from tests.page_forms import fields

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
    asked = page.context["unmatched"]
    wanted = {name.replace("_", " "): code for name, code in chosen.items()}
    posted = {
        "means-field": [one.target.name for one in asked],
        "means-text": [one.text for one in asked],
        "means": [wanted.get(one.text, one.chosen) for one in asked],
    }
    desk.post(url, {**fields(page), **posted})
    return desk.get(url)


def contacts(gateway, name):
    return [one for one in everything(gateway, CONTACTS) if one["cstname"] == name]


def test_a_business_that_is_not_there_is_created_before_its_deals_once(desk, gateway):
    url, page = deals_page(desk)
    assert counts(page) == {"needs_fixing": 3}
    assert [one.creates for one in page.context["unmatched"]] == [
        {"new:2": "Create as a business"}
    ] * 2
    page = choose(desk, url, page, Atelier_Dubois="new:2", Möbel_Weber="leave")
    assert counts(page) == {"ready": 2, "excluded": 1}
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
    assert counts(desk.get(url)) == {"needs_fixing": 3}
    desk.post(url, {**fields(desk.get(url)), "means-all": "cstid new:2"})
    send(desk, url)
    assert len(contacts(gateway, "Möbel Weber")) == 1


def test_another_record_is_picked_and_the_choice_can_be_changed(desk, weber, sent):
    url, page = deals_page(desk)
    place = next(n for n, one in enumerate(page.context["unmatched"]) if one.text == "Möbel Weber")
    names = [one.text for one in page.context["unmatched"]]
    asked = {"means-field": ["cstid"] * 2, "means-text": names, "means": ["leave"] * 2}
    asked["means"][place] = ""
    desk.post(url, {**fields(page), **asked, f"means-pick-{place}": str(weber)})
    page = desk.get(url)
    assert counts(page) == {"ready": 1, "excluded": 2}
    [chosen] = [one for one in page.context["unmatched"] if one.text == "Möbel Weber"]
    assert chosen.options == {str(weber): "Weber Möbel GmbH"}
    page = choose(desk, url, page, Atelier_Dubois=str(weber))
    assert counts(page) == {"ready": 3}
    page = choose(desk, url, page, Atelier_Dubois="")
    assert counts(page) == {"needs_fixing": 2, "ready": 1}


SPELLED = "Deal;Customer;Pipeline\n" + "".join(
    f"Deal {number};{customer};Retail\n"
    for number, customer in enumerate(
        ("Nordlicht GmbH", "  nordlicht gmbh ", "NORDLICHT", "\uff2eordlicht  GmbH",
         "Nord\u200blicht GmbH", "Südwind AG")
    )
)  # fmt: skip


def test_a_business_is_asked_for_once_in_all_its_spellings_and_created_once(desk, gateway):
    url = upload(desk, SPELLED.encode(), resource="deals")
    page = desk.get(url)
    asked = {one.text: (one.rows, len(one.others)) for one in page.context["unmatched"]}
    assert asked == {"Nordlicht GmbH": (4, 2), "NORDLICHT": (1, 0), "Südwind AG": (1, 0)}, (
        "another legal form may be another business"
    )
    assert "“Nordlicht GmbH” and “nordlicht gmbh”" in text(page)
    page = choose(desk, url, page, Nordlicht_GmbH="new:2", NORDLICHT="leave", Südwind_AG="leave")
    assert counts(page) == {"ready": 4, "excluded": 2}
    send(desk, url)
    made = [one.id for one in everything(gateway, CONTACTS) if "ordlicht" in one["cstname"].lower()]
    deals = [gateway.get(DEALS, one.id)["cstid"] for one in everything(gateway, DEALS)]
    assert (len(made), deals.count(made[0])) == (1, 4)


def test_a_business_that_is_there_is_taken_though_another_spelling_is_created(desk, gateway):
    there = gateway.create(CONTACTS, {"cstname": "Nordlicht", "contact_type": 2}).id
    url = upload(desk, "Deal;Customer;Pipeline\nA;Nordlicht;Retail\nB;Nordlicht AG;Retail\n",
                 resource="deals")  # fmt: skip
    page = desk.get(url)
    [asked] = page.context["unmatched"]
    assert (asked.text, {*asked.options}) == ("Nordlicht AG", {str(there)})
    page = choose(desk, url, page, Nordlicht_AG="new:2")
    sent = [(one.body.get("cstid"), one.creates) for one in page.context["records"].values()]
    assert sent == [(there, {}), (None, {"cstid": (2, "Nordlicht AG")})]


def test_a_choice_stays_when_the_row_is_mended_that_it_was_asked_for_with(desk):
    url = upload(desk, "Name;Type\nZebra;Supplier\nYara;SUPPLIER\nXaver; supplier\n")
    page = desk.get(url)
    assert [(one.text, one.rows) for one in page.context["unmatched"]] == [("Supplier", 3)]
    page = choose(desk, url, page, Supplier="2")
    assert counts(page) == {"ready": 3}
    desk.post(url, {**fields(page), "cell-2-contact_type": "1"})
    types = [one.body["contact_type"] for one in desk.get(url).context["records"].values()]
    assert types == [1, 2, 2]


@given(texts=st.lists(st.text(max_size=8), max_size=12))
def test_every_text_stands_for_one_of_the_texts_that_is_the_same_name(texts):
    first = first_spellings(texts)
    assert first.keys() == {*texts}
    assert all(first[one] == one for one in first.values()), "and that one for itself"
    assert all(folded(each) == folded(first[each]) for each in texts)


def test_a_contact_of_a_task_may_be_created_as_a_person_or_a_business(desk, gateway):
    text = "Task;Contact;Start\nCall;Lucía Ortiz;2026-12-01 09:00\n"
    url = upload(desk, text, resource="tasks")
    page = desk.get(url)
    assert [*page.context["unmatched"][0].creates] == ["new:2", "new:1"]
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


def decryptions_of(desk, monkeypatch, businesses):
    """Purposes of the values that an import decrypts to create these businesses and a deal with
    each.
    """
    lines = "".join(f"Deal with {name};{name};Retail\n" for name in businesses)
    url = upload(desk, f"Deal;Customer;Pipeline\n{lines}", resource="deals")
    desk.post(url, {**fields(desk.get(url)), "means-all": "cstid new:2"})
    decrypted, unseal = [], sealed.unseal

    def note(*args, **more):
        decrypted.append(more["purpose"])
        return unseal(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(sealed, "unseal", note)
        send(desk, url)
    assert Job.objects.latest("pk").counts == {"saved": len(businesses)}
    return Counter(decrypted)


def test_the_decryptions_of_an_import_grow_with_its_rows_not_with_their_square(desk, monkeypatch):
    few = decryptions_of(desk, monkeypatch, [f"Few {number}" for number in range(10)])
    many = decryptions_of(desk, monkeypatch, [f"Many {number}" for number in range(30)])
    assert many.total() <= 3 * few.total()


def test_an_import_decrypts_each_row_once(desk, monkeypatch):
    decrypted = decryptions_of(desk, monkeypatch, [f"Firm {number}" for number in range(20)])
    assert decrypted["jobs"] < 30
    assert not decrypted["writes"]


def test_a_business_that_is_perhaps_created_is_not_created_for_another_row(desk, standin, gateway):
    url, page = deals_page(desk)
    desk.post(url, {**fields(page), "means-all": "cstid new:2"})
    standin.fault("reset-before", operation="create", times=1)
    send(desk, url)
    assert Job.objects.get().counts == {"saved": 1, "skipped": 2}
    assert {one["deal_name"] for one in everything(gateway, DEALS)} >= {"Stair"}
    assert not contacts(gateway, "Atelier Dubois")


def test_a_business_whose_unclear_creation_was_closed_is_created_for_the_next_row(
    desk, standin, gateway, monkeypatch
):
    monkeypatch.setattr(rows, "MAX_ROWS", 1)
    url, page = deals_page(desk)
    desk.post(url, {**fields(page), "means-all": "cstid new:2"})
    desk.post(url, {**fields(desk.get(url)), "do": "send"})
    standin.fault("reset-before", operation="create", times=1)
    while not (unclear := Write.objects.filter(number=None, state="not sure").first()):
        run_one()
    ledger.resolve_write(unclear, Write.Resolution.CLOSED)
    job = Job.objects.get()
    let_time_pass(job, 60)
    work()
    assert Job.objects.get().counts == {"saved": 2, "skipped": 1}
    assert len(contacts(gateway, "Atelier Dubois")) == 1


def test_a_business_that_the_service_could_not_create_is_created_with_the_next_try(
    desk, standin, gateway
):
    url, page = deals_page(desk)
    desk.post(url, {**fields(page), "means-all": "cstid new:2"})
    standin.fault("status-429", operation="create", times=1)
    send(desk, url)
    job = Job.objects.get()
    let_time_pass(job, 60)
    work()
    job.refresh_from_db()
    assert job.counts == {"saved": 3}
    assert len(contacts(gateway, "Atelier Dubois")) == 1


def test_a_business_that_has_another_legal_form_is_offered(desk, weber, gateway):
    other = gateway.create(CONTACTS, {"cstname": "Weber Möbel", "contact_type": 2}).id
    text = "Deal;Customer;Pipeline\nRoof;Weber Möbel sp. z o.o.;Retail\n"
    page = desk.get(upload(desk, text, resource="deals"))
    [asked] = page.context["unmatched"]
    assert {*asked.options} == {str(other), str(weber)}


def test_rows_that_are_left_out_for_a_tag_or_a_word_can_be_brought_back(desk):
    save_entries("Acme", Kind.CONTACT_TAG, [{"code": "5", "name": "VIP"}])
    url = upload(desk, "Name;Type;Tags\nZebra;supplier;VIP\nYara;Business;VIP, Old\nXaver;;VIP\n")
    page = choose(desk, url, desk.get(url), supplier="leave", Old="leave")
    assert counts(page) == {"ready": 1, "excluded": 2}
    assert {one.text: one.chosen for one in page.context["unmatched"]} == {
        "supplier": "leave", "Old": "leave"
    }  # fmt: skip
    page = choose(desk, url, page, supplier="2", Old="5")
    assert counts(page) == {"ready": 3}


SMITH = {"cstname": "John Smith", "contact_type": 1}


def tasks_of(*customers):
    lines = (f"Call {at};{each};2026-12-03 10:00\n" for at, each in enumerate(customers))
    return "Subject;Customer;Customer email;Start\n" + "".join(lines)


@pytest.fixture
def smiths(gateway):
    mails = ("john@smith.example", "john@other.example")
    return [str(gateway.create(CONTACTS, {**SMITH, "cstemail": each}).id) for each in mails]


def test_an_email_beside_a_name_tells_records_apart_whatever_the_name_stands_for(desk, smiths):
    rows = ("John Smith;JOHN@other.example", "john smith;john@smith.example", "John Smith;")
    url = upload(desk, tasks_of(*rows), resource="tasks")
    page = desk.get(url)
    assert [(one.text, one.rows) for one in page.context["unmatched"]] == [("John Smith", 1)]
    choose(desk, url, page, John_Smith=smiths[0])
    sent = desk.get(f"{url}?show=ready").context["records"].values()
    assert [one.body["cstid"] for one in sent] == [int(smiths[n]) for n in (1, 0, 0)]


def test_a_name_beside_another_email_than_that_of_its_record_is_asked_about(desk, gateway):
    contact = gateway.create(CONTACTS, {**SMITH, "cstemail": "john@smith.example"}).id
    rows = ("John Smith;a@else.example", "JOHN SMITH;b@else.example", "John Smith;n/a")
    url = upload(desk, tasks_of(*rows), resource="tasks")
    page = desk.get(url)
    assert counts(page) == {"needs_fixing": 2, "ready": 1}
    assert [[*one.options] for one in page.context["unmatched"]] == [[str(contact)]]
    page = choose(desk, url, page, John_Smith=str(contact))
    assert counts(page) == {"ready": 3}


def test_a_record_without_an_email_has_no_other_one(desk, gateway):
    gateway.create(CONTACTS, SMITH)
    url = upload(desk, tasks_of("John Smith;john@smith.example"), resource="tasks")
    assert counts(desk.get(url)) == {"ready": 1}


@pytest.mark.parametrize("column", ["Contact", "Customer"])
def test_an_email_of_a_deal_is_that_of_the_heading_that_it_repeats(desk, gateway, smiths, column):
    umbra = gateway.create(CONTACTS, {"cstname": "Umbra", "contact_type": 2}).id
    own = {"Contact": f"#{umbra}", "Customer": f"#{umbra}"} | {column: "John Smith"}
    text = f"Deal;Customer;Contact;{column} email;Pipeline\n"
    text += f"Roof;{own['Customer']};{own['Contact']};john@other.example;Retail\n"
    url = upload(desk, text, resource="deals")
    field = {"Contact": "deal_contact_id", "Customer": "cstid"}[column]
    records = desk.get(url).context["records"].values()
    assert [row.text(field) for one in records for row in one.rows] == [smiths[1]]


def test_two_emails_in_one_document_contradict_each_other(desk, smiths):
    text = "Number,Customer,Email,Date,Item,Qty,Price\n"
    lines = [f"A,John Smith,{mail},2026-11-03,Foo,1,10" for mail in (
        "john@smith.example", "", "john@other.example",
    )]  # fmt: skip
    url = upload(desk, text + "\n".join(lines), resource="invoices")
    records = desk.get(url).context["records"].values()
    wrong = [row.number for one in records for row in one.rows if "customer_id" in row.errors]
    assert wrong == [4]
