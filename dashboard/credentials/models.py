"""Key pairs, stored sealed (sealed.py), the workspaces that they belong to, with their settings and
members, and pauses of calls.
"""

from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.retention import Kept, Retention
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
    method: the code of the method that adds up totals; "" selects it by the service's totals.
    told: the codes of the methods that agreed with every total of the service so far.
    currency: the id of the currency that new records begin with; "" for none.
    setup_ended: an administrator said that the setup page is not needed any more.
    """

    id = models.CharField(max_length=100, primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now)
    switches = models.JSONField(default=dict, blank=True)
    method = models.CharField(max_length=20, blank=True, default="")
    told = models.JSONField(default=list, blank=True)
    due_days = models.PositiveSmallIntegerField(default=USUAL_DAYS)
    currency = models.CharField(max_length=20, blank=True, default="")
    setup_ended = models.BooleanField(default=False)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """Whether a user belongs to a workspace; see members.py for the rules.

    `by_word`: an administrator (`changed_by`) vouches for the user, whose keys have not matched
    since. `put_into`: the workspace that the user's key pair got when it was put out of this one,
    None once keys were connected or moved since.
    A user without a row was never let in.
    """

    class State(models.TextChoices):
        """An invited user joins by connecting keys or by a button; the last two are put out."""

        INVITED = "invited", "Invited"
        MEMBER = "member", "Member"
        UNMATCHED = "unmatched", "Put out: the keys did not match"
        REMOVED = "removed", "Put out by an administrator"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    state = models.CharField(max_length=10, choices=State)
    by_word = models.BooleanField(default=False)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    changed_at = models.DateTimeField(default=timezone.now)
    put_into = models.ForeignKey(Workspace, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("workspace", "user"), name="one_membership_of_each_workspace"
            ),
        )

    def __str__(self) -> str:
        return f"person {self.user_id} in {self.workspace_id}: {self.state}"


class KnownContact(models.Model):
    """A contact that the keys of a proven member have read: its id and when it was created.

    Both never change in the service, so keys that read the same belong to the same workspace.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="known_contacts")
    record_id = models.BigIntegerField(db_index=True)
    created_on = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("workspace", "record_id"), name="one_known_contact_for_each_id"
            ),
        )

    def __str__(self) -> str:
        return f"contact {self.record_id} of {self.workspace_id}"


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
    # When it was last compared with what the members' keys read; None for never.
    checked_at = models.DateTimeField(null=True)
    connected_at = models.DateTimeField(default=timezone.now)
    # Whether the service refused the pair last; every page of its owner then shows a warning.
    refused = models.BooleanField(default=False)
    # The names of the endpoints that the workspace's plan lacks, as the last test found.
    closed_areas = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"key pair of person {self.user_id}"


class Pause(models.Model):
    """A time in which the calls of a person were paused, as requests or a worker met it.

    `first` and `last` are the first and the last time that it was met, `times` counts them.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    by_worker = models.BooleanField(default=False)
    first = models.DateTimeField()
    last = models.DateTimeField(db_index=True)
    times = models.PositiveIntegerField(default=1)

    retention = Retention("pauses", Kept(timedelta(days=7), since="last"))

    def __str__(self) -> str:
        return f"pause of person {self.person_id} from {self.first}"
