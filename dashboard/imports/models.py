"""Imported files, with the choices and edits of their person."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.core.retention import Retention, RetentionRule
from dashboard.core.sealed import SealedJSON
from dashboard.jobs.models import Job

A_DAY = timedelta(days=1)
SEALED: Any = {"owner": "person_id", "purpose": "imports", "bound_fields": ("workspace", "pk")}


class Import(models.Model):
    """A file before it is sent, and the job that sends its rows.

    `content` (the file in base64, or the pasted text) and `settings` are encrypted for the person.
    `headings` is a digest of the headings, which finds the settings for the next such file.
    `upload_digest`: of its form and file, so that repeated submissions make one row.

    The file is read into `table`, which is encrypted, when its page is first opened, and again when
    the reading options change. It is "" until then, and once the rows are sent.

    A discarded file can be restored for a day.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="imports")
    workspace = models.CharField(max_length=100, blank=True, default="")
    resource = models.CharField(max_length=20)
    content = SealedJSON("files of imports", **SEALED)
    settings = SealedJSON("settings of imports", **SEALED, blank=True, default="")
    headings = models.CharField(max_length=64, blank=True, default="")
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="imported")
    updated_at = models.DateTimeField(default=timezone.now)
    upload_digest = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 (unique)
    table = SealedJSON("tables of imports", **SEALED, blank=True, default="")
    discarded_at = models.DateTimeField(null=True)

    retention = Retention(
        "files of imports",
        RetentionRule("DRAFT_RETENTION_DAYS", since="updated_at"),
        RetentionRule(A_DAY, since="discarded_at"),
    )

    class Meta:
        indexes = [models.Index(fields=["person", "resource", "headings"], name="imports_headings")]

    def __str__(self) -> str:
        return f"import {self.pk} of {self.resource}"
