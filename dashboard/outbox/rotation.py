"""Re-encrypts the outbox with the first encryption key."""

from dashboard import rotation

from .content import PURPOSE
from .models import Submission


def rotate() -> rotation.Report:
    """Re-encrypt the body and the answer of every submission with the first encryption key."""
    rows = Submission.objects.all()
    parts = (
        rotation.rotate(rows, column, owner="person_id", purpose=PURPOSE)
        for column in ("body", "answer")
    )
    return sum(parts, rotation.Report())
