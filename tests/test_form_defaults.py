"""Whatever creates a record sends what the form of a new one would send for the same input."""

import pytest
from time_machine import travel

from dashboard.gateway import CONTACTS, DEALS, ESTIMATES, INVOICES, LEADS
from dashboard.jobs.models import Job
from dashboard.office.choices import remember_choices, remember_own_id
from dashboard.standin.reference_data import reference_data
from dashboard.writes.ledger import new_token
from tests.imports.test_import import send, upload
from tests.jobs.conftest import propose, work
from tests.overviews.test_deal import log_of
from tests.page_forms import fields

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("lists")]

MINE, THEIRS = (each["id"] for each in reference_data("acme")["users"][:2])
WORK = reference_data("acme")["items"][0]
PERSON = {"cstname": "Zoe Zebra", "cstemail": "zoe@zebra.example"}
FIRM = {"cstname": "Zebra Trading", "contact_type": 2}
LEAD = {**PERSON, "lead_company_name": FIRM["cstname"], "lead_source": "Fair"}
ITEM = {
    "item_id": WORK["id"],
    "item_name": WORK["name"],
    "quantity": 2,
    "price": 900,
    "type": "item",
}
LINE = {"line-0-item_name": WORK["name"], "line-0-item_id": str(WORK["id"]), "line-0-quantity": "2"}
LINE |= {"line-0-price": "900"}
MEANT = {  # differences that are meant
    "estimate_to_invoice": {"notes"},  # name the estimate
    # The reference holds the number in the file, and a document of long ago is not of today.
    "document_of_a_file": {"reference", "transaction_date", "due_date"},
}


@pytest.fixture(autouse=True)
def _clock():
    with travel("2026-02-03T10:00:00Z", tick=False):
        yield


@pytest.fixture
def desk(desk, manager, one_thread):
    """Of a person who is known to the service, and has chosen before."""
    remember_own_id(manager, "Acme", str(MINE))
    chosen = {"deals.pipeline_id": "2", "deals.deal_amount_currency": "2"}
    chosen |= {"invoices.org_currency_id": "2", "estimates.org_currency_id": "2"}
    remember_choices(user=manager, workspace="Acme", values=chosen)
    return desk


def new(desk, resource, typed):
    desk.post(f"/{resource}/new/", {**fields(desk.get(f"/{resource}/new/")), **typed})


def open_and_save(desk, url):
    page = desk.post(url, fields(desk.get(url)))
    assert page.status_code == 302, page.context["form"].errors


def convert(desk, gateway, **lead):
    number = gateway.create(LEADS, {**LEAD, **lead}).id
    url = f"/leads/{number}/convert/?deal=1"
    page = desk.post(url, {**fields(desk.get(url)), "deal_amount": "500"})
    assert page.status_code == 302, page.context["form"].errors


def newest(gateway, endpoint, name):
    return gateway.list(endpoint, search=name).records[0].id


def person_of_firm(gateway):
    firm = newest(gateway, CONTACTS, FIRM["cstname"])
    return "contacts", {**PERSON, "contact_type": "1", "contact_parent": str(firm)}


def converted_person(desk, gateway):
    convert(desk, gateway)
    return person_of_firm(gateway)


def converted_firm(desk, gateway):
    convert(desk, gateway)
    return "contacts", {"cstname": FIRM["cstname"], "contact_type": "2"}


def converted_deal(desk, gateway, **lead):
    convert(desk, gateway, **lead)
    firm, person = (
        newest(gateway, CONTACTS, each) for each in (FIRM["cstname"], PERSON["cstname"])
    )
    deal = {"deal_name": FIRM["cstname"], "cstid": str(firm), "deal_contact_id": str(person)}
    return "deals", {**deal, "deal_amount": "500", "deal_source": "Fair"}


def converted_deal_of_a_colleague(desk, gateway):
    resource, typed = converted_deal(desk, gateway, lead_assignedto=THEIRS)
    return resource, {**typed, "deal_owner_id": str(THEIRS), "deal_assignedto": str(THEIRS)}


def leads_to_contacts(desk, gateway):
    lead = gateway.create(LEADS, LEAD).id
    desk.post("/bulk/leads/", {"do": "convert", "chosen": [lead]})
    desk.post(f"/bulk/{Job.objects.get().pk}/start/")
    work()
    return person_of_firm(gateway)


def estimate_to_invoice(desk, gateway):
    customer = gateway.create(CONTACTS, FIRM).id
    estimate = gateway.create(
        ESTIMATES, {"customer_id": customer, "items": [ITEM], "template_id": 12}
    )
    open_and_save(desk, f"/invoices/new/?estimate={estimate.id}")
    return "invoices", {"customer_id": str(customer), "template_id": "12", **LINE}


def copied_invoice(desk, gateway):
    customer = gateway.create(CONTACTS, FIRM).id
    body = {"customer_id": customer, "items": [ITEM], "template_id": 12}
    invoice = gateway.create(INVOICES, {**body, "transaction_date": "2025-12-01"})
    open_and_save(desk, f"/invoices/new/?copy={invoice.id}")
    return "invoices", {"customer_id": str(customer), "template_id": "12", **LINE}


def repeated_invoice(desk, gateway):
    customer = gateway.create(CONTACTS, FIRM).id
    body = {"customer_id": customer, "items": [ITEM], "template_id": 12}
    invoice = gateway.create(INVOICES, {**body, "transaction_date": "2026-01-05"})
    open_and_save(desk, f"/invoices/new/?copy={invoice.id}&repeat=2026-02-05")
    days = {"transaction_date": "5 Feb 2026", "due_date": "7 Mar 2026"}
    return "invoices", {"customer_id": str(customer), "template_id": "12", **days, **LINE}


def copied_deal(desk, gateway):
    firm = gateway.create(CONTACTS, FIRM).id
    deal = gateway.create(DEALS, {"deal_name": "Stripes", "cstid": firm, "pipeline_id": 1})
    open_and_save(desk, f"/deals/new/?copy={deal.id}")
    return "deals", {"deal_name": "Stripes", "cstid": str(firm), "pipeline_id": "1"}


def task_for_each(desk, gateway):
    firm = gateway.create(CONTACTS, FIRM).id
    page = desk.post("/bulk/contacts/", {"do": "tasks", "chosen": [firm]})
    typed = {**fields(page), "do": "tasks", "chosen": [firm], "title": "Call them"}
    url = desk.post("/bulk/contacts/", typed)["Location"]
    desk.post(f"{url}start/")
    work()
    return "tasks", {"title": "Call them", "cstid": str(firm)}


def logged_call(desk, gateway):
    firm = gateway.create(CONTACTS, FIRM).id
    deal = gateway.create(DEALS, {"deal_name": "Stripes", "cstid": firm, "pipeline_id": 1}).id
    page = desk.get(f"/deals/{deal}/")
    sends = log_of(page, description="Yes")
    desk.post(page.context["record_page"].log.url, sends)
    typed = {name: sends[name] for name in ("title", "description", "start_datetime")}
    return "tasks", {**typed, "deal_id": str(deal), "status": "2"}


def one_line(desk, gateway):
    open_and_save(desk, "/leads/new/?line=Zoe Zebra, zoe@zebra.example")
    return "leads", PERSON


def contact_beside_another_form(desk, gateway):
    typed = {**PERSON, "contact_type": "1"}
    desk.post("/contacts/pick/new/", {**typed, "quick-token": new_token()})
    return "contacts", typed


def send_file(desk, resource, table):
    url = upload(desk, table, resource=resource)
    send(desk, url)


def contact_of_a_file(desk, gateway):
    send_file(desk, "contacts", "Name;Email\nZoe Zebra;zoe@zebra.example\n")
    return "contacts", PERSON


def lead_of_a_file(desk, gateway):
    send_file(desk, "leads", "Name;Email\nZoe Zebra;zoe@zebra.example\n")
    return "leads", PERSON


def document_of_a_file(desk, gateway):
    firm = gateway.create(CONTACTS, FIRM).id
    heads = "Invoice no;Customer;Item;Qty;Price"
    send_file(desk, "invoices", f"{heads}\nA-9;Zebra Trading;{WORK['name']};2;900,00\n")
    tax = {"line-0-tax_id": str(WORK["tax id"])}  # as a person's choice of the item fills it in
    return "invoices", {"customer_id": str(firm), **LINE, **tax}


CREATING = (
    converted_person, converted_firm, converted_deal, converted_deal_of_a_colleague,
    leads_to_contacts, estimate_to_invoice, copied_invoice, repeated_invoice, copied_deal,
    task_for_each, logged_call, one_line, contact_beside_another_form, contact_of_a_file,
    lead_of_a_file, document_of_a_file,
)  # fmt: skip


@pytest.mark.parametrize("path", CREATING)
def test_a_record_has_the_defaults_of_its_form(desk, gateway, sent, path):
    resource, typed = path(desk, gateway)
    of_kind = {"contact_type": int(typed["contact_type"])} if "contact_type" in typed else {}
    bodies = [body for body in sent("create", resource=resource) if of_kind.items() <= body.items()]
    new(desk, resource, typed)
    made, expected = bodies[-1], sent("create", resource=resource)[-1]
    for name in MEANT.get(path.__name__, ()):
        assert made.pop(name, None) != expected.pop(name, None)
    assert made == expected


def merged(desk, gateway):
    kept, other = (gateway.create(CONTACTS, each).id for each in (FIRM, {**FIRM, **PERSON}))
    url = f"/contacts/{kept}/merge/?other={other}"
    desk.post(url, {**fields(desk.get(url)), "choice-cstemail": "other", "choice-cstname": "kept"})
    return "contacts", kept, {"cstemail": PERSON["cstemail"]}


def changed_in_bulk(desk, gateway):
    firm = gateway.create(CONTACTS, FIRM).id
    deals = [
        gateway.create(DEALS, {"deal_name": "Stripes", "cstid": firm, "pipeline_id": 1}).id
        for _ in range(2)
    ]
    job = propose(desk, "deals", "change", deals[:1], deal_source="Fair")
    desk.post(f"/bulk/{job.pk}/start/")
    work()
    return "deals", deals[1], {"deal_source": "Fair"}


@pytest.mark.parametrize("path", [merged, changed_in_bulk])
def test_a_change_sends_what_the_edit_form_sends(desk, gateway, sent, path):
    resource, record, typed = path(desk, gateway)
    made = sent("update", resource=resource)[-1]
    url = f"/{resource}/{record}/edit/"
    desk.post(url, {**fields(desk.get(url)), **typed})
    assert made == sent("update", resource=resource)[-1]
