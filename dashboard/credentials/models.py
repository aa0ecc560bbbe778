"""One API key pair per user, stored encrypted (cipher.py), and switches of operations."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class KeyPair(models.Model):
    """The key pair of a user. services.keys_for decrypts it; no other code reads `ciphertext`."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="key_pair"
    )
    ciphertext = models.TextField(editable=False)
    # Typed by the user, as the API does not return the workspace of a key pair.
    workspace = models.CharField(max_length=100)
    connected_at = models.DateTimeField(default=timezone.now)
    # Whether the service refused the pair last; every page of its owner then shows a warning.
    refused = models.BooleanField(default=False)
    # The names of the endpoints that the workspace's plan lacks, as the last test found.
    closed_areas = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"key pair of person {self.user_id}"


class Switch(models.Model):
    """Whether an unpublished operation is on, as an administrator decided."""

    operation = models.CharField(max_length=40, unique=True)
    is_on = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.operation} {'on' if self.is_on else 'off'}"
