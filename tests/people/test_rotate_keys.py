"""rotate_keys re-encrypts key pairs under the first encryption key while the site runs."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dashboard.core import sealed
from dashboard.gateway import Keys
from dashboard.people import keys
from dashboard.people.models import KeyPair
from tests.helpers import encryption_key
from tests.workspaces import connect

OLD, NEW, LOST = (encryption_key() for _ in range(3))


def with_pair(user, access: str = "access-key") -> KeyPair:
    return connect(user, access=access, secret="the-secret-key", workspace="Acme")


def rotate() -> str:
    output = StringIO()
    call_command("rotate_keys", stdout=output)
    return next(line for line in output.getvalue().splitlines() if "key pairs" in line)


def test_every_pair_is_re_encrypted_and_a_second_run_changes_nothing(viewer, editor, settings):
    settings.FIELD_ENCRYPTION_KEYS = [OLD]
    with_pair(viewer), with_pair(editor)
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    assert rotate() == "API key pairs: 2 re-encrypted, 0 already current."
    before = set(KeyPair.objects.values_list("keys", flat=True))
    assert rotate() == "API key pairs: 0 re-encrypted, 2 already current."
    assert set(KeyPair.objects.values_list("keys", flat=True)) == before
    settings.FIELD_ENCRYPTION_KEYS = [NEW]
    pair = KeyPair.objects.get(user=viewer)
    assert keys.open_pair(pair) == Keys(access="access-key", secret="the-secret-key")


def test_unreadable_pairs_are_reported_and_unchanged(viewer, editor, settings):
    settings.FIELD_ENCRYPTION_KEYS = [LOST]
    lost = with_pair(viewer)
    settings.FIELD_ENCRYPTION_KEYS = [OLD]
    with_pair(editor)
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    with pytest.raises(
        CommandError, match=r"1 \(API key pairs\) can't be decrypted .*: vera\."
    ) as raised:
        rotate()
    assert raised.value.returncode == 1
    assert KeyPair.objects.get(user=viewer).keys_sealed == lost.keys_sealed
    assert sealed.rotate()["API key pairs"].rotated == 0
    settings.FIELD_ENCRYPTION_KEYS = [NEW]
    assert keys.open_pair(KeyPair.objects.get(user=editor)).last4


def test_a_concurrent_replacement_is_not_overwritten(viewer, settings, monkeypatch):
    settings.FIELD_ENCRYPTION_KEYS = [OLD]
    with_pair(viewer, "the-old-one")
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    seal = sealed.seal

    def somebody_saves_first(text: str, **bound) -> str:
        monkeypatch.setattr(sealed, "seal", seal)
        with_pair(viewer, "the-new-one")
        return seal(text, **bound)

    monkeypatch.setattr(sealed, "seal", somebody_saves_first)
    sealed.rotate()
    kept = keys.open_pair(KeyPair.objects.get())
    assert kept == Keys(access="the-new-one", secret="the-secret-key")
