"""URLs about people."""

from django.urls import include, path

from . import own_views, people_views, views
from .connectors import views as provider_views
from .second_factor import views as factor_views

below_me = [
    path("", own_views.me, name="me"),
    path("password/", own_views.change_password, name="change_password"),
    path("email/", own_views.change_email, name="change_email"),
    path("email/<name:name>/<str:token>/", own_views.confirm_email, name="confirm_email"),
    path("sessions/", own_views.sessions, name="sessions"),
    path("factors/", factor_views.factors, name="factors"),
    path("factors/app/", factor_views.add_app, name="add_app"),
    path("factors/app/remove/", factor_views.remove_app, name="remove_app"),
    path("factors/codes/", factor_views.make_codes, name="make_codes"),
    path("factors/passkey/", factor_views.name_passkey, name="name_passkey"),
    path("factors/passkey/new/", factor_views.add_passkey, name="add_passkey"),
    path("factors/passkey/<str:short_id>/remove/", factor_views.remove_passkey, name="remove_passkey"),
    path("providers/", provider_views.providers, name="providers"),
    path("providers/<slug:provider_id>/link/", provider_views.link, name="link_provider"),
    path("providers/<slug:provider_id>/unlink/", provider_views.unlink, name="unlink_provider"),
    path("prove/", own_views.prove, name="prove_identity"),
    path("prove/mail/", own_views.mail_proof, name="mail_proof"),
    path("prove/second-step/", factor_views.prove_by_second_step, name="prove_by_second_step"),
    path("prove/link/<str:token>/", own_views.prove_by_link, name="prove_by_link"),
    path("tokens/", own_views.tokens, name="api_tokens"),
    path("tokens/new/", own_views.create_token, name="create_token"),
    path("tokens/<slug:token_id>/revoke/", own_views.revoke_token, name="revoke_token"),
    path("picture/", own_views.own_picture, name="own_picture"),
    path("ask-admin/", own_views.ask_admin, name="ask_admin"),
    path("data/", own_views.own_data, name="own_data"),
    path("leave/", own_views.leave, name="leave"),
]

below_people = [
    path("", people_views.people, name="people"),
    path("<name:name>/", people_views.person, name="person"),
    path("<name:name>/role/", people_views.change_role, name="change_role"),
    path("<name:name>/reset-link/", people_views.send_reset_link, name="send_reset_link"),
    path("<name:name>/factors/", people_views.reset_factors, name="reset_factors"),
    path("<name:name>/mail-limit/", people_views.change_mail_limit, name="change_mail_limit"),
    path("<name:name>/confirm/", people_views.confirm_organiser, name="confirm_organiser"),
    path("<name:name>/unconfirm/", people_views.unconfirm_organiser, name="unconfirm_organiser"),
    path("<name:name>/picture/remove/", people_views.remove_picture, name="remove_picture"),
    path("<name:name>/remove/", people_views.remove, name="remove_person"),
]

urlpatterns = [
    path("setup/<str:token>/", views.setup, name="setup"),
    path("register/", views.register, name="register"),
    path("register/<str:token>/", views.confirm_registration, name="confirm_registration"),
    path("invited/<str:token>/", views.accept_invitation, name="accept_invitation"),
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/second-step/", factor_views.second_step, name="second_step"),
    path("sign-in/new/", provider_views.join, name="join_by_provider"),
    path("sign-in/with/<slug:provider_id>/", provider_views.start, name="start_provider"),
    path("sign-in/with/<slug:provider_id>/done/", provider_views.finish, name="finish_provider"),
    path("sign-in/with/<slug:provider_id>/signed-out/", provider_views.signed_out, name="provider_signed_out"),
    path("sign-in/with/<slug:provider_id>/logout/", provider_views.logout, name="provider_logout"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("waiting/", views.waiting, name="waiting"),
    path("password/forgotten/", views.forgotten, name="forgotten"),
    path("password/reset/<name:name>/<str:token>/", views.reset, name="reset"),
    path(".well-known/change-password", views.find_change_password, name="find_change_password"),
    path("me/", include(below_me)),
    path("people/", include(below_people)),
    path("invitations/", people_views.invitations, name="invitations"),
    path("invitations/new/", people_views.invite, name="invite"),
]
