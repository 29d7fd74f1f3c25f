"""Every address of the sandbox, of shared results, and of results while they come in."""

from django.urls import path

from . import live, sandbox, share

urlpatterns = [
    path("sandbox/", sandbox.sandbox, name="sandbox"),
    path("result/<name:name>/", share.shared, name="shared"),
    path("result/<name:name>/embed/", share.embed, name="embed"),
    path("result/<name:name>/card/<slug:language>/<slug:sealed>.png", share.card, name="card"),
    path("election/<name:name>/live/", live.live, name="live"),
    path("election/<name:name>/live/now/", live.live_now, name="live_now"),
]
