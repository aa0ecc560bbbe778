"""Declares how long rows of models are kept, and deletes expired ones."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

from django.apps import apps
from django.conf import settings
from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

BATCH_SIZE = 1000  # rows of one statement: other writes go on between two of them


@dataclass(frozen=True)
class RetentionRule:
    """How long rows are kept, by the database's clock.

    time: or the name of the setting with a number of days. since: the column or the expression that
    it begins with; a row without a value is kept. only: the rows that this is about.
    """

    time: timedelta | str
    since: str | Combinable
    only: Q = field(default_factory=Q)

    def expired(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        time = self.time
        if isinstance(time, str):
            time = timedelta(days=getattr(settings, time))
        since = F(self.since) if isinstance(self.since, str) else self.since
        old = rows.alias(kept_since=since).filter(self.only, kept_since__lt=Now() - time)
        return cast("QuerySet[Any]", old)


class Retention:
    """The class attribute `retention` of a model: rows go by the first rule that says so.

    words: what `tidy` calls the rows.
    """

    def __init__(self, words: str, *rules: RetentionRule) -> None:
        self.words, self.rules = words, rules


def declared() -> dict[str, type[Model]]:
    """Return the models with a retention, by the name of their rows."""
    found = {model: getattr(model, "retention", None) for model in apps.get_models()}
    return {rule.words: model for model, rule in found.items() if isinstance(rule, Retention)}


def purge(model: Any) -> int:
    """Delete the expired rows of a model. Return their number."""
    rows: QuerySet[Any] = QuerySet(model)  # of any manager: that of the history deletes nothing
    return sum(delete(rule.expired(rows)) for rule in model.retention.rules)


def delete(rows: QuerySet[Any]) -> int:
    """Delete the rows and their dependents in batches. Return the number of rows. Commits each
    batch.
    """
    deleted = 0
    while found := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH_SIZE]):
        rows.filter(pk__in=found).delete()
        deleted += len(found)
    return deleted
