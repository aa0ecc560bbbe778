"""Re-encryption of the stored key pairs under the first encryption key, while the site runs."""

from dashboard import rotation
from dashboard.credentials.models import KeyPair
from dashboard.credentials.services import PURPOSE


def rotate() -> rotation.Report:
    """Re-encrypt every stored pair; the report names the owners of unreadable pairs."""
    pairs = KeyPair.objects.select_related("user").order_by("user__username")
    return rotation.rotate(
        pairs, "ciphertext", owner="user_id", purpose=PURPOSE, name=lambda pair: pair.user.username
    )
