"""Compares a record with what was sent, right after it was saved.

Between the last read and the write, somebody outside this dashboard may have written the record;
the service may also have stored only a part. Neither can be prevented, so it is reported.
"""

from dashboard import cipher
from dashboard.gateway import Record
from dashboard.outbox import services as outbox
from dashboard.records.context import RequestContext
from dashboard.records.resource import Resource
from dashboard.records.writes import reconciliation


def verify_saved(ctx: RequestContext, resource: Resource, record: Record) -> list[str]:
    """Warnings for the person who has just saved this record; usually none."""
    if ctx.person is None:
        return []
    saved = outbox.just_saved(ctx.person, resource.name, record.id)
    try:
        body = outbox.body_of(saved) if saved else {}
    except cipher.Unreadable:
        return []
    forms = resource.create_form.base_fields | resource.edit_form.base_fields
    return [
        f"{forms[name].label if name in forms else name} does not read as you saved it: the "
        f"service now shows {_quoted(record, name)}. Somebody else may have changed it in the same "
        "moment, or the service took only a part. Please look."
        for name in reconciliation.differing_fields(record, body)
    ]


def _quoted(record: Record, name: str) -> str:
    value = reconciliation.values_as_text(record, [name])[name]
    return f"“{value}”" if value else "nothing"
