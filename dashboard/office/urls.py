"""The pages of the lists, under /settings/lists/."""

from django.urls import path

from . import list_import, list_views

app_name = "catalogue"

urlpatterns = [
    path("", list_views.overview, name="overview"),
    path("not-named-yet/", list_views.unnamed, name="unnamed"),
    path("<slug:slug>/", list_views.show_list, name="list"),
    path("<slug:slug>/search/", list_views.search, name="search"),
    path("<slug:slug>/add/", list_views.add, name="add"),
    path("<slug:slug>/arrange/", list_views.arrange, name="arrange"),
    path("<slug:slug>/import/", list_import.import_table, name="import"),
    path("<slug:slug>/export.csv", list_import.export, name="export"),
    path("<slug:slug>/<int:pk>/", list_views.edit, name="edit"),
]
