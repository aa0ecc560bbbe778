"""Reference list entries, and the choices of people and of the office."""

from django.conf import settings
from django.db import models

from dashboard.core.sealed import SealedJSON, readable
from dashboard.text.recurrence import FREQUENCY_LABELS

from .kinds import Kind, ValueType


class ListEntry(models.Model):
    """One entry of a list: a name for an id of the service. `workspace` is the id of a
    people.Workspace. `code` is the id in the service as text; custom fields and suggestions have
    none, so theirs is made from the name.
    """

    workspace = models.CharField(max_length=100)
    kind = models.CharField(max_length=20, choices=Kind)
    code = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField(default=0)
    retired = models.BooleanField(default=False)
    is_from_service = models.BooleanField(default=False)  # its name, which no person has changed

    # Fields that only some kinds have (kinds.KIND_SPECS).
    parent = models.CharField(max_length=200, blank=True, default="")  # of a stage: its pipeline
    price = models.DecimalField(max_digits=20, decimal_places=6, null=True, blank=True)
    tax = models.CharField(max_length=200, blank=True, default="")  # of an item: its usual tax
    rate = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)  # percent
    calling_code = models.CharField(max_length=8, blank=True, default="")
    value_type = models.CharField(max_length=20, choices=ValueType, default=ValueType.TEXT)
    choices = models.JSONField(default=list, blank=True)  # list of texts
    # Of a currency: all deals and documents are in it; else the page of the first that is not.
    is_only = models.BooleanField(default=False, db_default=False)
    not_only = models.CharField(max_length=200, blank=True, default="", db_default="")

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("workspace", "kind", "code"), name="one_entry_for_each_id"
            ),
        )

    def __str__(self) -> str:
        return self.name


class UnnamedReference(models.Model):
    workspace = models.CharField(max_length=100)
    kind = models.CharField(max_length=20, choices=Kind)
    code = models.CharField(max_length=200)
    url = models.CharField(max_length=200)  # of the record's page in the dashboard
    place = models.CharField(max_length=100)  # what that record is, such as "Invoice 7001"
    parent = models.CharField(max_length=200, blank=True, default="")  # of a stage: its pipeline
    seen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("kind", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("workspace", "kind", "code"), name="one_sighting_of_each_id"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.code} in {self.place}"


class ListVersion(models.Model):
    """A token that changes with every change to a list, so that all processes load it again."""

    workspace = models.CharField(max_length=100, primary_key=True)
    token = models.CharField(max_length=32)

    def __str__(self) -> str:
        return self.token


MAX_DAYS = 3650


class Terms(models.Model):
    """The days that a customer was given to pay in the last invoices, the latest at the end."""

    workspace = models.CharField(max_length=100)
    customer = models.BigIntegerField()
    recent = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("workspace", "customer"), name="one_set_of_terms_for_each_customer"
            ),
        )

    def __str__(self) -> str:
        return f"{self.customer}: {self.recent} days"


class SavedChoices(models.Model):
    """Initial values of a user's next form: by workspace, then by field.

    One row for a user: it is read with the user of a request (people/backend.py).
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="choices"
    )
    by_workspace = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"choices of person {self.user_id}"


class Conversion(models.Model):
    """A document that was created from another.

    source, made: their ids; `made` is None if the service did not return one.
    """

    workspace = models.CharField(max_length=100)
    source = models.BigIntegerField()
    made = models.BigIntegerField(null=True)
    label = models.CharField(max_length=200, blank=True, default="")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        indexes = (
            models.Index(fields=("workspace", "source"), name="conversions_of_a_source"),
            models.Index(fields=("workspace", "made"), name="conversions_of_what_was_made"),
        )

    def __str__(self) -> str:
        return f"{self.source} to {self.made}"


class SavedView(models.Model):
    """A list query under a name.

    content: its name, and the query string with the search and the filters as they were chosen,
    encrypted for the user who saved it. shared: visible to the whole workspace, else only to that
    user.
    """

    LONGEST_NAME, LONGEST_PARAMS = 60, 2000

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    workspace = models.CharField(max_length=100)
    resource = models.CharField(max_length=20)
    shared = models.BooleanField(default=False)
    content = SealedJSON(
        "saved views",
        owner="user_id",
        purpose="views",
        bound_fields=("workspace", "user_id", "resource"),
        db_column="sealed",
    )

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("workspace", "shared"), name="shared_views"),)

    def __str__(self) -> str:
        return f"view {self.pk} of {self.resource}"

    @property
    def name(self) -> str:
        """Return "" if no configured key decrypts it."""
        return str(readable(self, "content").get("name", ""))

    @name.setter
    def name(self, name: str) -> None:
        self.content = {**readable(self, "content"), "name": name}

    @property
    def params(self) -> str:
        """Return the query string of the list's URL; "" if no configured key decrypts it."""
        return str(readable(self, "content").get("params", ""))

    @params.setter
    def params(self, params: str) -> None:
        self.content = {**readable(self, "content"), "params": params}

    @property
    def key(self) -> str:
        return f"v{self.pk}"


class RecentRecord(models.Model):
    """A record that a user has opened, with one key pair (`owner`); `starred` keeps it in reach.

    content: its name and phone numbers, sealed; None for a record that was only starred.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    owner = models.CharField(max_length=64)
    resource = models.CharField(max_length=20)
    record_id = models.BigIntegerField()
    seen_at = models.DateTimeField()
    starred = models.BooleanField(default=False)
    content = SealedJSON(
        "opened records",
        owner="user_id",
        purpose="recents",
        bound_fields=("user_id", "owner", "resource", "record_id"),
        db_column="sealed",
        blank=True,
        default="",
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "owner", "resource", "record_id"), name="one_row_for_each_recent"
            ),
        )
        indexes = (models.Index(fields=("user", "owner", "seen_at"), name="recent_by_time"),)

    def __str__(self) -> str:
        return f"{self.resource} {self.record_id}"

    @property
    def title(self) -> str:
        """Return the name that it had when it was opened; "" if that is not known."""
        return str(readable(self, "content").get("title", ""))

    @property
    def numbers(self) -> list[str]:
        return list(readable(self, "content").get("numbers", ()))


class ReminderTexts(models.Model):
    """The office's reminder texts for overdue invoices.

    content: by tone, the subject and the text, sealed for colleagues.
    """

    everybody = 0  # the owner of what is sealed for colleagues

    workspace = models.CharField(max_length=100, unique=True)
    content = SealedJSON(
        "texts of reminders", owner="everybody", purpose="reminders", bound_fields=("workspace",)
    )

    def __str__(self) -> str:
        return f"texts of reminders of {self.workspace}"


class Repeat(models.Model):
    """A record that a person makes again as a copy of the one with this id. begins_on: first day of
    the frequency.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="repeats")
    workspace = models.ForeignKey("people.Workspace", models.CASCADE, related_name="repeats")
    resource = models.CharField(max_length=20)
    record_id = models.BigIntegerField()
    frequency = models.CharField(max_length=10, choices=FREQUENCY_LABELS)
    begins_on = models.DateField()
    next_on = models.DateField()

    class Meta:
        ordering = ("next_on", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("person", "workspace", "resource", "record_id"),
                name="one_repeat_for_each_record",
            ),
        )
        indexes = (models.Index(fields=("person", "workspace", "next_on"), name="repeats_by_day"),)

    def __str__(self) -> str:
        return f"{self.resource} {self.record_id}, {self.frequency}"
