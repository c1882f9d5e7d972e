"""Questions about sentences of books, by rule: who, what, where, when, how, whose, which, with the words of the sentence as
answer.

The rules read plain clauses (clauses.py) and a few other shapes (patterns.py), so most sentences give nothing; what they
give is checked: the answer stands in the sentence, the question does not give it away, and among the facts of a telling no
other could be meant (`mistakable`).
"""
import random
import re
import zlib
from functools import cache

from anchors import CAPITALISED_ANYWAY
from clauses import (DETERMINERS, LEAD, LONGEST_REST, NAME, SPEAKERS, TITLE, Clause, Grammar, bare, clauses, does, is_name,
                     phrase_at, rest_of, who)
from grammar import (BE, FUNCTION, HAVE, MEALS, MODALS, NAMING_PLACES, NO_PLACES, NUMBERS, PARTICIPLES, PAST, PEOPLE,
                     PLACE_PREPOSITIONS, PLACES, PLACING, PREPOSITIONS, PRONOUNS, TIMES, WHEN)
from patterns import called, counted, echoed, inverted, led, lying

SAYING = re.compile(r' "| say\?$')  # a question about who said something, or what somebody said
SAID = re.compile(rf"^\"(.{{8,80}}?)[,.!?]\" (said|asked|cried|replied|answered|exclaimed|shouted|whispered) ({NAME})\b")
WHOSE = re.compile(rf"{LEAD}({TITLE}?[A-Z][a-z]+)'s ([a-z-]+(?: [a-z]+)?) (was|were|had|[a-z]+ed|{'|'.join(PAST)})\b")
OWNERS = DETERMINERS - {"the", "a", "an"}
WHOM = 0.2  # of the questions "Who did …?" that may change
MISTAKABLE = 0.6  # share of a question's telling words that another fact must not have
ASKING = set("colour kind name called does doing long said say old".split())  # words of the question alone
FRONTED = set(  # prepositions that may open a question
    "at by for from in on into to under upon with against among between beneath through towards about before after".split())
ECHOES = 30  # one sentence in so many, of those in which nothing else can be asked


def about(c: Clause, grammar: Grammar) -> list[tuple[str, str]]:
    """Every question that a clause answers; of what had been done both "did she take" and "had she taken"."""
    found = said_of(c, grammar)
    if c.aid == "had":
        found += [(q.replace(does(c, grammar), f"had {c.subject} {c.verb}"), a) for q, a in found if does(c, grammar) in q]
    return found


def said_of(c: Clause, grammar: Grammar) -> list[tuple[str, str]]:
    subject = bare(c.subject.split())
    if not c.rest:
        return [(f"{who(c.subject)} {c.said}?", subject)]
    last = c.rest[-1].lower()
    if len(c.rest) > LONGEST_REST or c.rest[0].lower() in ("not", "been", "that") or last in FUNCTION and last not in PRONOUNS:
        return []
    if c.rest[0] == "to" and len(c.rest) > 1 and c.rest[1] not in DETERMINERS and not c.rest[1][0].isupper():
        return []  # "began to sing"
    if c.verb in HAVE and not (c.rest[0] in ("a", "an", "the", "no", "his", "her", "my") or c.rest[0] in NUMBERS):
        return [(f"{who(c.subject)} {c.verb} {' '.join(c.rest)}?", subject)]
    rest, whole = c.rest, " ".join(c.rest)
    asked = [(f"{who(c.subject)} {c.said} {whole}?", subject)]
    if grammar.acts(c) and not c.aid and c.subject != "it":
        asked.append((f"What did {c.subject} do?", f"{c.verb} {whole}"))
    if c.aid in ("was", "were") and c.verb.endswith("ing"):
        asked.append((f"What {c.aid} {c.subject} doing?", f"{c.verb} {whole}"))
    steps = [i for i, w in enumerate(rest) if i and w in PREPOSITIONS and rest[i - 1] not in PREPOSITIONS]
    if steps and len(rest) > 3:
        asked.append((f"{who(c.subject)} {c.said} {' '.join(rest[:steps[-1]])}?", subject))
    if c.verb in BE and not c.aid and len(rest) < 3 and is_adjective(rest, grammar):
        asked.append((f"How {c.verb} {c.subject}?", bare(rest)))
    for at in range(len(rest)):
        end = phrase_at(rest, at)
        if rest[at].endswith("ly") and len(rest[at]) > 4 and rest[at] not in FUNCTION and c.verb not in BE:
            asked.append((f"How {does(c, grammar)} {' '.join(rest[:at] or rest[at + 1:])}?", rest[at]))
        if rest[at].endswith("'s") and rest[at][0].isupper() and rest[at] not in CAPITALISED_ANYWAY and at + 1 < len(rest):
            first = at
            while first and rest[first - 1][0].isupper() and rest[first - 1] not in CAPITALISED_ANYWAY:
                first -= 1
            owner = " ".join(rest[first:at + 1]).removesuffix("'s")
            asked.append((f"Whose {rest[at + 1]} {does(c, grammar)} {' '.join(rest[:first])}?", owner))
        if end == at or at and rest[at - 1] not in PREPOSITIONS:
            continue
        asked += ask_phrase(c, grammar, rest, at, end)
    return asked


def ask_phrase(c: Clause, grammar: Grammar, rest: list[str], at: int, end: int) -> list[tuple[str, str]]:
    """Questions whose answer is the noun phrase rest[at:end]."""
    answer, noun = bare(rest[at:end]), rest[end - 1]
    before, after, did = rest[:at], rest[end:], does(c, grammar)
    preposition = before[-1] if before else None
    join = lambda *parts: " ".join(w for part in parts for w in part)
    if noun in TIMES:
        long = preposition == "for" or not preposition and (noun.endswith("s") or rest[at] in NUMBERS)
        if not long and preposition not in WHEN or noun in MEALS and preposition not in ("after", "before", "at", "during"):
            return []
        return [(f"{'How long' if long else 'When'} {join([did], before[:-1] if preposition else before)}?", answer)]
    asked = []
    if place_like(preposition, rest[at:end]):
        asked.append((f"Where {join([did], before[:-1])}?", answer))
    if rest[at] in NUMBERS and end > at + 1:
        asked.append((f"How many {' '.join(rest[at + 1:end])} {join([did], before)}?", rest[at]))
    if c.verb in BE and not c.aid and at == 0:
        of = phrase_at(rest, end + 1) if after[:1] == ["of"] and len(after) > 1 else end
        asked.append((f"{who(c.subject)} {c.verb} {c.subject}?", bare(rest[at:of if of > end + 1 else end])))
    if after[:1] == ["of"]:
        return asked
    if not (rest[at] in NUMBERS and at == 0) and not (c.verb in BE and not before):
        named = is_name(rest[at:end]) and rest[at] not in DETERMINERS and preposition not in NAMING_PLACES
        word = "Who" if named or noun.lower() in PEOPLE else "What"
        asked.append((f"{word} {join([did], before, after if not before else [])}?", answer))
        if preposition in FRONTED:
            asked.append((f"{preposition.title()} {'whom' if word == 'Who' else 'what'} {join([did], before[:-1])}?", answer))
        if end - at > 2 and noun.islower() and not noun.endswith(("ward", "ing", "ed", "ly")):
            asked.append((f"Which {noun} {join([did], before)}?", answer))
            asked.append((f"What kind of {noun} {join([did], before)}?", answer))
            if preposition in FRONTED:
                asked.append((f"{preposition.title()} which {noun} {join([did], before[:-1])}?", answer))
        if before and after and after[0] in PREPOSITIONS:
            asked.append((f"{word} {join([did], before)} {' '.join(after)}?", answer))
        if at == 0 and grammar.acts(c) and grammar.participle(c.verb):  # "Who was left to hold the horse?"
            by = "" if c.subject in SPEAKERS else f" by {c.subject}"
            asked.append((f"{word} was {join([c.verb], after)}{by}?", answer))
    return asked


def is_adjective(words: list[str], grammar: Grammar) -> bool:
    """Whether the words after "was" say how something was, as far as can be told by their form."""
    last = words[-1]
    return (words[0] not in PREPOSITIONS and words[0] not in DETERMINERS and last.islower() and not grammar.participle(last)
            and not last.endswith(("ing", "ly")))


def place_like(preposition: str | None, phrase: list[str]) -> bool:
    """Whether a noun phrase after such a preposition says where: by its noun, or by the preposition alone ("under the
    soil")."""
    noun = phrase[-1]
    if preposition in PLACE_PREPOSITIONS and (noun in PLACES or is_name(phrase) and preposition == "in"):
        return True
    return (preposition in PLACING and phrase[0] in DETERMINERS and noun not in NO_PLACES and noun not in TIMES
            and noun not in PEOPLE)


def questions(sentence: str, grammar: Grammar, echoes: int = ECHOES) -> list[tuple[str, str]]:
    """Checked (question, answer) pairs of a sentence, each question once; one in `echoes` of the others has an echo."""
    found: dict[str, str] = {}
    said = SAID.match(sentence)
    if said:
        words = " ".join(said[1].split()[:8])
        found.update({f"Who {verb} \"{words}\"?": said[3] for verb in ("said", said[2])})
        found[f"What did {said[3]} say?"] = said[1]
    for match in WHOSE.finditer(sentence):
        owner, thing, verb = match.groups()
        if owner not in CAPITALISED_ANYWAY:
            found[f"Whose {thing} {verb} {' '.join(rest_of(sentence[match.end():])[:6])}?"] = owner
    asked = [pair for clause in clauses(sentence, grammar) for pair in about(clause, grammar)]
    asked += [*led(sentence, grammar), *lying(sentence, grammar), *inverted(sentence), *counted(sentence), *called(sentence, grammar)]
    if not asked and not found and zlib.crc32(sentence.encode()) % echoes == 0:
        asked = echoed(sentence)
    for question, answer in asked:
        found.setdefault(re.sub(r" +\?", "?", question), answer)
    return [(q, a) for q, a in found.items() if sound(q, a, sentence)]


def loosened(question: str, draw: random.Random) -> str:
    """The question with a word less before a noun, or a name without what stands before it, as a person asks who remembers
    the thing and not how it was."""
    words = question.replace("Who did", "Whom did" if draw.random() < WHOM else "Who did").rstrip("?").split()
    plain = lambda w: w.islower() and w not in FUNCTION
    spare = [i for i in range(2, len(words) - 1) if words[i - 1] in DETERMINERS and plain(words[i]) and plain(words[i + 1])
             and words[i - 2] not in BE | HAVE | MODALS | {"did", "does"}]  # there a verb follows: "did the captain walk"
    spare += [i for i in range(1, len(words) - 1) if words[i].endswith("ly") or words[i][0].isupper() and words[i + 1][0].isupper()]
    owned = [i for i in range(2, len(words) - 1) if words[i] in OWNERS and plain(words[i + 1])]
    if not spare and not owned:
        return " ".join(words) + "?"
    at = draw.choice([*spare, *owned])
    return " ".join([*words[:at], *(["the"] if at in owned else []), *words[at + 1:]]) + "?"


def sound(question: str, answer: str, sentence: str) -> bool:
    """The answer stands in the sentence and not in the question, and both are of some size."""
    return (1 <= len(answer.split()) <= 5 and answer in sentence and answer not in question
            and len(telling(question)) > (len(question.split()) > 5) and answer.lower() not in FUNCTION and len(question) < 110)


def telling(text: str) -> set[str]:
    """The words of a text that say what it is about."""
    words = (w.strip(".,;:!?\"'()").removesuffix("'s") for w in text.split())
    return {w for w in words if len(w) > 2 and w.lower() not in FUNCTION}


def mistakable(question: str, sentence: str) -> bool:
    """Whether a sentence that is not meant has so many of the question's words, in any of their forms, that it might be."""
    words, there = telling(question), telling(sentence)
    words = words - ASKING or words
    return sum(not there.isdisjoint(forms(w)) for w in words) >= MISTAKABLE * len(words)


@cache
def forms(word: str) -> frozenset[str]:
    """A word, and how it might be spelt as a verb of the past: a question says "raise" of what was "raised"."""
    return frozenset([word, word + "ed", word + "d", word + "s", word + "ing", word + word[-1] + "ed", word[:-1] + "ied",
                      *(past for past, base in [*PAST.items(), *PARTICIPLES.items()] if base == word)])
