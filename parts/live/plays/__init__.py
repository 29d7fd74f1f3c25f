"""The plays of ordinary sessions."""

from .best_answer import BestAnswer
from .ideas import Ideas
from .ranked_poll import RankedPoll
from .survey import Survey
from .trivia import Trivia
from .word_cloud import WordCloud

PLAYS = (
    Trivia(),
    BestAnswer(),
    RankedPoll(),
    Ideas(),
    Survey(),
    WordCloud(),
)
