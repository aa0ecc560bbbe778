"""What a job has written is one line of the history, which leads to its rows."""

import pytest

from dashboard.jobs.models import Job
from dashboard.outcomes import history as history_pages
from tests.helpers import text
from tests.imports.test_import import send, upload
from tests.page_forms import fields

pytestmark = pytest.mark.usefixtures("one_thread")
NAMES = [f"Imported {number}" for number in range(7)]


@pytest.fixture
def admin(client_of, with_keys, administrator):
    return client_of(with_keys(administrator))


def imported(admin):
    """A job that has created a contact of each name, one of which was refused."""
    cells = "".join(f"{name},{name[-1]}@names.example\n" for name in NAMES)
    url = upload(admin, f"Name,Email\n{cells}")
    send(admin, url)
    return Job.objects.get()


def create(admin, name):
    admin.post("/contacts/new/", {**fields(admin.get("/contacts/new/")), "cstname": name})


def test_an_import_is_one_line_with_a_link_to_its_job(admin, standin):
    create(admin, "Before")
    standin.fault("status-422", operation="create", times=1)
    job = imported(admin)
    create(admin, "After")
    after, of_job, before = admin.get("/history/").context["entries"]
    assert (after["label"], before["label"]) == ("After", "Before")
    assert (of_job["label"], of_job["url"]) == ("Import 7 contacts", f"/jobs/{job.pk}/")
    assert sorted(of_job["did"].split(", ")) == ["1 not created", "6 created"]


def test_its_rows_are_shown_by_themselves_and_filters_hold_for_them(admin):
    job = imported(admin)
    create(admin, "After")
    page = admin.get(f"/history/?job={job.pk}")
    assert [entry["label"] for entry in page.context["entries"]] == NAMES[::-1]
    assert page.context["chips"] == [("Job: Import 7 contacts", "")]
    assert len(page.context["entries"]) == len(NAMES)
    csv = b"".join(admin.get(f"/history/?job={job.pk}&format=csv").streaming_content).decode()
    assert len(csv.splitlines()) == 1 + len(NAMES)
    page = admin.get("/history/?operation=create")
    assert f"?operation=create&amp;job={job.pk}" in page.content.decode()
    assert admin.get("/history/?operation=delete").context["entries"] == []


def test_a_page_counts_a_job_as_one(admin, monkeypatch):
    monkeypatch.setattr(history_pages, "ON_A_PAGE", 2)
    create(admin, "Before")
    imported(admin)
    create(admin, "After")
    first = admin.get("/history/").context
    second = admin.get(f"/history/?older={first['page'].older}").context
    assert not second["page"].older
    assert [entry["label"] for entry in first["entries"]] == ["After", "Import 7 contacts"]
    assert [entry["label"] for entry in second["entries"]] == ["Before"]


def test_a_job_that_is_not_kept_any_more_has_no_link(admin):
    job = imported(admin)
    Job.objects.all().delete()
    (of_job,) = admin.get("/history/").context["entries"]
    assert (of_job["url"], of_job["total"]) == ("", len(NAMES))
    assert "Expired job" in text(admin.get(f"/history/?job={job.pk}"))
