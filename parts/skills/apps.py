"""The part *skills*: what people can do, a catalogue of it, and what elections ask of candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext_lazy as _

from foundation import parts
from foundation.acts.queues import Progress


class Skills(parts.Part):
    name = "parts.skills"
    title = _("Skills")
    about = _("What people can do, how to find them, and what an election needs of its candidates.")
    once_off = _("Skills are no longer shown, nor asked for by elections. What people entered is kept.")
    fits = ("team",)
    demo_comes_first = True
    sections = {"parts.skills": "people", "parts.skills.needed": "decide"}
    places = (
        *("nav of people", "account", "admin", "candidates", "election tabs", "facts of an election"),
        "more voters",
    )
    lists = {"people": ("skills", _("Skills"))}
    help = {"skills": _("What people can do, and how to find them.")}

    def install(self) -> None:
        from accounts.access import PROFILE_VISIBILITY
        from accounts.services import ON_REMOVAL
        from elections import demo as elections_demo
        from elections.drafts.copying import COPYING
        from elections.lifecycle.forms import LISTS_SKILLS
        from elections.lifecycle.services import OPENING
        from foundation.acts import background
        from foundation.mail.emails import EMAIL_TEMPLATES
        from foundation.store import keys
        from parts.skills.needed.needs import skill_requests
        from parts.skills.needed.services import copy_needs, forget_agreements
        from results import repository as results
        from results import views as result_pages
        from results.front_page import home as front_page

        from . import demo, repository
        from .access import may_see_profile
        from .needed import coverage, needs, services
        from .services import delete_endorsements, delete_skills

        background.register(repository.MERGING)
        EMAIL_TEMPLATES.update(services.EMAIL_TEMPLATES)
        PROFILE_VISIBILITY.add(may_see_profile)  # the profile is not hidden from them
        LISTS_SKILLS.add(needs.any_needs)
        COPYING.add(copy_needs)
        OPENING.add(needs.storing_snapshot)  # the skills of candidates who agreed, as far as the election needs them
        results.READ_WITH.add(keys.snapshot)
        result_pages.PANELS.add(coverage.panel)
        front_page.PANELS.add(skill_requests)
        elections_demo.DRAFTED.add(demo.set_needs)
        ON_REMOVAL.add(
            forget_agreements,  # their consent to show skills in elections is deleted
            delete_skills,  # their skills are deleted
            delete_endorsements,  # and then the endorsements they gave and received
        )

    def demo(self) -> Mapping[str, Callable[[Progress], int]]:
        from .demo import load

        return {"skills": load}
