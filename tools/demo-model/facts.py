"""Made facts: one sentence, its anchor, and questions it answers. Deterministic by seed."""
import random
from dataclasses import dataclass

from words import (ANIMALS, CITIES, COLORS, FIRST, FOODS, JOBS, LAST, MONTHS, ORGANS, ORGAN_TITLES, PROJECTS, ROOMS,
                   SUBJECTS, SYLLABLES, THINGS)


@dataclass(frozen=True)
class Fact:
    anchor: str
    sentence: str
    questions: tuple[tuple[str, str], ...]  # (question, answer)
    relation: str


class Maker:
    """Draws names, values and facts from one seeded generator."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def pick(self, options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def made_name(self) -> str:
        return "".join(self.pick(SYLLABLES) for _ in range(self.random.randint(2, 3))).capitalize()

    def first_name(self) -> str:
        return self.pick(FIRST) if self.chance(0.8) else self.made_name()

    def person(self) -> str:
        if self.chance(0.7):
            return self.first_name()
        return f"{self.first_name()} {self.pick(LAST) if self.chance(0.7) else self.made_name()}"

    def city(self) -> str:
        return self.pick(CITIES) if self.chance(0.7) else self.made_name()

    def organ(self) -> str:
        return f"{self.pick(ORGAN_TITLES)} {self.pick(ORGANS)}"

    def count(self) -> str:
        return str(self.random.randint(2, 9) if self.chance(0.3) else self.random.randint(10, 9999))

    def year(self) -> str:
        return str(self.random.randint(1066, 2025))

    def code(self) -> str:
        letter = lambda: self.pick("ABCDEFGHJKLMNPQRSTUVWXYZ")
        number = self.random.randint
        return self.pick([
            lambda: f"{letter()}{letter()}-{number(100, 9999)}",
            lambda: f"{letter()}{number(10, 99)}{letter()}",
            lambda: str(number(10000, 999999)),
            lambda: f"{self.pick(PROJECTS).upper()}-{number(1, 99)}",
        ])()

    def fact(self, who: str | None = None) -> Fact:
        """A fact of a random kind; about `who` where the kind is about a person."""
        return self.pick(KINDS)(self, who or self.person())


def location(m: Maker, p: str) -> Fact:
    room = m.pick(ROOMS)
    verb = m.pick(["moved to", "went to", "journeyed to", "travelled to", "went back to", "is in", "walked into"])
    ask = [f"Where is {p}?", f"Where did {p} go?", f"In which room is {p}?"]
    return Fact(p, f"{p} {verb} the {room}.", tuple((q, room) for q in ask), "location")


def carrying(m: Maker, p: str) -> Fact:
    thing = m.pick(THINGS)
    verb, tail = m.pick(["picked up", "took", "got", "grabbed"]), m.pick(["", " there"])
    ask = ((f"What is {p} carrying?", thing), (f"What did {p} take?", thing), (f"Who has the {thing}?", p))
    return Fact(p, f"{p} {verb} the {thing}{tail}.", ask, "carrying")


def dropping(m: Maker, p: str) -> Fact:
    thing = m.pick(THINGS)
    verb, tail = m.pick(["dropped", "put down", "left", "discarded"]), m.pick(["", " there"])
    return Fact(p, f"{p} {verb} the {thing}{tail}.",
                ((f"What did {p} drop?", thing), (f"Who dropped the {thing}?", p)), "dropping")


def giving(m: Maker, p: str) -> Fact:
    other, thing = m.person(), m.pick(THINGS)
    ask = ((f"Who did {p} give the {thing} to?", other), (f"What did {p} give to {other}?", thing),
           (f"Who gave the {thing} to {other}?", p), (f"Who received the {thing}?", other))
    return Fact(p, f"{p} {m.pick(['gave', 'handed', 'passed'])} the {thing} to {other}.", ask, "giving")


def job(m: Maker, p: str) -> Fact:
    work, place = m.pick(JOBS), m.pick(["", f" in {m.city()}"])
    verb = m.pick(["works as a", "is a", "became a", "was hired as a"])
    return Fact(p, f"{p} {verb} {work}{place}.",
                ((f"What is {p}'s job?", work), (f"What does {p} do for a living?", work)), "job")


def home(m: Maker, p: str) -> Fact:
    city = m.city()
    verb = m.pick(["lives in", "was born in", "grew up in", "comes from", "moved to"])
    ask = [f"Where does {p} live?", f"Which city is {p} linked to?", f"Where is {p} from?"]
    return Fact(p, f"{p} {verb} {city}.", tuple((q, city) for q in ask), "home")


def color(m: Maker, p: str) -> Fact:
    c = m.pick(COLORS)
    return Fact(p, f"{p}'s favorite color is {c}.",
                ((f"What is {p}'s favorite color?", c), (f"Which color does {p} like best?", c)), "color")


def food(m: Maker, p: str) -> Fact:
    dish = m.pick(FOODS)
    verb = m.pick(["cannot eat", "loves", "is allergic to", "ordered", "refuses to eat"])
    return Fact(p, f"{p} {verb} {dish}.", ((f"Which food is {p} linked to?", dish),
                                           (f"What food does {p} have an opinion about?", dish)), "food")


def personal_code(m: Maker, p: str) -> Fact:
    code = m.code()
    what = m.pick(["access code", "locker number", "badge", "order number", "password", "phone extension", "passport",
                   "room number"])
    return Fact(p, f"{p}'s {what} is {code}.",
                ((f"What is {p}'s {what}?", code), (f"Which {what} belongs to {p}?", code)), f"code {what}")


def project_code(m: Maker, _p: str) -> Fact:
    owner = f"Project {m.pick(PROJECTS)}" if m.chance(0.6) else m.organ()
    code = m.code()
    what = m.pick(["code", "budget", "contract number", "serial number", "vault code", "key"])
    return Fact(owner, f"The {what} of {owner} is {code}.",
                ((f"What is the {what} of {owner}?", code), (f"Which {what} does {owner} have?", code)), f"code {what}")


def founded(m: Maker, _p: str) -> Fact:
    organ, year = m.organ(), m.year()
    verb = m.pick(["founded", "opened", "established", "closed", "rebuilt"])
    return Fact(organ, f"The {organ} was {verb} in {year}.",
                ((f"When was the {organ} {verb}?", year), (f"In which year was the {organ} {verb}?", year)), "founded")


def capital(m: Maker, _p: str) -> Fact:
    city, land = m.city(), m.made_name()
    rank = m.pick(["capital", "largest port", "oldest town", "main market", "seat"])
    return Fact(city, f"{city} is the {rank} of {land}.",
                ((f"What is the {rank} of {land}?", city), (f"{city} is the {rank} of which place?", land)), "capital")


def counted(m: Maker, p: str) -> Fact:
    n, thing = m.count(), m.pick(THINGS)
    verb = m.pick(["bought", "sold", "counted", "found", "owns"])
    return Fact(p, f"{p} {verb} {n} {thing}s.",
                ((f"How many {thing}s does {p} have?", n), (f"How many {thing}s did {p} deal with?", n)), "counted")


def dated(m: Maker, p: str) -> Fact:
    date = f"{m.random.randint(1, 28)} {m.pick(MONTHS)} {m.year()}"
    event, ask = m.pick([("was born", "was {} born"), ("arrived", "did {} arrive"), ("died", "did {} die"),
                         ("signed the treaty", "did {} sign the treaty"), ("was elected", "was {} elected"),
                         ("left the city", "did {} leave the city")])
    return Fact(p, f"{p} {event} on {date}.",
                ((f"When {ask.format(p)}?", date), (f"On which date {ask.format(p)}?", date)), f"dated {event}")


def kin(m: Maker, p: str) -> Fact:
    other = m.person()
    role = m.pick(["sister", "brother", "teacher", "doctor", "lawyer", "neighbor", "partner", "boss", "friend"])
    return Fact(p, f"{p} is the {role} of {other}.",
                ((f"Who is the {role} of {other}?", p), (f"Whose {role} is {p}?", other)), f"kin {role}")


def animal(m: Maker, p: str) -> Fact:
    beast = m.pick(ANIMALS)
    return Fact(p, f"{p} is a {beast}.", ((f"What animal is {p}?", beast), (f"Which animal is {p}?", beast)), "animal")


def studied(m: Maker, p: str) -> Fact:
    subject, city = m.pick(SUBJECTS), m.city()
    verb, base = m.pick([("studied", "study"), ("taught", "teach")])
    return Fact(p, f"{p} {verb} {subject} in {city}.",
                ((f"What did {p} {base}?", subject), (f"Where did {p} {base} {subject}?", city)), f"studied {verb}")


def site(m: Maker, _p: str) -> Fact:
    organ, city = m.organ(), m.city()
    return Fact(organ, f"The {organ} is located in {city}.",
                ((f"Where is the {organ}?", city), (f"In which city is the {organ} located?", city)), "site")


def work_of_art(m: Maker, p: str) -> Fact:
    title, year = m.made_name(), m.year()
    verb = m.pick(["wrote", "painted", "discovered", "invented", "designed"])
    return Fact(p, f"{p} {verb} the {title} in {year}.",
                ((f"Who {verb} the {title}?", p), (f"In which year was the {title} made?", year)), f"made {verb}")


def direction(m: Maker, _p: str) -> Fact:
    way = m.pick(["north", "east", "south", "west"])
    a, b = m.random.sample(ROOMS, 2)
    return Fact(a, f"The {a} is {way} of the {b}.",
                ((f"What is {way} of the {b}?", a), (f"What is the {a} {way} of?", b)), f"direction {way}")


KINDS = [location, location, location, carrying, dropping, giving, job, home, color, food, personal_code, project_code,
         founded, capital, counted, dated, kin, animal, studied, site, work_of_art, direction]
