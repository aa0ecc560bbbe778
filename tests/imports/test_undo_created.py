"""The businesses that an import has created for its rows go with them, unless they are in use."""

import pytest

from dashboard.catalogue.editing import save_entries
from dashboard.catalogue.kinds import Kind
from dashboard.gateway import CONTACTS, DEALS, TASKS
from dashboard.jobs.models import Job
from tests.helpers import text
from tests.imports.test_deals_tasks import PIPELINE, send
from tests.imports.test_import import _one_at_a_time, names, upload
from tests.imports.test_names import DEALS_FILE, choose, contacts
from tests.jobs.conftest import work
from tests.resources.forms import submitted

__all__ = ["_one_at_a_time"]
PEOPLE = "Name;Business\nUma;Atelier Dubois\nVic;Atelier Dubois\n"


@pytest.fixture
def of_deals(db, desk):
    """The job of a file of deals, for which two businesses were created."""
    save_entries("Acme", Kind.PIPELINE, [{"code": str(PIPELINE), "name": "Retail"}])
    url = upload(desk, DEALS_FILE, resource="deals")
    new = "new:2"
    choose(desk, url, desk.get(url), Atelier_Dubois=new, atelier_dubois=new, Möbel_Weber=new)
    send(desk, url)
    return Job.objects.get()


@pytest.fixture
def of_people(db, desk):
    """The job of a file of people, for whom a business was created."""
    url = upload(desk, PEOPLE)
    choose(desk, url, desk.get(url), Atelier_Dubois="new:2")
    send(desk, url)
    return Job.objects.get()


def undo(desk, job):
    """The text of the page of the undo; it is carried out."""
    proposed = desk.post(f"/imports/undo/{job.pk}/")["Location"]
    page = text(desk.get(proposed))
    desk.post(f"{proposed}start/")
    work()
    assert Job.objects.latest("pk").state == Job.State.FINISHED
    return page


def test_businesses_that_were_created_for_deals_go_with_them(desk, gateway, of_deals):
    assert of_deals.counts == {"saved": 3}
    page = undo(desk, of_deals)
    assert "Delete 3 deals of an import" in page
    assert "Created for them: 2" in page
    assert Job.objects.latest("pk").counts == {"saved": 3}
    for name in ("Atelier Dubois", "Möbel Weber"):
        assert not contacts(gateway, name)
    assert "Atelier Dubois" in text(desk.get("/unfinished/"))


def test_a_business_that_was_created_for_people_goes_with_them(desk, gateway, of_people):
    assert len(contacts(gateway, "Atelier Dubois")) == 1
    undo(desk, of_people)
    assert not {"Uma", "Vic", "Atelier Dubois"} & set(names(gateway))


def test_a_business_with_a_deal_of_somebody_else_stays(desk, gateway, of_deals):
    [dubois] = contacts(gateway, "Atelier Dubois")
    gateway.create(DEALS, {"deal_name": "Mine", "pipeline_id": PIPELINE, "cstid": dubois.id})
    undo(desk, of_deals)
    assert contacts(gateway, "Atelier Dubois")
    assert not contacts(gateway, "Möbel Weber")


def test_a_business_with_an_open_task_stays(desk, gateway, of_deals):
    [dubois] = contacts(gateway, "Atelier Dubois")
    task = {"title": "Call", "start_datetime": "2030-01-05T09:00:00", "cstid": dubois.id}
    gateway.create(TASKS, task)
    undo(desk, of_deals)
    assert contacts(gateway, "Atelier Dubois")


def test_a_business_to_which_something_was_added_stays(desk, gateway, of_deals):
    [dubois] = contacts(gateway, "Atelier Dubois")
    gateway.update(CONTACTS, dubois.id, {"cstaddress": "12 Rue Haute"})
    undo(desk, of_deals)
    assert contacts(gateway, "Atelier Dubois")


def test_a_business_with_somebody_who_was_entered_since_stays(desk, gateway, of_people):
    [dubois] = contacts(gateway, "Atelier Dubois")
    person = {"cstname": "Wim", "contact_type": "1", "contact_parent": str(dubois.id)}
    typed = submitted(desk.get("/contacts/new/"), **person)
    assert desk.post("/contacts/new/", typed).status_code == 302
    undo(desk, of_people)
    assert not {"Uma", "Vic"} & set(names(gateway))
    assert contacts(gateway, "Atelier Dubois")


def test_a_business_whose_row_was_changed_since_stays_with_its_row(desk, gateway, of_people):
    uma = next(iter(contacts(gateway, "Uma")))
    gateway.update(CONTACTS, uma.id, {"cstname": "Uma Umber"})
    undo(desk, of_people)
    assert {"Uma Umber", "Atelier Dubois"} <= set(names(gateway))
    assert "Vic" not in names(gateway)


def test_a_business_that_cannot_be_read_stays_and_the_job_waits(desk, gateway, standin, of_deals):
    proposed = desk.post(f"/imports/undo/{of_deals.pk}/")["Location"]
    desk.post(f"{proposed}start/")
    standin.fault("status-403", operation="list", resource="invoices")
    work()
    assert Job.objects.latest("pk").state != Job.State.FINISHED
    assert len(contacts(gateway, "Atelier Dubois")) == 1
