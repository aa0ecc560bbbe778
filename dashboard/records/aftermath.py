"""A look at a record right after it was saved: does it read as it was sent?

Between the last read and the write somebody outside this dashboard may have written, too; the
service may have taken half of it. Neither can be kept from happening, so it is said.
"""

from dashboard import cipher
from dashboard.gateway import Record
from dashboard.outbox import services as outbox

from . import finding
from .desk import Desk
from .resource import Resource


def look_after(desk: Desk, resource: Resource, record: Record) -> list[str]:
    """What to tell the person who saved this record a moment ago; mostly nothing."""
    if desk.person is None:
        return []
    saved = outbox.just_saved(desk.person, resource.name, record.id)
    try:
        body = outbox.body_of(saved) if saved else {}
    except cipher.Unreadable:
        return []
    forms = resource.create_form.base_fields | resource.edit_form.base_fields
    return [
        f"{forms[name].label if name in forms else name} does not read as you saved it: the "
        f"service now shows {_quoted(record, name)}. Somebody else may have changed it in the same "
        "moment, or the service took only a part. Please look."
        for name in finding.differing(record, body)
    ]


def _quoted(record: Record, name: str) -> str:
    value = finding.held(record, [name])[name]
    return f"“{value}”" if value else "nothing"
