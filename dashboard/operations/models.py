"""When calls to the service were paused, for administrators."""

from django.conf import settings
from django.db import models


class Pause(models.Model):
    """A time in which the calls of a person were paused, as requests met it.

    `first` and `last` are the times of the first and the last such request, `requests` counts them.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    first = models.DateTimeField()
    last = models.DateTimeField(db_index=True)
    requests = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return f"pause of person {self.person_id} from {self.first}"
