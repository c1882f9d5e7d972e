"""Writes what the reader is trained with: texts, and questions with candidate sentences and the spans that answer.

    npm run tool -- rankWeights --ranked RANKED          # in the root: FairytaleQA's sentences, ranked as the app ranks them
    python3 reader_rows.py DATA RANKED OUT [--prose N] [--notes N]

OUT/rows.pkl has the readings of all texts and the examples. Questions of FairytaleQA's validation stories are marked and
never learnt from.
"""
import argparse
import json
import math
import pickle
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import bpe
from clauses import Grammar
from facts import Maker
from prose import loosened, questions
from reader_notes import page
from reader_text import QUESTION_TOKENS, SENTENCE_TOKENS, STOP, Reading, spans_of, stem, units
from texts import novels, records, sentences, texts
from worlds import CarryWorld, CompassWorld, GiveWorld, MoveWorld

FIVE = 5
EXTRA = 3  # ranked sentences behind the fifth that a question is also learnt with
LONGEST = 25  # units of a span
LEAST_F1 = 0.5
ELSEWHERE = 0.2  # weight of a span outside the sections that answer
WINDOW = 250  # sentences of a book that a question by rule is asked about
LOOSE = 0.4  # of the questions by rule lose a word
SHARPNESS = 4.0  # of the softmax by which the weights of the ranking were learnt (tools/scripts/rankWeights.ts)


@dataclass
class Example:
    """A question with candidates, best first. Texts are numbers of readings. spans: (candidate, first token, last token, weight).
    ranks: logits of the candidates by the app's ranking; empty if it did not rank them."""

    kind: str  # fairytale, validation, qasrl, prose, notes, worlds
    question: int
    candidates: list[int]
    spans: list[tuple[int, int, int, float]]
    answers: list[str] = field(default_factory=list)
    explicit: bool = True
    ranks: list[float] = field(default_factory=list)


class Texts:
    """Readings of texts, each once."""

    def __init__(self, tokenizer: bpe.Tokenizer):
        self.tokenizer = tokenizer
        self.readings: list[Reading] = []
        self._number: dict[tuple[str, int], int] = {}

    def add(self, text: str, most: int) -> int:
        if (text, most) not in self._number:
            self._number[text, most] = len(self.readings)
            self.readings.append(Reading(text, self.tokenizer, most))
        return self._number[text, most]

    def example(self, kind: str, question: str, sentences_: list[str], answers: list[str], least: float,
                weights: list[float] | None = None, explicit: bool = True) -> Example:
        """Spans of every candidate that meet an answer; the better one fits, the more it weighs."""
        numbers = [self.add(s, SENTENCE_TOKENS) for s in sentences_]
        spans = []
        for c, number in enumerate(numbers):
            weight = weights[c] if weights else 1.0
            reading = self.readings[number]
            if weight > 0:
                spans += [(c, reading.first[i], reading.last[j], weight * f1 ** 3)
                          for i, j, f1 in spans_of(reading, answers, least, LONGEST)]
        return Example(kind, self.add(question, QUESTION_TOKENS), numbers, spans, answers, explicit)


class Bm25:
    """Ranks a few hundred sentences by words in common (BM25, stems)."""

    def __init__(self, sentences_: list[str]):
        self.holders: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.size = []
        for i, sentence in enumerate(sentences_):
            counts = Counter(content(sentence))
            self.size.append(sum(counts.values()))
            for word, n in counts.items():
                self.holders[word].append((i, n))
        self.mean = max(1.0, sum(self.size) / max(1, len(self.size)))

    def rank(self, question: str, most: int) -> list[int]:
        scores: Counter = Counter()
        for word in set(content(question)):
            having = self.holders.get(word, [])
            rarity = math.log(1 + (len(self.size) - len(having) + 0.5) / (len(having) + 0.5))
            for i, n in having:
                scores[i] += rarity * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * self.size[i] / self.mean))
        return [i for i, _ in scores.most_common(most)]


def content(text: str) -> list[str]:
    return [stem(u.word) for u in units(text) if u.word not in STOP]


def fairytales(all_texts: Texts, ranked: Path) -> list[Example]:
    """Questions of FairytaleQA with the sentences that the app ranks first. Implicit ones are learnt from, not judged."""
    found = []
    for line in ranked.open():
        story = json.loads(line)
        learnt = story["split"] == "train"
        for asked in story["questions"]:
            if not learnt and asked["kind"] != "explicit":
                continue
            score = dict(zip(asked["ranked"], asked["scores"]))
            places = asked["ranked"][:FIVE + EXTRA if learnt else FIVE]
            here = [story["sections"][p] in asked["sections"] for p in places]
            if learnt and not any(here):  # one that answers, from farther down, if there is one
                places += [p for p in asked["ranked"][FIVE + EXTRA:] if story["sections"][p] in asked["sections"]][:1]
                here = [story["sections"][p] in asked["sections"] for p in places]
            found.append(all_texts.example(
                "fairytale" if learnt else "validation", asked["q"], [story["sentences"][p] for p in places], asked["answers"],
                LEAST_F1, [1.0 if h else ELSEWHERE for h in here], asked["kind"] == "explicit"))
            found[-1].ranks = [SHARPNESS * score[p] for p in places]
    return found


def qasrl(all_texts: Texts, data: Path, draw: random.Random) -> list[Example]:
    """Questions about verbs of sentences of encyclopaedia and news, with two other sentences like the one that answers."""
    rows = list(records(data / "qasrl" / "qasrl_gs.jsonl.gz"))
    told = [untokenised(row["sentence"]) for row in rows]
    bm25 = Bm25(told)
    found = []
    for at, row in enumerate(rows):
        near = [i for i in bm25.rank(told[at], 8) if i != at][:4]
        for asked in row["questions"]:
            question = asked["q"][0].upper() + asked["q"][1:]
            order = [at, *draw.sample(near, min(2, len(near)))]
            found.append(all_texts.example("qasrl", question, [told[i] for i in order], [untokenised(a) for a in asked["answers"]], 0.9,
                                           [1.0] + [0.0] * (len(order) - 1)))
    return [e for e in found if e.spans]


def untokenised(text: str) -> str:
    """The spelling of print for words that stand apart ("did n't", "word ,")."""
    text = re.sub(r" n't", "n't", re.sub(r"\s+([.,;:!?')\]])", r"\1", re.sub(r"([(\[])\s+", r"\1", text)))
    return text.replace(" '", "'").replace("`` ", '"').replace(" ''", '"')


def prose(all_texts: Texts, data: Path, count: int, draw: random.Random) -> list[Example]:
    """Questions by rule about sentences of training books, among the sentences nearby that share most words with them."""
    books = [sentences(t) for t in [*texts(data), *novels(data, 12)]]
    books = [b for b in books if len(b) >= WINDOW]
    grammar = Grammar([s for b in draw.sample(books, min(40, len(books))) for s in b])
    found: list[Example] = []
    while len(found) < count:
        book = draw.choice(books)
        start = draw.randrange(len(book) - WINDOW + 1)
        pages = book[start:start + WINDOW]
        bm25 = Bm25(pages)
        for at in draw.sample(range(WINDOW), 60):
            pairs = questions(pages[at], grammar)
            if not pairs:
                continue
            question, answer = draw.choice(pairs)
            question = loosened(question, draw) if draw.random() < LOOSE else question
            order = bm25.rank(question, FIVE)
            if at not in order:
                order = [*order[:2], at]
            others = [i for i in order if i != at]
            kept = {at, *draw.sample(others, min(2, len(others)))}
            order = [i for i in order if i in kept]
            found.append(all_texts.example("prose", question, [pages[i] for i in order], [answer], 0.9,
                                           [float(i == at) for i in order]))
    return [e for e in found if e.spans]


def notes(all_texts: Texts, count: int, seed: int) -> list[Example]:
    m = Maker(seed)
    found: list[Example] = []
    while len(found) < count:
        made = page(m, m.random.randint(5, 12))
        lines = [text for text, _ in made]
        bm25 = Bm25(lines)
        for at, (text, asked) in enumerate(made):
            if not asked:
                continue
            question, answer = m.pick(asked)
            if sum(question == q for _, pairs in made for q, _ in pairs) > 1:
                continue  # another line answers it, too
            order = bm25.rank(question, FIVE)
            order = order if at in order else [*order[:FIVE - 1], at]
            found.append(all_texts.example("notes", question, [lines[i] for i in order], [answer], 0.9, [float(i == at) for i in order]))
    return [e for e in found if e.spans]


def worlds(all_texts: Texts, count: int, seed: int) -> list[Example]:
    """Questions about short made stories, later facts first where several fit. Where a carried thing is follows from several
    facts together: no span answers, and the model does."""
    m = Maker(seed)
    found: list[Example] = []
    while len(found) < count:
        world = m.pick([MoveWorld, GiveWorld, CompassWorld, CarryWorld])(m, m.chance(0.3))
        told = [step[1] for step in (world.step() for _ in range(m.random.randint(3, 14))) if step]
        forms = world.contested() or ([] if isinstance(world, GiveWorld) else world.forms())
        later_first = told[::-1]
        bm25 = Bm25(later_first)
        for question, answer in m.random.sample(forms, min(2, len(forms))):
            order = bm25.rank(question, FIVE)
            named = [w for w in re.findall(r"[\w']+", question) if w in world.cast.words()]
            holds = [i for i in order if answer in later_first[i] and all(w in later_first[i] for w in named)
                     and (" to " in later_first[i] or not isinstance(world, GiveWorld))]
            if isinstance(world, CarryWorld):
                holds = []
            elif not holds:
                continue
            found.append(all_texts.example("worlds", question, [later_first[i] for i in order], [answer], 0.9,
                                           [float(i in holds[:1]) for i in order]))
    return found


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("data", type=Path)
    args.add_argument("ranked", type=Path)
    args.add_argument("out", type=Path)
    args.add_argument("--prose", type=int, default=14000)
    args.add_argument("--notes", type=int, default=6000)
    args.add_argument("--worlds", type=int, default=4000)
    args.add_argument("--model", type=Path, default=Path(__file__).resolve().parents[2] / "public/models/palimpsest-7m")
    a = args.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    all_texts, draw = Texts(bpe.Tokenizer(a.model / "tokenizer.json")), random.Random(1)
    examples: list[Example] = []
    for name, made in (("fairytales", lambda: fairytales(all_texts, a.ranked)), ("qasrl", lambda: qasrl(all_texts, a.data, draw)),
                       ("notes", lambda: notes(all_texts, a.notes, 3)), ("prose", lambda: prose(all_texts, a.data, a.prose, draw)),
                       ("worlds", lambda: worlds(all_texts, a.worlds, 5))):
        more = made()
        examples += more
        print(name, len(more), "with a span", sum(bool(e.spans) for e in more), "texts", len(all_texts.readings),
              "tokens", sum(len(r.tokens) for r in all_texts.readings), flush=True)
        with (a.out / "rows.tmp").open("wb") as file:
            pickle.dump((all_texts.readings, examples), file, protocol=4)
        (a.out / "rows.tmp").replace(a.out / "rows.pkl")


if __name__ == "__main__":
    main()
