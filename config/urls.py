"""All URLs of the site, by app."""

from django.urls import include, path, register_converter
from django.views.i18n import set_language

from accounts.access import public
from foundation.pages import site_views
from foundation.pages.paths import NameConverter
from foundation.parts import parts
from foundation.photos import views as photo_views

register_converter(NameConverter, "name")

urlpatterns = [
    # Django tries them in order: the most visited come first. A prefix costs others little.
    *(path(part.prefix, include(f"{part.name}.page_urls")) for part in parts() if part.prefix),
    path("election/<name:name>/results/", include("results.page_urls")),
    path("election/<name:name>/question/<int:question>/results/", include("results.page_urls")),
    path("", include("ballots.urls")),
    path("", include("results.urls")),
    path("", include("elections.urls")),
    path("", include("accounts.urls")),
    path("", include("operations.audit.urls")),
    path("", include("operations.features.urls")),
    path("", include("operations.upkeep.urls")),
    path("", include("operations.trust.urls")),
    *(path("", include(f"{part.name}.urls")) for part in parts()),
    path("api/v1/", include("accounts.api.urls")),
    path("help/", public(site_views.help_start), name="help"),
    path("favicon.ico", public(site_views.favicon), name="favicon"),
    path("site/logo/<slug:edition>/", public(site_views.logo), name="site_logo"),
    path("site/colours/<slug:edition>.css", public(site_views.colours), name="site_colours"),
    path("picture/<slug:photo_id>/<int:width>.<slug:ending>", public(photo_views.picture), name="picture"),
    path("language/", public(set_language), name="set_language"),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.broken"
