"""The files that are to be imported, with what their person has chosen and mended."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.jobs.models import Job


class Import(models.Model):
    """A file before it is sent, and the job that sends its rows.

    `content` (the file in base64, or the pasted text) and `choices` are sealed for the person.
    `headings` is a digest of the headings, by which the columns of the next such file are known.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="imports")
    workspace = models.CharField(max_length=100, blank=True, default="")
    resource = models.CharField(max_length=20)
    content = models.TextField(editable=False)
    choices = models.TextField(editable=False, blank=True, default="")
    headings = models.CharField(max_length=64, blank=True, default="")
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="imported")
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["person", "resource", "headings"], name="imports_headings")]

    def __str__(self) -> str:
        return f"import {self.pk} of {self.resource}"

    @property
    def owner_id(self) -> int:
        """The person whom it is sealed for."""
        return self.person_id
