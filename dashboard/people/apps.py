"""The Django app of staff users and their roles."""

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_save


class AccountsConfig(AppConfig):
    name = "dashboard.people"

    def ready(self) -> None:
        """Connect the receivers of sign-ins, security events and changes of the second step."""
        from allauth.mfa import signals
        from allauth.mfa.models import Authenticator
        from django.contrib.auth.signals import user_logged_in

        from dashboard.people import mfa, sessions, sign_in

        sign_in.log_events()
        for signal in (post_save, post_delete):
            signal.connect(mfa.update_has_mfa, sender=Authenticator)
        user_logged_in.connect(sessions.start_session)
        for change in ("added", "removed", "reset"):
            getattr(signals, f"authenticator_{change}").connect(sessions.end_others)
