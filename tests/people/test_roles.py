"""The permissions of each role, and that a change of role applies at once."""

import pytest
from allauth.mfa.models import Authenticator
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse

from dashboard.people import permissions as may
from dashboard.people.models import User
from tests.conftest import person


@pytest.mark.django_db
@pytest.mark.parametrize("role", may.ROLES)
def test_a_role_grants_exactly_its_permissions(role):
    assert person("pat", role).get_all_permissions() == set(may.ROLES[role])


def test_a_person_who_is_saved_as_read_before_keeps_role_and_second_step(viewer):
    read_before = User.objects.get(pk=viewer.pk)
    may.set_role(viewer, may.EDITOR)
    Authenticator.objects.create(user=viewer, type="totp", data={})
    read_before.set_password("another long password")
    read_before.save()
    stored = User.objects.get(pk=viewer.pk)
    assert (stored.role, stored.has_mfa) == (may.EDITOR, True)
    assert stored.check_password("another long password")


def test_a_missing_permission_is_named_in_the_error(rf, viewer):
    view = may.permission_required(may.DELETE_RECORDS)(lambda request: HttpResponse())
    request = rf.get("/")
    request.user = viewer
    with pytest.raises(PermissionDenied, match="let you delete business records"):
        view(request)


def test_a_change_of_role_applies_to_the_next_request(administrator, client_of):
    client = client_of(administrator)
    assert client.get("/staff/").status_code == 200
    may.set_role(administrator, may.MANAGER)
    assert client.get("/staff/").status_code == 403


@pytest.mark.django_db
def test_the_people_who_have_a_permission_are_those_of_the_roles_that_grant_it():
    people = {role: person(role.lower(), role) for role in may.ROLES}
    root, gone = person("root", is_superuser=True), person("gone", may.MANAGER, is_active=False)
    person("nobody")
    found = set(may.allowed(may.DELETE_RECORDS))
    assert found == {people[may.MANAGER], people[may.ADMINISTRATOR], root}
    assert gone.get_all_permissions() == set()
