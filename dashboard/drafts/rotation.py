"""Re-encrypts drafts with the first encryption key."""

from dashboard import rotation

from .models import Draft
from .services import PURPOSE


def rotate() -> rotation.Report:
    """Re-encrypt every draft with the first encryption key."""
    return rotation.rotate(Draft.objects.all(), "sealed", owner="person_id", purpose=PURPOSE)
