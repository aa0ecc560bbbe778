"""Re-encrypts jobs and their rows with the first encryption key."""

from dashboard import rotation

from .content import PURPOSE
from .models import Job, JobRow


def rotate() -> rotation.Report:
    """Re-encrypt the parameters of every job, and the content and result of every row."""
    whole = rotation.Report()
    rows = JobRow.objects.select_related("job")
    parts = ((Job.objects.all(), "params"), (rows, "content"), (rows, "result"))
    for found, column in parts:
        owner = "person_id" if column == "params" else "owner_id"
        part = rotation.rotate(found, column, owner=owner, purpose=PURPOSE)
        whole.rotated += part.rotated
        whole.current += part.current
        whole.unreadable += part.unreadable
    return whole
