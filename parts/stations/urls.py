"""URLs of polling stations."""

from django.urls import include, path

from . import views

below_stations = [
    path("", views.stations, name="stations"),
    path("<slug:station_id>/", views.station_desk, name="station_desk"),
    path("<slug:station_id>/let-in/", views.let_in, name="let_in"),
    path("<slug:station_id>/letter/", views.let_in_by_letter, name="let_in_by_letter"),
    path("<slug:station_id>/take-back/", views.take_back, name="take_back"),
    path("<slug:station_id>/code/", views.renew_code, name="renew_station_code"),
    path("<slug:station_id>/close/", views.close_station, name="close_station"),
]

below_station = [
    path("", views.station_booth, name="station_booth"),
    path("pair/", views.pair_booth, name="pair_booth"),
    path("leave/", views.leave_booth, name="leave_booth"),
    path("start/", views.start_voting, name="start_voting"),
    path("finish/", views.finish_voting, name="finish_voting"),
    path("state/", views.booth_state, name="booth_state"),
]

urlpatterns = [
    path("election/<name:name>/stations/", include(below_stations)),
    path("station/", include(below_station)),
]
