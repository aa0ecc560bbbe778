"""Entry Desk: a web dashboard for entering CRM records into the External Business API."""

__version__ = "1.0.0.dev0"
