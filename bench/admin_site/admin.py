"""Stock ModelAdmins with the columns, the search and the filter of the dashboard's list."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from .models import Contact, HundredContacts

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


@admin.register(Contact)
class ContactAdmin(ModelAdmin):
    list_display = ("cstname", "cstemail", "cstmobile", "contact_type", "cstcreated_on")
    list_filter = ("contact_type",)
    search_fields = ("cstname", "cstemail")
    list_per_page = 25


@admin.register(HundredContacts)
class HundredContactsAdmin(ContactAdmin):
    list_per_page = 100
