"""The filters of lists: how each is read from an address, sent or applied here, and drawn."""

from dashboard.records.filters.base import Control, Filter, LocalFilter, TypedFilter
from dashboard.records.filters.choices import Choice, Entry, RecordOf, filters
from dashboard.records.filters.client_side import CREATED_BY_ME, Local, created_here, empty
from dashboard.records.filters.date_range import Days
from dashboard.records.filters.minimum import AtLeast

__all__ = [
    "CREATED_BY_ME",
    "AtLeast",
    "Choice",
    "Control",
    "Days",
    "Entry",
    "Filter",
    "Local",
    "LocalFilter",
    "RecordOf",
    "TypedFilter",
    "created_here",
    "empty",
    "filters",
]
