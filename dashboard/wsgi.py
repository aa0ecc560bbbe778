"""The WSGI application: `gunicorn -c python:dashboard.core.gunicorn dashboard.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

from dashboard.core import logs

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
logs.log_what_python_prints()
application = get_wsgi_application()
