"""The catalogue room: reference lists, one set for each workspace."""

from django.apps import AppConfig


class CatalogueConfig(AppConfig):
    """Reference lists that the API has no endpoint for."""

    name = "dashboard.catalogue"
