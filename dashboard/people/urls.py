"""allauth's pages without sign-up and email addresses, which administrators manage."""

from allauth.account import views as account
from django.apps import apps
from django.urls import include, path, re_path

from dashboard.people import account_views

urlpatterns = [
    path("", account_views.account_home, name="account_home"),
    path("preferences/", account_views.preferences, name="account_preferences"),
    path("session/", account_views.session, name="account_session"),
    path("signed-in/", account_views.show_signed_in, name="account_signed_in"),
    path("login/", account_views.SignIn.as_view(), name="account_login"),
    path("logout/", account_views.sign_out, name="account_logout"),
    path("inactive/", account.account_inactive, name="account_inactive"),
    path("reauthenticate/", account.reauthenticate, name="account_reauthenticate"),
    path("password/change/", account_views.change_password, name="account_change_password"),
    path("password/reset/", account.password_reset, name="account_reset_password"),
    path("password/reset/sent/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/done/",
        account.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    path("two-step/", account_views.Overview.as_view(), name="mfa_index"),
    path("two-step/required/", account_views.required, name="second_step_required"),
    path("two-step/webauthn/login/", account_views.login_with_passkey, name="mfa_login_webauthn"),
    path("two-step/", include("allauth.mfa.urls")),
    path("sessions/", account_views.Sessions.as_view(), name="usersessions_list"),
]

if apps.is_installed("allauth.socialaccount.providers.openid_connect"):  # see OIDC_ISSUER
    from allauth.socialaccount import views as social

    from dashboard.people import openid

    urlpatterns += [
        path("oidc/cancelled/", social.login_cancelled, name="socialaccount_login_cancelled"),
        path("oidc/<slug:provider_id>/login/", openid.login, name="openid_connect_login"),
        path(
            "oidc/<slug:provider_id>/login/callback/",
            openid.callback,
            name="openid_connect_callback",
        ),
    ]
