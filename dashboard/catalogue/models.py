"""Entries of the lists, ids without a name, and the version of a workspace's lists."""

from django.db import models

from .kinds import Kind, ValueType


class ListEntry(models.Model):
    """One entry of a list: what people call an id of the service.

    `workspace` is the id of a credentials.Workspace. `code` is the id in the service as text;
    custom fields and suggestions have none, so theirs is made from the name.
    """

    workspace = models.CharField(max_length=100)
    kind = models.CharField(max_length=20, choices=Kind)
    code = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField(default=0)
    retired = models.BooleanField(default=False)
    told = models.BooleanField(default=False)  # the service told the name, and no person changed it

    # Fields that only some kinds have (kinds.KIND_SPECS).
    parent = models.CharField(max_length=200, blank=True, default="")  # of a stage: its pipeline
    price = models.DecimalField(max_digits=20, decimal_places=6, null=True, blank=True)
    tax = models.CharField(max_length=200, blank=True, default="")  # of an item: its usual tax
    rate = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)  # percent
    calling_code = models.CharField(max_length=8, blank=True, default="")
    value_type = models.CharField(max_length=20, choices=ValueType, default=ValueType.TEXT)
    choices = models.JSONField(default=list, blank=True)  # list of texts
    # Of a currency: all deals and documents are in it.
    is_only = models.BooleanField(default=False, db_default=False)

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
    """An id that was found in a record and has no name yet."""

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
