"""The pages of jobs."""

import csv
import re
from html import unescape
from io import StringIO

import pytest

from dashboard.jobs import rows
from dashboard.jobs.models import Job
from tests import workspaces
from tests.conftest import person
from tests.helpers import text

from .conftest import job_of, run_one, states, work

pytestmark = pytest.mark.usefixtures("_kinds")

State = Job.State


def test_asking_again_ends_with_the_job(max_, client_of, standin):
    job = job_of(max_, "Zeb One", "Zeb Two")
    work()
    client = client_of(max_)
    part = client.get(f"/jobs/{job.pk}/", headers={"HX-Request": "true"})
    assert part.headers["HX-Refresh"] == "true"
    page = client.get(f"/jobs/{job.pk}/")
    assert b"hx-trigger" not in page.content
    assert "2 of 2 done 2 saved" in text(page)


def test_the_rows_follow_a_job_at_work_and_are_sent_only_when_one_has_changed(
    max_, client_of, standin, monkeypatch
):
    monkeypatch.setattr(rows, "MAX_ROWS", 1)  # of one turn
    job, client = job_of(max_, "Zeb One", "Zeb Two"), client_of(max_)
    url = re.search(r'hx-get="([^"]+)"', client.get(f"/jobs/{job.pk}/").content.decode())[1]

    def follow():
        return client.get(unescape(url), headers={"HX-Request": "true"})

    assert b"job-rows-of" in follow().content
    assert b"Zeb One" not in follow().content
    run_one()
    part = follow()
    saved = job.rows.get(number=1).record_id
    assert f'<a id="row-1" href="/contacts/{saved}/">Zeb One</a>'.encode() in part.content
    assert "Saved 1" in text(part)
    assert text(part).count("Not sent") == 1
    assert unescape(url) not in unescape(part.content.decode())  # it asks for what comes after this


def test_the_rows_have_links_and_the_words_of_the_service(max_, client_of, standin):
    standin.fault("status-422", operation="create", times=1)
    standin.fault("reset-before", operation="create", times=1)
    job = job_of(max_, "Zeb One", "Zeb Two", "skip me", "Zeb Four")
    work()
    page = client_of(max_).get(f"/jobs/{job.pk}/")
    saved = job.rows.get(number=4).record_id
    assert f'href="/contacts/{saved}/"'.encode() in page.content
    assert "The CRM rejected this" in text(page)
    assert b'href="/unsure/' in page.content
    refused = client_of(max_).get(f"/jobs/{job.pk}/?state=not+saved")
    assert [row["label"] for row in refused.context["rows"]] == ["Zeb One"]


def test_what_the_refused_were_is_sent_again_under_a_new_token(max_, client_of, standin):
    standin.fault("status-422", operation="create", times=1)
    job = job_of(max_, "Zeb One", "Zeb Two")
    work()
    before = job.rows.get(number=1).token
    page = client_of(max_).post(f"/jobs/{job.pk}/again/", follow=True)
    assert "1 of 2 done" in text(page)
    work()
    assert states(job) == {1: "saved", 2: "saved"}
    assert job.rows.get(number=1).token != before
    assert len(standin.ledger(operation="create")) == 3


def test_a_paused_job_sends_nothing_until_it_continues(max_, client_of, standin):
    job, client = job_of(max_, "Zeb One"), client_of(max_)
    assert "Paused." in text(client.post(f"/jobs/{job.pk}/pause/", follow=True))
    work()
    assert states(job) == {1: "waiting"}
    client.post(f"/jobs/{job.pk}/continue/")
    work()
    assert states(job) == {1: "saved"}


def test_a_stopped_job_sends_no_more_and_says_what_was_not_sent(max_, client_of, standin):
    job, client = job_of(max_, "Zeb One"), client_of(max_)
    page = client.post(f"/jobs/{job.pk}/stop/", follow=True)
    work()
    assert "Stopped" in text(page)
    assert "Not sent" in text(page)
    assert "remaining" not in text(page)
    assert standin.ledger(operation="create") == []
    assert "This job has already finished." in text(
        client.post(f"/jobs/{job.pk}/pause/", follow=True)
    )


def test_the_result_as_csv_has_every_row_and_no_formula(max_, client_of, standin):
    job = job_of(max_, "=Zeb()", "skip me")
    work()
    answer = client_of(max_).get(f"/jobs/{job.pk}/?format=csv")
    rows = list(csv.reader(StringIO(b"".join(answer).decode())))
    assert [row[:3] for row in rows[1:]] == [["1", "'=Zeb()", "saved"], ["2", "skip me", "skipped"]]
    assert rows[2][4] == "It is to be skipped."


def test_a_job_is_continued_only_with_keys_of_its_workspace(max_, client_of, standin):
    job, client = job_of(max_, "Zeb One"), client_of(max_)
    client.post(f"/jobs/{job.pk}/pause/")
    max_.key_pair.workspace = workspaces.of_name("Globex")
    max_.key_pair.save()
    page = client.post(f"/jobs/{job.pk}/continue/", follow=True)
    assert "This belongs to the workspace Acme" in text(page)
    assert Job.objects.get().state == State.PAUSED


def test_a_person_sees_their_own_jobs_and_administrators_all_of_the_workspace(
    max_, client_of, with_keys, administrator, standin
):
    job = job_of(max_, "Zeb One")
    other = client_of(with_keys(person("mia", "Manager")))
    assert other.get(f"/jobs/{job.pk}/").status_code == 404
    assert other.post(f"/jobs/{job.pk}/stop/").status_code == 404
    assert "No imports or bulk changes yet" in text(other.get("/jobs/"))
    admin = client_of(with_keys(administrator))
    assert "Create contacts" in text(admin.get("/jobs/"))
    assert "by max" in text(admin.get(f"/jobs/{job.pk}/"))
    assert admin.post(f"/jobs/{job.pk}/continue/").status_code == 404
    assert admin.post(f"/jobs/{job.pk}/stop/").status_code == 302


def test_an_administrator_gets_no_link_to_a_page_of_the_person_alone(
    max_, client_of, with_keys, administrator, standin
):
    standin.fault("reset-before", operation="create", times=1)
    job = job_of(max_, "Zeb One")
    work()
    own = client_of(max_).get(f"/jobs/{job.pk}/").context["rows"][0]["unsure_url"]
    admin = client_of(with_keys(administrator))
    assert admin.get(own).status_code == 404
    assert admin.get(f"/jobs/{job.pk}/").context["rows"][0]["unsure_url"] == ""


def test_a_row_that_its_person_settled_on_the_not_sure_page_counts_as_saved(
    max_, client_of, standin
):
    standin.fault("reset-after", operation="create", times=1)
    job, client = job_of(max_, "Zeb One"), client_of(max_)
    work()
    page = client.get(f"/jobs/{job.pk}/")
    address = page.context["rows"][0]["unsure_url"]
    client.post(f"{address}found/", {"record_id": "1001"})
    client.get(f"/jobs/{job.pk}/")
    assert states(job) == {1: "saved"}
    assert job.rows.get().record_id == 1001
