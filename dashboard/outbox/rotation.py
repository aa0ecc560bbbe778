"""Re-encrypts the outbox with the first encryption key."""

from dashboard import rotation

from .content import PURPOSE
from .models import Submission


def rotate() -> rotation.Report:
    """Re-encrypt the body and the answer of every submission with the first encryption key."""
    whole = rotation.Report()
    for column in ("body", "answer"):
        rows = Submission.objects.all()
        part = rotation.rotate(rows, column, owner="person_id", purpose=PURPOSE)
        whole.rotated += part.rotated
        whole.current += part.current
        whole.unreadable += part.unreadable
    return whole
