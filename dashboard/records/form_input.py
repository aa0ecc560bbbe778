"""What the form of a page is bound to, and what becomes of the form."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from django.http import HttpResponse, QueryDict

from dashboard.drafts.marks import Mark


@dataclass(frozen=True)
class ShownAgain:
    """Why a form is shown with what was typed before.

    kept_at: when the draft was stored; None for a form whose CSRF token had expired.
    refused: the form was sent again, and the service refused it.
    """

    kept_at: datetime | None = None
    refused: bool = False


@dataclass(frozen=True, kw_only=True)
class FormInput:
    """What a form view reads instead of `request.POST` and `request.GET`.

    data: the submitted fields, from the request or from the draft that is opened again; None for a
    form that is begun. params: the query of the form's address. show_only: the fields are shown as
    they are, neither checked nor sent. mark: under which the fields are stored as a draft.
    filled: the fields are those that the form's address fills, sent without anybody seeing them.
    """

    data: QueryDict | None = None
    params: QueryDict = field(default_factory=QueryDict)
    show_only: bool = False
    mark: Mark | None = None
    shown_again: ShownAgain | None = None
    filled: bool = False

    @property
    def token(self) -> str:
        """The one-time token of the form; "" where it has none."""
        return self.get("token")

    def get(self, name: str) -> str:
        """A submitted field; "" where there is none."""
        return str(self.data.get(name, "")) if self.data is not None else ""

    def has(self, name: str) -> bool:
        """Whether a field, such as a pressed button, was submitted."""
        return self.data is not None and name in self.data


class FormOutcome(Enum):
    """What becomes of a submitted form, and so of its draft."""

    SHOWN_AGAIN = "shown again"  # the draft stays open
    COMPLETED = "completed"  # everything is saved, or nothing was to be saved: the draft is dropped
    UNRESOLVED = "unresolved"  # nobody knows: the draft waits until that is settled


@dataclass(frozen=True)
class FormResult:
    """The answer of a form view whose form is not shown again."""

    response: HttpResponse
    outcome: FormOutcome
