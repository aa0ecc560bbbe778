"""A sealed text is decrypted only for its owner and its purpose."""

import base64

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from dashboard.core.sealed import DecryptionError, context_of, keyring, resealed, seal, unseal
from tests.helpers import encryption_key

OLD, NEW = encryption_key(), encryption_key()
owners = st.integers(min_value=1)
texts = st.text()


@given(texts, owners)
def test_a_sealed_text_is_decrypted_unchanged(text, owner):
    assert unseal(seal(text, owner=owner, purpose="p"), owner=owner, purpose="p") == text


@given(texts, owners, owners)
def test_another_owner_cannot_decrypt_a_text(text, owner, other):
    sealed = seal(text, owner=owner, purpose="p")
    if owner != other:
        with pytest.raises(DecryptionError):
            unseal(sealed, owner=other, purpose="p")


@given(texts, st.text(), st.text())
def test_another_purpose_cannot_decrypt_a_text(text, purpose, other):
    sealed = seal(text, owner=1, purpose=purpose)
    if purpose != other:
        with pytest.raises(DecryptionError):
            unseal(sealed, owner=1, purpose=other)


@given(texts, st.text(), st.text())
def test_another_place_cannot_decrypt_a_text(text, place, other):
    sealed = seal(text, owner=1, purpose="p", context=place)
    assert unseal(sealed, owner=1, purpose="p", context=place) == text
    if place != other:
        with pytest.raises(DecryptionError):
            unseal(sealed, owner=1, purpose="p", context=other)


def test_a_place_names_table_column_and_row():
    places = {
        context_of("a", "b", "c"), context_of("a", "b", "c", ""),
        context_of("a", "bc"), context_of("ab", "c"), context_of("a", "c", "b"),
    }  # fmt: skip
    assert len(places) == 5


@given(st.text())
def test_text_that_was_never_sealed_raises_unreadable(junk):
    with pytest.raises(DecryptionError):
        unseal(junk, owner=1, purpose="p")


@given(st.text(min_size=12), st.data())
def test_a_changed_ciphertext_is_unreadable(text, data):
    sealed = seal(text, owner=1, purpose="p")
    place = data.draw(st.integers(0, len(sealed) - 6))  # the last bits may be padding
    changed = sealed[:place] + ("A" if sealed[place] != "A" else "B") + sealed[place + 1 :]
    with pytest.raises(DecryptionError):
        unseal(changed, owner=1, purpose="p")


def test_every_key_decrypts_and_the_first_one_encrypts(settings):
    settings.FIELD_ENCRYPTION_KEYS = [OLD]
    sealed = seal("text", owner=1, purpose="p")
    settings.FIELD_ENCRYPTION_KEYS = [NEW, OLD]
    assert unseal(sealed, owner=1, purpose="p") == "text"
    again = resealed(sealed, owner=1, purpose="p")
    assert again
    assert resealed(again, owner=1, purpose="p") is None
    settings.FIELD_ENCRYPTION_KEYS = [NEW]
    with pytest.raises(DecryptionError):
        unseal(sealed, owner=1, purpose="p")
    assert unseal(again, owner=1, purpose="p") == "text"


def test_each_purpose_has_its_own_key(settings):
    settings.FIELD_ENCRYPTION_KEYS = [NEW]
    nonce, (first, keys), (_, others) = bytes(12), keyring("p"), keyring("q")
    assert keys[first].decrypt(nonce, keys[first].encrypt(nonce, b"text", None), None) == b"text"
    for other in (others[first], AESGCM(base64.urlsafe_b64decode(NEW))):
        with pytest.raises(InvalidTag):
            other.decrypt(nonce, keys[first].encrypt(nonce, b"text", None), None)


def test_half_a_pair_of_a_character_is_sealed():
    assert unseal(seal("\ud800", owner=1, purpose="p"), owner=1, purpose="p") == "\ud800"


@pytest.mark.parametrize("keys", [[NEW, "tooshort"], [], [NEW, "ž" * 44]])
def test_an_invalid_encryption_key_is_reported_by_position_only(settings, keys):
    settings.FIELD_ENCRYPTION_KEYS = keys
    with pytest.raises(ImproperlyConfigured) as raised:
        keyring("p")
    assert "tooshort" not in str(raised.value)
    assert ("number 2" in str(raised.value)) == bool(keys)


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_key_without_256_bits_is_refused(settings, length):
    settings.FIELD_ENCRYPTION_KEYS = [base64.urlsafe_b64encode(b"k" * length).decode()]
    with pytest.raises(ImproperlyConfigured):
        keyring("p")
