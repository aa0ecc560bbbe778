"""The businesses that an import has created for its rows are listed when it is undone."""

import pytest

from dashboard.jobs.models import Job
from dashboard.office.editing import save_entries
from dashboard.office.kinds import Kind
from tests.helpers import text
from tests.imports.test_deals_tasks import PIPELINE
from tests.imports.test_import import send, upload
from tests.imports.test_names import DEALS_FILE, choose, contacts
from tests.jobs.conftest import work


@pytest.fixture
def of_deals(db, desk):
    """The job of a file of deals, for which two businesses were created."""
    save_entries("Acme", Kind.PIPELINE, [{"code": str(PIPELINE), "name": "Retail"}])
    url = upload(desk, DEALS_FILE, resource="deals")
    new = "new:2"
    choose(desk, url, desk.get(url), Atelier_Dubois=new, atelier_dubois=new, Möbel_Weber=new)
    send(desk, url)
    return Job.objects.get()


def test_contacts_that_were_created_for_the_rows_are_listed_and_stay(desk, gateway, of_deals):
    proposed = desk.post(f"/imports/undo/{of_deals.pk}/")["Location"]
    page = desk.get(proposed)
    assert "Delete 3 deals of an import" in text(page)
    assert "Created contacts: 2" in text(page)
    [dubois] = contacts(gateway, "Atelier Dubois")
    assert f'<a href="/contacts/{dubois.id}/">Atelier Dubois</a>'.encode() in page.content
    desk.post(f"{proposed}start/")
    work()
    assert Job.objects.latest("pk").counts == {"saved": 3}
    assert contacts(gateway, "Atelier Dubois")
