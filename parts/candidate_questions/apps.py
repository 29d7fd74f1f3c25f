"""The part *candidate_questions*: voters ask candidates before and during the vote, and read what these answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from django.utils.translation import gettext_lazy as _

from foundation import parts
from foundation.acts.queues import Progress


class CandidateQuestions(parts.Part):
    name = "parts.candidate_questions"
    title = _("Questions to candidates")
    about = _("Voters ask candidates questions, and the answers are shown with each candidate and on the ballot.")
    once_off = _(
        "Nobody can ask, answer or read questions any more. What was asked and answered is kept, and is there again "
        "when you switch this on."
    )
    fits = ("club",)
    sections = {"parts.candidate_questions": "decide"}
    places = ("ballot", "candidates of an election", "election tabs", "secrecy")

    def install(self) -> None:
        from accounts.services import ON_REMOVAL
        from ballots.guest_views import BEFORE_VOTING
        from elections import demo as elections_demo
        from elections.dashboard.concerns import WAITING
        from elections.panels import ANSWERS
        from foundation.acts import background
        from foundation.mail.emails import EMAIL_TEMPLATES

        from . import demo, emails, services
        from .emails import TELLING
        from .repository import answers_with_candidates
        from .services import forget_asker

        background.register(TELLING)
        EMAIL_TEMPLATES.update(emails.EMAIL_TEMPLATES)
        ANSWERS.add(answers_with_candidates)
        WAITING.add(services.to_review)
        BEFORE_VOTING.add(services.before_voting)
        elections_demo.DRAFTED.add(demo.take_questions)
        ON_REMOVAL.add(forget_asker)  # questions they asked candidates stay, without their name

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .demo import load

        return {"questions to candidates": lambda progress: load()}

    def running(self) -> Iterable[str]:
        from .services import running

        return running()
