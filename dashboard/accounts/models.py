"""Staff users."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q, UniqueConstraint
from django.db.models.functions import Lower


class NumberStyle(models.TextChoices):
    """How a person writes numbers."""

    POINT = "point", "1,234.56"
    COMMA = "comma", "1.234,56"


class DayStyle(models.TextChoices):
    """What a person writes first in a date."""

    DAY_FIRST = "day_first", "15/3: the day first"
    MONTH_FIRST = "month_first", "3/15: the month first"


class WeekStart(models.TextChoices):
    """The day on which a person's week begins."""

    MONDAY = "monday", "Monday"
    SUNDAY = "sunday", "Sunday"
    SATURDAY = "saturday", "Saturday"


class User(AbstractUser):
    """A person of the office. Business records are not kept here; they live in the API."""

    number_style = models.CharField(
        "Numbers", max_length=10, choices=NumberStyle, default=NumberStyle.POINT
    )
    day_style = models.CharField(
        "Dates", max_length=12, choices=DayStyle, default=DayStyle.DAY_FIRST
    )
    week_start = models.CharField(
        "The week begins on", max_length=10, choices=WeekStart, default=WeekStart.MONDAY
    )

    class Meta:
        permissions = [
            ("view_records", "See the business records"),
            ("edit_records", "Create and change business records"),
            ("delete_records", "Delete business records"),
            ("export_records", "Export and import business records"),
            ("see_who_has_keys", "See who has connected API keys"),
            ("manage_settings", "Change what applies to everyone"),
        ]
        constraints = [  # people sign in with either, in any case: neither may be ambiguous
            UniqueConstraint(
                Lower("username"),
                name="username_unique_in_any_case",
                violation_error_message="Somebody else already has this username.",
            ),
            UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="email_unique_in_any_case",
                violation_error_message="Somebody else already has this email address.",
            ),
        ]

    @property
    def display_name(self) -> str:
        """What pages and mails call the person."""
        return self.get_full_name() or self.get_username()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the email in lower case, as sign-in and password reset look it up."""
        if "email" not in self.get_deferred_fields():
            self.email = self.email.lower()
        super().save(*args, **kwargs)
