"""The filter and the view of what a person created from this dashboard, by its own history."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

from dashboard.people.context import RequestContext
from dashboard.schema.filters import BuiltInView, Choice, RowTest
from dashboard.writes import history

ME = "me"
CREATED_BY_ME = BuiltInView("created", "Entered by me", {"created": ME})


@dataclass(frozen=True)
class EnteredHere(Choice):
    """What the person created from this dashboard."""

    is_local = True
    name: str = "created"
    _: KW_ONLY
    resource: str
    label: str = "Entered"
    choices: Mapping[str, str] = field(default_factory=lambda: {ME: "By me"})

    def row_test(self, value: str, ctx: RequestContext) -> RowTest:
        ids: set[int | None] = set()
        if ctx.person:
            created = history.created_by(ctx.person, ctx.workspace, resource=self.resource)
            ids = set(created.values_list("record_id", flat=True))
        return lambda record: record.id in ids
