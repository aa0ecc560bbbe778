"""The permissions of each role, and that a change of role applies at once."""

from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.db import connection
from django.http import HttpResponse

from dashboard.accounts import permissions as may
from dashboard.accounts import roles
from dashboard.accounts.models import User
from tests.conftest import person


@pytest.mark.django_db
@pytest.mark.parametrize("role", roles.ROLES)
def test_a_role_grants_exactly_its_permissions(role):
    assert person("pat", role).get_all_permissions() == set(roles.ROLES[role])


def test_each_role_includes_the_permissions_of_the_one_before():
    ladder = [set(granted) for granted in roles.ROLES.values()]
    assert all(lower < higher for lower, higher in pairwise(ladder))


@pytest.mark.django_db
def test_migrate_restores_the_permissions_of_a_role():
    Group.objects.get(name=roles.VIEWER).permissions.clear()
    call_command("migrate", verbosity=0)
    assert person("pat", roles.VIEWER).has_perm(may.VIEW_RECORDS)


@pytest.mark.django_db
def test_role_of_returns_the_role_with_the_most_permissions(viewer):
    viewer.groups.add(Group.objects.get(name=roles.MANAGER))
    assert roles.role_of(viewer) == roles.MANAGER


@pytest.mark.django_db
def test_a_user_without_a_role_has_no_permissions():
    assert person("pat").get_all_permissions() == set()


@pytest.mark.django_db
def test_a_superuser_has_every_permission():
    assert person("root", is_superuser=True).has_perm(may.MANAGE_SETTINGS)


@pytest.mark.django_db
def test_an_unknown_role_raises_an_error(viewer):
    with pytest.raises(ValueError, match="no such role"):
        roles.set_role(viewer, "King")


def test_a_missing_permission_is_named_in_the_error(rf, viewer):
    view = may.permission_required(may.DELETE_RECORDS)(lambda request: HttpResponse())
    request = rf.get("/")
    request.user = viewer
    with pytest.raises(PermissionDenied, match="does not let you delete business records"):
        view(request)


def test_a_change_of_role_applies_to_the_next_request(administrator, client_of):
    client = client_of(administrator)
    assert client.get("/settings/keys/people/").status_code == 200
    roles.set_role(administrator, roles.MANAGER)
    assert client.get("/settings/keys/people/").status_code == 403


def test_a_deactivated_user_is_signed_out_at_the_next_request(viewer, client_of):
    client = client_of(viewer)
    assert client.get("/accounts/").status_code == 200
    User.objects.filter(pk=viewer.pk).update(is_active=False)
    assert client.get("/accounts/").status_code == 302


@pytest.mark.django_db
def test_a_migration_deletes_the_permissions_that_no_view_requires():
    migration = import_module("dashboard.accounts.migrations.0004_remove_unused_permissions")
    kind = ContentType.objects.get_for_model(User)
    unused = Permission.objects.create(content_type=kind, codename="bulk_records", name="unused")
    Group.objects.get(name=roles.MANAGER).permissions.add(unused)
    migration.delete_unused(apps, SimpleNamespace(connection=connection))
    assert not Permission.objects.filter(codename__in=migration.UNUSED).exists()
    assert person("pat", roles.MANAGER).has_perm(may.DELETE_RECORDS)
