"""The pages of the lists, under /settings/lists/."""

from django.urls import path

from . import import_export, views

app_name = "catalogue"

urlpatterns = [
    path("", views.overview, name="overview"),
    path("not-named-yet/", views.unnamed, name="unnamed"),
    path("<slug:slug>/", views.show, name="list"),
    path("<slug:slug>/add/", views.add, name="add"),
    path("<slug:slug>/arrange/", views.arrange, name="arrange"),
    path("<slug:slug>/import/", import_export.import_table, name="import"),
    path("<slug:slug>/export.csv", import_export.export, name="export"),
    path("<slug:slug>/<int:pk>/", views.edit, name="edit"),
]
