"""URLs of live sessions, below /live/: a hall opens and answers them all at once."""

from django.urls import path

from .views import correcting, demo, follow_ups, hosting, joining, making, playing, qa, reports

urlpatterns = [
    # players
    path("<slug:game_id>/play/", playing.play, name="play"),
    path("<slug:game_id>/answer/", playing.give_answer, name="give_answer"),
    path("<slug:game_id>/vote/", playing.give_vote, name="give_vote"),
    # updates for open pages
    path("<slug:game_id>/now/<slug:role>/", playing.now, name="game_now"),
    path("<slug:game_id>/stream/<slug:role>/", playing.stream, name="game_stream"),
    # visitors
    path("try/", demo.try_live, name="try_live"),
    # hosts
    path("", making.games, name="games"),
    path("new/", making.make, name="make_game"),
    path("<slug:game_id>/host/", hosting.host, name="host_game"),
    path("<slug:game_id>/remote/", hosting.remote, name="remote"),
    path("<slug:game_id>/screen/<slug:token>/", hosting.screen, name="screen"),
    path("<slug:game_id>/scoreboard/<slug:token>/", hosting.scoreboard, name="scoreboard"),
    path("<slug:game_id>/drive/", hosting.drive, name="drive"),
    path("<slug:game_id>/sort/", correcting.sort_ideas, name="sort_ideas"),
    path("<slug:game_id>/hosts/", hosting.hosts, name="game_hosts"),
    path("<slug:game_id>/title/", correcting.title, name="game_title"),
    path("<slug:game_id>/asked/", correcting.questions, name="game_questions"),
    path("<slug:game_id>/asked/add/", correcting.add_question, name="add_game_question"),
    path("<slug:game_id>/asked/<int:place>/", correcting.question, name="game_question"),
    path("<slug:game_id>/asked/<int:place>/move/", correcting.move_question, name="move_game_question"),
    path("<slug:game_id>/asked/<int:place>/remove/", correcting.remove_question, name="remove_game_question"),
    # joining, and the list of players
    path("<slug:game_id>/join/<slug:token>/", joining.join_game, name="join_game"),
    path("<slug:game_id>/seat/", joining.seat, name="seat"),
    path("<slug:game_id>/seat/<str:token>/", joining.take_seat, name="take_seat"),
    path("<slug:game_id>/players/", hosting.players, name="game_players"),
    path("<slug:game_id>/players/<str:player>/", hosting.change_player, name="change_player"),
    # results
    path("<slug:game_id>/onward/<int:round>/", follow_ups.follow_up, name="follow_up"),
    path("history/", reports.history, name="live_history"),
    path("<slug:game_id>/report/", reports.report, name="game_report"),
    path("<slug:game_id>/report/report.csv", reports.report_csv, name="game_report_csv"),
    path("<slug:game_id>/report/report.json", reports.report_json, name="game_report_json"),
    path("<slug:game_id>/copy/", reports.copy, name="copy_game"),
    path("<slug:game_id>/delete/", reports.delete, name="delete_game"),
    # Q&A
    path("<slug:game_id>/qa/", qa.qa, name="qa"),
    path("<slug:game_id>/qa/manage/", qa.manage, name="manage_qa"),
]
