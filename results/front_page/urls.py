"""URLs of the home page, and of the site's own page."""

from django.urls import path

from . import home, site_views

urlpatterns = [
    path("", home.home, name="home"),
    path("site/", site_views.page, name="site_page"),
    path("site/edit/<slug:part>/", site_views.edit, name="edit_site_page"),
    path("site/remove/", site_views.remove, name="remove_site_page"),
]
