"""gunicorn's settings: `gunicorn -c python:dashboard.core.gunicorn dashboard.wsgi`.

Requests wait for the API most of the time, so each worker process has many threads. Any of these
settings can be given on gunicorn's command line instead.
"""

import gc
import logging
import os
import sys
from io import StringIO
from typing import Any, cast

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connections
from django.utils.module_loading import import_string

from dashboard.core.logs import json_lines, log_what_python_prints

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

# The loaded code has 135,000 objects: a collection that walks all of them stops every thread for
# 77 ms. They are frozen, and what pages leave behind is looked at less often than by Python's own
# 700, 10 and 10.
GC_THRESHOLDS = (50_000, 20, 100)
MAX_CALLS_OF_A_REQUEST = 4  # a write reads, compares, writes and verifies


def _settings() -> tuple[float, int]:
    """Return API_TIMEOUT and the number of processes: one if each process has a cache of its own,
    in which sign-in attempts are counted. Exits with a line about a wrong setting, as JSON: DEBUG
    is not known.
    """
    try:
        backend: str = settings.CACHES["default"]["BACKEND"]
        alone = backend.endswith(("LocMemCache", "DummyCache"))
        return settings.API_TIMEOUT, 1 if alone else 2
    except ImproperlyConfigured as error:
        handler = logging.StreamHandler()
        handler.setFormatter(json_lines())
        logging.basicConfig(handlers=[handler])
        logging.getLogger("dashboard.core.gunicorn").critical("Cannot start. %s", error)
        sys.exit(1)


log_what_python_prints()  # such as the traceback of an application that cannot be loaded
worker_class = "gthread"
api_timeout, workers = _settings()
raw_env = [f"SCRIPT_NAME={settings.FORCE_SCRIPT_NAME or ''}"]  # gunicorn takes it from there
# A worker that stops must not abort a write whose answer from the API is still to come.
timeout = graceful_timeout = 20 + int(MAX_CALLS_OF_A_REQUEST * api_timeout)
threads = 32
bind = "127.0.0.1:8000"
keepalive = 15
# The lines of gunicorn as those of the dashboard; their level is that of its option --log-level.
logconfig_dict: dict[str, Any] = {
    **settings.LOGGING,
    "loggers": {
        **settings.LOGGING["loggers"],
        "gunicorn.error": {"handlers": ["console"], "propagate": False},
    },
}
accesslog = None  # addresses contain search texts; the proxy in front keeps its own log
control_socket_disable = True
preload_app = True  # workers share the memory of the loaded code; a new release needs a restart


def on_starting(server: Any) -> None:
    """Run the system checks, log their messages, and exit if one is an error."""
    django.setup()
    log, warned = logging.getLogger("dashboard.core.gunicorn"), StringIO()
    options = {"tags": ["dashboard", "urls"], "deploy": True, "databases": ["default"]}
    try:
        call_command("check", **options, stdout=StringIO(), stderr=warned)
        if words := warned.getvalue().strip():
            log.warning("%s", words)
    except SystemCheckError as error:
        log.critical("%s", error)
        sys.exit(1)
    finally:
        connections.close_all()  # the workers must not inherit a database connection
        for connection in connections.all(initialized_only=True):
            if connection.vendor == "postgresql":
                cast(Any, connection).close_pool()  # nor a pool, whose threads a fork leaves behind


def when_ready(server: Any) -> None:
    """Prepare the templates, for which the first visitor of each worker would wait, and leave
    loaded objects out of every garbage collection. They also stay shared by the workers: a
    collection would write into their pages.
    """
    from dashboard.core.templates import prepare_templates  # reads the settings

    prepare_templates()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def post_worker_init(worker: Any) -> None:
    import_string("dashboard.administration.models.watch_workers")()


def child_exit(server: Any, worker: Any) -> None:
    if settings.METRICS_DIR:
        # On import, prometheus_client decides by PROMETHEUS_MULTIPROC_DIR whether metrics go into
        # files. The settings must have read .env before that.
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid, settings.METRICS_DIR)  # type: ignore[no-untyped-call]
