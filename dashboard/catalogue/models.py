"""Named entries of the lists, ids seen and not yet named, and which edition the lists are in."""

from django.db import models

from .kinds import Kind, ValueType


class Entry(models.Model):
    """One entry of a list: what people call an id of the service.

    `workspace` is the normal form of a label (snapshot.normal). `code` is the id in the service as
    text; of custom fields and suggestions, which have none, it is made from the name.
    """

    workspace = models.CharField(max_length=100)
    kind = models.CharField(max_length=20, choices=Kind)
    code = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    position = models.PositiveIntegerField(default=0)
    retired = models.BooleanField(default=False)

    # What only some kinds have (kinds.ABOUT).
    parent = models.CharField(max_length=200, blank=True, default="")  # of a stage: its pipeline
    price = models.DecimalField(max_digits=20, decimal_places=6, null=True, blank=True)
    tax = models.CharField(max_length=200, blank=True, default="")  # of an item: its usual tax
    rate = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)  # percent
    calling_code = models.CharField(max_length=8, blank=True, default="")
    value_type = models.CharField(max_length=20, choices=ValueType, default=ValueType.TEXT)
    choices = models.JSONField(default=list, blank=True)  # list of texts

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("workspace", "kind", "code"), name="one_entry_for_each_id"
            ),
        )

    def __str__(self) -> str:
        return self.name


class Sighting(models.Model):
    """An id that a record carried and that nobody has named yet."""

    workspace = models.CharField(max_length=100)
    kind = models.CharField(max_length=20, choices=Kind)
    code = models.CharField(max_length=200)
    url = models.CharField(max_length=200)  # of the record's page in the dashboard
    place = models.CharField(max_length=100)  # what that record is, such as "Invoice 7001"
    name = models.CharField(max_length=200, blank=True, default="")  # if the service told one
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


class Edition(models.Model):
    """Changes whenever a list of the workspace does, so that every process notices."""

    workspace = models.CharField(max_length=100, primary_key=True)
    token = models.CharField(max_length=32)

    def __str__(self) -> str:
        return self.token
