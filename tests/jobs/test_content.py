"""What a job holds at rest."""

from cryptography.fernet import Fernet

from dashboard.jobs import content, rotation
from dashboard.jobs.models import Job, JobRow

from .conftest import job_of, work


def test_rows_and_parameters_are_encrypted_for_their_person(max_, standin):
    job = job_of(max_, "Zeb Secret", params={"note": "Zeb Secret"})
    work()
    for model in (Job, JobRow):
        assert "Zeb Secret" not in str(model.objects.values())
    job.refresh_from_db()
    assert content.unseal(job, "params", max_.pk) == {"note": "Zeb Secret"}
    assert content.readable(job, "params", max_.pk + 1) == {}


def test_a_new_key_is_brought_to_every_part(max_, standin, settings):
    standin.fault("status-422", operation="create", times=1)
    job = job_of(max_, "Zeb Secret", params={"note": "x"})
    work()
    old, new = settings.FIELD_ENCRYPTION_KEYS[0], Fernet.generate_key().decode()
    settings.FIELD_ENCRYPTION_KEYS = [new, old]
    assert rotation.rotate().rotated == 3
    settings.FIELD_ENCRYPTION_KEYS = [new]
    job.refresh_from_db()
    assert content.readable(job, "params", max_.pk) == {"note": "x"}
    assert content.readable(job.rows.get(), "result", max_.pk)["words"]
