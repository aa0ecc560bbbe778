"""The signed-in user of a request, and the number of queries that loading them takes."""

from allauth.account.auth_backends import AuthenticationBackend
from django.conf import settings
from django.contrib.auth import get_backends
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import Model

from dashboard.office.choices import remember_choices
from dashboard.people.models import User
from dashboard.people.permissions import DELETE_RECORDS, VIEW_RECORDS

STOCK = ("allauth.", "django.", "whitenoise.")


def test_sign_in_and_sessions_use_stock_classes():
    assert [type(each).__mro__[1] for each in get_backends()] == [AuthenticationBackend]
    assert SessionStore.__module__ == settings.SESSION_ENGINE
    assert len(settings.MIDDLEWARE) == 12
    own = [name for name in settings.MIDDLEWARE if not name.startswith(STOCK)]
    assert own == [
        "dashboard.core.request_log.RequestLogMiddleware",
        "dashboard.site.middleware.answer_headers",
        "dashboard.site.middleware.ValidRequestMiddleware",
        "dashboard.site.middleware.WriteStatusMiddleware",
        "dashboard.site.middleware.PersonMiddleware",
    ]


def test_the_person_of_a_request_is_read_as_the_orm_reads_them(with_keys, editor):
    with_keys(editor)
    remember_choices(user=editor, workspace=editor.workspace_id, values={"currency": "3"})
    (backend,) = get_backends()
    found = backend.get_user(editor.pk)
    stored = User.objects.select_related("key_pair__workspace", "choices").get(pk=editor.pk)

    def values(*rows: Model) -> list[object]:
        return [getattr(row, each.attname) for row in rows for each in row._meta.concrete_fields]

    read, expected = (
        values(each, each.pair, each.pair.workspace, each.choices) for each in (found, stored)
    )
    assert read == expected
    assert list(map(type, read)) == list(map(type, expected))


def test_a_person_without_keys_and_a_deactivated_account_are_loaded_as_they_are(viewer):
    (backend,) = get_backends()
    found = backend.get_user(viewer.pk)
    assert found == viewer
    assert found.pair is None
    viewer.is_active = False
    viewer.save()
    assert backend.get_user(viewer.pk) is None
    assert backend.get_user(0) is None


def test_only_roles_grant_permissions(viewer):
    kind = ContentType.objects.get_for_model(User)
    name = DELETE_RECORDS.partition(".")[2]
    delete = Permission.objects.create(content_type=kind, codename=name, name="Delete")
    viewer.user_permissions.add(delete)
    assert viewer.get_all_permissions() == {VIEW_RECORDS}
    assert User.objects.create_superuser("root").has_perm(DELETE_RECORDS)
