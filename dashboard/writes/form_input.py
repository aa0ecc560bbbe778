"""What the form of a page is bound to: the fields of the request, or of a draft opened again."""

from dataclasses import dataclass, field
from datetime import datetime

from django.http import QueryDict

from dashboard.gateway import Rejected
from dashboard.people.context import RequestContext
from dashboard.writes.draft_marks import Mark

PREFILLED_SUBMIT = "filled"  # the field of a form that is sent as its address fills it, unseen


@dataclass(frozen=True)
class RedisplayReason:
    """Why a form is shown with what was typed before.

    kept_at: when the draft was stored; None for a form whose CSRF token had expired.
    refusal: why the service refused the form when it was sent again.
    """

    kept_at: datetime | None = None
    refusal: Rejected | None = None


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
    redisplay_reason: RedisplayReason | None = None
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


def form_input(ctx: RequestContext) -> FormInput:
    """What the form of the request is bound to."""
    given: FormInput = ctx.request.form_input
    return given
