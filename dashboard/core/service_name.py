"""The name of the service behind the API in pages and messages, from the setting SERVICE_NAME."""

from django.conf import settings

SERVICE: str = settings.SERVICE_NAME  # within a sentence: "the CRM", "Acme CRM"
SERVICE_AT_START = SERVICE[:1].upper() + SERVICE[1:]  # of a sentence
