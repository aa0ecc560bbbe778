"""Typed access to the External Business API over HTTP. Independent of Django."""

from . import side_by_side
from .client import Service, fetch
from .coerce import Unreadable
from .endpoints import CONTACTS, DEALS, ENDPOINTS, ESTIMATES, INVOICES, LEADS, LINE_FIELDS, TASKS
from .errors import (
    Busy,
    FieldErrors,
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
from .fields import Endpoint, Field
from .gateway import Gateway
from .keys import Keys
from .numbers import decimal_of, whole_number
from .records import Created, Done, Page, Record

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
    "decimal_of",
    "fetch",
    "side_by_side",
    "whole_number",
]
