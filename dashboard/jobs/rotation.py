"""Re-encrypts jobs and their rows with the first encryption key."""

from dashboard import rotation

from .content import PURPOSE
from .models import Job, JobRow


def rotate() -> rotation.Report:
    """Re-encrypt the parameters of every job, and the content and result of every row."""
    rows = JobRow.objects.select_related("job")
    parts = (
        rotation.rotate(Job.objects.all(), "params", owner="person_id", purpose=PURPOSE),
        rotation.rotate(rows, "content", owner="owner_id", purpose=PURPOSE),
        rotation.rotate(rows, "result", owner="owner_id", purpose=PURPOSE),
    )
    return sum(parts, rotation.Report())
