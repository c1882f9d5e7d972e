"""Writes what the reader is trained with: texts, and questions with candidate sentences and the spans that answer.

    npm run tool -- rankWeights --ranked RANKED          # in the root: FairytaleQA's sentences, ranked as the app ranks them
    python3 reader_rows.py DATA RANKED OUT [--prose N] [--gaps N] [--notes N] [--renamed COPIES]

OUT/rows.json has all texts and the examples. Questions of FairytaleQA's validation stories are marked and never learnt from;
those of its training stories are there again with other names, animals, places and things (renamed.py).
"""
import argparse
import json
import math
import random
import re
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Callable, Iterator

from clauses import DETERMINERS, Grammar
from facts import Maker
from prose import SAYING, loosened, questions
from reader_notes import page
from renamed import Renaming
from reader_text import QUESTION_TOKENS, SENTENCE_TOKENS, STOP, Reading, normal, spans_of, stem, units
from texts import novels, records, sentences, texts
from worlds import CarryWorld, CompassWorld, GiveWorld, MoveWorld

FIVE = 5
RANKED = 24  # sentences that the app recalls
EXTRA = 11  # ranked sentences behind the fifth that a question is also learnt with
LONGEST = 25  # units of a span
LEAST_F1 = 0.5
ELSEWHERE = 0.2  # weight of a span outside the sections that answer
WINDOW = 250  # sentences of a book that a question by rule is asked about
OF_A_SENTENCE = 2  # questions by rule
SAYINGS = 0.15  # of the questions about who said something, of which novels have most
GAPS = 90  # of a window
LOOSE = 0.4  # of the questions by rule lose a word
SHARPNESS = 4.0  # of the softmax by which the weights of the ranking were learnt (tools/scripts/rankWeights.ts)


@dataclass
class Example:
    """A question with candidates, best first. Texts are numbers of texts. A span that meets an answer with a word F1 of `least` or
    more weighs F1³ times its candidate's weight. spans: (candidate, first token, last token, weight), found by {@link found_spans}.
    ranks: logits of the candidates by the app's ranking; empty if it did not rank them."""

    kind: str  # fairytale, validation, renamed, asked, asked validation, qasrl, prose, gaps, notes, worlds
    question: int
    candidates: list[int]
    answers: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    least: float = LEAST_F1
    explicit: bool = True
    ranks: list[float] = field(default_factory=list)
    spans: list[tuple[int, int, int, float]] = field(default_factory=list)


KINDS = {"train": "fairytale", "val": "validation", "asked": "asked", "asked-val": "asked validation"}  # by the split of a story


class Texts:
    """Texts, each once, with the number of tokens that it is cut to."""

    def __init__(self) -> None:
        self.number: dict[tuple[str, int], int] = {}

    def add(self, text: str, most: int) -> int:
        return self.number.setdefault((text, most), len(self.number))

    def example(self, kind: str, question: str, candidates: list[str], answers: list[str], least: float,
                weights: list[float] | None = None, explicit: bool = True) -> Example:
        numbers = [self.add(s, SENTENCE_TOKENS) for s in candidates]
        return Example(kind, self.add(question, QUESTION_TOKENS), numbers, answers, weights or [1.0] * len(numbers), least, explicit)


def found_spans(e: Example, reading_of: Callable[[int], Reading]) -> list[tuple[int, int, int, float]]:
    """Spans of every candidate that meet an answer; the better one fits, the more it weighs."""
    spans = []
    for c, number in enumerate(e.candidates):
        if e.weights[c] > 0:
            reading = reading_of(number)
            spans += [(c, reading.first[i], reading.last[j], round(e.weights[c] * f1 ** 3, 4))
                      for i, j, f1 in spans_of(reading, e.answers, e.least, LONGEST)]
    return spans


def write_rows(folder: Path, texts_: list[tuple[str, int]], examples: list[Example]) -> None:
    """FOLDER/rows.json, without spans."""
    every = [[*asdict(e).values()][:-1] for e in examples]
    for e in every:
        e[-1] = [round(r, 3) for r in e[-1]]
    (folder / "rows.tmp").write_text(json.dumps({"texts": texts_, "examples": every}, ensure_ascii=False, separators=(",", ":")))
    (folder / "rows.tmp").replace(folder / "rows.json")


def read_rows(folder: Path) -> tuple[list[tuple[str, int]], list[Example]]:
    """(texts, each with the tokens it is cut to; examples) of FOLDER/rows.json."""
    rows = json.loads((folder / "rows.json").read_text())
    if any(len(e) != len(fields(Example)) - 1 for e in rows["examples"]):
        raise SystemExit(f"{folder}/rows.json was written by another version of reader_rows.py; write it again")
    return [(text, most) for text, most in rows["texts"]], [Example(*e) for e in rows["examples"]]


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


def fairytales(all_texts: Texts, ranked: Path, renamed: random.Random | None = None) -> list[Example]:
    """Questions of FairytaleQA with the sentences that the app ranks first. Implicit ones are learnt from, not judged. With
    `renamed`: those of training stories alone, with other names and nouns, the same throughout a story."""
    found = []
    for line in ranked.open():
        story = json.loads(line)
        split = story["split"]
        learnt = split in ("train", "asked")
        if renamed and split != "train":
            continue
        say = Renaming(story["sentences"], renamed).applied if renamed else str
        for asked in story["questions"]:
            if not learnt and asked["kind"] != "explicit":
                continue
            score = dict(zip(asked["ranked"], asked["scores"]))
            places = asked["ranked"][:FIVE + EXTRA]
            here = [story["sections"][p] in asked["sections"] for p in places]
            if learnt and not any(here):  # one that answers, from farther down, if there is one
                places += [p for p in asked["ranked"][FIVE + EXTRA:RANKED] if story["sections"][p] in asked["sections"]][:1]
                here = [story["sections"][p] in asked["sections"] for p in places]
            found.append(all_texts.example(
                "renamed" if renamed else KINDS[split], say(asked["q"]),
                [say(story["sentences"][p]) for p in places], [say(a) for a in asked["answers"]],
                LEAST_F1, [1.0 if h else ELSEWHERE for h in here], asked["kind"] == "explicit"))
            found[-1].ranks = [SHARPNESS * score[p] for p in places]
    return found


def qasrl(all_texts: Texts, data: Path, draw: random.Random) -> list[Example]:
    """Questions about verbs of sentences of encyclopaedia and news, with four other sentences like the one that answers."""
    rows = list(records(data / "qasrl" / "qasrl_gs.jsonl.gz"))
    told = [untokenised(row["sentence"]) for row in rows]
    bm25 = Bm25(told)
    found = []
    for at, row in enumerate(rows):
        near = [i for i in bm25.rank(told[at], 8) if i != at][:4]
        for asked in row["questions"]:
            question = asked["q"][0].upper() + asked["q"][1:]
            order = [at, *near]
            found.append(all_texts.example("qasrl", question, [told[i] for i in order], [untokenised(a) for a in asked["answers"]], 0.9,
                                           [1.0] + [0.0] * (len(order) - 1)))
    return found


def untokenised(text: str) -> str:
    """The spelling of print for words that stand apart ("did n't", "word ,")."""
    text = re.sub(r" n't", "n't", re.sub(r"\s+([.,;:!?')\]])", r"\1", re.sub(r"([(\[])\s+", r"\1", text)))
    return text.replace(" '", "'").replace("`` ", '"').replace(" ''", '"')


def windows(data: Path, draw: random.Random) -> Iterator[list[str]]:
    """Runs of sentences of training books, in any order, each once."""
    books = [sentences(t) for t in [*texts(data), *novels(data, 12)]]
    starts = [(n, at) for n, book in enumerate(books) for at in range(0, len(book) - WINDOW + 1, WINDOW)]
    draw.shuffle(starts)
    return (books[n][at:at + WINDOW] for n, at in starts)


def prose(all_texts: Texts, pages_of: list[list[str]], count: int, draw: random.Random) -> list[Example]:
    """Questions by rule about sentences of training books, with the sentences nearby that share most words with them."""
    grammar = Grammar([s for pages in draw.sample(pages_of, min(160, len(pages_of))) for s in pages])
    found: list[Example] = []
    for pages in pages_of:
        bm25 = Bm25(pages)
        for at, sentence in enumerate(pages):
            pairs = [pair for pair in questions(sentence, grammar) if len(pair[0].split()) > 3 and
                     (not SAYING.search(pair[0]) or draw.random() < SAYINGS)]
            for question, answer in draw.sample(pairs, min(OF_A_SENTENCE, len(pairs))):
                question = loosened(question, draw) if draw.random() < LOOSE else question
                order = bm25.rank(question, FIVE)
                order = order if at in order else [*order[:FIVE - 1], at]
                found.append(all_texts.example("prose", question, [pages[i] for i in order], [answer], 0.9, [float(i == at) for i in order]))
        if len(found) >= count:
            break
    return found


def gaps(all_texts: Texts, pages_of: list[list[str]], count: int, draw: random.Random) -> list[Example]:
    """Sentences of training books with a gap instead of words that stand in another sentence nearby, which is among those
    that share most with the rest (recurring spans: Ram et al., arXiv:2101.00438)."""
    found: list[Example] = []
    for pages in pages_of:
        holders: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for at, sentence in enumerate(pages):
            for phrase in set(phrases(sentence)):
                holders[" ".join(normal(phrase))].append((at, phrase))
        bm25 = Bm25(pages)
        several = [(form, at, phrase) for form, where in holders.items() if 2 <= len({i for i, _ in where}) <= 6 for at, phrase in where]
        draw.shuffle(several)
        made = 0
        for form, at, phrase in several:
            question = gapped(pages[at], phrase, draw)
            order = [i for i in bm25.rank(question, FIVE + 1) if i != at][:FIVE]
            holds = {i for i, _ in holders[form]}
            if not holds.intersection(order[:3]):
                continue
            found.append(all_texts.example("gaps", question, [pages[i] for i in order], [phrase], 0.99, [float(i in holds) for i in order]))
            made += 1
            if made == GAPS:
                break
        if len(found) >= count:
            break
    return found


def phrases(sentence: str) -> Iterator[str]:
    """Names, and the words between a determiner and the next word that tells nothing, as they stand."""
    every = units(sentence)
    follows = [b.start == a.end + 1 for a, b in zip(every, every[1:])]
    for i, u in enumerate(every[1:], 1):
        text = sentence[u.start:u.end]
        if text[:1].isupper() and u.word not in STOP and u.word.isalpha():
            yield text
        if every[i - 1].word in DETERMINERS and u.word not in STOP and follows[i - 1]:
            j = i
            while j + 1 < len(every) and follows[j] and every[j + 1].word not in STOP:
                j += 1
            if j - i < 3 and sentence[u.start:every[j].end].replace(" ", "").isalpha():
                yield sentence[u.start:every[j].end]


def gapped(sentence: str, phrase: str, draw: random.Random) -> str:
    """The words around the phrase, which has become "who" or "what"."""
    found = re.search(rf"(?<![A-Za-z]){re.escape(phrase)}(?![A-Za-z])", sentence)
    if not found:
        raise ValueError(f"no {phrase!r} in {sentence!r}")
    before, after = sentence[:found.start()], sentence[found.end():]
    left, right = re.sub(rf"\b(?:{'|'.join(DETERMINERS)}) $", "", before, flags=re.I).split(), after.rstrip(".!?\"' ").split()
    asked = "who" if phrase[0].isupper() and len(phrase.split()) < 3 else "what"
    told = " ".join([*left[-draw.randint(3, 10):], asked, *right[:draw.randint(3, 10)]])
    told = re.sub(r" (?=[,;:'])", "", told).rstrip(",;: ")
    return f"{told[0].upper()}{told[1:]}?"


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
    return found


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
    args.add_argument("--prose", type=int, default=60000)
    args.add_argument("--gaps", type=int, default=30000)
    args.add_argument("--notes", type=int, default=20000)
    args.add_argument("--worlds", type=int, default=4000)
    args.add_argument("--renamed", type=int, default=2, help="copies of the training stories with other names and nouns")
    a = args.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    all_texts, draw = Texts(), random.Random(1)
    pages_of = list(windows(a.data, random.Random(2)))
    made: dict[str, Callable[[], list[Example]]] = {
        "fairytales": lambda: fairytales(all_texts, a.ranked), "qasrl": lambda: qasrl(all_texts, a.data, draw),
        "notes": lambda: notes(all_texts, a.notes, 3), "prose": lambda: prose(all_texts, pages_of, a.prose, draw),
        "gaps": lambda: gaps(all_texts, pages_of, a.gaps, draw), "worlds": lambda: worlds(all_texts, a.worlds, 5),
        "renamed": lambda: [e for copy in range(a.renamed) for e in fairytales(all_texts, a.ranked, random.Random(copy))]}
    examples: list[Example] = []
    for name, make in made.items():
        more = make()
        examples += more
        print(name, len(more), "texts", len(all_texts.number), flush=True)
    write_rows(a.out, list(all_texts.number), examples)


if __name__ == "__main__":
    main()
