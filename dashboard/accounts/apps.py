"""The accounts room: staff users and their roles."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Staff users and their roles."""

    name = "dashboard.accounts"
