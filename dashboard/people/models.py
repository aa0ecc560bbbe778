"""People of the office, their emails, key pairs and workspaces."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q, UniqueConstraint
from django.db.models.functions import Lower
from django.utils import timezone

from dashboard.core.retention import Retention, RetentionRule
from dashboard.core.sealed import SealedJSON
from dashboard.text.style import DAY_FIRST, MARKS, MONTH_FIRST, POINT, Style

UNSENT_MAIL_RETENTION = timedelta(days=30)  # of an email


ONLY_SAVED_BY_NAME = {"role", "has_mfa"}  # fields of a user, see User.save


# The first day of a week, as date.weekday counts.
WEEK_STARTS = {0: "Monday", 6: "Sunday", 5: "Saturday"}
DAY_ORDERS = {DAY_FIRST: "15/3 (day first)", MONTH_FIRST: "3/15 (month first)"}


class User(AbstractUser):
    """A person of the office.

    role: the name of a role, "" for none. has_mfa: whether the person has an authenticator
    app or a passkey (updated by mfa.py).
    """

    role = models.CharField(max_length=20, blank=True, default="", db_index=True, editable=False)
    has_mfa = models.BooleanField(default=False, editable=False)

    number_style = models.CharField("Numbers", max_length=1, choices=MARKS, default=POINT)
    day_style = models.CharField("Dates", max_length=3, choices=DAY_ORDERS, default=DAY_FIRST)
    week_start = models.PositiveSmallIntegerField("Week starts on", choices=WEEK_STARTS, default=0)

    class Meta:
        default_permissions = ()  # the role grants them, see permissions.py
        constraints = [  # people sign in with either, in any case: neither may be ambiguous
            UniqueConstraint(
                Lower("username"),
                name="username_unique_in_any_case",
                violation_error_message="This username is taken.",
            ),
            UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="email_unique_in_any_case",
                violation_error_message="This email address is taken.",
            ),
        ]

    @property
    def display_name(self) -> str:
        return self.get_full_name() or self.get_username()

    @property
    def pair(self) -> "KeyPair | None":
        """Return the key pair, not decrypted. One query for each instance."""
        return getattr(self, "key_pair", None)

    @property
    def workspace_id(self) -> str:
        return self.pair.workspace_id if self.pair else ""

    @property
    def style(self) -> Style:
        return Style(self.number_style, self.day_style, self.week_start)

    @property
    def requires_mfa(self) -> bool:
        roles = settings.SECOND_FACTOR_ROLES
        return bool(roles) and (self.is_superuser or self.role in roles)

    @property
    def lacks_mfa(self) -> bool:
        return self.requires_mfa and not self.has_mfa

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the email in lower case, as sign-in and password reset look it up. The role and
        the second step may have changed since the row was read: they are stored only by name.
        """
        if "email" not in self.get_deferred_fields():
            self.email = self.email.lower()
        if not self._state.adding and kwargs.get("update_fields") is None:
            stored = {field.name for field in self._meta.concrete_fields if not field.primary_key}
            kwargs["update_fields"] = stored - self.get_deferred_fields() - ONLY_SAVED_BY_NAME
        super().save(*args, **kwargs)


class Mail(models.Model):
    """An email that the mail server has not accepted yet (mails.py); the row is deleted after that.

    kind: such as "invitation". person: the owner of the address, if known. content: subject, body
    and address. since: when the tries started. next_try: None after the last try. error: why the
    last try failed.
    """

    FAILED = ~Q(error="") | Q(next_try__isnull=True)  # at least once

    nobody = 0  # the owner of the content: the worker

    token = models.UUIDField(unique=True, default=uuid4, editable=False)
    kind = models.CharField(max_length=60)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+"
    )
    content = SealedJSON("mails", owner="nobody", purpose="mails", bound_fields=("token",))
    since = models.DateTimeField(default=timezone.now, db_index=True)
    tried = models.PositiveSmallIntegerField(default=0)
    next_try = models.DateTimeField(null=True, db_index=True)
    error = models.CharField(max_length=60, blank=True, default="")

    retention = Retention(
        "mails that were not sent", RetentionRule(UNSENT_MAIL_RETENTION, since="since")
    )

    def __str__(self) -> str:
        return f"{self.kind} mail {self.pk}"


DEFAULT_DAYS = 30  # to pay an invoice


def new_id() -> str:
    return uuid4().hex


class Workspace(models.Model):
    """The people whose keys act on one workspace of the service, and what they share here.

    `id` stands in every row that is kept for the workspace. `name` is only shown: two workspaces
    may have the same one. A page reads this row with the person who asks (backend.py).

    switches: whether an unpublished operation is on, by its name, where an administrator decided.
    letterhead: by field of LetterheadForm (documents/settings.py), for printed documents.
    currency: the id of the currency that new records begin with; "" for none.
    setup_ended: an administrator said that the setup page is not needed any more.
    task_zones: the zones that task times had, such as "+05:30", as far as they were read.
    lists_complete: whether the lists that setup asks for lacked nothing at their last change.
    """

    id = models.CharField(max_length=100, primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now)
    switches = models.JSONField(default=dict, blank=True)
    due_days = models.PositiveSmallIntegerField(default=DEFAULT_DAYS)
    letterhead = models.JSONField(default=dict, blank=True)
    currency = models.CharField(max_length=20, blank=True, default="")
    setup_ended = models.BooleanField(default=False)
    task_zones = models.JSONField(default=list, blank=True)
    lists_complete = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.name

    @property
    def in_setup(self) -> bool:
        return not (self.setup_ended or self.lists_complete)


class Membership(models.Model):
    """A user's membership of a workspace; an invitation until `joined_at` is set.

    `invited_by`: None for the operator and for the creator of the workspace.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    invited_at = models.DateTimeField(default=timezone.now)
    joined_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("workspace", "user"), name="one_membership_of_each_workspace"
            ),
        )

    def __str__(self) -> str:
        return f"person {self.user_id} in {self.workspace_id}"


class KeyPair(models.Model):
    """The key pair of a user. Only keys.py reads `keys`, the access and the secret key."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="key_pair"
    )
    keys = SealedJSON(
        "API key pairs",
        owner="user_id",
        purpose="api keys",
        bound_fields=("user_id",),
        db_column="ciphertext",
    )
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="key_pairs")
    connected_at = models.DateTimeField(default=timezone.now)
    # Whether the service rejected the pair last; every page of its owner then shows a warning.
    refused = models.BooleanField(default=False)
    # The names of the endpoints that the workspace's plan lacks, as the last test found.
    closed_areas = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"key pair of person {self.user_id}"
