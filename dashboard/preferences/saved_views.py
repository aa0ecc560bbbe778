"""Re-encrypts the lists that people have saved under a name."""

from dashboard import rotation

from .models import SavedView


def rotate() -> rotation.Report:
    """Re-encrypt the names and searches under the first key."""
    rows = SavedView.objects.all()
    return rotation.rotate(rows, "sealed", owner="user_id", purpose=SavedView.PURPOSE)
