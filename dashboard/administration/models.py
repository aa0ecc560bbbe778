"""The workers that carry out deletions, jobs and mails, with their last heartbeat."""

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now

from dashboard.core.retention import Retention, RetentionRule


class Worker(models.Model):
    """A worker process. name: its machine and number. seen: its last heartbeat."""

    name = models.CharField(max_length=150, primary_key=True)
    seen = models.DateTimeField(db_default=Now(), db_index=True)

    retention = Retention("workers that have ended", RetentionRule(timedelta(days=7), since="seen"))

    def __str__(self) -> str:
        return f"worker {self.name}"
