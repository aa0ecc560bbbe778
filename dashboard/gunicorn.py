"""How gunicorn serves the dashboard: `gunicorn -c python:dashboard.gunicorn dashboard.wsgi`.

Threads, since a request mostly waits for the API; two workers keep two cores busy. Both numbers
and the address are gunicorn's own settings and may be given on its command line.
"""

import gc
import os
from typing import Any

worker_class = "gthread"
workers = int(os.environ.get("WEB_CONCURRENCY") or 2)  # gunicorn's own name for it
threads = 32
bind = "127.0.0.1:8000"
timeout = 60  # above the API's own deadline, so that a slow answer is ours to explain
graceful_timeout = 30
keepalive = 15
accesslog = None  # addresses carry search texts; the proxy in front keeps its own log
control_socket_disable = True
preload_app = True  # the workers share what is loaded; so a new release needs a restart, not a HUP


def when_ready(server: Any) -> None:
    """Before the workers are forked: let go of what they must not share.

    What is loaded is then left out of garbage collections for good: they would walk through it all
    and, by touching every object, undo the sharing.
    """
    from django.db import connections

    connections.close_all()
    gc.collect()
    gc.freeze()
    gc.set_threshold(700, 5, 2)  # of all generations more often: it has become cheap
