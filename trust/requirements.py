"""What serious bodies ask of voting systems and websites, and how far this one meets it, row by row.

Each row names its evidence: tests, documents of the project, and pages of the site (these begin with a slash). Tests
check that all of them exist. A requirement that software alone cannot meet is the operator's responsibility.
"""

# ruff: noqa: RUF001 - dashes and apostrophes as people write them

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Status(StrEnum):
    MET = "met"
    PARTLY = "partly"
    NOT_MET = "not-met"
    OPERATOR = "operator"

    @property
    def label(self) -> Promise:
        return LABELS[self]


MET, PARTLY, NOT_MET, OPERATOR = Status
LABELS = {MET: _("Met"), PARTLY: _("Partly met"), NOT_MET: _("Not met"), OPERATOR: _("Up to the operator")}


class Row(NamedTuple):
    """One requirement, in our own words."""

    reference: str
    text: Promise
    status: Status
    evidence: str = ""
    note: Promise | str = ""  # what is missing

    @property
    def sources(self) -> list[str]:
        return self.evidence.split()


class Standard(NamedTuple):
    name: str
    title: Promise
    about: Promise
    rows: tuple[Row, ...]


STANDARDS = (
    Standard("coe", _("Council of Europe: standards for e-voting"),
        _("CM/Rec(2017)5, standards 1 to 49"), (
        Row("1", _("Everyone can understand and use the pages."), PARTLY,
            "tests/browser/test_rank.py tests/browser/test_without_scripts.py",
            _("There is no study with voters yet.")),
        Row("2", _("People with disabilities can vote on their own."), MET,
            "tests/browser/test_access.py tests/browser/test_keyboard.py"),
        Row("3", _("Voting online need not be the only way."), MET, "tests/ballots/test_pages.py"),
        Row("4", _("Voters are told that this is a real election."), MET,
            "tests/ballots/test_safeguards.py tests/ballots/test_rehearsal.py",
            _("Where the organisers choose it.")),
        Row("5", _("Every channel gives the same information."), MET, "tests/elections/test_descriptions.py"),
        Row("6", _("Paper and online votes are counted together."), MET, "tests/ballots/test_services.py"),
        Row("7", _("Every voter can be told apart from all others."), MET, "tests/accounts/test_lookalikes.py"),
        Row("8", _("Only those on the roll can vote, once identified."), MET,
            "tests/test_routes.py tests/ballots/test_by_link.py"),
        Row("9", _("One vote each, also in a race."), MET,
            "tests/ballots/test_linearizable.py tests/ballots/test_killed.py"),
        Row("10", _("Nothing on the page influences the choice."), MET, "tests/ballots/test_pages.py"),
        Row("11", _("The page and the ballot are authentic."), MET,
            "tests/config/test_below_path.py tests/results/test_watch.py"),
        Row("12", _("Nobody is rushed; there is a review before casting."), MET, "tests/ballots/test_pages.py"),
        Row("13", _("A blank vote is possible."), MET, "tests/ballots/test_services.py"),
        Row("14", _("Voters learn if something is wrong with their ballot."), MET, "tests/ballots/test_pages.py"),
        Row("15", _("Voters can check that their vote arrived unchanged."), PARTLY,
            "tests/browser/test_recount.py /help/secrecy/",
            _("Not with a second, independent device while voting is open.")),
        Row("16", _("A receipt confirms that the vote is in the box."), MET,
            "tests/ballots/test_lost_answers.py tests/ballots/test_emails.py"),
        Row("17", _("Anyone can verify that every vote was counted."), MET,
            "tests/results/test_bundle.py tests/browser/test_recount.py"),
        Row("18", _("Anyone can verify that only eligible votes were counted."), PARTLY,
            "tests/results/test_committing.py", _("Who voted is the site’s word, sealed with the result.")),
        Row("19", _("The vote is secret at every stage."), PARTLY,
            "tests/ballots/test_secrecy.py docs/explanation/threats.md",
            _("Not against altered code or copies taken after every single vote.")),
        Row("20", _("Only necessary personal data, only as long as needed."), MET,
            "tests/accounts/test_removal.py docs/how-to/personal-data.md"),
        Row("21", _("Passwords and links are protected from misuse."), MET,
            "tests/accounts/test_secrets.py tests/accounts/test_throttle.py"),
        Row("22", _("Only authorised people can see the roll."), MET,
            "tests/test_routes.py tests/ballots/test_guessing.py"),
        Row("23", _("Voters get no proof of their vote to show to others."), PARTLY,
            "docs/explanation/threats.md",
            _("Only where the organisers choose a final vote: otherwise the code shows the ballot.")),
        Row("24", _("Nobody learns results before the close."), PARTLY,
            "tests/results/test_live.py tests/ballots/test_guessing.py",
            _("Pages show none; who operates the store could read rankings.")),
        Row("25", _("Earlier choices stay secret once they are replaced."), MET, "tests/ballots/test_secrecy.py"),
        Row("26", _("After the count nobody can link voters to votes."), MET, "tests/ballots/test_secrecy.py"),
        Row("27–29", _("Law and statutes allow and govern voting online."), OPERATOR),
        Row("30", _("Observers can follow the count."), MET,
            "tests/results/test_bundle.py tests/elections/test_history.py"),
        Row("31", _("How voting works is public."), MET, "/help/ /trust/"),
        Row("32", _("Voters are informed in good time."), OPERATOR, "docs/how-to/running-elections.md"),
        Row("33", _("The parts of the system are disclosed."), PARTLY,
            "docs/explanation/architecture.md", _("Whether the source is public is decided by its owners.")),
        Row("34", _("Observers may watch and comment."), MET, "tests/test_routes.py /checkpoints/"),
        Row("35", _("Open formats are used."), MET, "tests/tally/test_formats.py tests/results/test_exports.py"),
        Row("36–38", _("An independent body evaluates and certifies the system."), NOT_MET,
            "", _("There is no certificate.")),
        Row("39", _("The system can be audited, and reports problems."), MET,
            "tests/store/test_seal.py tests/upkeep/test_nightly.py tests/upkeep/test_doctor.py"),
        Row("40", _("Somebody is responsible, also for failures."), OPERATOR, "docs/how-to/recovery.md"),
        Row("41", _("Only authorised people reach the servers."), OPERATOR, "docs/how-to/operations.md"),
        Row("42", _("The system can be tested before the election."), MET, "tests/ballots/test_rehearsal.py"),
        Row("43", _("Updates are installed regularly."), OPERATOR, "docs/how-to/upgrading.md"),
        Row("44", _("Votes outside a protected environment are encrypted."), PARTLY,
            "tests/upkeep/test_age.py tests/ranking/test_ranking_cookie.py",
            _("On the way and in backups; not in the store.")),
        Row("45", _("Votes are sealed until the count begins."), PARTLY,
            "tests/ballots/test_closing.py", _("No page shows them; in the store they are not encrypted.")),
        Row("46", _("Keys are handled securely."), OPERATOR,
            "docs/how-to/operations.md tests/ballots/test_secrecy.py"),
        Row("47", _("Incidents are reported to the election board at once."), OPERATOR, "docs/how-to/recovery.md"),
        Row("48", _("Rolls and lists of candidates stay authentic."), MET,
            "tests/upkeep/test_verify.py tests/test_replay.py"),
        Row("49", _("Votes affected by an irregularity can be identified."), PARTLY,
            "tests/results/test_proof.py",
            _("A changed ballot is named; a secret ballot cannot be traced to its voter.")),
    )),
    Standard("asvs", _("OWASP ASVS 5.0: secure web applications"),
        _("Levels 1 and 2, by section; what the site does not have is left out"), (
        Row("V1.1", _("Input is decoded once, output encoded last."), MET, "tests/test_safe.py"),
        Row("V1.2", _("No injection into HTML, queries, files or commands."), MET,
            "tests/browser/test_markup.py tests/results/test_exports.py"),
        Row("V1.3", _("Markup by users is cleaned."), MET, "tests/pages/test_markdown.py"),
        Row("V1.5", _("Foreign data is read safely."), MET,
            "tests/tally/test_hostile_files.py tests/questions/test_foreign.py"),
        Row("V2.1", _("Rules and limits are written down."), MET, "docs/how-to/operations.md"),
        Row("V2.2", _("All input is checked on the server."), MET, "tests/test_largest_values.py"),
        Row("V2.3", _("Steps cannot be skipped, repeated or run in a race."), MET,
            "tests/ballots/test_linearizable.py tests/store/test_races.py"),
        Row("V2.4", _("Excessive use is limited."), MET, "tests/accounts/test_throttle.py"),
        Row("V3.2", _("Nothing uploaded runs as a page."), MET, "tests/pages/test_logo.py tests/photos/test_pages.py"),
        Row("V3.3", _("Cookies are prefixed, secure and hidden from scripts."), MET, "tests/config/test_cookies.py"),
        Row("V3.4", _("Security headers: CSP, HSTS, no framing, no sniffing."), MET,
            "tests/config/test_pages.py tests/upkeep/test_https.py"),
        Row("V3.5", _("Other sites cannot act in a visitor’s name."), MET, "tests/config/test_requests.py"),
        Row("V3.6", _("Scripts have digests, and none come from elsewhere."), MET, "tests/config/test_below_path.py"),
        Row("V4.1", _("Every answer has the right type and goes over HTTPS."), MET, "tests/config/test_pages.py"),
        Row("V4.2", _("Ambiguous requests are refused."), MET, "tests/config/test_connections.py"),
        Row("V5.2", _("Uploads are limited and checked by content."), MET,
            "tests/photos/test_child.py tests/photos/test_encoding.py"),
        Row("V5.3", _("Uploads never become files of the server."), MET, "tests/photos/test_pages.py"),
        Row("V5.4", _("Downloads have safe names and types."), MET, "tests/results/test_exports.py"),
        Row("V6.1", _("How guessing is prevented is documented."), MET, "docs/decisions/0044-throttling.md"),
        Row("V6.2", _("Passwords: long enough, not common, any characters."), PARTLY,
            "tests/accounts/test_pages.py",
            _("At least ten characters, but digits alone are refused, and leaked passwords are not looked up.")),
        Row("V6.3", _("A second factor for everyone; no guessing."), PARTLY,
            "tests/accounts/test_factors.py tests/accounts/test_throttle.py",
            _("Everyone can have one; it can be required of admins only.")),
        Row("V6.4", _("Lost passwords and factors are replaced safely."), MET, "tests/accounts/test_factor_pages.py"),
        Row("V6.5", _("Codes work once and expire."), MET, "tests/accounts/test_factors.py"),
        Row("V6.8", _("Who signs in with a provider cannot pose as somebody else."), MET,
            "docs/reference/oauth-verification.md tests/accounts/test_provider_attacks.py"),
        Row("V7.1", _("How long sessions last is documented."), MET, "docs/how-to/personal-data.md"),
        Row("V7.2", _("Session keys are random, and new at every sign-in."), MET, "tests/accounts/test_pages.py"),
        Row("V7.3", _("Sessions end after a time."), PARTLY,
            "docs/how-to/personal-data.md", _("After two weeks without use; there is no absolute limit.")),
        Row("V7.4", _("People can end all sessions; removal ends them."), MET,
            "tests/accounts/test_pages.py tests/accounts/test_removal.py"),
        Row("V7.5", _("Changing an account needs the password again."), MET, "tests/accounts/test_pages.py"),
        Row("V8.1", _("Who may do what is written down."), MET, "docs/how-to/people.md docs/reference/routes.md"),
        Row("V8.2", _("Every page and every thing checks permission."), MET, "tests/test_routes.py"),
        Row("V8.3", _("The server decides, and at once after a change."), MET,
            "tests/accounts/test_people.py tests/acts/test_versions.py"),
        Row("V9.1", _("Signed links and cookies cannot be forged."), MET, "tests/acts/test_tokens.py"),
        Row("V9.2", _("Each is good for one purpose and a limited time."), MET, "tests/acts/test_tokens.py"),
        Row("V10.1", _("Tokens of providers go nowhere else, and answer the same browser."), MET,
            "docs/reference/oauth-verification.md tests/accounts/test_provider_attacks.py"),
        Row("V10.2", _("Signing in with a provider cannot be forged or mixed up."), MET,
            "docs/reference/oauth-verification.md tests/accounts/test_provider_attacks.py"),
        Row("V10.5", _("Identities of providers are checked: issuer, subject, audience, age."), MET,
            "docs/reference/oauth-verification.md tests/accounts/test_provider_attacks.py"),
        Row("V11.1", _("What is encrypted how is documented."), MET, "docs/explanation/threats.md"),
        Row("V11.2", _("Only well-tested libraries are used."), MET, "tests/upkeep/test_age_vectors.py"),
        Row("V11.4", _("Passwords are hashed with Argon2id."), MET, "tests/accounts/test_secrets.py"),
        Row("V11.5", _("Secrets have at least 128 random bits."), MET, "docs/decisions/0020-nonces-and-commitments.md"),
        Row("V12.1", _("Current TLS at the proxy."), OPERATOR, "docs/how-to/installing.md"),
        Row("V12.2", _("Visitors are sent to HTTPS."), MET, "tests/config/test_settings.py"),
        Row("V12.3", _("Mail and store connections are encrypted."), OPERATOR, "docs/how-to/mail.md"),
        Row("V13.1", _("All connections and settings are documented."), MET, "docs/reference/settings.md"),
        Row("V13.2", _("The program has only the rights it needs."), OPERATOR,
            "tests/test_policy.py tests/test_deploy.py"),
        Row("V13.3", _("Secrets are kept apart from the code."), OPERATOR, "docs/how-to/operations.md"),
        Row("V13.4", _("Nothing about the inside leaks."), MET, "tests/config/test_pages.py"),
        Row("V14.1", _("Which data needs which protection is documented."), MET, "docs/how-to/personal-data.md"),
        Row("V14.2", _("No personal data in addresses, caches or logs."), MET,
            "tests/test_caching.py tests/config/test_pages.py"),
        Row("V14.3", _("Nothing stays in the browser after signing out."), MET,
            "tests/browser/test_drafts.py tests/test_caching.py"),
        Row("V15.1", _("There is a time limit for updates of components."), PARTLY,
            "/trust/", _("Known faults are mended quickly; no time limit is promised.")),
        Row("V15.2", _("Components are pinned with digests, few and known."), MET, "tests/test_makefile.py"),
        Row("V15.3", _("Only the fields asked for are returned."), MET, "tests/audit/tables/test_masks.py"),
        Row("V15.4", _("Concurrent changes cannot overwrite each other."), MET,
            "tests/store/test_races.py tests/test_interruptions.py"),
        Row("V16.2", _("Logs have times in UTC and no secrets."), MET,
            "tests/config/test_requests.py tests/accounts/test_secrets.py"),
        Row("V16.3", _("What people do is recorded."), MET, "tests/test_completeness.py"),
        Row("V16.4", _("The log cannot be changed unnoticed."), MET,
            "tests/store/test_seal.py tests/upkeep/test_verify.py"),
        Row("V16.5", _("Errors are friendly, and reveal nothing."), MET,
            "tests/config/test_pages.py tests/test_faults.py"),
    )),
    Standard("wcag", _("WCAG 2.2: accessibility"),
        _("Levels A and AA, by guideline; the basis of EN 301 549"), (
        Row("1.1", _("Pictures and charts have alternatives in text."), MET,
            "tests/browser/test_access.py tests/results/test_pictures.py"),
        Row("1.2", _("There is no audio or video."), MET, "tests/config/test_pages.py"),
        Row("1.3", _("Structure is in the markup, in any orientation."), MET, "tests/browser/test_access.py"),
        Row("1.4", _("Contrast, zoom, spacing: nothing gets lost."), MET,
            "tests/browser/test_access.py tests/pages/test_colours.py"),
        Row("2.1", _("Everything works with the keyboard."), MET,
            "tests/browser/test_keyboard.py tests/browser/test_rank.py"),
        Row("2.2", _("There is enough time, and nothing typed is lost."), MET, "tests/browser/test_drafts.py"),
        Row("2.3", _("Nothing flashes."), MET, "tests/browser/test_media.py"),
        Row("2.4", _("Titles, order and focus show where one is."), MET, "tests/browser/test_keyboard.py"),
        Row("2.5", _("Targets are large; dragging is never the only way."), MET,
            "tests/browser/test_rank.py tests/browser/test_access.py"),
        Row("3.1", _("The language is declared."), MET, "tests/test_translations.py"),
        Row("3.2", _("Pages are consistent; help is always in the same place."), MET, "tests/pages/test_sections.py"),
        Row("3.3", _("Errors are explained; signing in needs no puzzle."), MET,
            "tests/browser/test_forms.py tests/browser/test_factors.py"),
        Row("4.1", _("Screen readers get names, roles and messages."), PARTLY,
            "tests/browser/test_access.py", _("Checked by rules (axe), not yet by people who use one.")),
    )),
    Standard("gdpr", _("GDPR: personal data"),
        _("What software can do, and what its operator must"), (
        Row("5", _("Few data, short retention, and a record of both."), MET,
            "docs/how-to/personal-data.md tests/accounts/test_removal.py"),
        Row("6, 9", _("A legal basis, also for memberships and opinions."), OPERATOR, "docs/how-to/personal-data.md"),
        Row("12–14", _("A privacy notice everyone can read."), MET, "tests/trust/test_notices.py /trust/privacy/"),
        Row("15", _("Everyone can download their data."), MET, "tests/accounts/test_personal_data.py"),
        Row("16", _("Everyone can correct their data."), MET, "tests/accounts/test_pages.py"),
        Row("17", _("Everyone can have their data erased, also from the log."), MET,
            "tests/upkeep/test_log_erasure.py"),
        Row("20", _("The copy is in an open format."), MET, "tests/accounts/test_personal_data.py"),
        Row("25", _("Privacy by design and by default."), MET,
            "tests/test_completeness.py tests/audit/tables/test_secrecy.py"),
        Row("28", _("A contract with whoever hosts the site or sends its mail."), OPERATOR),
        Row("30", _("A record of processing, from the draft that comes along."), OPERATOR,
            "docs/how-to/personal-data.md"),
        Row("32", _("Security fit for the risk."), MET, "docs/explanation/threats.md tests/ballots/test_secrecy.py"),
        Row("33, 34", _("A breach is reported within 72 hours."), OPERATOR, "docs/how-to/recovery.md"),
        Row("35", _("An impact assessment where the risk is high."), OPERATOR, "docs/explanation/threats.md"),
        Row("44", _("Nothing is sent to other countries by the software."), MET, "docs/how-to/personal-data.md"),
    )),
    Standard("chambers", _("German chambers: election rules"),
        _("Sections of IHK rules on electronic voting (numbers as in Freiburg, 2025), and guidance of the BSI"), (
        Row("§ 9", _("The roll is laid open for objections."), OPERATOR, "docs/how-to/running-elections.md"),
        Row("§ 12", _("Online, by letter, or both, without double votes."), MET, "tests/ballots/test_services.py"),
        Row("§ 13 (1)", _("Personal credentials, and one vote each."), MET, "tests/ballots/test_by_link.py"),
        Row("§ 13 (2)", _("Voters read how to protect their device, and confirm it."), MET,
            "tests/ballots/test_safeguards.py", _("Where the organisers choose it.")),
        Row("§ 13 (3)", _("The choice can be corrected or abandoned until it is sent."), MET,
            "tests/ballots/test_pages.py"),
        Row("§ 13 (4)", _("Sending is confirmed on the screen."), MET, "tests/ballots/test_pages.py"),
        Row("§ 14 (1)", _("Roll and votes are kept apart."), MET, "tests/ballots/test_secrecy.py"),
        Row("§ 14 (2)", _("The order of votes cannot be reconstructed."), MET, "tests/ballots/test_secrecy.py"),
        Row("§ 14 (3)", _("The vote is not stored on the voter’s device."), MET,
            "tests/ballots/test_safeguards.py tests/browser/test_rank.py",
            _("Where the organisers choose it. Several questions on one ballot are carried in an encrypted cookie "
              "until they are cast.")),
        Row("§ 14 (4)", _("The ballot leaves the screen, and access ends."), MET,
            "tests/ballots/test_safeguards.py tests/browser/test_rank.py", _("Where the organisers choose it.")),
        Row("§ 15", _("An outage is recorded, and voting extended."), PARTLY,
            "tests/upkeep/test_pause.py tests/elections/test_services.py",
            _("The log has pauses and extensions; there are no minutes of one election.")),
        Row("§ 16", _("The count is public and can be repeated."), MET, "tests/results/test_bundle.py"),
        Row("§ 19", _("What a challenge needs is kept."), MET, "docs/how-to/recovery.md tests/results/test_proof.py"),
        Row("BSI TR-03169", _("The need for protection is assessed for each election."), OPERATOR,
            "docs/explanation/threats.md"),
        Row("BSI-CC-PP-0121", _("The product is certified to the protection profile."), NOT_MET,
            "", _("There is no certificate.")),
    )),
    Standard("unions", _("British union ballots"),
        _("Trade Union and Labour Relations (Consolidation) Act 1992, and the code of practice on "
          "electronic balloting, 2026"), (
        Row("s. 49, 226B", _("An independent scrutineer is appointed."), OPERATOR),
        Row("s. 227", _("All members entitled to vote, and only they."), MET,
            "tests/elections/test_imports.py tests/test_routes.py"),
        Row("s. 229", _("The voting paper states what the law requires."), PARTLY,
            "tests/elections/test_descriptions.py",
            _("In the description; ballots rank options, and have no yes or no.")),
        Row("s. 230(1)", _("Voting without interference and at no cost."), MET, "tests/ballots/test_by_link.py"),
        Row("s. 230(2)", _("A convenient opportunity to vote for everyone."), OPERATOR,
            "docs/how-to/voting-by-link.md"),
        Row("s. 230(4)", _("Secret voting, and a fair and accurate count."), MET,
            "tests/ballots/test_secrecy.py tests/tally/test_published.py"),
        Row("s. 231", _("Members learn the numbers of the result."), MET, "tests/results/test_mailing.py"),
        Row("s. 51", _("Votes are kept for a year and longer."), MET, "docs/how-to/personal-data.md"),
        Row("Code, access", _("Access goes to personal, not workplace, addresses."), PARTLY,
            "docs/how-to/voting-by-link.md", _("Any address can be used; the site cannot tell which is which.")),
        Row("Code, hybrid", _("Posted papers with a code to vote online instead."), NOT_MET,
            "", _("Printed letters with codes do not exist yet.")),
        Row("Code, security", _("A documented security assessment before use."), OPERATOR,
            "docs/explanation/threats.md"),
        Row("Code, audit", _("Logs allow a later check of the ballot."), MET,
            "tests/store/test_seal.py tests/results/test_bundle.py"),
    )),
)  # fmt: skip
