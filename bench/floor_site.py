"""The floor under gunicorn: the settings of the benchmark with the middleware and the sign-in of
the floor, and its one page, a list of 25 rows as in the file that FLOOR_PAGE names.

    DJANGO_SETTINGS_MODULE=bench.floor_site python -m bench.floor_site 64 > cookies.json
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from . import floor
from .settings import *  # noqa: F403

# allauth refuses to start without the last one, which does nothing for this page.
MIDDLEWARE = [*floor.MIDDLEWARE, "allauth.account.middleware.AccountMiddleware"]
AUTHENTICATION_BACKENDS = [floor.FLOOR_BACKEND]
ROOT_URLCONF = "bench.floor_site"
LOGIN_URL = "/"


def __getattr__(name: str) -> Any:
    """The addresses, which need Django as it is set up."""
    if name != "urlpatterns":
        raise AttributeError(name)
    return [floor.floor_of_list("/contacts/", Path(os.environ["FLOOR_PAGE"]).read_bytes())]


def main(count: int) -> None:
    import django

    django.setup()
    from django.contrib.auth import get_user_model

    people = get_user_model().objects.order_by("pk")[:count]
    cookies = [floor.cookie_of(person, floor.FLOOR_BACKEND) for person in people]
    json.dump(cookies, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
