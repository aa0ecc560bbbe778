"""The Django app of staff users and their roles."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    """Staff users and their roles."""

    name = "dashboard.accounts"

    def ready(self) -> None:
        """Update the roles after every migrate; time each sign-in; log what concerns security; end
        the other sessions of a person whose second step changed.
        """
        from allauth.mfa import signals as second_step
        from django.contrib.auth.signals import user_logged_in

        from dashboard.accounts import security_events, sessions
        from dashboard.accounts.roles import make_roles

        security_events.connect()
        post_migrate.connect(make_roles, sender=self)
        user_logged_in.connect(sessions.begin)
        for changed in (
            second_step.authenticator_added,
            second_step.authenticator_removed,
            second_step.authenticator_reset,
        ):
            changed.connect(sessions.after_new_factor)
