"""Staff accounts in Django's admin, for administrators. The admin manages nothing else."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.account.decorators import reauthentication_required
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, URLResolver, reverse
from django.utils.decorators import method_decorator

from dashboard.accounts import permissions as may
from dashboard.accounts.invitations import invite
from dashboard.accounts.models import User
from dashboard.accounts.roles import ROLES, role_of, set_role
from dashboard.audit.services import Changes
from dashboard.staff import notices

_REFUSAL = "Only administrators look after staff accounts."
_NOT_OFFERED = {"logout", "password_change", "password_change_done", "autocomplete", "view_on_site"}


class StaffSite(admin.AdminSite):
    """Open to everybody with the permission to change staff accounts; `is_staff` is not used.

    Sign-in, sign-out and passwords are on the dashboard's own pages, with their limits and second
    factor; templates/admin/base_site.html links there.
    """

    site_header = site_title = "Entry Desk staff"
    index_title = "Staff accounts"
    enable_nav_sidebar = final_catch_all_view = False

    def has_permission(self, request: HttpRequest) -> bool:
        """True for administrators."""
        return request.user.has_perm(may.CHANGE_STAFF)

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Answer a signed-in person without the permission with 403, not with a sign-in page.
        Whatever is posted waits until the administrator has given the password again.
        """
        confirmed = reauthentication_required(view, enabled=lambda asked: asked.method == "POST")
        inner = super().admin_view(confirmed, cacheable)

        @wraps(inner)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if request.user.is_authenticated and not self.has_permission(request):
                raise PermissionDenied(_REFUSAL)
            return inner(request, *args, **kwargs)

        return guarded

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Redirect to the dashboard's sign-in page."""
        wanted = request.GET.get("next", reverse("admin:index"))
        return HttpResponseRedirect(f"{reverse('account_login')}?{urlencode({'next': wanted})}")

    def get_urls(self) -> list[URLResolver | URLPattern]:
        """Django's addresses without the pages that the dashboard has itself."""
        return [url for url in super().get_urls() if getattr(url, "name", "") not in _NOT_OFFERED]


class StaffForm(forms.ModelForm):  # type: ignore[type-arg]
    """A person's account and role."""

    acting: User  # who is filling this in; set by StaffAdmin.get_form
    role = forms.ChoiceField(choices=[(name, name) for name in ROLES], widget=forms.RadioSelect)

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email", "is_active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Require an email address, and start from the present role."""
        super().__init__(*args, **kwargs)
        self.fields["email"].required = True
        if self.instance.pk:
            self.fields["role"].initial = role_of(self.instance)
            self.fields["role"].required = not self.instance.is_superuser

    def clean(self) -> dict[str, Any]:
        """Refuse a change of the own role and deactivating the own account."""
        cleaned = super().clean() or self.cleaned_data
        if self.instance.pk == self.acting.pk:
            if "role" in self.changed_data:
                self.add_error("role", "Another administrator has to change your own role.")
            if not cleaned.get("is_active"):
                self.add_error("is_active", "Another administrator has to deactivate your account.")
        return cleaned


class StaffAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Invite, change and deactivate people, without passwords, superusers or single permissions."""

    form = StaffForm
    list_display = ("username", "full_name", "email", "role", "is_active")
    list_filter = ("groups", "is_active")
    search_fields = ("username", "first_name", "last_name", "email")
    ordering = ("username",)
    actions = ("send_invitation", "switch_off_second_factor")
    fieldsets = (
        (None, {"fields": ("username", ("first_name", "last_name"), "email")}),
        ("Access", {"fields": ("role", "is_active")}),
    )

    @admin.display(description="name")
    def full_name(self, user: User) -> str:
        """The first and last name."""
        return user.get_full_name()

    @admin.display(description="role")
    def role(self, user: User) -> str:
        """The name of the role."""
        return role_of(user) or ("superuser" if user.is_superuser else "none")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Hide superusers from administrators, who could gain their rights by changing one."""
        people = super().get_queryset(request).prefetch_related("groups")
        return people if request.user.is_superuser else people.filter(is_superuser=False)

    def get_form(
        self, request: HttpRequest, obj: User | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """The form class with the person who fills it in."""
        form = super().get_form(request, obj, change=change, **kwargs)
        return type(form.__name__, (form,), {"acting": request.user})

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save the account and its role. Mail a new person the link for choosing a password, and
        anybody else what was changed, at the old and the new address.
        """
        if not change:
            obj.set_unusable_password()
        super().save_model(request, obj, form, change)
        if form.cleaned_data["role"]:
            set_role(obj, form.cleaned_data["role"])
        changes = notices.changes_of(form)
        if not change:
            notices.note(request, obj, changes, "create")
            self._invite(request, obj)
        elif changes:
            notices.note(request, obj, changes)
            self._tell(request, obj, changes, form.initial["email"])

    def _tell(self, request: HttpRequest, user: User, changes: Changes, *addresses: str) -> None:
        for address in notices.tell(request, user, changes, (user.email, *addresses)):
            words = f"No mail about this could be sent to {address}."
            self.message_user(request, words, messages.WARNING)

    def _invite(self, request: HttpRequest, user: User) -> None:
        if invite(request, user):
            notices.note(request, user, {"Link for choosing a password": ("", user.email)})
            self.message_user(request, f"{user.email} was sent a link for choosing a password.")
        else:
            words = f"The mail to {user.email} could not be sent. Use “Send an invitation” later."
            self.message_user(request, words, messages.ERROR)

    @admin.action(
        description="Send an invitation to choose a (new) password", permissions=["change"]
    )
    def send_invitation(self, request: HttpRequest, people: QuerySet[User]) -> None:
        """Mail the link again to each active person."""
        for user in people.filter(is_active=True).exclude(email=""):
            self._invite(request, user)

    @admin.action(description="Switch off two-step sign-in (lost phone)", permissions=["change"])
    def switch_off_second_factor(self, request: HttpRequest, people: QuerySet[User]) -> None:
        """Delete the second factor of people who lost their phone and their recovery codes."""
        changes = {"Two-step sign-in": ("on", "off")}
        for user in list(people.filter(authenticator__isnull=False).distinct()):
            with transaction.atomic():
                Authenticator.objects.filter(user=user).delete()
                notices.note(request, user, changes)
            self._tell(request, user, changes)
        self.message_user(request, "Two-step sign-in is off for the people chosen.")


staff_site = StaffSite(name="admin")
staff_site.register(User, StaffAdmin)
