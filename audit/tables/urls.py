"""URLs of the tables, below /admin/tables/."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.tables, name="tables"),
    path("raw/", views.raw_tables, name="raw_tables"),
    path("raw/item/", views.raw_item, name="raw_item"),
    path("<slug:relation>/", views.table, name="table"),
    path("<slug:relation>.csv", views.table_csv, name="table_csv"),
]
