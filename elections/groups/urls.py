"""Every address about groups; they lie under /groups/."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.groups, name="groups"),
    path("new/", views.make, name="make_group"),
    path("<slug:group_id>/", views.group, name="group"),
    path("<slug:group_id>/add/", views.add, name="add_members"),
    path("<slug:group_id>/remove/", views.remove, name="remove_member"),
    path("<slug:group_id>/rename/", views.rename, name="rename_group"),
    path("<slug:group_id>/delete/", views.delete, name="delete_group"),
    path(f"<slug:group_id>/{views.CSV}", views.export, name="group_csv"),
]
