"""Choices that the service lacks: they are applied to the rows that were read."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

from dashboard.audit import services as audit
from dashboard.records.context import RequestContext
from dashboard.records.filters.base import LocalFilter
from dashboard.records.filters.choices import Choice
from dashboard.records.parts import BuiltInView

ME = "me"
CREATED_BY_ME = BuiltInView("created", "Created by me", {"created": ME})


@dataclass(frozen=True)
class Local(Choice):
    """A choice among the rows that were read. apply: how the records of a choice are found."""

    _: KW_ONLY
    apply: Callable[[RequestContext, str], LocalFilter]

    @property
    def is_local(self) -> bool:
        """The service lacks it."""
        return True

    def local(self, value: str, ctx: RequestContext) -> LocalFilter:
        """What the choice keeps."""
        return self.apply(ctx, value)


def created_here(resource: str) -> Local:
    """The filter for what the person created from this dashboard, by its own history."""

    def apply(ctx: RequestContext, value: str) -> LocalFilter:
        ids = audit.created_by(ctx.person, ctx.workspace, resource) if ctx.person else set()
        return LocalFilter(lambda record: record.id in ids)

    return Local("created", label="Created here", choices={ME: "By me"}, apply=apply)


def empty(label: str, name: str, field: str) -> Local:
    """A filter for records whose list row has nothing in a field."""
    return Local(
        name,
        label=label,
        choices={"none": "None given"},
        apply=lambda ctx, value: LocalFilter(lambda record: not record[field]),
    )
