"""What a job holds at rest."""

import pytest

from dashboard.core import sealed
from dashboard.jobs.models import Job
from dashboard.writes.models import Write
from tests.helpers import encryption_key

from .conftest import job_of, work

pytestmark = pytest.mark.usefixtures("_kinds")


def test_rows_and_parameters_are_encrypted_for_their_person(max_, standin):
    job = job_of(max_, "Zeb Secret", params={"note": "Zeb Secret"})
    work()
    for model in (Job, Write):
        assert "Zeb Secret" not in str(model.objects.values())
    job.refresh_from_db()
    assert job.params == {"note": "Zeb Secret"}
    job.person_id += 1
    assert sealed.readable(job, "params") == {}


def test_a_new_key_is_brought_to_every_part(max_, standin, settings):
    standin.fault("status-422", operation="create", times=1)
    job = job_of(max_, "Zeb Secret", params={"note": "x"})
    work()
    old, new = settings.FIELD_ENCRYPTION_KEYS[0], encryption_key()
    settings.FIELD_ENCRYPTION_KEYS = [new, old]
    done = sealed.rotate()
    names = ("parameters of jobs", "rows of jobs", "answers to writes")
    assert [done[name].rotated for name in names] == [1, 1, 1]
    settings.FIELD_ENCRYPTION_KEYS = [new]
    job.refresh_from_db()
    assert job.params == {"note": "x"}
    assert job.rows.get().job_row["sends"]
