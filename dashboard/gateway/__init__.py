"""Typed access to the External Business API over HTTP. Independent of Django."""

from . import concurrency
from .api import (
    CONTACTS,
    DEALS,
    ENDPOINTS,
    ESTIMATES,
    INVOICES,
    LEADS,
    LINE_FIELDS,
    TASKS,
    Endpoint,
    Field,
)
from .client import Service, fetch
from .errors import (
    Busy,
    FieldErrors,
    Forbidden,
    GatewayError,
    KeysRefused,
    Missing,
    NotAllowed,
    NotOffered,
    OutcomeUnknown,
    Paused,
    Rejected,
    Unavailable,
)
from .gateway import Gateway
from .keys import Keys
from .records import Created, Done, Page, Record
from .values import Unreadable, decimal_of, whole_number

__all__ = [
    "CONTACTS",
    "DEALS",
    "ENDPOINTS",
    "ESTIMATES",
    "INVOICES",
    "LEADS",
    "LINE_FIELDS",
    "TASKS",
    "Busy",
    "Created",
    "Done",
    "Endpoint",
    "Field",
    "FieldErrors",
    "Forbidden",
    "Gateway",
    "GatewayError",
    "Keys",
    "KeysRefused",
    "Missing",
    "NotAllowed",
    "NotOffered",
    "OutcomeUnknown",
    "Page",
    "Paused",
    "Record",
    "Rejected",
    "Service",
    "Unavailable",
    "Unreadable",
    "concurrency",
    "decimal_of",
    "fetch",
    "whole_number",
]
