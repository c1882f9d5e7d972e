"""Clauses of the plainest shape (subject, verb, the rest), as far as rules find them in a sentence of a book."""
import re
from collections import Counter
from dataclasses import dataclass, replace

from anchors import CAPITALISED_ANYWAY
from grammar import BE, DENIALS, FUNCTION, HAVE, MODALS, NO_VERBS, NUMBERS, PARTICIPLES, PAST, PEOPLE, PREPOSITIONS, PRONOUNS

TITLE = r"(?:(?:Mr|Mrs|Dr|St)\.? |Miss |Lady |Lord |Sir |Captain |Squire |Master |Uncle |Aunt |King |Queen |Father |Doctor )"
NAME = rf"{TITLE}?[A-Z][a-z]+(?:'s)?(?: [A-Z][a-z]+)*"
THING = (r"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Tt]heir|[Oo]ur|[Tt]his|[Ii]ts|[Yy]our)(?: [a-z-]+){1,3}?"
         r"(?: of (?:(?:the|an?|his|her|my) [a-z-]+|[A-Z][a-z]+))?")
LEAD = r"(?:^|[,;:] |\b(?:when|and|but|that|as|while|where|for|then|[Tt]hen|[Bb]ut|[Ss]uddenly|[Pp]resently|[Ww]hen|[Aa]nd|[Aa]s|[Ss]o) )"
SPEAKERS = ("I", "he", "she", "they", "we", "it")
SPEAKER = "|".join([*SPEAKERS, *(s.title() for s in SPEAKERS)])
SUBJECT = re.compile(rf"{LEAD}({THING}|{TITLE}?[A-Z][a-z]+'s(?: [a-z-]+){{1,2}}?|(?:{SPEAKER})|{NAME}(?: and {NAME})?) (?:himself |herself |itself )?"
                     rf"(?:(?!{'|'.join(DENIALS)})[a-z]+ly |still |then |now |also )?([a-z]+)\b")
CLAUSE = re.compile(r"[,;:.!?()\"]|--| - | and | but | when | while | which | who | that | as | because | until | if |"
                    r"(?: for)? (?:I|he|she|they|we) ")
MORE = re.compile(r"(?:, and|,| and) ([a-z]+) ")  # a second verb of the same subject
DETERMINERS = set("the a an his her my their its our this your".split())
TITLES = ("Mr", "Mrs", "Miss", "Dr", "St")
NO_NAMES = set("""Everything Something Nothing Anything Everybody Somebody Nobody Everyone Someone Maybe Soon Afterwards Neither
Either Others Another Whoever Whatever Therefore Meanwhile Besides Moreover Thereupon Again Already Always Sometimes Next
First Second Last Well Why Yes""".split())
HAVING = {"had": "did", "has": "does", "have": "do"}
LONGEST_REST = 10  # words
GOING_ON = re.compile(r"[a-z], ([a-z]+ing) ([a-z][^,;:.!?\"]+)")  # "…, looking at the floor"


@dataclass(frozen=True)
class Clause:
    """What somebody or something did: "The captain had walked to the harbour" has the verb "walked" and the aid "had"."""

    subject: str
    verb: str  # as it stands
    rest: list[str]  # words after the verb
    aid: str | None = None

    @property
    def said(self) -> str:
        return f"{self.aid} {self.verb}" if self.aid else self.verb


class Grammar:
    """Base forms by how often each candidate stands in the books."""

    def __init__(self, sentences: list[str]):
        self.count = Counter(w for s in sentences for w in re.findall(r"[a-z]+", s))
        self.known: dict[str, str | None] = {}

    def base(self, past: str) -> str | None:
        """The base of a past form, None where it is none."""
        if past not in self.known:
            self.known[past] = PAST.get(past) or self.regular(past)
        return self.known[past]

    def participle(self, word: str) -> bool:
        return word in PARTICIPLES or bool(self.base(word)) and self.base(word) not in PARTICIPLES.values()

    def acts(self, c: Clause) -> str | None:
        """What the clause's subject does, in its base form; None for "was", "had", "was looking", "has looked" and
        "would look"."""
        return None if c.verb in HAVE or c.aid in BE | MODALS | {"has", "have"} else PARTICIPLES.get(c.verb) or self.base(c.verb)

    def present(self, word: str) -> str | None:
        """The base of what "he" or a name does now, None where the word is none that these books have in the past too."""
        stems = [word[:-3] + "y"] * word.endswith("ies") + [word[:-2]] * word.endswith("es") + [word[:-1]] * word.endswith("s")
        verbs = [s for s in stems if s not in FUNCTION and (s in PAST.values() or self.count[s + "ed"] + self.count[s + "d"] > 5
                                                           or s.endswith("y") and self.count[s[:-1] + "ied"] > 5)]
        return max(verbs, key=lambda s: self.count[s], default=None)

    def regular(self, past: str) -> str | None:
        if not past.endswith("ed") or len(past) < 5 or past in NO_VERBS:
            return None
        stem = past[:-2]
        candidates = [stem, stem + "e"]
        if stem.endswith("i"):
            candidates = [stem[:-1] + "y"]
        elif stem[-1] == stem[-2] and stem[-1] not in "ls":
            candidates = [stem[:-1]]
        elif re.fullmatch("[^aeiou]*[aeiou][^aeiouwxy]", stem):
            candidates = [stem + "e"]
        best = max(candidates, key=lambda w: (w not in FUNCTION) * self.count[w])
        return best if self.count[best] > 2 and best not in FUNCTION else None


def clauses(sentence: str, grammar: Grammar) -> list[Clause]:
    found = []
    for match in SUBJECT.finditer(sentence):
        subject, verb = match.groups()
        opening, _, name = subject.partition(" ")
        if opening in CAPITALISED_ANYWAY and name and name[0].isupper() and opening not in TITLES and opening.lower() not in DETERMINERS:
            subject = name  # "Then Nancy"
        # at the beginning of a sentence any word is capitalised
        named = subject != "I" and is_name(subject.split()) and (match.start(1) > 0 or grammar.count[opening.lower()] < 3)
        now = (named or re.fullmatch("[Hh]e|[Ss]he", subject)) and grammar.present(verb)
        if not (grammar.base(verb) or verb in BE | HAVE | MODALS or now) or not fit_subject(subject):
            continue
        if subject.split()[0].lower() in {*DETERMINERS, *SPEAKERS}:
            subject = subject[0].lower() + subject[1:]
        tail = sentence[match.end():]
        clause = with_aid(Clause(subject, verb, rest_of(tail)), grammar)
        if clause.verb in MODALS:  # of "could not" and "may well be" nothing is asked
            continue
        found.append(clause)
        for more in MORE.finditer(tail):  # the same subject goes on: "…, pulled down the window, and returned to his desk"
            if CLAUSE.search(tail[:more.start()].replace(",", "")) or not grammar.base(more[1]):
                break
            found.append(Clause(subject, more[1], rest_of(tail[more.end() - 1:])))
        going_on = GOING_ON.search(tail)
        if going_on and not re.search(r"[;:.!?\"]| when | while | who | which | that | as ", tail[:going_on.start()]):
            several = subject in ("they", "we") or " and " in subject or subject.endswith("s") and not is_name(subject.split())
            aid = "were" if several else "was"
            found.append(Clause(subject, going_on[1], rest_of(f" {going_on[2]}"), aid))
    return found + meant(found)


def meant(found: list[Clause]) -> list[Clause]:
    """The clauses of "he" and "she" again with the name that is meant, where the sentence had only one before it: "Kemp
    slipped, and he fell on the stairs"."""
    names, again = set(), []
    for c in found:
        if c.subject in ("he", "she") and len(names) == 1:
            again.append(replace(c, subject=next(iter(names))))
        elif c.subject != "I" and is_name(c.subject.split()) and " and " not in c.subject:
            names.add(c.subject)
    return again


def with_aid(c: Clause, grammar: Grammar) -> Clause:
    """Of "had" and "walked to the harbour" one verb, where it is one."""
    rest = c.rest[1:] if len(c.rest) > 1 and c.rest[0].endswith("ly") and c.rest[0] not in DENIALS else c.rest
    if c.verb in HAVE and rest and grammar.participle(rest[0]):
        return Clause(c.subject, rest[0], rest[1:], c.verb)
    if c.verb in MODALS and rest and (rest[0] in ("be", "have") or rest[0].isalpha() and rest[0] not in FUNCTION):
        return Clause(c.subject, rest[0], rest[1:], c.verb)
    if c.verb in BE and rest and rest[0].endswith("ing") and len(rest[0]) > 5:
        return Clause(c.subject, rest[0], rest[1:], c.verb)
    return c


def fit_subject(subject: str) -> bool:
    words = subject.split()
    if words[0] in NO_NAMES or words[0].endswith("ing") or words[-1].endswith("'s"):
        return False
    if re.fullmatch(SPEAKER, subject):
        return True
    if words[0] in CAPITALISED_ANYWAY and words[0].lower() not in DETERMINERS:
        return words[0].rstrip(".") in TITLES
    return not any(w.lower() in PRONOUNS or w in PREPOSITIONS and w != "of" for w in words[1:])


def rest_of(tail: str) -> list[str]:
    end = CLAUSE.search(tail + ".")
    return tail[:end.start() if end else None].split()[:LONGEST_REST + 1]


def phrase_at(words: list[str], start: int) -> int:
    """Where the noun phrase that begins at `start` ends: before the next preposition or function word; `start`: none."""
    end = start
    if words[start] in DETERMINERS or words[start] in NUMBERS:
        end += 1
        while end < len(words) and end - start < 4 and words[end].lower() not in FUNCTION and not words[end].endswith("ly"):
            end += 1
    else:
        while end < len(words) and words[end][0].isupper() and words[end] not in CAPITALISED_ANYWAY:
            end += 1
    return start if words[end - 1].endswith("'s") or end == start + 1 and not words[start][0].isupper() else end


def bare(words: list[str]) -> str:
    """A noun phrase as an answer: without its article."""
    return " ".join(words[1:] if words[0] in ("the", "a", "an") else words)


def is_name(words: list[str]) -> bool:
    return words[-1][0].isupper()


def who(subject: str) -> str:
    return "Who" if is_name(subject.split()) or subject.split()[-1] in PEOPLE else "What"


def does(c: Clause, grammar: Grammar) -> str:
    """The verb as a question has it: "did the captain walk", "was Godfrey looking", "did he have", "were they"."""
    base = grammar.acts(c)
    if c.verb in HAVE and not c.aid:
        return f"{HAVING[c.verb]} {c.subject} have"
    if not base and not c.aid and c.verb not in BE and grammar.present(c.verb):
        return f"does {c.subject} {grammar.present(c.verb)}"
    if base:
        return f"did {c.subject} {base}"
    return f"{c.aid} {c.subject} {c.verb}" if c.aid else f"{c.verb} {c.subject}"
