"""The kinds of lists, and the fields that their entries have.

The API has no endpoint for any of them: its records hold bare ids (reference, section 2).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import TextChoices

from dashboard.gateway import whole_number
from dashboard.text.plain import folded


class Kind(TextChoices):
    """A kind of list; the label names one entry of it."""

    PIPELINE = "pipeline", "pipeline"
    STAGE = "stage", "stage"
    TEMPLATE = "template", "document template"
    ITEM = "item", "item"
    TAX = "tax", "tax"
    CURRENCY = "currency", "currency"
    USER = "user", "user"
    GROUP = "group", "user group"
    CONTACT_TAG = "contact_tag", "contact tag"
    LEAD_TAG = "lead_tag", "lead tag"
    COUNTRY = "country", "country"
    BRAND = "brand", "brand"
    CONTACT_FIELD = "contact_field", "custom field of contacts"
    LEAD_FIELD = "lead_field", "custom field of leads"
    DEAL_SOURCE = "deal_source", "deal source"
    LEAD_SOURCE = "lead_source", "lead source"
    LEAD_INDUSTRY = "lead_industry", "industry"


class ValueType(TextChoices):
    TEXT = "text", "Text"
    LONG_TEXT = "long_text", "Text of several lines"
    NUMBER = "number", "Number"
    DATE = "date", "Date"
    YES_NO = "yes_no", "Yes or no"
    CHOICE = "choice", "One of several choices"


FIELD_KINDS = frozenset({Kind.CONTACT_FIELD, Kind.LEAD_FIELD})
"""Known to the service by their name alone (reference, "Custom fields rules")."""

FREE_TEXT_KINDS = frozenset({Kind.DEAL_SOURCE, Kind.LEAD_SOURCE, Kind.LEAD_INDUSTRY})
"""Free text in the service; texts that were written before are suggested."""

KEYED_BY_NAME = FIELD_KINDS | FREE_TEXT_KINDS
"""Kinds whose entries have no id beside their name."""

TEXT_CODES = frozenset({Kind.TAX})
"""Their id is a string in the reference, though it mostly looks like a number."""


@dataclass(frozen=True)
class KindSpec:
    """`slug`: its part of an address. `details`: the fields of an entry beside id and name."""

    plural: str
    slug: str
    group: str
    details: tuple[str, ...] = ()


SALES, DOCUMENTS, PEOPLE, SUGGESTED = "Deals", "Documents", "Contacts and leads", "Suggestions"

KIND_SPECS: dict[Kind, KindSpec] = {
    Kind.PIPELINE: KindSpec("Pipelines", "pipelines", SALES),
    Kind.STAGE: KindSpec("Pipeline stages", "stages", SALES, ("parent",)),
    Kind.ITEM: KindSpec("Items", "items", DOCUMENTS, ("price", "tax")),
    Kind.TAX: KindSpec("Taxes", "taxes", DOCUMENTS, ("rate",)),
    Kind.CURRENCY: KindSpec("Currencies", "currencies", DOCUMENTS),
    Kind.TEMPLATE: KindSpec("Document templates", "templates", DOCUMENTS),
    Kind.USER: KindSpec("Users", "users", PEOPLE),
    Kind.GROUP: KindSpec("User groups", "user-groups", PEOPLE),
    Kind.CONTACT_TAG: KindSpec("Contact tags", "contact-tags", PEOPLE),
    Kind.LEAD_TAG: KindSpec("Lead tags", "lead-tags", PEOPLE),
    Kind.COUNTRY: KindSpec("Countries", "countries", PEOPLE, ("calling_code",)),
    Kind.BRAND: KindSpec("Brands", "brands", PEOPLE),
    Kind.CONTACT_FIELD: KindSpec(
        "Custom fields of contacts", "contact-fields", PEOPLE, ("value_type", "choices")
    ),
    Kind.LEAD_FIELD: KindSpec(
        "Custom fields of leads", "lead-fields", PEOPLE, ("value_type", "choices")
    ),
    Kind.DEAL_SOURCE: KindSpec("Deal sources", "deal-sources", SUGGESTED),
    Kind.LEAD_SOURCE: KindSpec("Lead sources", "lead-sources", SUGGESTED),
    Kind.LEAD_INDUSTRY: KindSpec("Industries", "industries", SUGGESTED),
}


_SALES, _DOCUMENTS = frozenset({"deals"}), frozenset({"estimates", "invoices"})

MISSING_HINTS: dict[Kind, tuple[frozenset[str], str]] = {
    Kind.PIPELINE: (_SALES, "Deals need a pipeline number."),
    Kind.STAGE: (_SALES, "Deals show stage numbers."),
    Kind.TEMPLATE: (
        _DOCUMENTS,
        "Documents need a template number.",
    ),
    Kind.ITEM: (
        _DOCUMENTS,
        "Lines need item numbers.",
    ),
    Kind.TAX: (_DOCUMENTS, "Lines have no tax to choose."),
    Kind.CURRENCY: (_SALES | _DOCUMENTS, "Amounts have no currency to choose."),
    Kind.USER: (frozenset(), "Owners can't be chosen by name."),
}
"""The lists that setup asks for: the areas that need each (none: all), and what is missing without
it.
"""


def kinds_of_setup(closed_areas: Iterable[str]) -> list[Kind]:
    """Return the lists that setup asks for where the plan lacks these areas."""
    closed = frozenset(closed_areas)
    return [kind for kind, (areas, _) in MISSING_HINTS.items() if not areas or areas - closed]


def code_of(kind: str, text: object) -> str:
    """Return the code of an id, or of a name where that is the id; "" for none."""
    words = " ".join(str(text).split())
    if kind in FREE_TEXT_KINDS:
        return folded(words)[:200]
    if kind in FIELD_KINDS or kind in TEXT_CODES:
        return words[:200]
    return str(whole_number(words) or "")
