"""Generates random player names such as “Brave Otter”, in English and German."""

from __future__ import annotations

import random

_SYSTEM = random.SystemRandom()

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


def generate_name(language: str | None, chance: random.Random = _SYSTEM) -> str:
    """A random name, in German for those who read German and otherwise in English."""
    if (language or "").startswith("de"):
        mood, (animal, end) = chance.choice(GERMAN[0]), chance.choice(GERMAN[1])
        return f"{_with_end(mood, end).capitalize()} {animal}"
    return f"{chance.choice(ENGLISH[0])} {chance.choice(ENGLISH[1])}"


def _with_end(mood: str, end: str) -> str:
    """Add the ending, without doubling the final e of words such as “weise”."""
    return mood.removesuffix("e") + end
