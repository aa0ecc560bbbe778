"""The pages about API keys, under /settings/keys/."""

from django.urls import path

from dashboard.credentials import views

app_name = "credentials"
urlpatterns = [
    path("", views.connect, name="connect"),
    path("replace/", views.replace, name="replace"),
    path("move/", views.move, name="move"),
    path("remove/", views.remove, name="remove"),
    path("people/", views.holders, name="holders"),
    path("people/<int:pk>/remove/", views.remove_of, name="remove_of"),
]
