"""The resources by name, in menu order, as settings.RESOURCES lists them.

Their modules import views, which look up resources, so they are imported at the first use.
"""

from collections.abc import Mapping
from typing import cast

from django.conf import settings
from django.utils.functional import SimpleLazyObject
from django.utils.module_loading import import_string

from dashboard.schema.resource import Resource


def _load() -> dict[str, Resource]:
    resources: list[Resource] = [import_string(name) for name in settings.RESOURCES]
    return {resource.name: resource for resource in resources}


RESOURCES = cast(Mapping[str, Resource], SimpleLazyObject(_load))
