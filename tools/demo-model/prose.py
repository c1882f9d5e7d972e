"""Questions about sentences of books, by rule: who, what, where, when, whose, with the words of the sentence as answer.

A rule reads clauses of the plainest shape only (subject, verb in the past, the rest), so most sentences give nothing; what
it gives is checked: the answer stands in the sentence, the question does not give it away, and among the facts of a
telling no other could be meant (`mistakable`).
"""
import random
import re
import zlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache

from anchors import CAPITALISED_ANYWAY
from grammar import (ABSTRACT_AFTER_ON, BE, COLOURS, FUNCTION, LYING_VERBS, MODALS, NO_VERBS, NUMBERS, PARTICIPLES, PAST, PEOPLE,
                     PLACE_PREPOSITIONS, PLACES, PREPOSITIONS, PRONOUNS, TIMES)

TITLE = r"(?:(?:Mr|Mrs|Dr|St)\.? |Miss |Lady |Lord |Sir |Captain |Squire |Master |Uncle |Aunt |King |Queen |Father |Doctor )"
NAME = rf"{TITLE}?[A-Z][a-z]+(?:'s)?(?: [A-Z][a-z]+)*"
THING = r"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Tt]heir|[Oo]ur|[Tt]his|[Ii]ts|[Yy]our)(?: [a-z-]+){1,3}?"
LEAD = r"(?:^|[,;:] |\b(?:when|and|but|that|as|while|where|for|then|[Tt]hen|[Bb]ut|[Ss]uddenly|[Pp]resently|[Ww]hen|[Aa]nd|[Aa]s|[Ss]o) )"
SPEAKERS = ("I", "he", "she", "they", "we", "it")
SPEAKER = "I|[Hh]e|[Ss]he|[Tt]hey|[Ww]e|[Ii]t"
SUBJECT = re.compile(rf"{LEAD}({THING}|(?:{SPEAKER})|{NAME}(?: and {NAME})?) (?:himself |herself |itself )?(?:[a-z]+ly |never |still |then |now |also )?([a-z]+)\b")
CLAUSE = re.compile(r"[,;:.!?()\"]|--| - | and | but | when | while | which | who | that | as | for he | for she | because | until | if ")
MORE = re.compile(r"(?:, and|,| and) ([a-z]+) ")  # a second verb of the same subject
SAID = re.compile(rf"^\"(.{{8,80}}?)[,.!?]\" (?:said|asked|cried|replied|answered|exclaimed|shouted|whispered) ({NAME})\b")
WHOSE = re.compile(rf"{LEAD}({TITLE}?[A-Z][a-z]+)'s ([a-z-]+(?: [a-z]+)?) (was|were|had|[a-z]+ed|{'|'.join(PAST)})\b")
DETERMINERS = set("the a an his her my their its our this your".split())
OWNERS = "his|her|my|their|our|this|its|your"
TITLES = ("Mr", "Mrs", "Miss", "Dr", "St")
NO_NAMES = set("""Everything Something Nothing Anything Everybody Somebody Nobody Everyone Someone Maybe Soon Afterwards Neither
Either Others Another Whoever Whatever Therefore Meanwhile Besides Moreover Thereupon Again Already Always Sometimes Next
First Second Last Well Why Yes""".split())
LONGEST_REST = 10  # words
ALIKE = 0.6  # share of a question's telling words that another fact must not have


FIRST = "At|In|On|By|During|After|Before|For|Near|Behind|Under|Beside|Upon|Above|Opposite"  # what a sentence begins with
LEADING = re.compile(rf"^({FIRST}) ((?:[a-z'-]+|[A-Z][a-z]+)(?: [a-zA-Z'-]+){{0,4}}?),? (?=(?:the|an?|his|her|my|their|our|I|he|she|they|we|it|[A-Z][a-z]+) [a-z])")
GOING_ON = re.compile(r"[a-z], ([a-z]+ing) ([a-z][^,;:.!?\"]+)")  # "…, looking at the floor"
LYING = re.compile(r"\b((?:the|an?) (?:[a-z-]+ ){0,2}[a-z-]+) (on|in|near|under|behind|beside|by|above|beneath) ((?:the|an?|his|her) (?:[a-z-]+ ){0,2}[a-z-]+)")
PHRASE = rf"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Tt]heir|[Ii]ts|{'|'.join(sorted(NUMBERS))}) (?:[a-z-]+ ){{0,2}}[a-z-]+"
WHERE = r"(?:[Ii]n|[Oo]n|[Uu]nder|[Bb]ehind|[Bb]eside|[Uu]pon|[Aa]t|[Nn]ear|[Aa]bove|[Oo]ver|[Bb]eneath|[Oo]pposite)"
THERE = re.compile(rf"\b[Tt]here (was|were) ({PHRASE}) ({WHERE} {PHRASE}(?: of {PHRASE})?)\b")
INVERTED = re.compile(rf"(?:^|[,;:] |\band )({WHERE} {PHRASE}(?: of {PHRASE})?),? ({LYING_VERBS}) ({PHRASE}|{NAME})\b")
COUNTED = re.compile(rf"\b((?:{'|'.join(sorted(NUMBERS | {n.title() for n in NUMBERS}))})) ((?:[a-z-]+ )?[a-z]+s) (were|had|[a-z]+ed|{'|'.join(PAST)})\b([^.;:!?]*)")
SOME_NUMBER = re.compile(rf"\b({'|'.join(sorted(NUMBERS))}) ((?:[a-z-]+ ){{0,2}}[a-z]+s)\b")
COLOURED = re.compile(rf"\b(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y) (?:[a-z-]+ ){{0,2}}?({COLOURS}) ((?:[a-z-]+ )?[a-z-]+)\b")
OF_COLOUR = re.compile(rf"\b([Tt]he (?:[a-z-]+ )?[a-z-]+|[Hh]is [a-z]+|[Hh]er [a-z]+) (?:was|were) ({COLOURS})\b")
ECHOES = 6  # one sentence in so many, of those in which nothing else can be asked
YEAR = re.compile(r"1[0-9]{3}")


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
        """What the clause's subject does, in its base form; None for "was", "had", "was looking" and "would look"."""
        return None if c.aid in BE or c.aid in MODALS else PARTICIPLES.get(c.verb) or self.base(c.verb)

    def regular(self, past: str) -> str | None:
        if not past.endswith("ed") or len(past) < 5 or past in NO_VERBS:
            return None
        stem = past[:-2]
        candidates = [stem, stem + "e"]
        if stem.endswith("i"):
            candidates = [stem[:-1] + "y"]
        elif stem[-1] == stem[-2] and stem[-1] not in "ls":
            candidates = [stem[:-1]]
        best = max(candidates, key=lambda w: (w not in FUNCTION) * self.count[w])
        return best if self.count[best] > 2 and best not in FUNCTION else None


def clauses(sentence: str, grammar: Grammar) -> list[Clause]:
    found = []
    for match in SUBJECT.finditer(sentence):
        subject, verb = match.groups()
        opening, _, name = subject.partition(" ")
        if opening in CAPITALISED_ANYWAY and name and name[0].isupper() and opening not in TITLES and opening.lower() not in DETERMINERS:
            subject = name  # "Then Nancy"
        if not (grammar.base(verb) or verb == "had" or verb in BE or verb in MODALS) or not fit_subject(subject):
            continue
        first = subject.split()[0]
        if first.lower() in DETERMINERS or first in ("He", "She", "They", "We", "It"):
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
            found.append(Clause(subject, going_on[1], rest_of(f" {going_on[2]}"), "were" if subject in ("they", "we") or " and " in subject else "was"))
    return found + meant(found)


def meant(found: list[Clause]) -> list[Clause]:
    """The clauses of "he" and "she" again with the name that is meant, where the sentence had only one before it: "Kemp
    slipped, and he fell on the stairs"."""
    names, again = set(), []
    for c in found:
        if c.subject in ("he", "she") and len(names) == 1:
            again.append(replace(c, subject=next(iter(names))))
        elif is_name(c.subject.split()) and " and " not in c.subject:
            names.add(c.subject)
    return again


def with_aid(c: Clause, grammar: Grammar) -> Clause:
    """Of "had" and "walked to the harbour" one verb, where it is one."""
    rest = c.rest[1:] if len(c.rest) > 1 and c.rest[0].endswith("ly") else c.rest
    if c.verb == "had" and rest and grammar.participle(rest[0]):
        return Clause(c.subject, rest[0], rest[1:], "had")
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
    return not any(w.lower() in PRONOUNS or w in PREPOSITIONS for w in words[1:])


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


def about(c: Clause, grammar: Grammar) -> list[tuple[str, str]]:
    """Every question that a clause answers."""
    subject = bare(c.subject.split())
    if not c.rest:
        return [(f"{who(c.subject)} {c.said}?", subject)]
    last = c.rest[-1].lower()
    if len(c.rest) > LONGEST_REST or c.rest[0].lower() in ("not", "been", "that") or last in FUNCTION and last not in PRONOUNS:
        return []
    if c.rest[0] == "to" and len(c.rest) > 1 and c.rest[1] not in DETERMINERS and not c.rest[1][0].isupper():
        return []  # "began to sing"
    if c.verb == "had" and not (c.rest[0] in ("a", "an", "the", "no", "his", "her", "my") or c.rest[0] in NUMBERS):
        return [(f"{who(c.subject)} had {' '.join(c.rest)}?", subject)]
    rest, whole = c.rest, " ".join(c.rest)
    asked = [(f"{who(c.subject)} {c.said} {whole}?", subject)]
    steps = [i for i, w in enumerate(rest) if i and w in PREPOSITIONS and rest[i - 1] not in PREPOSITIONS]
    if steps and len(rest) > 3:
        asked.append((f"{who(c.subject)} {c.said} {' '.join(rest[:steps[-1]])}?", subject))
    if c.verb in BE and not c.aid and len(rest) < 3 and rest[-1].islower() and not grammar.participle(last) and not last.endswith(("ing", "ly")):
        asked.append((f"How {c.verb} {c.subject}?", bare(rest)))
    for at in range(len(rest)):
        end = phrase_at(rest, at)
        if rest[at].endswith("ly") and len(rest[at]) > 4 and rest[at] not in FUNCTION and not c.verb in BE:
            asked.append((f"How {does(c, grammar)} {' '.join(rest[:at] or rest[at + 1:])}?", rest[at]))
        if rest[at].endswith("'s") and rest[at][0].isupper() and rest[at] not in CAPITALISED_ANYWAY and at + 1 < len(rest):
            asked.append((f"Whose {rest[at + 1]} {does(c, grammar)} {' '.join(rest[:at])}?", rest[at].removesuffix("'s")))
        if end == at or at and rest[at - 1] not in PREPOSITIONS:
            continue
        asked += ask_phrase(c, grammar, rest, at, end)
    return asked


def does(c: Clause, grammar: Grammar) -> str:
    """The verb as a question has it: "did the captain walk", "was Godfrey looking", "did he have", "were they"."""
    base = grammar.acts(c)
    if c.verb == "had" and not c.aid:
        return f"did {c.subject} have"
    if base:
        return f"did {c.subject} {base}"
    return f"{c.aid} {c.subject} {c.verb}" if c.aid else f"{c.verb} {c.subject}"


def ask_phrase(c: Clause, grammar: Grammar, rest: list[str], at: int, end: int) -> list[tuple[str, str]]:
    """Questions whose answer is the noun phrase rest[at:end]."""
    answer, noun = bare(rest[at:end]), rest[end - 1]
    before, after, did = rest[:at], rest[end:], does(c, grammar)
    preposition = before[-1] if before else None
    join = lambda *parts: " ".join(w for part in parts for w in part)
    if noun in TIMES:
        word = "How long" if preposition == "for" else "When"
        return [(f"{word} {join([did], before[:-1] if preposition else before)}?", answer)]
    asked = []
    if preposition in PLACE_PREPOSITIONS and (noun in PLACES or is_name(rest[at:end]) and preposition == "in" or place_like(preposition, rest[at:end])):
        asked.append((f"Where {join([did], before[:-1])}?", answer))
    if rest[at] in NUMBERS and end > at + 1:
        asked.append((f"How many {' '.join(rest[at + 1:end])} {join([did], before)}?", rest[at]))
    if c.verb in BE and not c.aid and at == 0:
        of = phrase_at(rest, end + 1) if after[:1] == ["of"] and len(after) > 1 else end
        asked.append((f"{who(c.subject)} {c.verb} {c.subject}?", bare(rest[at:max(of, end)])))
    if not (rest[at] in NUMBERS and at == 0) and not (c.verb in BE and not before):
        word = "Who" if is_name(rest[at:end]) or noun in PEOPLE else "What"
        asked.append((f"{word} {join([did], before, after if not before else [])}?", answer))
        if end - at > 2 and noun.islower():
            asked.append((f"Which {noun} {join([did], before)}?", answer))
        if before and after and after[0] in PREPOSITIONS and after[0] != "of":
            asked.append((f"{word} {join([did], before)} {' '.join(after)}?", answer))
        if at == 0 and grammar.acts(c) and grammar.participle(c.verb):  # "Who was left to hold the horse?"
            asked.append((f"{word} was {join([c.verb], after)}{'' if c.subject in SPEAKERS else f' by {c.subject}'}?", answer))
    return asked


def place_like(preposition: str, phrase: list[str]) -> bool:
    """Whether a noun phrase after such a preposition says where, though its noun is no place: "under the soil"."""
    return (preposition in ("under", "behind", "near", "beside", "beneath", "above", "upon", "on", "across", "against", "into")
            and phrase[0] in DETERMINERS and phrase[-1] not in ABSTRACT_AFTER_ON and phrase[-1] not in TIMES
            and phrase[-1] not in PEOPLE)


def inverted(sentence: str) -> list[tuple[str, str]]:
    """What is somewhere: "There was a lamp on the table", "On the left side lay a Bible"."""
    found = []
    for verb, thing, where in THERE.findall(sentence):
        found.append((f"{who(thing)} {verb} {where}?", bare(thing.split())))
        found.append((f"{who(thing)} {verb} there {where}?", bare(thing.split())))
    for where, verb, thing in INVERTED.findall(sentence):
        where = where[0].lower() + where[1:]
        found.append((f"{who(thing)} {verb} {where}?", bare(thing.split())))
        found.append((f"{who(thing)} was {where}?", bare(thing.split())))
        found.append((f"Where {verb} {thing}?", bare(where.split()[1:])))
    return found


def counted(sentence: str) -> list[tuple[str, str]]:
    """How many, and of which colour, wherever the sentence says it."""
    found = []
    for number, things, verb, after in COUNTED.findall(sentence):
        found.append((f"How many {things} {verb} {' '.join(rest_of(after)[:6])}?", number))
    for number, things in SOME_NUMBER.findall(sentence):
        found.append((f"How many {things} were there?", number))
    for colour, thing in COLOURED.findall(sentence):
        words = thing.split()
        thing = words[0] if words[-1] in FUNCTION or words[-1].endswith(("ly", "ing", "ed")) else thing
        found.append((f"What colour {'were' if thing.endswith('s') else 'was'} the {thing}?", colour))
    for thing, colour in OF_COLOUR.findall(sentence):
        found.append((f"What colour {'were' if thing.endswith('s') else 'was'} {thing[0].lower() + thing[1:]}?", colour))
    return found


def echoed(sentence: str) -> list[tuple[str, str]]:
    """Of a sentence that no rule reads, a stretch with one noun phrase asked for and the rest as it stands: not always
    English ("What he had been quite silent about?"), but any sentence has one, and it asks for what stands at a place."""
    found = []
    for words in (part.split() for part in CLAUSE.split(sentence)):
        if not 4 <= len(words) <= 14 or any(not w.strip(",'-").replace("-", "").replace("'", "").isalpha() for w in words):
            continue
        for at in range(len(words)):
            end = phrase_at(words, at)
            before, after = words[:at], words[end:]
            if end == at or len(before) + len(after) < 3:
                continue
            if before and (before[-1][0].isupper() or before[-1] in FUNCTION - set(PREPOSITIONS) - BE):
                continue  # in the middle of a name or a phrase
            if not before and (words[0] not in DETERMINERS or after[0] in FUNCTION - BE - MODALS):
                continue  # nothing is said of it
            opening = [w.lower() if w in CAPITALISED_ANYWAY - {"I"} and w.rstrip(".") not in TITLES else w for w in before[:1]]
            found.append((f"{who(' '.join(words[at:end]))} {' '.join([*opening, *before[1:], *after])}?", bare(words[at:end])))
    return found


def led(sentence: str, grammar: Grammar) -> list[tuple[str, str]]:
    """When and where, of a sentence that begins with it: "At one o'clock it began to rain"."""
    match = LEADING.match(sentence)
    if not match:
        return []
    words, tail = match[2].split(), sentence[match.end():]
    word = ("How long" if match[1] == "For" else "When") if words[-1] in TIMES else "Where" if words[-1] in PLACES else None
    found = clauses(tail[0].upper() + tail[1:], grammar)[:1] if word and len(words) < 6 else []
    return [(f"{word} {does(c, grammar)} {' '.join(c.rest)}?", bare(words)) for c in found if len(c.rest) <= LONGEST_REST]


def lying(sentence: str, grammar: Grammar) -> list[tuple[str, str]]:
    """Where a thing is that is named with its place: "the bright fire on the brick hearth"."""
    return [(f"Where was {thing}?", bare(place.split())) for thing, _, place in LYING.findall(sentence)
            if place.split()[-1] in PLACES and all(w not in FUNCTION and not w.endswith(("ly", "ing")) for w in thing.split()[1:])
            and not grammar.base(thing.split()[-1])]


def questions(sentence: str, grammar: Grammar) -> list[tuple[str, str]]:
    """Checked (question, answer) pairs of a sentence, each question once."""
    found: dict[str, str] = {}
    said = SAID.match(sentence)
    if said:
        found[f"Who said \"{' '.join(said[1].split()[:8])}\"?"] = said[2]
    for owner, thing, verb in WHOSE.findall(sentence):
        if owner not in CAPITALISED_ANYWAY:
            found[f"Whose {thing} {verb} {' '.join(rest_of(sentence.split(f' {verb} ', 1)[-1])[:6])}?"] = owner
    asked = [pair for clause in clauses(sentence, grammar) for pair in about(clause, grammar)]
    asked += [*led(sentence, grammar), *lying(sentence, grammar), *inverted(sentence), *counted(sentence)]
    if not asked and not found and zlib.crc32(sentence.encode()) % ECHOES == 0:
        asked = echoed(sentence)
    for question, answer in asked:
        found.setdefault(re.sub(r" +\?", "?", question), answer)
    return [(q, a) for q, a in found.items() if sound(q, a, sentence)]


def loosened(question: str, draw: random.Random) -> str:
    """The question with a word less before a noun, or a name without what stands before it, as a person asks who remembers
    the thing and not how it was."""
    words = question.rstrip("?").split()
    plain = lambda w: w.islower() and w not in FUNCTION
    spare = [i for i in range(2, len(words) - 1) if words[i - 1] in DETERMINERS and plain(words[i]) and plain(words[i + 1])
             and words[i - 2] not in ("did", "was", "were")]  # there a verb follows: "did the captain walk"
    spare += [i for i in range(1, len(words) - 1) if words[i].endswith("ly") or words[i][0].isupper() and words[i + 1][0].isupper()]
    owned = [i for i in range(2, len(words)) if re.fullmatch(OWNERS, words[i])]
    if not spare and not owned:
        return question
    at = draw.choice([*spare, *owned])
    return " ".join([*words[:at], *(["the"] if at in owned else []), *words[at + 1:]]) + "?"


def sound(question: str, answer: str, sentence: str) -> bool:
    """The answer stands in the sentence and not in the question, and both are of some size."""
    return (1 <= len(answer.split()) <= 5 and answer in sentence and answer not in question
            and len(telling(question)) > (len(question.split()) > 5) and answer.lower() not in FUNCTION and len(question) < 110)


def telling(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    words = (w.strip(".,;:!?\"'()").removesuffix("'s") for w in text.split())
    return {w for w in words if len(w) > 2 and w.lower() not in FUNCTION and w not in ("Who", "What", "Where", "When", "Whose", "How")}


def mistakable(question: str, sentence: str) -> bool:
    """Whether a sentence that is not meant has so many of the question's words, in any of their forms, that it might be."""
    words, there = telling(question), telling(sentence)
    return sum(not there.isdisjoint(forms(w)) for w in words) >= ALIKE * len(words)


@cache
def forms(word: str) -> frozenset[str]:
    """A word, and how it might be spelt as a verb of the past: a question says "raise" of what was "raised"."""
    return frozenset([word, word + "ed", word + "d", word + "s", word + "ing", word + word[-1] + "ed", word[:-1] + "ied",
                      *(past for past, base in [*PAST.items(), *PARTICIPLES.items()] if base == word)])
