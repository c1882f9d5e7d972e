"""Stories told again with other names, people, animals, places and things, so that a reader learns how they are asked about
and not what they tell."""
import random
import re
from collections import Counter

from clauses import CAPITALISED_ANYWAY
from facts import Maker

CLASSES = tuple(words.split() for words in (  # words that may take each other's places
    "king prince boy father brother son husband farmer giant wizard miller shepherd hunter soldier merchant uncle servant tailor",
    "queen princess girl mother sister daughter witch maiden grandmother aunt widow nurse",
    "fox bear lion cat dog horse goat cow rat bird eagle crow snake frog pig hen duck rabbit hare tiger monkey donkey dragon lamb",
    "forest castle palace house cottage garden village town river mountain hill lake field cave church mill tower island valley",
    "ring sword crown key cup box bag stone cake stick axe rope coat dress cap mirror lamp candle basket spoon pot pipe apple shirt",
    "golden silver red white black green blue yellow", "old young little great big poor rich beautiful wise good wicked brave clever",
    "two three four five six seven eight nine ten twelve twenty", "morning evening night", "sad angry happy glad afraid surprised"))
CHANGED = 0.7  # of the classes are mixed in a story
NAMED = 0.9  # of the names of a story change
WORD = re.compile(r"[A-Za-z]+")


class Renaming:
    """A mapping of words for one story, the same in its sentences, questions and answers."""

    def __init__(self, sentences: list[str], draw: random.Random):
        self.other: dict[str, str] = {}
        for words in CLASSES:
            if draw.random() < CHANGED:
                mixed = draw.sample(words, len(words))
                for word, new in zip(words, mixed):
                    self.other |= {word: new, word + "s": new + "s"}
        maker = Maker(draw.randrange(10 ** 9))
        inside = Counter(w for s in sentences for w in WORD.findall(s)[1:])
        for name, count in inside.items():
            if (count > 1 and name[0].isupper() and len(name) > 2 and name.lower() not in inside and name.lower() not in self.other
                    and name not in CAPITALISED_ANYWAY and draw.random() < NAMED):
                self.other[name] = maker.first_name()

    def applied(self, text: str) -> str:
        said = WORD.sub(lambda found: self.instead(found[0]), text)
        return re.sub(r"\b([Aa])n? ([A-Za-z]+)", self.article, said)

    def instead(self, word: str) -> str:
        if word in self.other:
            return self.other[word]
        new = self.other.get(word.lower())
        return word if new is None else new.capitalize() if word.istitle() else new.upper()

    @staticmethod
    def article(found: re.Match) -> str:
        """"a" or "an" as the next word wants it, where that is one of the classes' words."""
        if not any(found[2] in words for words in CLASSES):
            return found[0]
        return f"{found[1]}{'n' if found[2][0] in 'aeiou' else ''} {found[2]}"
