"""Contacts: people and businesses (reference, section 2, "Contact")."""

from collections.abc import Mapping
from typing import ClassVar

from django import forms

from dashboard.core.service_name import SERVICE
from dashboard.gateway import CONTACTS as ENDPOINT
from dashboard.gateway.api import BUSINESS, CONTACT_TYPES, INDIVIDUAL
from dashboard.office.kinds import Kind
from dashboard.office.reference_fields import ReferenceField, ReferencesField
from dashboard.schema import cells
from dashboard.schema.custom_fields import CustomFieldsField
from dashboard.schema.fields import BooleanField, ChoiceField, IdField, TextField, ValueField
from dashboard.schema.filters import Choice, Lacking
from dashboard.schema.pickers import PickerField
from dashboard.schema.resource import (
    Column,
    CreateFrom,
    Detail,
    Resource,
    Section,
    columns,
    details,
)
from dashboard.writes.history import CREATED_BY_ME, EnteredHere

from . import person_form
from .person_form import PersonForm
from .quick_entry import OneLineForm
from .quick_entry_grammar import UNLABELLED

TYPES = dict(CONTACT_TYPES)


class _ContactBasics(PersonForm):
    contact_type = ChoiceField(
        label="Type",
        choices=tuple(TYPES.items()),
        coerce=int,
        initial=INDIVIDUAL,
        widget=forms.RadioSelect,
    )


class ContactQuickForm(_ContactBasics):
    """Form of a new contact inside another form."""

    contact_parent = IdField(required=False)
    contact_parent.widget = forms.HiddenInput()


class _ContactForm(_ContactBasics):
    """Fields shared by the forms of a new and an existing contact."""

    cstmobile_country_id = ReferenceField(kind=Kind.COUNTRY, label="Phone country", required=False)
    contact_parent = PickerField(
        ENDPOINT,
        base_filters={"type": str(BUSINESS)},
        creates=True,
        created_with={"contact_type": str(BUSINESS)},
        label="Belongs to business",
        required=False,
        help_text="The business this person works for.",
    )
    cstaddress = TextField(
        label="Address", required=False, max_length=255, widget=forms.Textarea(attrs={"rows": 3})
    )
    ct_taxnumber = ValueField(label="Tax number", required=False, max_length=50)

    half_width: ClassVar[tuple[str, ...]] = ("cstemail", "cstmobile")
    links: ClassVar[Mapping[str, str]] = {"business": "contact_parent"}
    more: ClassVar[tuple[str, ...]] = (
        "cstmobile_country_id",
        "contact_parent",
        "cstaddress",
        "ct_taxnumber",
    )

    def clean_contact_parent(self) -> int | None:
        """Check that only a person belongs to a business."""
        parent: int | None = self.cleaned_data["contact_parent"]
        if parent and self.cleaned_data.get("contact_type") == BUSINESS:
            raise forms.ValidationError("Only an individual can belong to a business.")
        return parent


class ContactCreateForm(OneLineForm, _ContactForm):
    entry = "contact"
    parts: ClassVar[Mapping[str, str]] = {
        "name": "cstname",
        "email": "cstemail",
        "phone": "cstmobile",
        "business": "contact_parent",
        "type": "contact_type",
        UNLABELLED: "cstnotes",
    }

    cst_tag_id = ReferencesField(kind=Kind.CONTACT_TAG, label="Tags", required=False)
    custom_fields = CustomFieldsField(
        kind=Kind.CONTACT_FIELD, label="Custom fields", required=False
    )
    cstnotes = TextField(
        label="Notes",
        required=False,
        max_length=2000,
        help_text=f"Can't be edited later: {SERVICE} accepts notes only for new contacts.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    cstemailnotify = BooleanField(label="Notify by email", required=False, initial=True)
    cstsmsnotify = BooleanField(label="Notify by SMS", required=False, initial=True)
    cst_whatsapp_notify = BooleanField(label="Notify by WhatsApp", required=False, initial=True)

    more = (
        *_ContactForm.more,
        "cst_tag_id",
        "custom_fields",
        "cstnotes",
        "cstemailnotify",
        "cstsmsnotify",
        "cst_whatsapp_notify",
    )


class ContactEditForm(_ContactForm):
    """Form of an existing contact: only the fields that the service accepts on update."""

    tag_ids = ReferencesField(kind=Kind.CONTACT_TAG, label="Tags", required=False)
    custom_fields = CustomFieldsField(
        kind=Kind.CONTACT_FIELD, label="Custom fields", required=False
    )

    more = (*_ContactForm.more, "tag_ids", "custom_fields")
    ask_before_emptying = {
        "tag_ids": "Yes, remove every tag from this contact",
        "custom_fields": "Yes, clear every custom field of this contact",
    }


CONTACTS: Resource = Resource(
    endpoint=ENDPOINT,
    icon="users",
    key="c",
    search_hint="Name or email",
    columns=columns(
        "cstname",
        "cstemail",
        "cstmobile",
        "contact_type",
        Column("cstcreated_on", label="Created"),
    ),
    filters=(
        Choice("type", label="Type", choices={str(code): word for code, word in TYPES.items()}),
        Lacking("email", label="Email", field="cstemail"),
        Lacking("phone", label="Phone", field="cstmobile"),
        EnteredHere(resource="contacts"),
    ),
    views=(CREATED_BY_ME,),
    badges=details("contact_type"),
    subtitle=details(
        "cstemail",
        Detail("cstmobile", cell=cells.phone("cstmobile")),
        Detail("contact_parent", label="Belongs to"),
    ),
    sections=(
        Section(
            "Contact",
            details(
                "cstaddress",
                "ct_taxnumber",
                "cstmobile_country_id",
                Detail("cstcreated_on", label="Created"),
            ),
        ),
        Section("Tags and custom fields", details("tag_ids", "custom_fields")),
        Section(
            "Notes and notifications",
            details("cstnotes", "cstemailnotify", "cstsmsnotify", "cst_whatsapp_notify"),
        ),
    ),
    duplicate_search=person_form.SAME_PERSON,
    create_form=ContactCreateForm,
    edit_form=ContactEditForm,
    quick_form=ContactQuickForm,
    creates=(
        CreateFrom("Task", "t", "tasks", "contact", each=True),
        CreateFrom("Deal", "d", "deals", "contact"),
        CreateFrom("Estimate", "m", "estimates", "customer", rare=True),
        CreateFrom("Invoice", "i", "invoices", "customer", main=True),
    ),
    extra_pages=person_form.PAGES,
    not_editable={
        "Notes and notifications": f"{SERVICE} accepts them only for new contacts.",
    },
)
