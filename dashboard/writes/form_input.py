"""The input of a page's form: from the request, or from a draft."""

from dataclasses import dataclass, field
from datetime import datetime

from django.http import QueryDict

from dashboard.gateway import Rejected
from dashboard.people.context import RequestContext
from dashboard.writes.draft_marks import Mark

PREFILLED_SUBMIT = "filled"  # the field of a form that is sent as its address fills it, unseen


@dataclass(frozen=True)
class RedisplayReason:
    """Why a form is rendered again with its input.

    kept_at: when the draft was stored; None after an expired CSRF token. refusal: why the service
    rejected the form when it was sent again.
    """

    kept_at: datetime | None = None
    refusal: Rejected | None = None


@dataclass(frozen=True, kw_only=True)
class FormInput:
    """Input that a form view uses instead of `request.POST` and `request.GET`.

    data: the submitted fields or those of a draft; None for a new form. params: the query of the
    form's URL. show_only: the form is rendered, neither validated nor sent. mark: identifies the
    draft. filled: the fields come from the form's URL, sent without anybody seeing them.
    """

    data: QueryDict | None = None
    params: QueryDict = field(default_factory=QueryDict)
    show_only: bool = False
    mark: Mark | None = None
    redisplay_reason: RedisplayReason | None = None
    filled: bool = False

    @property
    def token(self) -> str:
        return self.get("token")

    def get(self, name: str) -> str:
        """Return a submitted field; "" without one."""
        return str(self.data.get(name, "")) if self.data is not None else ""

    def has(self, name: str) -> bool:
        return self.data is not None and name in self.data


def form_input(ctx: RequestContext) -> FormInput:
    given: FormInput = ctx.request.form_input
    return given
