"""What the database of a release is filled with, and what the next release has to find in it."""

from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.http import QueryDict

from dashboard.jobs.models import Job
from dashboard.office.models import ListEntry, SavedView
from dashboard.people import keys, permissions
from dashboard.people.models import KeyPair, User, Workspace
from dashboard.writes import drafts, history
from dashboard.writes.models import Draft, Event, Write

OF_PERSON = {"owner": "x", "workspace": "acme", "resource": "contacts"}


def make() -> None:
    call_command("migrate", verbosity=0)
    vera = User.objects.create_user("vera", "vera@example.test", "correct horse battery")
    permissions.set_role(vera, permissions.EDITOR)
    acme = Workspace.objects.create(id="acme", name="Acme")
    keys.connect(vera, access="access0123", secret="hidden0123", workspace=acme)
    ListEntry.objects.create(workspace=acme.pk, kind="user", code="7", name="Vera Novak")
    view = SavedView(user=vera, workspace=acme.pk, resource="contacts", shared=True)
    view.content = {"name": "Zebras", "params": "search=zebra"}
    view.save()
    mark = drafts.Mark("0" * 32, vera.pk, acme.pk, "/contacts/new/", "New contact")
    drafts.store_draft(mark, QueryDict("cstname=Zebra"))
    write = Write(token="1" * 32, person=vera, operation="create", state="saved", **OF_PERSON)
    write.content = {"label": "Zebra Ltd", "body": {"cstname": "Zebra Ltd"}}
    write.save()
    Job.objects.create(person=vera, kind="bulk", title="Change 3 contacts", **OF_PERSON)
    event = Event(who="vera", operation="export", **OF_PERSON)
    history.add(event, label="Zebra Ltd", changes={"Name": ("", "Zebra Ltd")})


def migrated() -> dict[str, Any]:
    """What is found after the migration, with the tables that are not those of the models."""
    call_command("migrate", verbosity=0)
    vera = User.objects.get()
    return {
        "other tables": [name for name in map(_table_of_other_columns, apps.get_models()) if name],
        "person": [vera.username, vera.role, vera.check_password("correct horse battery")],
        "keys": KeyPair.objects.get().keys,
        "workspaces": list(Workspace.objects.values_list("name", flat=True)),
        "lists": list(ListEntry.objects.values_list("name", flat=True)),
        "view": SavedView.objects.get().content,
        "draft": drafts.read_draft(Draft.objects.get()).data.dict(),
        "write": Write.objects.get().content["label"],
        "job": Job.objects.get().title,
        "history": history.details(Event.objects.get()).label,
    }


def _table_of_other_columns(model: Any) -> str:
    with connection.cursor() as cursor:
        found = connection.introspection.get_table_description(cursor, model._meta.db_table)
    declared = {each.column for each in model._meta.local_concrete_fields}
    return "" if {column.name for column in found} == declared else str(model._meta.db_table)
