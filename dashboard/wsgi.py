"""The WSGI entry point: gunicorn dashboard.wsgi."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
application = get_wsgi_application()

from dashboard.checks import look_around  # noqa: E402 (needs the apps loaded)
from dashboard.warming import warm_up  # noqa: E402

look_around()
warm_up()
