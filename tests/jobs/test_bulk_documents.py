"""Many invoices and estimates are changed, and keep all that is not named."""

import pytest

from dashboard.jobs.models import Job
from tests.helpers import text
from tests.jobs.conftest import propose, states
from tests.jobs.test_bulk import run

pytestmark = pytest.mark.usefixtures("_in_this_process", "lists")


@pytest.fixture
def invoices(gateway):
    from dashboard.gateway import INVOICES

    page = gateway.list(INVOICES, page_size=40, filters={"inv_status": 0})
    return [record.id for record in page.records if gateway.get(INVOICES, record.id).lines][:3]


def test_invoices_are_changed_and_keep_all_else(desk, standin, gateway, invoices):
    from dashboard.documents.form import body_of_record
    from dashboard.gateway import INVOICES

    def bodies():
        return [body_of_record(gateway.get(INVOICES, number), INVOICES) for number in invoices]

    before = bodies()
    typed = {"due_date": "2027-03-14", "notes": "Thank you"}
    job = propose(desk, "invoices", "change", invoices, **typed)
    assert "Thank you" in text(desk.get(f"/bulk/{job.pk}/"))
    run(desk, job)
    assert job.counts == {"saved": 3}
    for was, now in zip(before, bodies(), strict=True):
        assert (str(now.pop("due_date")), now.pop("notes")) == ("2027-03-14", "Thank you")
        assert now == {name: value for name, value in was.items() if name not in typed}
    desk.post(f"/bulk/{job.pk}/undo/")
    run(desk, Job.objects.latest("pk"))
    assert bodies() == before


def test_an_invoice_that_cannot_be_rebuilt_is_skipped(
    desk, standin, gateway, invoices, monkeypatch
):
    from dashboard.documents import form

    monkeypatch.setattr(form, "why_lines_unreadable", lambda record: "A line cannot be read.")
    job = run(desk, propose(desk, "invoices", "change", invoices[:1], notes="Thank you"))
    assert states(job) == {1: "skipped"}
    assert not standin.ledger(operation="update")


def test_estimates_offer_their_own_fields(desk, standin):
    form = desk.post("/bulk/estimates/", {"do": "change", "chosen": "1"}).context["form"]
    assert {"expiry_date", "template_id", "notes", "add_tag_ids"} <= set(form.fields)
    assert not {"due_date", "assigned_to", "customer_id", "overall_discount"} & set(form.fields)
