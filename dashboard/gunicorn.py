"""How gunicorn serves the dashboard: `gunicorn -c python:dashboard.gunicorn dashboard.wsgi`.

Threads, since a request mostly waits for the API; two workers keep two cores busy. Both numbers
and the address are gunicorn's own settings and may be given on its command line.
"""

worker_class = "gthread"
workers = 2
threads = 32
bind = "127.0.0.1:8000"
timeout = 60  # above the API's own deadline, so that a slow answer is ours to explain
graceful_timeout = 30
keepalive = 15
accesslog = None  # addresses carry search texts; the proxy in front keeps its own log
control_socket_disable = True
