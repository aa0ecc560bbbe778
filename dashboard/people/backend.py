"""Loads the signed-in person of each request, and what their role lets them do."""

from collections.abc import Callable
from functools import cache
from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.apps import apps
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Model, Value

from dashboard.people.models import KeyPair, User, Workspace
from dashboard.people.permissions import permissions_of


class StaffBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    """allauth's backend with one query on every page."""

    def get_user(self, user_id: int) -> User | None:
        """Return the person with key pair, its workspace, and choices; None for nobody or a
        deactivated account.
        """
        user = person_statement().read(user_id)
        return user if user and self.user_can_authenticate(user) else None

    def get_all_permissions(
        self, user_obj: AbstractBaseUser | AnonymousUser, obj: Model | None = None
    ) -> set[str]:
        return set(permissions_of(user_obj)) if isinstance(user_obj, User) else set()


class PersonStatement:
    """The statement that reads a person with key pair, workspace and choices. The ORM would compose
    it again for each page, at seven times the function calls.
    """

    def __init__(self) -> None:
        choices = apps.get_model("office", "SavedChoices")
        self.models: tuple[Any, ...] = (User, KeyPair, Workspace, choices)
        person, pair, workspace, chosen = (model._meta.db_table for model in self.models)
        fields = [field for model in self.models for field in model._meta.concrete_fields]
        columns = ", ".join(f'{field.model._meta.db_table}."{field.column}"' for field in fields)
        self.sql = f"""
            SELECT {columns} FROM {person}
            LEFT JOIN {pair} ON {pair}.user_id = {person}.id
            LEFT JOIN {workspace} ON {workspace}.id = {pair}.workspace_id
            LEFT JOIN {chosen} ON {chosen}.user_id = {person}.id
            WHERE {person}.id = %s
        """  # noqa: S608 # nosec B608 - names of tables and columns
        self.converters: list[tuple[int, Callable[..., Any], Value]] = []
        for place, field in enumerate(fields):
            column = Value(None, output_field=field)
            own = field.get_db_converters(connection)
            for convert in (*connection.ops.get_db_converters(column), *own):
                self.converters.append((place, convert, column))

    def read(self, user_id: int) -> User | None:
        with connection.cursor() as cursor:
            cursor.execute(self.sql, [user_id])
            row = cursor.fetchone()
        return self._person(list(row)) if row else None

    def _person(self, values: list[Any]) -> User:
        for place, convert, column in self.converters:
            values[place] = convert(values[place], column, connection)
        found, begin = list[Any](), 0
        for model in self.models:
            names = [field.attname for field in model._meta.concrete_fields]
            own = values[begin : begin + len(names)]
            begin += len(names)
            found.append(None if own[0] is None else model.from_db(connection.alias, names, own))
        user: User
        user, pair, workspace, choices = found
        if pair:
            user.key_pair = pair
            pair.workspace = workspace
        user.choices = choices or self.models[-1](user=user)
        return user


@cache
def person_statement() -> PersonStatement:
    return PersonStatement()
