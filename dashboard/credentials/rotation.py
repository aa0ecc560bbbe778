"""Re-encrypting the stored pairs under the first encryption key, while the site runs."""

from dashboard import rotation
from dashboard.credentials.models import KeyPair
from dashboard.credentials.services import PURPOSE


def rotate() -> rotation.Report:
    """Bring every stored pair under the first encryption key; those lost are told by username."""
    pairs = KeyPair.objects.select_related("user").order_by("user__username")
    return rotation.rotate(
        pairs, "ciphertext", owner="user_id", purpose=PURPOSE, name=lambda pair: pair.user.username
    )
