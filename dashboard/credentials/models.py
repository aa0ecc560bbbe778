"""One API key pair per person, stored encrypted (cipher.py) and never shown again."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class KeyPair(models.Model):
    """A person's key pair. Open it with services.keys_for; nothing else needs what is inside."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="key_pair"
    )
    ciphertext = models.TextField(editable=False)
    # The API cannot say whose keys these are, so the person does.
    workspace = models.CharField(max_length=100)
    connected_at = models.DateTimeField(default=timezone.now)
    # The service has said no to this pair: every page of its owner says so, until it works again.
    refused = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"key pair of person {self.user_id}"


class Switch(models.Model):
    """An administrator's decision whether to try an operation that the service does not publish."""

    operation = models.CharField(max_length=40, unique=True)
    is_on = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.operation} {'on' if self.is_on else 'off'}"
