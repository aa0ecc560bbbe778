"""Key pairs, stored sealed (sealed.py), the workspaces that they belong to, with their settings and
members, and pauses of calls.
"""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.sealed import SealedJSON

USUAL_DAYS = 30  # to pay an invoice


def new_id() -> str:
    """A random id, which nobody can choose or guess."""
    return uuid4().hex


class Workspace(models.Model):
    """The people whose keys act on one workspace of the service, and what they share here.

    `id` stands in every row that is kept for the workspace. `name` is only shown: two workspaces
    may have the same one. A page reads this row with the person who asks (backends.py).

    switches: whether an unpublished operation is on, by its name, where an administrator decided.
    currency: the id of the currency that new records begin with; "" for none.
    setup_ended: an administrator said that the setup page is not needed any more.
    """

    id = models.CharField(max_length=100, primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now)
    switches = models.JSONField(default=dict, blank=True)
    due_days = models.PositiveSmallIntegerField(default=USUAL_DAYS)
    currency = models.CharField(max_length=20, blank=True, default="")
    setup_ended = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user who belongs to a workspace, or is invited to it as long as `joined_at` is None.

    `invited_by`: the administrator whose word it was; None for the operator and for whoever began
    the workspace.
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
    """The key pair of a user. Only services.py reads `keys`, the access and the secret key."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="key_pair"
    )
    keys = SealedJSON(
        "API key pairs",
        owner="user_id",
        purpose="api keys",
        row=("user_id",),
        db_column="ciphertext",
    )
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="key_pairs")
    connected_at = models.DateTimeField(default=timezone.now)
    # Whether the service refused the pair last; every page of its owner then shows a warning.
    refused = models.BooleanField(default=False)
    # The names of the endpoints that the workspace's plan lacks, as the last test found.
    closed_areas = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"key pair of person {self.user_id}"
