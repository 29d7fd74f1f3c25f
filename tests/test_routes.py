"""Every address x every role x every method: who may open what. An address missing from this table fails."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from http.cookies import SimpleCookie
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.views.i18n import set_language

from accounts import repository
from accounts.api.operations import OPERATIONS as API_OPERATIONS
from accounts.api.operations import route_name
from accounts.api_tokens import Scope
from accounts.rules import Permission, Role
from config import errors, middleware
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.rules import RULES, Action, Relation
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from tests.copies import copy_of
from tests.people import PASSWORD, make_person, sign_in
from tests.rows import every_row

READ, FORM, ACT = ("GET", "HEAD"), ("GET", "HEAD", "POST"), ("POST",)
PUBLIC, SIGNED_IN, TOKEN = "public", "signed in", "token"

NO_POLL = "00000000-0000-4000-8000-000000000000"  # polls keep their own doors: tests/polls/test_pages.py
NO_SKILL = "no-such-skill"  # and skills theirs: tests/skills/test_pages.py
NO_GAME = "no-such-session"  # and live sessions theirs: tests/live/test_doors.py
NO_POST = "no-such-post"  # and posts theirs: tests/news/test_pages.py

NO_GROUP = "no-such-group"  # and groups theirs: tests/elections/test_group_pages.py
NO_WEBHOOK = "no-such-webhook"  # and webhooks theirs: tests/webhooks/test_pages.py
NO_SET = "no-such-set"  # and question sets theirs: tests/questions/test_pages.py

NO_PROVIDER = "no-such-provider"  # and identity providers theirs: tests/accounts/test_single_sign_on.py

# address: (whom it is for, methods it takes, words it needs)
ROUTES = {
    "home": (PUBLIC, READ, []),
    "site_page": (PUBLIC, READ, []),
    "edit_site_page": (Permission.MANAGE_USERS, FORM, ["links"]),
    "remove_site_page": (Permission.MANAGE_USERS, FORM, []),
    "style": (PUBLIC, READ, []),
    "healthz": (PUBLIC, READ, []),
    "readyz": (PUBLIC, READ, []),
    "metrics": (PUBLIC, READ, []),
    "doctor": (PUBLIC, READ, ["made-up"]),
    "site_logo": (PUBLIC, READ, ["0123456789abcdef"]),
    "site_colours": (PUBLIC, READ, ["0123456789abcdef"]),
    "picture": (PUBLIC, READ, ["0123456789abcdef", 640, "jpg"]),
    "admin": (Permission.MANAGE_USERS, READ, []),
    "log": (Permission.VIEW_SECRETS, READ, []),
    "event": (Permission.VIEW_SECRETS, READ, [1]),
    "history": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "trust": (PUBLIC, READ, []),
    "served_code": (PUBLIC, READ, []),
    "security_txt": (PUBLIC, READ, []),
    "find_change_password": (PUBLIC, READ, []),
    "favicon": (PUBLIC, READ, []),
    "notice": (PUBLIC, READ, ["privacy"]),
    "edit_notice": (Permission.TRANSFER_OWNER, FORM, ["privacy"]),
    "checkpoints": (PUBLIC, READ, []),
    "newest_checkpoint": (PUBLIC, READ, []),
    "checkpoint": (PUBLIC, READ, [1]),
    "tables": (Permission.VIEW_SECRETS, READ, []),
    "raw_tables": (Permission.VIEW_SECRETS, READ, []),
    "raw_item": (Permission.VIEW_SECRETS, READ, []),
    "table": (Permission.VIEW_SECRETS, READ, ["users"]),
    "table_csv": (Permission.VIEW_SECRETS, READ, ["users"]),
    "system": (Permission.MANAGE_USERS, READ, []),
    "retry_task": (Permission.MANAGE_USERS, ACT, []),
    "pause": (Permission.TRANSFER_OWNER, FORM, []),
    "features": (Permission.TRANSFER_OWNER, READ, []),
    "switch_off": (Permission.TRANSFER_OWNER, FORM, ["polls"]),
    "switch_on": (Permission.TRANSFER_OWNER, ACT, ["polls"]),
    "purpose": (Permission.TRANSFER_OWNER, FORM, []),
    "sign_in_rule": (Permission.TRANSFER_OWNER, FORM, []),
    "resume": (Permission.TRANSFER_OWNER, ACT, []),
    "set_language": (PUBLIC, ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"), []),
    "setup": (PUBLIC, FORM, ["token"]),
    "register": (PUBLIC, FORM, []),
    "confirm_registration": (PUBLIC, FORM, ["token"]),
    "accept_invitation": (PUBLIC, FORM, ["token"]),
    "sign_in": (PUBLIC, FORM, []),
    "second_step": (PUBLIC, FORM, []),
    "join_by_provider": (PUBLIC, FORM, []),
    "start_provider": (PUBLIC, READ, [NO_PROVIDER]),
    "finish_provider": (PUBLIC, READ, [NO_PROVIDER]),
    "provider_signed_out": (PUBLIC, READ, [NO_PROVIDER]),
    "provider_logout": (PUBLIC, ACT, [NO_PROVIDER]),
    "sign_out": (SIGNED_IN, ACT, []),
    "waiting": (SIGNED_IN, READ, []),
    "forgotten": (PUBLIC, FORM, []),
    "reset": (PUBLIC, FORM, ["target", "token"]),
    "me": (SIGNED_IN, FORM, []),
    "change_password": (SIGNED_IN, FORM, []),
    "change_email": (SIGNED_IN, FORM, []),
    "confirm_email": (PUBLIC, FORM, ["target", "token"]),
    "sessions": (SIGNED_IN, FORM, []),
    "own_picture": (Permission.VIEW_APPLICATION, FORM, []),
    "ask_admin": (Permission.USE_APPLICATION, ACT, []),
    "own_data": (SIGNED_IN, FORM, []),
    "own_mails": (SIGNED_IN, FORM, []),
    "leave": (SIGNED_IN, FORM, []),
    "webhooks": (Permission.USE_APPLICATION, READ, []),
    "add_webhook": (Permission.USE_APPLICATION, FORM, []),
    "add_site_webhook": (Permission.MANAGE_USERS, FORM, []),
    "webhook": (Permission.USE_APPLICATION, READ, [NO_WEBHOOK]),
    "edit_webhook": (Permission.USE_APPLICATION, FORM, [NO_WEBHOOK]),
    "test_webhook": (Permission.USE_APPLICATION, ACT, [NO_WEBHOOK]),
    "pause_webhook": (Permission.USE_APPLICATION, ACT, [NO_WEBHOOK]),
    "resume_webhook": (Permission.USE_APPLICATION, ACT, [NO_WEBHOOK]),
    "renew_webhook_secret": (Permission.USE_APPLICATION, FORM, [NO_WEBHOOK]),
    "delete_webhook": (Permission.USE_APPLICATION, FORM, [NO_WEBHOOK]),
    "factors": (SIGNED_IN, READ, []),
    "add_app": (SIGNED_IN, FORM, []),
    "remove_app": (SIGNED_IN, FORM, []),
    "make_codes": (SIGNED_IN, FORM, []),
    "name_passkey": (SIGNED_IN, FORM, []),
    "add_passkey": (SIGNED_IN, FORM, []),
    "remove_passkey": (SIGNED_IN, FORM, ["short_id"]),
    "providers": (SIGNED_IN, READ, []),
    "link_provider": (SIGNED_IN, FORM, [NO_PROVIDER]),
    "unlink_provider": (SIGNED_IN, FORM, [NO_PROVIDER]),
    "prove_identity": (SIGNED_IN, READ, []),
    "mail_proof": (SIGNED_IN, ACT, []),
    "prove_by_second_step": (SIGNED_IN, FORM, []),
    "prove_by_link": (PUBLIC, FORM, ["token"]),
    "people": (Permission.MANAGE_USERS, READ, []),
    "person": (Permission.MANAGE_USERS, READ, ["target"]),
    "change_role": (Permission.MANAGE_USERS, ACT, ["target"]),
    "send_reset_link": (Permission.MANAGE_USERS, ACT, ["target"]),
    "reset_factors": (Permission.MANAGE_USERS, ACT, ["target"]),
    "change_mail_limit": (Permission.MANAGE_USERS, ACT, ["target"]),
    "confirm_organiser": (Permission.MANAGE_USERS, ACT, ["target"]),
    "unconfirm_organiser": (Permission.MANAGE_USERS, ACT, ["target"]),
    "remove_picture": (Permission.MANAGE_USERS, ACT, ["target"]),
    "remove_person": (Permission.MANAGE_USERS, FORM, ["target"]),
    "invitations": (Permission.MANAGE_USERS, READ, []),
    "invite": (Permission.MANAGE_USERS, FORM, []),
    "news": (PUBLIC, READ, []),
    "news_tag": (PUBLIC, READ, [NO_POST]),
    "news_by": (PUBLIC, READ, [NO_POST]),
    "post": (PUBLIC, READ, [NO_POST]),
    "preview_post": (PUBLIC, READ, [NO_POST]),
    "news_atom": (PUBLIC, READ, []),
    "news_json": (PUBLIC, READ, []),
    "news_tag_atom": (PUBLIC, READ, [NO_POST]),
    "news_tag_json": (PUBLIC, READ, [NO_POST]),
    "news_by_atom": (PUBLIC, READ, [NO_POST]),
    "news_by_json": (PUBLIC, READ, [NO_POST]),
    "sitemap": (PUBLIC, READ, []),
    "sitemap_pages": (PUBLIC, READ, []),
    "sitemap_year": (PUBLIC, READ, [1999]),
    "robots": (PUBLIC, READ, []),
    "post_drafts": (Permission.USE_APPLICATION, READ, []),
    "write_post": (Permission.USE_APPLICATION, FORM, []),
    "edit_post": (Permission.USE_APPLICATION, FORM, [NO_POST]),
    "picture_post": (Permission.USE_APPLICATION, FORM, [NO_POST]),
    "publish_post": (Permission.USE_APPLICATION, FORM, [NO_POST]),
    "withdraw_post": (Permission.USE_APPLICATION, FORM, [NO_POST]),
    "delete_post": (Permission.USE_APPLICATION, FORM, [NO_POST]),
    "news_by_mail": (PUBLIC, FORM, []),
    "confirm_news": (PUBLIC, FORM, ["token"]),
    "leave_news": (PUBLIC, FORM, ["token"]),
    "news_subscribers": (Permission.MANAGE_USERS, FORM, []),
    "revoke_previews": (Permission.USE_APPLICATION, FORM, [NO_POST]),
    "polls": (PUBLIC, READ, []),
    "make_poll": (Permission.USE_APPLICATION, FORM, []),
    "poll_by_code": (PUBLIC, READ, ["MADEUP"]),
    "poll": (PUBLIC, FORM, [NO_POLL]),
    "poll_voted": (PUBLIC, READ, [NO_POLL]),
    "poll_state": (PUBLIC, READ, [NO_POLL]),
    "poll_results": (PUBLIC, READ, [NO_POLL]),
    "poll_results_now": (PUBLIC, READ, [NO_POLL]),
    "poll_export": (PUBLIC, READ, [NO_POLL, "votes.csv"]),
    "manage_poll": (PUBLIC, READ, [NO_POLL]),
    "poll_key": (PUBLIC, READ, [NO_POLL, "made-up"]),
    "close_poll": (PUBLIC, FORM, [NO_POLL]),
    "reopen_poll": (PUBLIC, FORM, [NO_POLL]),
    "extend_poll": (PUBLIC, FORM, [NO_POLL]),
    "list_poll": (PUBLIC, ACT, [NO_POLL]),
    "delete_poll": (PUBLIC, FORM, [NO_POLL]),
    "elect_poll": (PUBLIC, FORM, [NO_POLL]),
    "poll_embed": (PUBLIC, READ, [NO_POLL]),
    "games": (PUBLIC, READ, []),
    "try_live": (PUBLIC, READ, []),
    "make_game": (Permission.USE_APPLICATION, FORM, []),
    "host_game": (Permission.USE_APPLICATION, READ, [NO_GAME]),
    "remote": (Permission.USE_APPLICATION, READ, [NO_GAME]),
    "screen": (PUBLIC, READ, [NO_GAME, "made-up"]),
    "scoreboard": (PUBLIC, READ, [NO_GAME, "made-up"]),
    "drive": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "game_hosts": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "sort_ideas": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "agenda": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "run_off": (Permission.USE_APPLICATION, ACT, [NO_GAME]),
    "game_title": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "game_questions": (Permission.USE_APPLICATION, READ, [NO_GAME]),
    "add_game_question": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "game_question": (Permission.USE_APPLICATION, FORM, [NO_GAME, 0]),
    "move_game_question": (Permission.USE_APPLICATION, ACT, [NO_GAME, 0]),
    "remove_game_question": (Permission.USE_APPLICATION, FORM, [NO_GAME, 0]),
    "copy_game": (Permission.USE_APPLICATION, ACT, [NO_GAME]),
    "attended": (Permission.VOTE, READ, []),
    "join": (PUBLIC, READ, []),
    "join_by_code": (PUBLIC, READ, ["9999999"]),
    "join_game": (PUBLIC, FORM, [NO_GAME, "made-up"]),
    "seat": (PUBLIC, FORM, [NO_GAME]),
    "take_seat": (PUBLIC, FORM, [NO_GAME, "made-up"]),
    "play": (PUBLIC, READ, [NO_GAME]),
    "give_answer": (PUBLIC, ACT, [NO_GAME]),
    "give_vote": (PUBLIC, ACT, [NO_GAME]),
    "check_in": (PUBLIC, FORM, [NO_GAME, "made-up"]),
    "game_roll": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "speakers": (PUBLIC, ACT, [NO_GAME]),
    "game_now": (PUBLIC, READ, [NO_GAME, "player"]),
    "game_stream": (PUBLIC, READ, [NO_GAME, "player"]),
    "game_players": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "change_player": (Permission.USE_APPLICATION, ACT, [NO_GAME, "made-up"]),
    "live_history": (Permission.USE_APPLICATION, READ, []),
    "game_report": (Permission.USE_APPLICATION, READ, [NO_GAME]),
    "game_report_csv": (Permission.USE_APPLICATION, READ, [NO_GAME]),
    "game_report_json": (Permission.USE_APPLICATION, READ, [NO_GAME]),
    "minutes": (PUBLIC, FORM, [NO_GAME]),
    "delete_minutes": (Permission.MANAGE_USERS, FORM, [NO_GAME]),
    "minutes_json": (PUBLIC, READ, [NO_GAME]),
    "delete_game": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "follow_up": (Permission.USE_APPLICATION, FORM, [NO_GAME, 1]),
    "qa": (PUBLIC, FORM, [NO_GAME]),
    "manage_qa": (Permission.USE_APPLICATION, FORM, [NO_GAME]),
    "help_live": (PUBLIC, READ, []),
    "hide_poll": (Permission.MANAGE_USERS, ACT, [NO_POLL]),
    "show_poll": (Permission.MANAGE_USERS, ACT, [NO_POLL]),
    "like_post": (PUBLIC, ACT, [NO_POST]),
    "question_sets": (Permission.USE_APPLICATION, READ, []),
    "make_set": (Permission.USE_APPLICATION, FORM, []),
    "set_template": (Permission.USE_APPLICATION, READ, []),
    "question_set": (Permission.USE_APPLICATION, READ, [NO_SET]),
    "edit_set": (Permission.USE_APPLICATION, FORM, [NO_SET]),
    "activate_set": (Permission.USE_APPLICATION, ACT, [NO_SET]),
    "share_set": (Permission.USE_APPLICATION, ACT, [NO_SET]),
    "copy_set": (Permission.USE_APPLICATION, ACT, [NO_SET]),
    "delete_set": (Permission.USE_APPLICATION, FORM, [NO_SET]),
    "import_set": (Permission.USE_APPLICATION, FORM, [NO_SET]),
    "set_csv": (Permission.USE_APPLICATION, READ, [NO_SET]),
    "set_json": (Permission.USE_APPLICATION, READ, [NO_SET]),
    "set_gift": (Permission.USE_APPLICATION, READ, [NO_SET]),
    "add_question": (Permission.USE_APPLICATION, FORM, [NO_SET]),
    "edit_question": (Permission.USE_APPLICATION, FORM, [NO_SET, 1]),
    "move_question": (Permission.USE_APPLICATION, ACT, [NO_SET, 1]),
    "remove_question": (Permission.USE_APPLICATION, FORM, [NO_SET, 1]),
    "edit_question_category": (Permission.USE_APPLICATION, FORM, [NO_SET, 1]),
    "move_question_category": (Permission.USE_APPLICATION, ACT, [NO_SET, 1]),
    "skills": (Permission.VIEW_APPLICATION, READ, []),
    "find_people": (Permission.VIEW_APPLICATION, READ, []),
    "add_skill": (Permission.MANAGE_USERS, FORM, []),
    "skill_matrix": (Permission.MANAGE_USERS, READ, []),
    "skill_matrix_csv": (Permission.MANAGE_USERS, READ, []),
    "propose_skill": (Permission.VOTE, FORM, []),
    "skill_proposals": (Permission.MANAGE_USERS, READ, []),
    "skill": (Permission.VIEW_APPLICATION, READ, [NO_SKILL]),
    "approve_skill": (Permission.MANAGE_USERS, ACT, [NO_SKILL]),
    "refuse_skill": (Permission.MANAGE_USERS, ACT, [NO_SKILL]),
    "edit_skill": (Permission.MANAGE_USERS, FORM, [NO_SKILL]),
    "rename_skill": (Permission.MANAGE_USERS, FORM, [NO_SKILL]),
    "add_alias": (Permission.MANAGE_USERS, FORM, [NO_SKILL]),
    "remove_alias": (Permission.MANAGE_USERS, ACT, [NO_SKILL]),
    "merge_skill": (Permission.MANAGE_USERS, FORM, [NO_SKILL]),
    "own_skills": (Permission.VOTE, READ, []),
    "find_own_skill": (Permission.VOTE, READ, []),
    "change_visibility": (Permission.VOTE, ACT, []),
    "own_skill": (Permission.VOTE, FORM, [NO_SKILL]),
    "confirm_skill": (Permission.VOTE, ACT, [NO_SKILL]),
    "remove_skill": (Permission.VOTE, ACT, [NO_SKILL]),
    "profile": (Permission.VIEW_APPLICATION, READ, ["target"]),
    "help_skills": (PUBLIC, READ, []),
    "endorsements": (Permission.VIEW_APPLICATION, READ, ["target", NO_SKILL]),
    "endorse": (Permission.VOTE, FORM, ["target", NO_SKILL]),
    "withdraw_endorsement": (Permission.VOTE, ACT, ["target", NO_SKILL]),
    "own_endorsements": (Permission.VOTE, READ, []),
    "hide_endorsement": (Permission.VOTE, ACT, [NO_SKILL, "target"]),
    "show_endorsement": (Permission.VOTE, ACT, [NO_SKILL, "target"]),
    "elections": (Permission.VIEW_APPLICATION, READ, []),
    "create_election": (Permission.USE_APPLICATION, FORM, []),
    "create_election_whole": (Permission.USE_APPLICATION, FORM, []),
    "election_step": (Permission.USE_APPLICATION, FORM, ["draft", "who"]),
    "election": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "dashboard": (Permission.USE_APPLICATION, READ, ["draft"]),
    "election_settings": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "ask_question": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "remove_election_question": (Permission.USE_APPLICATION, FORM, ["draft", 1]),
    "describe": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "candidates": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "candidate": (Permission.USE_APPLICATION, FORM, ["draft", "Bo"]),
    "candidate_picture": (Permission.USE_APPLICATION, FORM, ["draft", "Bo"]),
    "remove_candidate": (Permission.USE_APPLICATION, ACT, ["draft", "nobody"]),
    "needs": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "drop_need": (Permission.USE_APPLICATION, ACT, ["draft", "made-up"]),
    "ask_candidates": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "agree": (Permission.VOTE, FORM, ["draft"]),
    "candidates_skills": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "candidate_questions": (Permission.VIEW_APPLICATION, FORM, ["draft"]),
    "review_questions": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "answer_questions": (Permission.VIEW_APPLICATION, FORM, ["draft"]),
    "answer_for": (Permission.USE_APPLICATION, FORM, ["draft", 0]),
    "answer_by_link": (PUBLIC, FORM, ["token"]),
    "skilled_voters": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "add_group": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "keep_roll": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "groups": (Permission.USE_APPLICATION, READ, []),
    "make_group": (Permission.USE_APPLICATION, FORM, []),
    "group": (Permission.USE_APPLICATION, READ, [NO_GROUP]),
    "add_members": (Permission.USE_APPLICATION, FORM, [NO_GROUP]),
    "remove_member": (Permission.USE_APPLICATION, ACT, [NO_GROUP]),
    "rename_group": (Permission.USE_APPLICATION, FORM, [NO_GROUP]),
    "delete_group": (Permission.USE_APPLICATION, FORM, [NO_GROUP]),
    "group_csv": (Permission.USE_APPLICATION, READ, [NO_GROUP]),
    "roll": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "import_roll": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "voter_by_letter": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "letters": (Permission.USE_APPLICATION, READ, ["draft"]),
    "print_letters": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "reissue_letter": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "enter_code": (PUBLIC, FORM, []),
    "by_code": (PUBLIC, FORM, ["K7QM-2XHD-94TP"]),
    "roll_source": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "go_on_importing": (Permission.USE_APPLICATION, FORM, ["draft", "made-up"]),
    "export_roll": (Permission.USE_APPLICATION, READ, ["draft"]),
    "invitation": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "invitation_mail": (Permission.USE_APPLICATION, READ, ["draft"]),
    "invite_voters": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "message_voters": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "choose_reminders": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "ask_for_help": (PUBLIC, FORM, ["draft"]),  # of an election that is open: tests/help_desk/test_help_desk.py
    "requests": (Permission.USE_APPLICATION, READ, ["draft"]),
    "request": (Permission.USE_APPLICATION, FORM, ["draft", "no-such-request"]),
    "my_link": (PUBLIC, FORM, []),
    "election_my_link": (PUBLIC, FORM, ["draft"]),
    "leave_alone": (PUBLIC, FORM, ["token"]),
    "no_results_by_mail": (PUBLIC, FORM, ["token"]),
    "remove_voter": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "remove_weights": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "open_election": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "fix_candidates": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "extend": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "close_election": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "rename_election": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "copy_election": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "delete_election": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "managers": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "hand_over_election": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "turnout": (Permission.USE_APPLICATION, READ, ["draft"]),
    "rehearse": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "paper": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "enter_paper": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "stations": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "station_desk": (Permission.USE_APPLICATION, READ, ["draft", "made-up"]),
    "let_in": (Permission.USE_APPLICATION, ACT, ["draft", "made-up"]),
    "let_in_by_letter": (Permission.USE_APPLICATION, ACT, ["draft", "made-up"]),
    "take_back": (Permission.USE_APPLICATION, ACT, ["draft", "made-up"]),
    "renew_station_code": (Permission.USE_APPLICATION, ACT, ["draft", "made-up"]),
    "close_station": (Permission.USE_APPLICATION, ACT, ["draft", "made-up"]),
    "station_booth": (PUBLIC, READ, []),
    "pair_booth": (PUBLIC, FORM, []),
    "leave_booth": (PUBLIC, FORM, []),
    "start_voting": (PUBLIC, ACT, []),
    "finish_voting": (PUBLIC, ACT, []),
    "booth_state": (PUBLIC, READ, []),
    "your_link": (PUBLIC, READ, []),
    "vote_by_link": (PUBLIC, FORM, ["token"]),
    "leave_ballot": (PUBLIC, ACT, ["draft"]),
    "change": (PUBLIC, FORM, ["draft"]),
    "change_receipt": (PUBLIC, FORM, ["draft"]),
    "change_ballot": (PUBLIC, FORM, ["draft"]),
    "change_review": (PUBLIC, READ, ["draft"]),
    "change_cast": (PUBLIC, ACT, ["draft"]),
    "change_withdraw": (PUBLIC, FORM, ["draft"]),
    "ballot": (Permission.VOTE, FORM, ["draft"]),
    "review": (PUBLIC, READ, ["draft"]),
    "cast": (Permission.VOTE, ACT, ["draft"]),
    "receipt": (Permission.VOTE, READ, ["draft"]),
    "receipt_qr": (Permission.VOTE, READ, ["draft"]),
    "ballot_state": (Permission.VOTE, READ, ["draft"]),
    "withdraw": (Permission.VOTE, FORM, ["draft"]),
    "mail_result": (Permission.USE_APPLICATION, FORM, ["draft"]),
    "results": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "result_screen": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "recount": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "recount_ballots": (Permission.VIEW_APPLICATION, READ, ["draft", "made-up"]),
    "follow": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "follow_ballots": (Permission.VIEW_APPLICATION, READ, ["draft", "made-up"]),
    "head_to_head": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "export": (Permission.VIEW_APPLICATION, READ, ["draft", "ballots.csv"]),
    "board_skills": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "bundle": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "what_if": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "sandbox": (PUBLIC, FORM, []),
    "try_it": (PUBLIC, READ, []),
    "shared": (PUBLIC, READ, ["draft"]),
    "live": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "live_now": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "help_secrecy": (PUBLIC, READ, []),
    "help": (PUBLIC, READ, []),
    "help_counting": (PUBLIC, READ, []),
    "waiting_for_result": (PUBLIC, READ, ["made-up"]),
    "news_about": (Permission.VIEW_APPLICATION, READ, ["draft"]),
    "announce_result": (Permission.USE_APPLICATION, ACT, ["draft"]),
    "help_news": (PUBLIC, READ, []),
    "mails": (Permission.TRANSFER_OWNER, READ, []),
    "mail": (Permission.TRANSFER_OWNER, READ, ["number"]),
    "try_mails_again": (Permission.TRANSFER_OWNER, ACT, []),
    "settle_unknown_mails": (Permission.TRANSFER_OWNER, ACT, []),
    "try_mail_again": (Permission.TRANSFER_OWNER, ACT, ["number"]),
    "put_mail_aside": (Permission.TRANSFER_OWNER, ACT, ["number"]),
    "send_test_mail": (Permission.TRANSFER_OWNER, ACT, []),
    "api": (PUBLIC, READ, []),
    "openapi": (PUBLIC, READ, []),
    "api_tokens": (Permission.VIEW_APPLICATION, READ, []),
    "create_token": (Permission.VIEW_APPLICATION, FORM, []),
    "revoke_token": (Permission.VIEW_APPLICATION, ACT, ["made-up"]),
}
# Operations of the API, by route: for each method the scope and the permission that it needs; and words of its address.
# What each answers to those whom it admits is tested in tests/api/.
OPEN_TO_ALL, LOOKING = (None, Permission.VIEW_APPLICATION), (Scope.READ, Permission.VIEW_APPLICATION)
RUNNING, ORGANISING = (Scope.READ, Permission.USE_APPLICATION), (Scope.ORGANISE, Permission.USE_APPLICATION)
SEEING_PEOPLE, HAVING_SKILLS = (Scope.PEOPLE, Permission.VIEW_APPLICATION), (Scope.PEOPLE, Permission.VOTE)
AUDITING = (Scope.AUDIT, Permission.VIEW_SECRETS)
OPERATIONS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "results": ({"GET": OPEN_TO_ALL}, []),
    "calendar": ({"GET": OPEN_TO_ALL}, []),
    "results/<name:name>": ({"GET": OPEN_TO_ALL}, ["draft"]),
    "checkpoints": ({"GET": OPEN_TO_ALL}, []),
    "checkpoints/<int:number>": ({"GET": OPEN_TO_ALL}, [1]),
    "checkpoints/<int:number>/digests": ({"GET": OPEN_TO_ALL}, [1]),
    "elections": ({"GET": LOOKING, "POST": ORGANISING}, []),
    "elections/<name:name>": ({"GET": LOOKING, "PATCH": ORGANISING}, ["draft"]),
    "elections/<name:name>/open": ({"POST": ORGANISING}, ["draft"]),
    "elections/<name:name>/extend": ({"POST": ORGANISING}, ["draft"]),
    "elections/<name:name>/close": ({"POST": ORGANISING}, ["draft"]),
    "elections/<name:name>/turnout": ({"GET": RUNNING}, ["draft"]),
    "elections/<name:name>/questions": ({"POST": ORGANISING}, ["draft"]),
    "elections/<name:name>/questions/<int:question>": (
        {"GET": LOOKING, "PATCH": ORGANISING, "DELETE": ORGANISING},
        ["draft", 1],
    ),
    "elections/<name:name>/candidates": ({"GET": LOOKING, "POST": ORGANISING}, ["draft"]),
    "elections/<name:name>/candidates/<name:candidate>": (
        {"GET": LOOKING, "PATCH": ORGANISING, "DELETE": ORGANISING},
        ["draft", "Bo"],
    ),
    "elections/<name:name>/voters": ({"GET": RUNNING, "POST": ORGANISING, "PUT": ORGANISING}, ["draft"]),
    "elections/<name:name>/voters/<name:voter>": ({"DELETE": ORGANISING}, ["draft", "nobody"]),
    "polls": ({"GET": LOOKING, "POST": ORGANISING}, []),
    "polls/<uuid:poll_id>": ({"GET": OPEN_TO_ALL, "DELETE": ORGANISING}, [NO_POLL]),
    "polls/<uuid:poll_id>/close": ({"POST": ORGANISING}, [NO_POLL]),
    "polls/<uuid:poll_id>/extend": ({"POST": ORGANISING}, [NO_POLL]),
    "polls/<uuid:poll_id>/reopen": ({"POST": ORGANISING}, [NO_POLL]),
    "polls/<uuid:poll_id>/results": ({"GET": OPEN_TO_ALL}, [NO_POLL]),
    "live-sessions": ({"GET": RUNNING}, []),
    "live-sessions/<slug:session_id>": ({"GET": RUNNING}, [NO_GAME]),
    "people": ({"GET": (Scope.PEOPLE, Permission.MANAGE_USERS)}, []),
    "people/<name:name>": ({"GET": SEEING_PEOPLE}, ["somebody"]),
    "people/<name:name>/skills": ({"GET": SEEING_PEOPLE, "POST": HAVING_SKILLS}, ["somebody"]),
    "people/<name:name>/skills/<slug:skill_id>": (
        {"GET": SEEING_PEOPLE, "PUT": HAVING_SKILLS, "DELETE": HAVING_SKILLS},
        ["somebody", "made-up"],
    ),
    "skills": ({"GET": LOOKING}, []),
    "skills/<slug:skill_id>": ({"GET": LOOKING}, ["made-up"]),
    "skills/<slug:skill_id>/people": ({"GET": SEEING_PEOPLE}, ["made-up"]),
    "news": ({"GET": OPEN_TO_ALL, "POST": ORGANISING}, []),
    "news/unpublished": ({"GET": RUNNING}, []),
    "news/<str:post_id>": ({"GET": OPEN_TO_ALL, "PATCH": ORGANISING, "DELETE": ORGANISING}, ["made-up"]),
    "news/<str:post_id>/publish": ({"POST": ORGANISING}, ["made-up"]),
    "news/<str:post_id>/withdraw": ({"POST": ORGANISING}, ["made-up"]),
    "question-sets": ({"GET": RUNNING, "POST": ORGANISING}, []),
    "question-sets/<slug:set_id>": ({"GET": RUNNING, "PUT": ORGANISING}, ["made-up"]),
    "question-sets/<slug:set_id>/export": ({"GET": RUNNING}, ["made-up"]),
    "log": ({"GET": AUDITING}, []),
    "log/<int:number>": ({"GET": AUDITING}, [1]),
}
ROUTES |= {
    route_name(route): (
        TOKEN if any(scope for scope, _permission in methods.values()) else PUBLIC,
        (*methods, *(("HEAD",) if "GET" in methods else ())),
        words,
    )
    for route, (methods, words) in OPERATIONS.items()
}
# Pages of results, of which a draft has none.
RESULTS = (
    "results",
    "result_screen",
    "live",
    "live_now",
    "recount",
    "recount_ballots",
    "follow",
    "follow_ballots",
    "head_to_head",
    "what_if",
    "export",
    "board_skills",
    "bundle",
)
# Those that a voter's pass opens after the close; and those that anybody may open where the result is public.
BY_PASS = frozenset(RESULTS)
LOOK = {"election", "history"}  # of the election that a voting link is for
PROOF = frozenset(
    {"results", "result_screen", "recount", "recount_ballots", "follow", "follow_ballots", "export", "bundle"}
)
# Pages of a draft that somebody else runs; whom each is for.
OF_A_STATION = {"station_desk", "let_in", "let_in_by_letter", "take_back", "renew_station_code", "close_station"}
DRAFT = {
    "election": Action.LOOK,
    "history": Action.LOOK,
    "dashboard": Action.LOOK,
    "election_settings": Action.SET_UP,
    "ask_question": Action.SET_UP,
    "remove_election_question": Action.SET_UP,
    "election_step": Action.SET_UP,
    "describe": Action.DESCRIBE,
    "candidates": Action.LOOK,
    "candidate": Action.CHANGE_CANDIDATES,
    "candidate_picture": Action.CHANGE_CANDIDATES,
    "remove_candidate": Action.CHANGE_CANDIDATES,
    "needs": Action.LOOK,
    "drop_need": Action.SET_NEEDS,
    "ask_candidates": Action.SET_NEEDS,
    "review_questions": Action.LOOK,
    "answer_for": Action.ANSWER_QUESTIONS,
    "skilled_voters": Action.ADD_VOTERS,
    "add_group": Action.ADD_VOTERS,
    "keep_roll": Action.COPY,
    "roll": Action.SEE_ROLL,
    "import_roll": Action.ADD_VOTERS,
    "voter_by_letter": Action.ADD_VOTERS,
    "letters": Action.INVITE,
    "print_letters": Action.INVITE,
    "reissue_letter": Action.INVITE,
    "roll_source": Action.ADD_VOTERS,
    "go_on_importing": Action.ADD_VOTERS,
    "export_roll": Action.SEE_ROLL,
    "invitation": Action.INVITE,
    "invitation_mail": Action.INVITE,
    "invite_voters": Action.INVITE,
    "message_voters": Action.READ_MAILS,
    "choose_reminders": Action.SET_REMINDERS,
    "requests": Action.ANSWER,
    "request": Action.ANSWER,
    "mail_result": Action.ANNOUNCE,
    "remove_voter": Action.REMOVE_VOTERS,
    "remove_weights": Action.REMOVE_VOTERS,
    "open_election": Action.OPEN,
    "fix_candidates": Action.FIX,
    "extend": Action.EXTEND,
    "close_election": Action.CLOSE,
    "rename_election": Action.RENAME,
    "copy_election": Action.COPY,
    "delete_election": Action.DELETE,
    "managers": Action.CHANGE_MANAGERS,
    "hand_over_election": Action.HAND_OVER,
    "turnout": Action.SEE_ROLL,
    **dict.fromkeys(RESULTS, Action.LOOK),
    "rehearse": Action.REHEARSE,
    "paper": Action.ENTER_PAPER,
    "enter_paper": Action.ENTER_PAPER,
    "stations": Action.RUN_STATION,
    **dict.fromkeys(OF_A_STATION, Action.RUN_STATION),
    "news_about": Action.LOOK,
    "announce_result": Action.LOOK,
}
BALLOT = {
    "ballot",
    "cast",
    "receipt",
    "receipt_qr",
    "ballot_state",
    "withdraw",
    "candidate_questions",
}  # a draft is nobody's to vote in
STANDING = {
    "agree",
    "candidates_skills",
    "answer_questions",
}  # for whoever stands, and where it was chosen at the opening
MODERATED = {"hide_poll", "show_poll"}  # a poll that is not there
OF_WRITERS = {"picture_post", "publish_post", "withdraw_post", "delete_post", "revoke_previews"}  # find the post first
OF_A_MAIL = {"mail", "try_mail_again", "put_mail_aside"}  # that is not there
KEPT_BY_NOBODY = "private, no-store"
METHODS = ("GET", "POST")
OTHER_METHODS = ("HEAD", "PUT", "PATCH", "DELETE")  # the owner, who reaches most, tries all; the others take turns
GONE = {
    "setup",
    "confirm_registration",
    "accept_invitation",
    "reset",
    "confirm_email",
    "prove_by_link",
}  # a made-up token opens nothing
GONE |= {"confirm_news", "leave_news"}
GONE |= {"take_seat"}
GONE |= {"vote_by_link", "no_results_by_mail", "leave_alone", "answer_by_link"}
OPEN_PAGES = {"game_now", "game_stream"}  # of somebody who has a seat
OPEN_PAGES |= {"minutes", "minutes_json"}
OF_PLAYERS = {"game_players", "change_player"}  # find the session first
OF_HOSTS = {"agenda", "host_game", "remote", "drive", "game_hosts"}  # these, too
OF_HOSTS |= {"manage_qa"}
OF_PLAYERS |= {"game_roll"}
OF_HOSTS |= {"sort_ideas", "run_off", "game_title", "game_questions", "add_game_question", "copy_game"}
OF_PLAYERS |= {"game_question", "move_game_question", "remove_game_question"}
OF_PLAYERS |= {"game_report", "game_report_csv", "game_report_json", "delete_game"}
OF_PLAYERS |= {"follow_up"}  # tests/live/test_follow_ups.py
OF_PLAYERS |= {"delete_minutes"}
OF_PLAYERS |= {"revoke_token"}  # finds the token first


MADE_UP = {"remove_candidate", "go_on_importing", "request", *OF_A_STATION}  # their words name nothing that is there


def patterns(resolver=None) -> list[URLPattern]:
    found = []
    for each in (resolver or get_resolver()).url_patterns:
        found += patterns(each) if isinstance(each, URLResolver) else [each]
    return found


def test_every_address_is_in_the_table():
    assert {pattern.name for pattern in patterns()} == set(ROUTES)


def test_every_operation_of_the_api_is_in_the_table():
    declared: dict[str, dict[str, Any]] = {}
    for each in API_OPERATIONS:
        declared.setdefault(each.route, {})[each.method] = (each.scope, each.permission)
    assert declared == {route: methods for route, (methods, _words) in OPERATIONS.items()}


@every_row("pattern", patterns())
def test_every_address_says_whom_it_is_for(pattern):
    access = pattern.callback.access
    if access.permission and pattern.pattern.converters:
        assert access.of_a_thing, "an address about one thing needs a rule about that thing"


def test_a_view_of_another_package_stays_as_it_is():
    assert not hasattr(set_language, "access")


def test_an_address_that_says_nothing_is_closed(rf):
    from accounts.access import access_response
    from foundation.acts.refusals import NotAllowed

    with pytest.raises(NotAllowed):
        access_response(rf.get("/"), lambda request: None)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> tuple[Path, dict[Role, SimpleCookie]]:
    """A site with somebody to do things to, and what a browser of every role keeps: made once, copied for each row."""
    path = tmp_path_factory.mktemp("prepared") / "plenum.sqlite3"
    with override_settings(STORE_URL=f"sqlite://{path}"):
        table().create()
        make_person("target", Role.NO_ACCESS)
        draft = drafts.create(make_person("somebody"), "draft")
        add_candidates(repository.find("somebody"), draft, [Candidate("Bo")])
        return path, {role: sign_in(f"the {role.name}", role).cookies for role in reversed(Role)}


@pytest.fixture(scope="module")
def clients() -> dict[Role | None, Client]:
    """One for every role and one for a stranger."""
    return {role: Client() for role in [*reversed(Role), None]}


@pytest.fixture
def browsers(prepared, clients, tmp_path, settings) -> Iterator[dict[Role | None, Client]]:
    """A browser for every role and one for a stranger, on a site of this test alone."""
    path, cookies = prepared
    settings.STORE_URL = f"sqlite://{copy_of(path, tmp_path / 'plenum.sqlite3')}"
    for role, client in clients.items():
        client.cookies = deepcopy(cookies.get(role, SimpleCookie()))
    yield clients
    table().close()


@pytest.fixture(scope="module")
def refused_alike() -> Iterator[None]:
    """A page that refuses says the same words to one reader at every address, and differs by no more than the reader
    and the address: it is made once for each of both, and then answered without being made anew."""
    make, made = errors.error_page, set()

    def answer(request, status, *words):
        pages = {(request.path, status), (str(request.user), status, *map(str, words))}
        if pages <= made:
            return HttpResponse(status=status)
        made.update(pages)
        return make(request, status, *words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errors, "error_page", answer)
        patch.setattr(middleware, "error_page", answer)
        yield


@pytest.mark.deep
@pytest.mark.parametrize("name", ROUTES)
def test_who_may_open_it_and_how(browsers, refused_alike, name):
    for (role, client), other in zip(browsers.items(), cycle(OTHER_METHODS), strict=False):
        assert_answers(client, role, name, (*METHODS, *(OTHER_METHODS if role == Role.OWNER else [other])))


@pytest.mark.seconds(6)
def test_nobody_opens_what_is_not_for_strangers(browsers, refused_alike):
    for name in ROUTES:
        assert_answers(browsers[None], None, name, (*METHODS, "PUT"))


@pytest.mark.seconds(6)
def test_the_highest_that_is_refused_does_not_open_it(browsers, refused_alike):
    for name in ROUTES:
        if (role := lowest_allowed(name)) > min(Role):
            below = max(each for each in Role if each < role)
            assert_answers(browsers[below], below, name, METHODS)


@pytest.mark.seconds(6)
def test_the_lowest_that_is_allowed_opens_it(browsers, refused_alike):
    for name in ROUTES:
        role = lowest_allowed(name)
        assert_answers(browsers[role], role, name, METHODS)


def lowest_allowed(name) -> Role:
    """To whom an address opens; somebody else's draft does to those who moderate."""
    whom = ROUTES[name][0]
    if name in DRAFT:
        return Role.ADMIN
    return whom.value if isinstance(whom, Permission) else min(Role)


def assert_answers(client, role, name, methods):
    whom, allowed, words = ROUTES[name]
    for method in methods:
        answer = client.generic(method, reverse(name, args=words))
        what = f"{name} {role!r} {method}"
        assert_answer(answer, expected(name, whom, allowed, role, method), what)
        if method == "POST":
            assert answer["Cache-Control"] == KEPT_BY_NOBODY, what
        if role is not None and name == "sign_out" and method == "POST":
            client.post("/sign-in/", {"name_or_email": f"the {role.name}", "password": PASSWORD})


def expected(name, whom, allowed, role, method) -> set[str]:
    if name.startswith("api/"):  # where cookies are never read
        return _expected_of_api(name, "GET" if method == "HEAD" else method)
    if whom != PUBLIC and role is None:
        return {"sign in"}
    if isinstance(whom, Permission):
        if role == Role.NO_ACCESS:
            return {"waiting"}
        if role < whom.value:
            return {"forbidden"}
    if name == "cast" and method not in allowed:
        return {"method"}
    if {NO_SKILL, NO_SET, NO_GROUP, NO_WEBHOOK} & set(map(str, ROUTES[name][2])) or name in OF_PLAYERS | OF_HOSTS:
        return {"not found"}
    if NO_PROVIDER in ROUTES[name][2] and method in allowed:
        return {"not found"}
    if NO_POST in ROUTES[name][2] and (name in OF_WRITERS or method in allowed):
        return {"not found"}
    if name == "write_post" and role == Role.USER and method in allowed:
        return {"forbidden"}  # who runs no election has nothing to write about
    if (
        name == "revoke_token"
        or name in OF_A_MAIL | MODERATED | BALLOT | STANDING
        or (name in DRAFT and (role < Role.ADMIN or name in MADE_UP))
    ):
        return {"not found"}  # made up, or somebody else's draft
    if name in DRAFT and Relation.MODERATOR not in RULES[DRAFT[name]].who:
        return {"forbidden"}
    if method not in allowed:
        return {"method"}
    if name in RESULTS:
        return {"forbidden"}  # a draft has none yet
    if NO_POLL in ROUTES[name][2] or name in (
        "ask_for_help",
        "poll_by_code",
        "join_by_code",
        "join_game",
        "seat",
        *OPEN_PAGES,
    ):
        return {"not found"}
    if name in ("screen", "scoreboard"):
        return {"not found"}  # without its link
    if name in ("play", "give_answer", "give_vote", "check_in", "speakers", "qa"):
        return {"not found"}  # there is no such session
    if name == "waiting" and role != Role.NO_ACCESS:
        return {"home"}
    if name in (
        "remove_app",
        "remove_passkey",
        "shared",
        "newest_checkpoint",
        "checkpoint",
        "doctor",
        "site_logo",
        "site_colours",
        "sitemap_year",
        "waiting_for_result",
        "picture",
    ):
        return {"not found"}  # nobody here has any; and the draft has no times, and nothing to share
    return {"gone"} if name in GONE else {"open"}


def _expected_of_api(name, method) -> set[str]:
    methods = next(methods for route, (methods, _words) in OPERATIONS.items() if route_name(route) == name)
    if method not in methods:
        return {"method"}
    return {"open", "not found"} if methods[method] == OPEN_TO_ALL else {"token"}


def assert_answer(answer, expected: set[str], what: str) -> None:
    place = answer.get("Location", "")
    kinds = {
        401: "token",
        302: "sign in" if place.startswith("/sign-in/?next=") else {"/waiting/": "waiting"}.get(place, "open"),
        403: "forbidden",
        404: "not found",
        405: "method",
        410: "gone",
    }
    kind = kinds.get(answer.status_code, "open")
    if expected == {"home"}:
        assert (answer.status_code, place) == (302, "/"), what
    else:
        assert kind in expected, f"{what}: {answer.status_code} {place}"
        assert answer.status_code < 500, what
