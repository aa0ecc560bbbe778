"""Re-encrypting the stored pairs under the first encryption key, while the site runs."""

from dataclasses import dataclass, field

from dashboard import cipher
from dashboard.credentials.models import KeyPair
from dashboard.credentials.services import PURPOSE


@dataclass
class Report:
    """How many pairs were re-encrypted, how many needed nothing, and whose could not be opened."""

    rotated: int = 0
    current: int = 0
    unreadable: list[str] = field(default_factory=list)


def rotate() -> Report:
    """Bring every stored pair under the first encryption key. Harmless to run again."""
    report = Report()
    # A list: SQLite refuses writes from under a read that is still open once others have written.
    for pair in list(KeyPair.objects.select_related("user").order_by("user__username")):
        try:
            _rotate_one(pair, report)
        except cipher.Unreadable:
            report.unreadable.append(pair.user.username)
    return report


def _rotate_one(pair: KeyPair, report: Report) -> None:
    text = cipher.unseal(pair.ciphertext, owner=pair.user_id, purpose=PURPOSE)
    if cipher.is_current(pair.ciphertext):
        report.current += 1
        return
    # Only over the very ciphertext that was read: a pair replaced meanwhile wins.
    unchanged = KeyPair.objects.filter(pk=pair.pk, ciphertext=pair.ciphertext)
    if unchanged.update(ciphertext=cipher.seal(text, owner=pair.user_id, purpose=PURPOSE)):
        report.rotated += 1
    else:
        report.current += 1
