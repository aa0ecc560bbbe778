"""gunicorn bench.admin_site.wsgi, with DJANGO_SETTINGS_MODULE and BENCH_FOLDER set."""

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
