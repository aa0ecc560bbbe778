"""The administrator's settings pages for documents: payment terms, and the letterhead."""

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import path

from dashboard.office.models import MAX_DAYS
from dashboard.people.context import RequestContext, page
from dashboard.people.models import Workspace
from dashboard.people.permissions import MANAGE_SETTINGS, permission_required
from dashboard.schema.fields import TextField

IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}")


class DocumentSettingsForm(forms.Form):
    due_days = forms.IntegerField(
        label="Days until an invoice is due",
        min_value=0,
        max_value=MAX_DAYS,
        help_text="Customers with their own terms keep them.",
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


def _check_iban(value: str) -> None:
    """Check the digits of an IBAN (ISO 13616); account numbers of other kinds pass."""
    iban = value.replace(" ", "").upper()
    digits = "".join(str(int(each, 36)) for each in iban[4:] + iban[:4] if each.isalnum())
    if IBAN.fullmatch(iban) and int(digits) % 97 != 1:
        raise ValidationError("Check this IBAN: a character is wrong or missing.")


class LetterheadForm(forms.Form):
    """What is printed above documents and statements, and the account to pay to."""

    name = TextField(label="Name", max_length=100, required=False)
    street = TextField(label="Street", max_length=100, required=False)
    town = TextField(label="Postcode and town", max_length=100, required=False)
    country = TextField(label="Country", max_length=100, required=False)
    tax_number = TextField(
        label="Tax number",
        max_length=60,
        required=False,
        help_text="Printed as entered, for example VAT IE 3456789T",
    )
    email = TextField(label="Email", max_length=254, required=False)
    phone = TextField(label="Phone", max_length=50, required=False)
    bank = TextField(label="Bank name", max_length=100, required=False)
    bic = TextField(label="BIC or routing number", max_length=20, required=False)
    account = TextField(
        label="IBAN or account number", max_length=50, required=False, validators=[_check_iban]
    )


@permission_required(MANAGE_SETTINGS)
@page
def edit_defaults(ctx: RequestContext) -> HttpResponse:
    initial = {"due_days": ctx.settings.due_days}
    form = DocumentSettingsForm(ctx.request.POST or None, initial=initial)
    saved = form.cleaned_data if form.is_valid() else {}
    return _render(ctx, "documents/settings.html", form, saved)


@permission_required(MANAGE_SETTINGS)
@page
def edit_letterhead(ctx: RequestContext) -> HttpResponse:
    form = LetterheadForm(ctx.request.POST or None, initial=ctx.settings.letterhead)
    saved = {"letterhead": form.cleaned_data} if form.is_valid() else {}
    return _render(ctx, "documents/letterhead.html", form, saved)


def _render(
    ctx: RequestContext, template: str, form: forms.Form, columns: dict[str, Any]
) -> HttpResponse:
    """Save the columns of the workspace, if there are any; else show the form."""
    if columns:
        if Workspace.objects.filter(pk=ctx.workspace).update(**columns):
            messages.success(ctx.request, "Saved for everyone in this workspace.")
            return redirect(ctx.request.path)
        form.add_error(None, "Not saved. Connect your API keys first.")
    return ctx.render(template, {"form": form, "letterhead": ctx.settings.letterhead})


app_name = "documents"
urlpatterns = [
    path("", edit_defaults, name="settings"),
    path("letterhead/", edit_letterhead, name="letterhead"),
]
