"""What the reader sees of a text: units that a span may begin and end with, and tokens. The app computes the same
(src/engine/readerText.ts)."""
import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from wordpiece import WordPiece

ROOT = Path(__file__).resolve().parents[2]
VERBS = ROOT / "node_modules/english-verbs-irregular/dist/verbs.json"  # the list that the app uses (src/lib/terms.ts)
PLAIN = str.maketrans("“”„«»’‘\u00a0\n\r\t", '"""""\'\'    ')  # one character for one, so that places stay
OPENING, CLOSING = "\"'([{*_<|-–", "\"')]}*_>|.,;:!?-–…"
QUESTION_TOKENS, SENTENCE_TOKENS = 32, 96  # longer texts are cut
ARTICLES = {"a", "an", "the"}
STOP = frozenset(  # words that do not count as matches
    "a an the and or but if of to in on at by for from with into as is are was were be been am do does did has have had will "
    "would can could may might shall should must not no it its he him his she her hers they them their theirs we us our you "
    "your i me my this that these those there here who whom whose what which when where why how than then so up out".split())


@dataclass(frozen=True)
class Unit:
    """Characters start…end of a text that no span cuts: a word, a number, a price."""

    start: int
    end: int
    word: str


def units(text: str) -> list[Unit]:
    """Words between white space and dashes, without the marks around them; "€2,450.00" and "p.m." are one unit each."""
    found = []
    for match in re.finditer(r"(?:(?!--|—)\S)+", text):
        start, end = match.span()
        while start < end and text[start] in OPENING and not re.match(r"-\d", text[start:end]):
            start += 1
        while end > start and text[end - 1] in CLOSING and not re.search(r"[A-Za-z]\.[A-Za-z]\.$", text[start:end]):
            end -= 1
        if start < end:
            found.append(Unit(start, end, text[start:end].lower()))
    return found


@lru_cache(None)
def infinitives() -> dict[str, str]:
    listed = json.loads(VERBS.read_text())
    return {form: verb for verb, forms in listed.items() for group in forms for form in group}


@lru_cache(None)
def stem(word: str) -> str:
    """A word without its ending, so that forms of it meet; that of the infinitive for an irregular verb."""
    word = re.sub(r"'s?$", "", word)
    word = re.sub("^([a-z])(?:ied|ies|ying)$", r"\1ie", infinitives().get(word, word))
    for ending, instead in (("ies", "i"), ("ied", "i"), ("ing", ""), ("ed", ""), ("es", ""), ("ly", ""), ("er", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[:-len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1] + ("i" if word[-1] == "y" else "")
    return word


class Reading:
    """A text as the reader sees it. `tokens` [T], `unit` [T] (number of the unit that a token belongs to, -1 outside); first and last
    token of each unit. Units are encoded one by one with what is between them, which gives the tokens of the whole text."""

    def __init__(self, text: str, pieces: WordPiece, most: int):
        self.text = text
        plain = text.translate(PLAIN)
        ids: list[int] = []
        unit: list[int] = []
        self.units: list[Unit] = []
        self.first, self.last = [], []
        at = 0
        for u in units(plain):
            between, own = pieces.encode(plain[at:u.start]), pieces.encode(plain[u.start:u.end])
            if len(ids) + len(between) + len(own) > most:
                break
            at = u.end
            ids += [*between, *own]
            unit += [-1] * len(between)
            if own:  # none for a mark that the vocabulary leaves out
                unit += [len(self.units)] * len(own)
                self.units.append(u)
                self.first.append(len(ids) - len(own))
                self.last.append(len(ids) - 1)
        else:
            rest = pieces.encode(plain[at:])[:most - len(ids)]
            ids += rest
            unit += [-1] * len(rest)
        self.tokens, self.unit = np.array(ids, np.int32), np.array(unit, np.int16)

    @cached_property
    def before(self) -> np.ndarray:
        """[T, 2]: words, as token F1 compares them, before the unit of a token, and with it."""
        sizes = np.array([len(form) for form in self.forms], int)
        ends = np.cumsum(sizes)
        return np.array([(ends[n] - sizes[n], ends[n]) if n >= 0 else (0, 0) for n in self.unit], np.int32).reshape(-1, 2)

    @cached_property
    def forms(self) -> list[list[str]]:
        """What token F1 compares, by unit."""
        return [normal(u.word) for u in self.units]


def normal(text: str) -> list[str]:
    """Words as token F1 compares them: lower case, without marks, possessive and articles."""
    return [w for w in re.sub(r"[^a-z0-9]+", " ", text.lower().replace("'s", "")).split() if w not in ARTICLES]


def token_f1(one: list[str], other: list[str]) -> float:
    both = sum((Counter(one) & Counter(other)).values())
    return 2 * both / (len(one) + len(other)) if both else 0.0


def spans_of(reading: Reading, answers: list[str], least: float, longest: int) -> list[tuple[int, int, float]]:
    """Spans (first unit, last unit, token F1) that meet an answer with at least `least`, at most `longest` units long."""
    found: dict[tuple[int, int], float] = {}
    forms = reading.forms
    for answer in answers:
        wanted = Counter(normal(answer))
        size = sum(wanted.values())
        if not size or not any(w in wanted for form in forms for w in form):
            continue
        for i in range(len(forms)):
            if not forms[i] or forms[i][0] not in wanted and least > 0.8:
                continue
            left, both, length = dict(wanted), 0, 0
            for j in range(i, min(i + longest, len(forms))):
                for w in forms[j]:
                    length += 1
                    if left.get(w, 0) > 0:
                        left[w] -= 1
                        both += 1
                if 2 * size / (length + size) < least:
                    break
                f1 = 2 * both / (length + size)
                if forms[j] and f1 >= least and f1 > found.get((i, j), 0):
                    found[i, j] = f1
    return [(i, j, f1) for (i, j), f1 in found.items()]
