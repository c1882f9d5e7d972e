"""Small worlds that produce a stream of facts, and can be asked about at any moment: who is where, what is where,
who gave what to whom, which room lies where. They speak like bAbI but draw on far more names.
"""
from collections import Counter

from words import BABI_CAST, BABI_ROOMS, BABI_THINGS, ROOMS, THINGS
from facts import Maker
from prompts import NOT_IN_MEMORY

MOVES = ["moved to", "went to", "journeyed to", "travelled to", "went back to"]
TAKES = ["picked up", "took", "got", "grabbed"]
DROPS = ["dropped", "put down", "left", "discarded"]
GIVES = ["gave", "handed", "passed"]
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
# what the other worlds tell: a made fact of these kinds could answer a question about them
STORY_RELATIONS = {"location", "carrying", "dropping", "giving", "direction"}
STEP = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}


def plain_words(text: str) -> set[str]:
    return {word.removesuffix("'s") for word in text.rstrip(".?").replace(",", "").split()} - {"The", "the", "is", "of"}


class Cast:
    """Who and what a story is about: bAbI's own words, or any of ours."""

    def __init__(self, m: Maker, people: int, babi: bool):
        draw = m.random.sample
        self.people = draw(BABI_CAST, min(people, 6)) if babi else list(dict.fromkeys(m.person() for _ in range(people)))
        self.rooms = BABI_ROOMS if babi else draw(ROOMS, m.random.randint(4, 12))
        self.things = BABI_THINGS if babi else draw(THINGS, m.random.randint(2, 5))
        # one person and one thing never appear: questions about them have no answer
        self.stranger = m.pick([n for n in (BABI_CAST if babi else ["Zelda", m.first_name()]) if n not in self.people]
                               or [m.made_name()])
        self.lost = m.pick([t for t in THINGS if t not in self.things])

    def words(self) -> set[str]:
        """Every word that a fact of the story may be about."""
        return plain_words(" ".join([*self.people, *self.rooms, *self.things, self.stranger, self.lost]))


class MoveWorld:
    """People walk about. "Where is Mary?" is the room of the latest fact about her."""

    def __init__(self, m: Maker, babi: bool):
        self.m, self.cast = m, Cast(m, m.random.randint(2, 6), babi)
        self.at: dict[str, str] = {}

    def step(self) -> tuple[str, str]:
        """The next fact as (anchor, sentence)."""
        who, room = self.m.pick(self.cast.people), self.m.pick(self.cast.rooms)
        self.at[who] = room
        return who, f"{who} {self.m.pick(MOVES)} the {room}."

    def ask(self) -> tuple[str, str] | None:
        """A question about the present state, with its answer."""
        unseen = [p for p in [*self.cast.people, self.cast.stranger] if p not in self.at]
        if unseen and self.m.chance(0.2):
            return f"Where is {self.m.pick(unseen)}?", NOT_IN_MEMORY
        return self.m.pick(self.forms())

    def forms(self) -> list[tuple[str, str]]:
        """Every question that has an answer now."""
        return [(f"Where is {who}?", room) for who, room in self.at.items()]

    contested = forms


class CarryWorld:
    """People walk, take and leave things. A thing carried is where its carrier is; one left stays where it was left."""

    def __init__(self, m: Maker, babi: bool, people: int | None = None, things: int | None = None):
        self.m, self.cast = m, Cast(m, people or m.random.randint(2, 4), babi)
        self.cast.things = self.cast.things[:things]
        self.at: dict[str, str] = {}
        self.holder: dict[str, str] = {}
        self.leaver: dict[str, str] = {}  # who last left a thing
        self.walked: set[str] = set()  # things carried into another room since they were taken
        self.trail: dict[str, list[str]] = {}  # rooms a thing has been in, in order, without repeats in a row

    def visit(self, thing: str, room: str) -> None:
        rooms = self.trail.setdefault(thing, [])
        if not rooms or rooms[-1] != room:
            rooms.append(room)

    def step(self) -> tuple[str, str]:
        who = self.m.pick(self.cast.people)
        free = [t for t in self.cast.things if t not in self.holder
                and (t not in self.trail or self.trail[t][-1] == self.at.get(who))]
        mine = [t for t, h in self.holder.items() if h == who]
        roll, tail = self.m.random.random(), self.m.pick(["", "", " there"])
        if who in self.at and free and roll < 0.35:
            thing = self.m.pick(free)
            self.holder[thing] = who
            self.walked.discard(thing)
            self.visit(thing, self.at[who])
            return who, f"{who} {self.m.pick(TAKES)} the {thing}{tail}."
        if mine and roll < 0.65:
            thing = self.m.pick(mine)
            self.leaver[thing] = self.holder.pop(thing)
            return who, f"{who} {self.m.pick(DROPS)} the {thing}{tail}."
        room = self.m.pick([r for r in self.cast.rooms if r != self.at.get(who)])
        self.at[who] = room
        self.walked.update(mine)
        for thing in mine:
            self.visit(thing, room)
        return who, f"{who} {self.m.pick(MOVES)} the {room}."

    def ask(self) -> tuple[str, str] | None:
        roll = self.m.random.random()
        unseen = [t for t in [*self.cast.things, self.cast.lost] if t not in self.trail]
        if unseen and roll < 0.1:
            return f"Where is the {self.m.pick(unseen)}?", NOT_IN_MEMORY
        if self.trail and roll < 0.65:
            thing = self.m.pick(list(self.trail))
            return f"Where is the {thing}?", self.trail[thing][-1]
        travelled = [t for t, rooms in self.trail.items() if len(rooms) > 1]
        if travelled and roll < 0.85:
            thing = self.m.pick(travelled)
            rooms = self.trail[thing]
            last = max(i for i in range(1, len(rooms)) if i == len(rooms) - 1 or self.m.chance(0.5))
            if rooms[last] not in rooms[last + 1:]:
                return f"Where was the {thing} before the {rooms[last]}?", rooms[last - 1]
        if self.at:
            who = self.m.pick(list(self.at))
            return f"Where is {who}?", self.at[who]
        return None

    def forms(self) -> list[tuple[str, str]]:
        """Every question about a thing. Where it was before a room means the latest stay in that room."""
        stays = [(thing, rooms, last) for thing, rooms in self.trail.items() for last in range(1, len(rooms))]
        return [*self.where(self.trail),
                *((f"Where was the {thing} before the {rooms[last]}?", rooms[last - 1])
                  for thing, rooms, last in stays if rooms[last] not in rooms[last + 1:])]

    contested = forms

    def where(self, things) -> list[tuple[str, str]]:
        return [(f"Where is the {thing}?", self.trail[thing][-1]) for thing in things]

    def before(self) -> list[tuple[str, str]]:
        """The questions about where a thing was earlier."""
        return [form for form in self.forms() if " before " in form[0]]

    def left_behind(self) -> list[tuple[str, str]]:
        """The questions about things that lie where their leaver no longer is: the leaver's room is the wrong answer."""
        return self.where(t for t, who in self.leaver.items()
                          if t not in self.holder and self.at[who] != self.trail[t][-1])

    def moved_since(self) -> list[tuple[str, str]]:
        """The questions about things whose last bearer has walked on since taking or leaving them. Only whether they
        were taken or left decides between the bearer's room and the one before."""
        left = [form for form in self.left_behind() if self.m.chance(0.4)]  # things lie longer than they are carried
        return [*left, *self.where(thing for thing in self.holder if thing in self.walked)]


class GiveWorld:
    """People walk, take, leave and hand each other things; questions are about the latest handing that fits."""

    def __init__(self, m: Maker, babi: bool):
        self.m, self.cast = m, Cast(m, m.random.randint(3, 5), babi)
        self.giving = m.pick([0.15, 0.3, 0.45])  # share of the facts, once somebody has something
        self.holder: dict[str, str] = {}
        self.given: list[tuple[str, str, str]] = []  # (giver, thing, receiver), oldest first

    def step(self) -> tuple[str, str]:
        m, people = self.m, self.cast.people
        roll = m.random.random()
        if self.holder and roll < self.giving and len(people) > 1:
            thing = m.pick(list(self.holder))
            giver = self.holder[thing]
            receiver = m.pick([p for p in people if p != giver])
            self.holder[thing] = receiver
            self.given.append((giver, thing, receiver))
            return giver, f"{giver} {m.pick(GIVES)} the {thing} to {receiver}."
        who, tail = m.pick(people), m.pick(["", "", " there"])
        free = [t for t in self.cast.things if t not in self.holder]
        mine = [t for t, h in self.holder.items() if h == who]
        if free and roll < self.giving + 0.2:
            thing = m.pick(free)
            self.holder[thing] = who
            return who, f"{who} {m.pick(TAKES)} the {thing}{tail}."
        if mine and roll < self.giving + 0.4:
            thing = m.pick(mine)
            del self.holder[thing]
            return who, f"{who} {m.pick(DROPS)} the {thing}{tail}."
        return who, f"{who} {m.pick(MOVES)} the {m.pick(self.cast.rooms)}."

    def ask(self) -> tuple[str, str] | None:
        if self.m.chance(0.1):
            return self.m.pick([f"Who gave the {self.cast.lost}?", f"Who received the {self.cast.lost}?"]), NOT_IN_MEMORY
        return self.m.pick(self.about(self.m.pick(self.given[-4:]))) if self.given else None

    def about(self, gift: tuple[str, str, str]) -> list[tuple[str, str]]:
        """The five questions a gift raises; the answer is that of the latest gift which fits."""
        giver, thing, receiver = gift
        latest = lambda fits: next(g for g in reversed(self.given) if fits(g))
        return [
            (f"What did {giver} give to {receiver}?", latest(lambda g: (g[0], g[2]) == (giver, receiver))[1]),
            (f"Who gave the {thing} to {receiver}?", latest(lambda g: g[1:] == (thing, receiver))[0]),
            (f"Who did {giver} give the {thing} to?", latest(lambda g: g[:2] == (giver, thing))[2]),
            (f"Who gave the {thing}?", latest(lambda g: g[1] == thing)[0]),
            (f"Who received the {thing}?", latest(lambda g: g[1] == thing)[2]),
        ]

    def contested(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys(form for gift in self.given[-4:] for form in self.about(gift)))

    def givers(self) -> list[tuple[str, str]]:
        """The questions whose answer stands before what they name."""
        return [form for form in self.contested() if form[0].startswith("Who gave")]


class CompassWorld:
    """Rooms on a grid. "The office is north of the kitchen." also answers what the kitchen is south of."""

    def __init__(self, m: Maker, babi: bool, hub: bool | None = None, line: bool | None = None):
        self.m, self.cast = m, Cast(m, 2, babi)
        self.place = {(0, 0): m.pick(self.cast.rooms)}
        # around one room, or on one line: the plainest stories in which only the direction tells
        self.hub = m.chance(0.5) if hub is None else hub
        self.ways = m.pick([["north", "south"], ["east", "west"]] if line or line is None and m.chance(0.5) else [list(STEP)])
        self.said: dict[tuple[str, str], str] = {}  # (way, b) -> a: a is `way` of b

    def step(self) -> tuple[str, str] | None:
        m = self.m
        around = self.hub and len(self.said) < 2 * len(self.ways)  # until there is a room on every side
        (x, y), old = m.pick(list(self.place.items())[:1 if around else None])
        way = m.pick(self.ways)
        spot = (x + STEP[way][0], y + STEP[way][1])
        unused = [r for r in ROOMS if r not in self.place.values()]
        new = self.place.get(spot) or m.pick([r for r in self.cast.rooms if r in unused] or unused)
        if self.said.get((way, old)):
            return None
        self.place[spot] = new
        self.said[way, old], self.said[OPPOSITE[way], new] = new, old
        a, b, said = (new, old, way) if around or m.chance(0.5) else (old, new, OPPOSITE[way])
        return a, f"The {a} is {said} of the {b}."

    def ask(self) -> tuple[str, str] | None:
        if self.m.chance(0.1):
            way, room = self.m.pick(list(STEP)), self.m.pick(ROOMS)
            if (way, room) not in self.said:
                return f"What is {way} of the {room}?", NOT_IN_MEMORY
        contested = self.contested() if self.m.chance(0.8) else []
        return self.m.pick(contested or self.forms()) if self.said else None

    def forms(self) -> list[tuple[str, str]]:
        """Every question that has an answer: four a fact, as each is also said the other way round."""
        return [form for (way, b), a in self.said.items() for form in self.both_ways(way, b, a)]

    def both_ways(self, way: str, b: str, a: str) -> list[tuple[str, str]]:
        return [(f"What is {way} of the {b}?", a), (f"What is the {b} {OPPOSITE[way]} of?", a)]

    def contested(self) -> list[tuple[str, str]]:
        """The questions about rooms of two facts or more: of these alone the direction decides."""
        told = Counter(b for _, b in self.said)
        return [form for (way, b), a in self.said.items() if told[b] > 1 for form in self.both_ways(way, b, a)]

    def direct(self) -> list[tuple[str, str]]:
        """Those in the fact's own form: "What is north of the kitchen?", not "What is the kitchen north of?"."""
        return [form for form in self.contested() if not form[0].endswith("of?")]


WHEREABOUTS = ("home", "location")


class FactWorld:
    """Unrelated made facts; asks only what has one answer, and things nobody said.

    Told beside another story, it keeps off `beside`, the words of that story, and off what that story is about.
    """

    def __init__(self, m: Maker, babi: bool, beside: set[str] = frozenset()):
        self.m, self.beside = m, beside
        self.cast = [p for p in (m.person() for _ in range(m.random.randint(1, 8))) if not self.touches(p)]
        self.said = []

    def touches(self, text: str) -> bool:
        return not self.beside.isdisjoint(plain_words(text))

    def fact(self, known: float):
        """A fact, with chance `known` about one of the cast."""
        return self.m.fact(self.m.pick(self.cast) if self.cast and self.m.chance(known) else None)

    def step(self) -> tuple[str, str]:
        fact = self.fact(0.5)
        while self.beside and (fact.relation.split()[0] in STORY_RELATIONS or self.touches(fact.sentence)):
            fact = self.fact(0.5)
        self.said.append(fact)
        return fact.anchor, fact.sentence

    def answers(self, question: str) -> list:
        """(answer, relation) of every fact that speaks to the question, oldest first."""
        return [(a, f.relation) for f in self.said for q, a in f.questions if q == question]

    def ask(self) -> tuple[str, str] | None:
        if self.m.chance(0.2):
            return self.untold(self.fact(0.6))
        if not self.said:
            return None
        question, _ = self.m.pick(self.m.pick(self.said).questions)
        answer = self.answer(question)
        return (question, answer) if answer else None

    def answer(self, question: str) -> str | None:
        """What the facts answer, unless they answer several things. Of rooms somebody is in, the latest."""
        found = self.answers(question)
        several = len({a for a, _ in found}) > 1 and found[-1][1] != "location"
        return None if several else found[-1][0]

    def untold(self, other) -> tuple[str, str] | None:
        """A question of a fact that nobody told."""
        known = any(f.relation == other.relation and f.anchor == other.anchor for f in self.said)
        question, _ = self.m.pick(other.questions)
        return None if known or self.answers(question) or self.touches(question) else (question, NOT_IN_MEMORY)

    def doubtful(self) -> list[tuple[str, str]]:
        """As many questions that have an answer as have none but sound like a fact's: the same relation, of something else."""
        relations = {f.relation for f in self.said}
        placed = {f.anchor for f in self.said if f.relation in WHEREABOUTS}  # "moved to Athens" tells where somebody went
        others = [f for f in (self.fact(0.6) for _ in range(8 * len(self.said)))
                  if f.relation in relations and not (f.relation in WHEREABOUTS and f.anchor in placed)]
        untold = list(dict.fromkeys(filter(None, map(self.untold, others))))
        told = list(dict.fromkeys(self.contested()))
        count = min(len(untold), len(told))
        return self.m.random.sample(untold, count) + self.m.random.sample(told, count)

    def contested(self) -> list[tuple[str, str]]:
        """Every question that has one answer."""
        return [(q, answer) for f in self.said for q, _ in f.questions if (answer := self.answer(q))]

    def subjects(self) -> list[tuple[str, str]]:
        """The questions whose answer begins its fact: it stands before what they name."""
        return [(q, a) for q, a in self.contested()
                if any(f.sentence.removeprefix("The ").startswith(a) for f in self.said if (q, a) in f.questions)]
