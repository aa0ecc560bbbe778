"""Pages that belong to no room."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.shell import THEME_COOKIE, THEMES

A_YEAR = 365 * 24 * 60 * 60


@login_not_required
def set_theme(request: HttpRequest) -> HttpResponse:
    """Light, dark, or as the system says; remembered by the browser that asked."""
    back = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}):
        back = "/"
    response = HttpResponseRedirect(back)
    theme = request.POST.get("theme")
    if request.method != "POST":
        return response
    if theme in THEMES:
        response.set_cookie(
            THEME_COOKIE, theme, max_age=A_YEAR, samesite="Lax", secure=settings.HTTPS_ONLY
        )
    else:
        response.delete_cookie(THEME_COOKIE)
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page was open for too long, or cookies are off; the reason is for the log."""
    return render(request, "403_csrf.html", status=403)
