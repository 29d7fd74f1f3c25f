"""Elections from draft to closed: candidates, electorate, lifecycle, the pages of organisers."""

PUBLIC = (
    "access actions candidate_questions candidates convening dashboard demo drafts groups help_desk history "
    "invitations items kinds letters lifecycle link_requests managers "
    "multi_ballots multi_ballot_pages opening_rules personal_data public replay repository roll rolls rules "
    "sharding skills_needed turnout voter_lists"
)
