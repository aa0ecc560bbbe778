"""A task works for a person with the keys, the role and the account that they have by then."""

import pytest

from dashboard.gateway import CONTACTS, KeysRefused
from dashboard.people import keys as credentials
from dashboard.people import permissions
from dashboard.people.keys import NoKeys, owner_of
from dashboard.people.permissions import DELETE_RECORDS
from dashboard.writes.for_person import NotPermitted, OtherKeys, context_for
from tests.workspaces import connect


@pytest.fixture
def asked(manager, with_keys) -> dict:
    """What a task is stored with."""
    gateway = credentials.gateway_for(with_keys(manager))
    return {"person": manager.pk, "owner": owner_of(gateway), "permission": DELETE_RECORDS}


def test_the_context_is_that_of_the_persons_own_requests(asked, manager):
    with context_for(**asked) as ctx:
        assert ctx.gateway.list(CONTACTS).records
    assert (ctx.person, ctx.workspace) == (manager, "Acme")


def test_other_or_no_keys_send_nothing(asked, manager, standin):
    access, secret = standin.keys["acme"][1]
    connect(manager, access=access, secret=secret, workspace="Acme")
    with pytest.raises(OtherKeys), context_for(**asked):
        pass
    credentials.remove(manager)
    with pytest.raises(NoKeys), context_for(**asked):
        pass


def test_a_person_without_the_permission_sends_nothing(asked, manager):
    permissions.set_role(manager, permissions.VIEWER)
    with pytest.raises(NotPermitted), context_for(**asked):
        pass


@pytest.mark.parametrize("gone", ["inactive", "deleted"])
def test_a_person_who_has_left_sends_nothing(asked, manager, gone):
    if gone == "deleted":
        manager.delete()
    else:
        manager.is_active = False
        manager.save()
    with pytest.raises(NotPermitted), context_for(**asked):
        pass


def test_refused_keys_are_noted_for_the_persons_next_page(asked, manager, standin):
    standin.fault("status-401", times=4)
    with pytest.raises(KeysRefused), context_for(**asked) as ctx:
        ctx.gateway.list(CONTACTS)
    assert credentials.KeyPair.objects.get(user=manager).refused
