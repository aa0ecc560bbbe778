"""Sends the form of a new record as its address fills it, for an entry in one line.

The submission carries a token and a draft's mark like any other, and none of the form's fields.
"""

from dataclasses import replace
from typing import NamedTuple

from dashboard.outbox.services import new_token
from dashboard.records.context import StaffRequest
from dashboard.records.form_input import FormInput
from dashboard.records.forms.posted import posted_fields
from dashboard.records.forms.record_form import RecordForm
from dashboard.records.pages import form_drafts

FILLED = "filled"  # the field of such a submission


class SendFilled(NamedTuple):
    """What the button sends that saves a form unseen: to `url`, with these fields and FILLED."""

    url: str
    token: str
    draft: str


def send_filled(request: StaffRequest, url: str, label: str) -> SendFilled:
    """The fields of the button for the form at `url`; `label`: the form's name."""
    mark = form_drafts.new_mark(request, label, address=url)
    return SendFilled(url, new_token(), mark.signed())


def fill(request: StaffRequest, form: RecordForm) -> FormInput:
    """The input of such a submission: the fields of the unbound `form`, stored as its draft.

    Becomes `request.form_input`.
    """
    given = request.form_input
    data = posted_fields(form)
    data["token"] = given.token
    if given.mark is not None and given.shown_again is None:
        form_drafts.store(given.mark, data, given.token)
    request.form_input = replace(given, data=data, filled=not given.show_only)
    return request.form_input
