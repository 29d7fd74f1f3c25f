"""The code in a letter, what is derived from it, and what else somebody who has one may be asked.

Codes are not stored but derived from the site's key, the election, the voter, and a turn that grows when a letter is
reissued. Twelve of 32 symbols make 60 bits: with 10,000 letters, one guess in 10^14 hits.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext_lazy as _

from elections import voter_lists
from elections.invitations.voting_link import Link
from elections.rolls import Voter
from elections.rules import Election
from foundation.ranking.codes import GROUP_SYMBOLS, code_of, code_symbols
from foundation.store.keys import fold

CODE_GROUPS = 3
CODE_SYMBOLS = CODE_GROUPS * GROUP_SYMBOLS
BIRTH, NUMBER = "birth", "number"
CHECKS = {"": _("nothing else"), BIRTH: _("their date of birth"), NUMBER: _("their member number")}


def letter_code(election: Election, voter: str, turn: int) -> str:
    """As printed, such as K7QM-2XHD-94TP."""
    source = "\n".join((fold(election.name), election.created_at, fold(voter), str(turn)))
    return code_of(salted_hmac("letters.code", source, algorithm="sha256").digest(), CODE_GROUPS)


def code_mark(code: str) -> str:
    """By which a code is looked up: without the key of the site, it does not lead back to the code."""
    return _derived("letters.lookup", code)


def link_of(code: str, election_name: str, created_at: str, voter: str) -> Link:
    """What a code opens. The roll has a hash of the link, from which the code cannot be guessed without the key."""
    return Link(election_name, created_at, voter, _derived("letters.link", code))


def _derived(purpose: str, code: str) -> str:
    return salted_hmac(purpose, code_symbols(code), algorithm="sha256").hexdigest()[:32]


def is_waiting(election: Election, voter: Voter) -> bool:
    """Whether the letter can be printed: nobody could use it without what is asked for besides the code."""
    return not voter.letter_batch and (election.letter_check != BIRTH or bool(voter.check))


def addressee(election: Election, voter: Voter) -> str:
    """What a letter calls its voter: not by the number, if whoever steals it is asked for that."""
    return voter.display_name if election.letter_check == NUMBER else voter.label


def answers_check(asked: str, voter: Voter, typed: str) -> bool:
    """Whether it is what this voter is asked for besides the code. Takes as long for a wrong answer as for the right
    one."""
    birth = voter_lists.check_mark(voter.name, _cleaned(voter_lists.clean_birth, typed))
    number = _cleaned(voter_lists.clean_number, typed)
    is_right = {
        BIRTH: constant_time_compare(birth, voter.check),
        NUMBER: constant_time_compare(fold(number), fold(unicodedata.normalize("NFKC", voter.name))),
    }
    return not asked or is_right[asked]


def _cleaned(clean: Callable[[str], str], typed: str) -> str:
    """Also in the wide letters and digits of East Asian keyboards."""
    try:
        return clean(unicodedata.normalize("NFKC", typed))
    except ValidationError:
        return ""
