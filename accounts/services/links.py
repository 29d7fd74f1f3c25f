"""Links that were mailed, and what becomes of those that are used up."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal


class LinkSpent(Refusal):
    """A link that was used, has grown old, or was never ours."""


LINK_SPENT = _("This link was used already or has grown too old. Please ask for a new one.")
