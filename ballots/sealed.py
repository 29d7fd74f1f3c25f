"""Why the ballots of a closed election may not be sealed."""

from acts.queues import ExplainedError


class CannotSeal(ExplainedError):
    """Something about the ballots is not as it must be; the election waits until somebody has looked."""
