"""What the reader sees of a text: units that a span may begin and end with, tokens, and features. The app computes the same
(graph/programs/reader.ts names them)."""
import json
import re
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

import bpe

ROOT = Path(__file__).resolve().parents[2]
VERBS = ROOT / "node_modules/english-verbs-irregular/dist/verbs.json"  # the list that the app uses (src/lib/terms.ts)
PLAIN = str.maketrans("“”„«»’‘\u00a0\n\r\t", '"""""\'\'    ')  # one character for one, so that places stay
DASHES = str.maketrans("—–", "--")
OPENING, CLOSING = "\"'([{*_<|-–", "\"')]}*_>|.,;:!?-–…"
QUESTION_TOKENS, SENTENCE_TOKENS = 32, 96  # longer texts are cut
ARTICLES = {"a", "an", "the"}
STOP = frozenset(  # words that do not count as matches
    "a an the and or but if of to in on at by for from with into as is are was were be been am do does did has have had will "
    "would can could may might shall should must not no it its he him his she her hers they them their theirs we us our you "
    "your i me my this that these those there here who whom whose what which when where why how than then so up out".split())
NUMBER_WORDS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty hundred thousand million "
    "half quarter twice once noon midnight".split())
ASKS = (  # the first that fits is what a question asks for
    ("who", r"\b(?:who|whom|whose)\b"), ("where", r"\bwhere\b"), ("when", r"\bwhen\b|\bwhat (?:time|day|date|year)\b"),
    ("many", r"\bhow (?:many|much|old|far|tall|high|big|large)\b|\bcosts?\b|\bprice\b|\bwhat number\b"), ("long", r"\bhow (?:long|often)\b"),
    ("feel", r"\bhow\b.*\b(?:feel|felt)\b"), ("why", r"\bwhy\b|\bwhat (?:caused|made)\b"), ("how", r"\bhow\b"),
    ("happened", r"\bwhat happen(?:ed|s)\b"), ("said", r"\bwhat\b.*\b(?:say|said|tell|told|ask|cry|reply|answer)\b"),
    ("did", r"\bwhat\b.*\b(?:do|doing)\b"), ("which", r"\bwhich\b|\bwhat (?:kind|sort|colou?r)\b"), ("what", r"\bwhat\b"))
ASK_KINDS = len(ASKS) + 1  # the last is none of these
STATIC = ("stop", "capital", "number", "quoted", "begins", "ends", "outside")  # features of a text alone
FEATURES = (*STATIC, "same token", "same word", "same stem", "near a match", "covered", "sentence")


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


def ask_of(question: str) -> int:
    """Number of what a question asks for."""
    low = question.lower()
    return next((i for i, (_, form) in enumerate(ASKS) if re.search(form, low)), len(ASKS))


class Reading:
    """A text as the reader sees it. `tokens` [T], `unit` [T] (number of the unit that a token belongs to, -1 outside),
    `static` [T, len(STATIC)], `words` and `stems` [T] (numbers of content words, 0 for others)."""

    def __init__(self, text: str, tokenizer: bpe.Tokenizer, most: int):
        self.text = text
        plain = text.translate(PLAIN)
        every = units(plain)
        ids = tokenizer.encode(" " + plain.translate(DASHES))[:most]
        ends = np.cumsum([len(bpe_bytes(tokenizer, i)) for i in ids], dtype=int)
        length = int(ends[-1]) if ids else 0  # bytes that the tokens reach
        at = list(byte_ends(" " + plain.translate(DASHES)))  # character -> the byte behind it
        begin_of, end_of, covered = {}, {}, np.full(len(ids), -1, np.int16)
        self.units: list[Unit] = []
        for u in every:
            first_byte, last_byte = at[u.start], at[u.end] - 1  # the text has a space before it
            if last_byte >= length:
                break
            first = int(np.searchsorted(ends, first_byte, "right"))
            last = int(np.searchsorted(ends, last_byte, "right"))
            number = len(self.units)
            self.units.append(u)
            covered[first:last + 1] = number
            begin_of[number], end_of[number] = first, last
        self.first, self.last = begin_of, end_of
        self.tokens, self.unit = np.array(ids, np.uint16), covered
        self.static = np.zeros((len(ids), len(STATIC)), np.float16)
        self.words, self.stems = [0] * len(ids), [0] * len(ids)
        opened = np.cumsum([c == '"' for c in plain]) if plain else np.zeros(0)
        for t, n in enumerate(covered):
            if n < 0:
                self.static[t, 6] = 1
                continue
            u = self.units[n]
            stop = u.word in STOP
            self.static[t] = (stop, n > 0 and plain[u.start].isupper(),
                              any(c.isdigit() for c in u.word) or u.word in NUMBER_WORDS,
                              opened[u.start] % 2, begin_of[n] == t, end_of[n] == t, 0)
            if not stop:
                self.words[t], self.stems[t] = code(re.sub(r"'s?$", "", u.word)), code(stem(u.word))

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


@lru_cache(None)
def bpe_bytes(tokenizer: bpe.Tokenizer, token: int) -> bytes:
    return bytes(bpe.BYTE_OF_CHAR[c] for c in tokenizer._text[token])


def byte_ends(text: str):
    seen = 0
    for c in text:
        seen += len(c.encode())
        yield seen


@lru_cache(None)
def code(word: str) -> int:
    """A number above 0 for each word, the same in every process."""
    return zlib.crc32(word.encode()) >> 1 | 1


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
