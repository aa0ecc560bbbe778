"""Which columns make the text of a field: several are joined in the order of the file, where the
field is a text; a number, a date, a choice or an address of mail takes one.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from django import forms

from dashboard.imports.target_names import CUSTOM, CUSTOM_FIELDS, LINE, LOOSE
from dashboard.office import reference_lists as catalogue
from dashboard.office.kinds import ValueType
from dashboard.office.reference_fields import ReferencesField
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.phones import PhoneField
from dashboard.schema.resource import Resource

SPACE, COMMA, NEW_LINE = "space", "comma", "line"
BETWEEN = {SPACE: " ", COMMA: ", ", NEW_LINE: "\n"}
JOINERS = {SPACE: "a space", COMMA: "a comma", NEW_LINE: "a new line"}
"""The words of each joiner."""
OF_LINES = {f"{LINE}description": NEW_LINE}
OF_CUSTOM = {ValueType.TEXT: SPACE, ValueType.LONG_TEXT: NEW_LINE}
ADDRESS = "cstaddress"
HOUSE_NUMBER = re.compile(r"\d{1,4} ?[a-zA-Z]?(?:[-/]\d{1,4} ?[a-zA-Z]?)?")
POSTCODE = re.compile(
    r"(?:[A-Z]{1,2}-)?\d{4,5}|\d{3} \d{2}|\d{2}-\d{3}|\d{4}-\d{3}|\d{4} ?[A-Z]{2}"
)
OF_FIELDS = {ADDRESS: COMMA, "cstmobile": "", "ct_taxnumber": ""}  # unlike other texts
ONE_COLUMN = (forms.EmailField, PhoneField)


def _address(parts: Sequence[str]) -> str:
    """The parts of an address with commas between them, but "Dorfstr. 4" and "50667 Köln"."""
    text = "".join(parts[:1])
    for before, part in pairwise(parts):
        is_number = HOUSE_NUMBER.fullmatch(part.strip()) and not re.search(r"\d", before)
        is_town = POSTCODE.fullmatch(before.strip()) and not re.search(r"\d", part)
        text += BETWEEN[SPACE if is_number or is_town else COMMA] + part
    return text


def usual_joiner(resource: Resource, name: str, workspace: str) -> str:
    """What joins columns that go to this field unless the person says otherwise; "" for a field
    that takes one column.
    """
    fields = resource.create_form.base_fields
    if name.startswith(CUSTOM):
        own = fields.get(CUSTOM_FIELDS)
        kind = own.kind if isinstance(own, CustomFieldsField) else ""
        entry = catalogue.entry(workspace, kind, name.removeprefix(CUSTOM))
        return OF_CUSTOM.get(ValueType(entry.value_type), "") if entry else SPACE
    field = fields.get(name)
    if isinstance(field, ReferencesField):
        return COMMA
    if name in OF_LINES or name in OF_FIELDS:
        return {**OF_LINES, **OF_FIELDS}[name]
    if not isinstance(field, forms.CharField) or isinstance(field, ONE_COLUMN):
        return ""
    return NEW_LINE if isinstance(field.widget, forms.Textarea) else SPACE


class Joining:
    """The columns of each field. `joins`: what the person has chosen between them, by field."""

    def __init__(self, resource: Resource, workspace: str, joins: Mapping[str, str]) -> None:
        self.resource, self.workspace, self.joins = resource, workspace, joins

    def joiner(self, name: str) -> str:
        """What joins the columns of a field; "" for a field that takes one."""
        usual = usual_joiner(self.resource, name, self.workspace)
        is_list = isinstance(self.resource.create_form.base_fields.get(name), ReferencesField)
        return self.joins.get(name, usual) if usual and not is_list else usual

    def may_choose(self, name: str) -> bool:
        """Whether the person may choose the joiner: entries of a list have commas."""
        field = self.resource.create_form.base_fields.get(name)
        return bool(self.joiner(name)) and not isinstance(field, ReferencesField)

    def joined(self, name: str, texts: Sequence[str]) -> str:
        """The text of a field from those of its columns."""
        filled = [text for text in texts if text.strip()]
        joiner = self.joiner(name) or SPACE
        if name == ADDRESS and joiner == COMMA:
            return _address(filled)
        return BETWEEN[joiner].join(filled)

    def places(self, fields: Mapping[str, str], width: int) -> dict[str, tuple[int, ...]]:
        """The indexes of the columns that each field is read from, in the order of the file; of a
        field that takes one, the first. `fields`: as ImportSettings has them; `width`: how many
        columns there are.
        """
        found: dict[str, tuple[int, ...]] = {}
        for index in range(width):
            name = fields.get(str(index), "")
            if name and (name not in found or name == LOOSE or self.joiner(name)):
                found[name] = (*found.get(name, ()), index)
        return found
