"""Storing, decrypting, refusing and removing key pairs."""

import pickle

import pytest

from dashboard.people import keys
from dashboard.people.models import KeyPair, User
from tests.helpers import encryption_key
from tests.workspaces import connect

ACCESS, SECRET = "access-0123456789", "hidden-9876543210"


@pytest.fixture
def pair(viewer) -> KeyPair:
    return connect(viewer, access=ACCESS, secret=SECRET, workspace="Acme")


def reloaded(user):
    return User.objects.get(pk=user.pk)


def test_a_pair_moved_to_another_user_is_unreadable(pair, viewer, editor):
    KeyPair.objects.filter(pk=pair.pk).update(user=editor)
    with pytest.raises(keys.KeysUnreadable):
        keys.keys_for(reloaded(editor))


def test_a_lost_encryption_key_raises_keys_unreadable(pair, viewer, settings):
    settings.FIELD_ENCRYPTION_KEYS = [encryption_key()]
    with pytest.raises(keys.KeysUnreadable):
        keys.gateway_for(reloaded(viewer))
    assert keys.owners_of_unreadable_pairs() == ["vera"]


def test_a_refusal_is_stored_until_the_keys_work_or_are_replaced(pair, viewer):
    keys.store_refusal(viewer)
    assert reloaded(viewer).key_pair.refused
    keys.store_refusal(viewer, refused=False)
    assert not reloaded(viewer).key_pair.refused
    keys.store_refusal(viewer)
    connect(viewer, access=ACCESS, secret=SECRET, workspace="Acme")
    assert not reloaded(viewer).key_pair.refused


def test_repr_str_and_pickle_reveal_no_keys(pair, viewer):
    shown = repr(pair), str(pair), repr(keys.keys_for(viewer)), pair.keys_sealed
    assert not any(part in text for text in shown for part in (ACCESS, SECRET))
    with pytest.raises(TypeError):
        pickle.dumps(keys.keys_for(viewer))


@pytest.mark.parametrize(("secret", "shown"), [(SECRET, "3210"), ("short", "")])
def test_secret_last4_is_empty_for_a_short_secret(viewer, secret, shown):
    pair = connect(viewer, access=ACCESS, secret=secret, workspace="Acme")
    assert keys.secret_last4(pair) == shown


def test_a_changed_setting_replaces_the_service_of_the_process(settings):
    first = keys.service()
    assert keys.service() is first
    settings.API_BASE_URL = "http://127.0.0.1:8"
    assert keys.service() is not first
