"""The pages about API keys, under /settings/keys/."""

from django.urls import path

from dashboard.people import key_views

app_name = "credentials"
urlpatterns = [
    path("", key_views.connect, name="connect"),
    path("replace/", key_views.replace, name="replace"),
    path("move/", key_views.move, name="move"),
    path("remove/", key_views.remove, name="remove"),
    path("people/", key_views.holders, name="holders"),
    path("people/<int:pk>/remove/", key_views.remove_of, name="remove_of"),
]
