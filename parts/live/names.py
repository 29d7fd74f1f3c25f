"""Player names: validation, which are free, alternatives for taken ones, and random ones such as “Brave Otter”."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from foundation.acts.storage import table
from foundation.pages.names import JOINERS, MAX_STACKED_ACCENTS, clean_title, is_combining, is_too_tall
from foundation.store import keys

MAX_VISIBLE_CHARS = 40  # as people count them
MAX_CODE_POINTS = 160  # one visible character may take many: a family emoji
NAME_ATTEMPTS = 8  # candidates tried to find a free name

HIDDEN = _("Use visible characters only.")
TOO_LONG = _("Use at most %(most)d characters.")
TOO_TALL = _("Use at most %(most)d accents on one letter.")
_SYSTEM = random.SystemRandom()


def clean(typed: str) -> str:
    """Validate a name: like any title, but short and only with characters that every phone can show."""
    name = clean_title(typed)
    if any(unicodedata.category(character) in ("Co", "Cn") for character in name):
        raise ValidationError(HIDDEN, code="hidden")
    visible = sum(not is_combining(character) for character in name)
    if visible > MAX_VISIBLE_CHARS or len(name) > MAX_CODE_POINTS:
        raise ValidationError(TOO_LONG, code="long", params={"most": MAX_VISIBLE_CHARS})
    if is_too_tall(name):
        raise ValidationError(TOO_TALL, code="tall", params={"most": MAX_STACKED_ACCENTS})
    return name


# --- which are free ---


def free_names(game_id: str, names: Iterable[str]) -> list[str]:
    """The names not taken in the session, in one round trip."""
    places = {keys.player_name(game_id, name): name for name in names}
    taken = table().get_many(places)
    return [name for place, name in places.items() if place not in taken]


def alternatives(game_id: str, name: str, chance: random.Random = _SYSTEM) -> list[str]:
    """Two free names similar to a taken one."""
    numbers = [2, 3, 4, 5, *(chance.randrange(10, 1000) for _try in range(NAME_ATTEMPTS))]
    return free_names(game_id, [_numbered(name, number) for number in numbers])[:2]


def _numbered(name: str, number: int) -> str:
    end = f" {number}"
    return name[: MAX_VISIBLE_CHARS - len(end)].rstrip(f" {JOINERS}") + end


def offer_name(game_id: str) -> str:
    """A random name in the current language, numbered if all candidates are taken."""
    names = [generate_name(get_language()) for _try in range(NAME_ATTEMPTS)]
    return next(iter(free_names(game_id, names)), _numbered(names[0], _SYSTEM.randrange(100, 10_000)))


# --- generated names ---

_CHANCE = random.SystemRandom()

ENGLISH_FIRST = """
    Amber Azure Blue Brave Breezy Bright Bronze Busy Calm Caring Cheerful Chirpy Clever Copper Coral Cosy Crimson
    Curious Dancing Daring Dreamy Eager Early Emerald Fair Fleet Gentle Giggling Glad Golden Graceful Green Happy
    Honest Hopeful Humming Indigo Ivory Jade Jolly Keen Kind Lilac Lively Lucky Lunar Mellow Merry Mindful Misty
    Mossy Nimble Olive Orange Patient Peachy Pink Playful Polite Proud Purple Quick Quiet Radiant Ready Red Restful
    Ruby Scarlet Serene Shining Silver Singing Smiling Snowy Sparkling Spirited Steady Sunny Swift Tender Thoughtful
    Trusty Turquoise Velvet Violet Warm Whistling Wise Witty Yellow Zesty
"""
ENGLISH_SECOND = """
    Albatross Alpaca Antelope Avocet Axolotl Badger Beaver Bee Bison Blackbird Bluebird Bumblebee Butterfly Camel
    Capybara Caribou Cat Chaffinch Chamois Cheetah Chickadee Chipmunk Cicada Condor Corgi Crane Cricket Curlew
    Dolphin Dormouse Dove Dragonfly Duck Egret Elk Ermine Falcon Fawn Ferret Finch Firefly Flamingo Fox Gazelle Gecko
    Giraffe Goldfinch Grasshopper Hamster Hare Hedgehog Heron Hummingbird Ibex Ibis Jay Kestrel Kingfisher Kiwi Koala
    Ladybird Lark Lemur Lion Llama Lynx Magpie Manatee Marmot Marten Meerkat Moose Moth Narwhal Newt Nightingale
    Numbat Ocelot Octopus Okapi Oriole Osprey Otter Owl Panda Parrot Pelican Penguin Pika Plover Pony Puffin Puma
    Quail Quokka Rabbit Raccoon Raven Reindeer Robin Salamander Sandpiper Seahorse Seal Skylark Sparrow
    Squirrel Starling Starfish Stork Swallow Swan Tapir Tern Tiger Toucan Turtle Wombat Woodpecker Wren
    Yak Zebra
"""
# The ending of a German adjective depends on the gender of the animal.
GERMAN_FIRST = """
    achtsam apfelgrün aufgeweckt bedächtig begeistert behänd bernsteinfarben blau bronzefarben bunt dankbar ehrlich
    eifrig emsig fair fein fidel fleißig flink forsch freundlich friedlich froh fröhlich frühlingsfrisch furchtlos
    geduldig gelassen gelb gemütlich gescheit gewitzt glänzend glücklich golden grün gut gutgelaunt heiter hell
    herzlich hilfsbereit himmelblau höflich kess kirschrot klar klug korallenrot kühn kupferfarben lachend lebhaft
    leicht leis lieb lindgrün listig lustig mild mondhell moosgrün munter mutig nachdenklich nett neugierig
    olivgrün orangerot pfiffig pflaumenblau purpurrot quirlig rasch rot rubinrot ruhig sanft scharlachrot schlau
    schnell schneeweiß selig silbern singend smaragdgrün sonnig stolz strahlend summend tanzend tapfer treu
    türkisblau umsichtig verspielt verträumt vergnügt vertrauensvoll violett wach wachsam warm weise weiß wendig
    witzig wohlgemut zart zitronengelb zufrieden zuversichtlich
"""
GERMAN_SECOND = {
    "er": """
        Adler Albatros Biber Buchfink Buntspecht Dachs Delfin Distelfink Eisvogel Elch Falke
        Feldhase Fink Fischotter Flamingo Frosch Fuchs Gecko Gepard Hamster Hase Hirsch Igel Iltis Jaguar Kakadu
        Kiebitz Kolibri Kondor Kormoran Kranich Kuckuck Lachs Lemur Leuchtkäfer Löwe Luchs Maikäfer Marder
        Marienkäfer Molch Nachtfalter Otter Panda Papagei Pelikan Pfau Pinguin Pirol Puma Rabe Reiher Salamander
        Schmetterling Schwan Seehund Seestern Siebenschläfer Spatz Specht Star Steinbock Stieglitz Storch Tapir Tiger
        Tukan Waschbär Wellensittich Wiedehopf Wombat Zaunkönig Zeisig
    """,
    "e": """
        Amsel Antilope Bachstelze Biene Dohle Drossel Eidechse Elster Ente Eule Fledermaus Gämse Gazelle Giraffe
        Grasmücke Grille Haselmaus Heuschrecke Hummel Katze Krabbe Lerche Libelle Meise Möwe Nachtigall Robbe
        Schildkröte Schwalbe Seerobbe Spitzmaus Stockente Taube Waldmaus Wachtel Zikade
    """,
    "es": """
        Alpaka Chamäleon Eichhörnchen Erdmännchen Fohlen Glühwürmchen Heimchen Hermelin Kamel Känguru
        Kaninchen Lama Murmeltier Okapi Pony Reh Rentier Rotkehlchen Seepferdchen Streifenhörnchen Wiesel
        Yak Zebra Zwergkaninchen
    """,
}

ENGLISH = (ENGLISH_FIRST.split(), ENGLISH_SECOND.split())
GERMAN = (GERMAN_FIRST.split(), [(noun, end) for end, nouns in GERMAN_SECOND.items() for noun in nouns.split()])


def generate_name(language: str | None, chance: random.Random = _CHANCE) -> str:
    """A random name, in German for those who read German and otherwise in English."""
    if (language or "").startswith("de"):
        mood, (animal, end) = chance.choice(GERMAN[0]), chance.choice(GERMAN[1])
        return f"{_with_end(mood, end).capitalize()} {animal}"
    return f"{chance.choice(ENGLISH[0])} {chance.choice(ENGLISH[1])}"


def _with_end(mood: str, end: str) -> str:
    """Add the ending, without doubling the final e of words such as “weise”."""
    return mood.removesuffix("e") + end
