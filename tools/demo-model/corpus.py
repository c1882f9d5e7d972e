"""Builds the token files that training reads.

    python3 corpus.py DATA OUT [--tokenizer FILE | --vocab 4096] [--novels MB] [--items N] [--facts N] [--seed N] [--only PARTS]

OUT/tokenizer.json   the given one, or one learnt here
OUT/text.u16         training text; OUT/heldout.u16, heldout.json: four books kept out (tokens; sentences)
OUT/easy.npz, full.npz, babi.npz, prose.npz, prose-short.npz, prose-dense.npz, prose-first.npz, LESSON.npz, val_*.npz   packed chat rows (see items.py and `pack`)
OUT/facts.u16        rows of [key position, prompt length, value length, prompt and value tokens…]
OUT/written.u16      rows like these for the writer: sentences of all kinds, notes, tables, code
OUT/keys.u16         groups of rows of [key position, prompt length, prompt tokens…]: keys hard to tell apart; first the probe's
"""
import argparse
import json
import random
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Callable, Iterable

import numpy as np

import bpe
from anchors import book_anchor
from facts import Maker
from fragments import coded, parts
from items import LESSONS, MOST, WORLDS, Item, Writer
from notes import line, programs
from prompts import PROBES, PROMPTS, SPECIALS, recall_prompt
from prose_items import DENSE, ProseWriter
from texts import curled, novels, sentences, texts
from words import LAST
from worlds import CarryWorld, CompassWorld, GiveWorld, MoveWorld

EASY_ROW, FULL_ROW = 256, 768  # tokens; 24 made facts are 320 to 460, and a dozen questions 300
PROSE_ROW, PROSE_ITEM = 2048, 2000  # the model's window; 24 sentences of a book are 700 to 1,100
SHORT_PROSE_ROW, SHORT_PROSE = 512, {"facts": 5, "sentences": 5}  # where questions about sentences are learnt first
LONGEST_PROMPT, LONGEST_VALUE = 30, 32  # tokens of a recall prompt and of a value
IN_PRINT, ACCENTED = 0.45, 0.15  # of the values have the quotes of print; of these, a letter that English has not
ACCENTS = {"e": "éèêë", "a": "àâäáæå", "o": "öóôøœ", "u": "üú", "i": "ïîí", "c": "ç", "n": "ñ", "-": "—–", "s": "ß§"}
SCRIPTS = ((0xC0, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x4E00, 0x9FFF), (0x2190, 0x22FF))
NOTES_SHARE, SHORT_SHARE = 0.5, 0.12  # of the writer's facts: lines of notes; cut to a few words
WHOLE_SHARE = 0.42  # of the longer values said as a whole, not in parts
KEY_GROUP = 8  # keys hard to tell apart; as many as the probe has
OPEN_ROWS = 24  # rows kept open while packing
PIECES = ["ids", "target", "position", "fork", "weight"]


def pack(items: Iterable[Item], row: int, path: Path) -> int:
    """First-fit packing of items into rows [R, row]; `item` tells which item of its row a token belongs to (0: none).

    Returns the number of rows. A row is closed once OPEN_ROWS younger ones are open.
    """
    done, open_rows = [], []
    for item in items:
        n = min(len(item.ids), row)
        target = next((r for r in open_rows if r["used"] + n <= row), None)
        if target is None:
            target = {"used": 0, "items": 0, **{k: np.zeros(row, np.uint16) for k in [*PIECES, "item"]}}
            open_rows.append(target)
            if len(open_rows) > OPEN_ROWS:
                done.append(open_rows.pop(0))
        place = slice(target["used"], target["used"] + n)
        target["items"] += 1
        target["item"][place] = target["items"]
        for k in PIECES:
            target[k][place] = getattr(item, k)[:n]
        target["weight"][place.stop - 1] = 0  # a cut item's last target is not there
        target["used"] += n
    done += open_rows
    small = {"fork", "weight", "item"}
    np.savez(path, **{k: np.stack([r[k] for r in done]).astype(np.uint8 if k in small else np.uint16)
                      for k in [*PIECES, "item"]})
    return len(done)


def text_tokens(tokenizer: bpe.Tokenizer, documents: list[str], path: Path) -> int:
    end, ids = tokenizer.specials["<|endoftext|>"], []
    for document in documents:
        for paragraph in document.split("\n"):
            ids += tokenizer.encode(paragraph + "\n")
        ids.append(end)
    np.array(ids, dtype=np.uint16).tofile(path)
    return len(ids)


def some_fact(m: Maker, book: list[str]) -> tuple[str, str] | None:
    """(anchor, value) for the reconstruction objective: made, bAbI-like, or a book sentence."""
    roll = m.random.random()
    if roll < 0.12:
        fact = m.fact()
        return fact.anchor, fact.sentence
    if roll < 0.18:
        world = m.pick([MoveWorld, CarryWorld, GiveWorld, CompassWorld])(m, babi=m.chance(0.7))
        steps = [world.step() for _ in range(m.random.randint(1, 6))]
        return steps[-1]
    sentence = m.pick(book)
    anchor = book_anchor(sentence)
    return (anchor, sentence) if anchor else None


def in_print(m: Maker, text: str) -> str:
    """`text` with the quotes of print, now and then a letter with an accent, or any other character."""
    text = curled(text)
    at = [i for i, c in enumerate(text) if c in ACCENTS] if m.chance(ACCENTED) else []
    if at:
        i = m.pick(at)
        letter = m.pick(ACCENTS[text[i]]) if m.chance(0.8) else chr(m.random.randint(*m.pick(SCRIPTS)))
        text = text[:i] + letter + text[i + 1:]
    return text


def some_index(m: Maker) -> int:
    """j of a key: mostly the first few, sometimes as many as a name of a long novel has."""
    return min(m.random.randint(1, m.pick([1, 3, 8, 14, 14, 60])), 99)


def some_part(m: Maker, tokenizer: bpe.Tokenizer, value: list[int]) -> tuple[list[int], int | None]:
    """A part of a value with its number, or the value as a whole (None): mostly parts of up to 14 tokens, as the app's
    are, which it halves when they do not come back exactly."""
    longest = m.pick([6, 8, 10, 12, 14, 14, 14, 16, 20, 24, 28, 32, 32])
    if m.chance(WHOLE_SHARE) or len(value) <= longest:
        return value, None
    cut = parts([tokenizer.decode([i]) for i in value], longest)
    number = m.random.randrange(len(cut))
    return value[cut[number]], number + 1 if len(cut) > 1 else None


def fact_rows(tokenizer: bpe.Tokenizer, m: Maker, book: list[str], count: int,
              draw: Callable[[], tuple[str, str] | None] | None = None) -> np.ndarray:
    """Rows of facts that `draw` makes (`some_fact` if it is not given).

    [count, 3 + LONGEST_PROMPT + LONGEST_VALUE]. The key token is the prompt's last but one, before its colon."""
    rows = np.zeros((count, 3 + LONGEST_PROMPT + LONGEST_VALUE), np.uint16)
    filled = 0
    while filled < count:
        fact = draw() if draw else some_fact(m, book)
        if not fact:
            continue
        text = in_print(m, fact[1]) if m.chance(IN_PRINT) else fact[1]
        value, part = some_part(m, tokenizer, coded(tokenizer, tokenizer.encode(" " + text)))
        prompt = tokenizer.encode(recall_prompt(fact[0], some_index(m), part))
        if len(prompt) <= LONGEST_PROMPT and len(value) <= LONGEST_VALUE:
            rows[filled, :3] = len(prompt) - 2, len(prompt), len(value)
            rows[filled, 3:3 + len(prompt) + len(value)] = prompt + value
            filled += 1
    return rows


def written_fact(m: Maker, book: list[str], code: list[str]) -> tuple[str, str]:
    """(anchor, value) as a whole text gives them: every sentence, whatever it holds on to, and the lines of notes."""
    roll = m.random.random()
    if roll < NOTES_SHARE:
        text = line(m, code)
    elif fact := some_fact(m, book):
        return fact
    else:
        text = m.pick(book)
    words = text.split()
    if m.chance(SHORT_SHARE):
        text = " ".join(words[:m.random.randint(1, 5)])
    return m.pick([w for w in words if len(w) > 2] or words)[:24], text


def written_rows(tokenizer: bpe.Tokenizer, m: Maker, book: list[str], count: int) -> np.ndarray:
    """Rows as those of `fact_rows`, for the writer."""
    code = programs()
    return fact_rows(tokenizer, m, book, count, lambda: written_fact(m, book, code))


def near_anchor(m: Maker, anchor: str, book: list[str]) -> str:
    """An anchor that may be mistaken for the given one: a word less or more, or just any other."""
    words = anchor.split()
    if len(words) > 1 and m.chance(0.5):
        return m.pick([words[0], words[-1], " ".join(words[:-1])])
    if m.chance(0.4):
        return m.pick([f"{anchor} {m.pick(LAST)}", f"{m.first_name()} {words[-1]}", f"the {anchor}"])
    fact = some_fact(m, book)
    return fact[0] if fact else m.person()


def key_group(m: Maker, book: list[str]) -> list[tuple[str, int, int | None]]:
    """KEY_GROUP different keys that are hard to tell apart: one anchor's facts and parts, and those of others like it."""
    fact = some_fact(m, book)
    anchors = [fact[0] if fact else m.person()]
    anchors += [near_anchor(m, anchors[0], book) for _ in range(m.random.randint(1, KEY_GROUP - 2))]
    first, found = some_index(m), {}
    near = [first, first, 1, first + 1, first + 10, int(str(first)[::-1]) or 1, some_index(m), m.random.randint(1, 99)]
    while len(found) < KEY_GROUP:
        anchor = anchors[0] if m.chance(0.6) else m.pick(anchors)
        index = m.pick(near)
        part = m.pick([None, None, None, 1, 2, 3, m.random.randint(1, 12)])
        found[anchor, index, part] = True
    return list(found)


def key_rows(tokenizer: bpe.Tokenizer, m: Maker, book: list[str], groups: int) -> np.ndarray:
    """[1 + groups, KEY_GROUP, 2 + LONGEST_PROMPT]: key position, prompt length, prompt. The first group is the probe."""
    rows = np.zeros((1 + groups, KEY_GROUP, 2 + LONGEST_PROMPT), np.uint16)
    filled = 0
    while filled < len(rows):
        prompts = [tokenizer.encode(recall_prompt(*key)) for key in (key_group(m, book) if filled else PROBES)]
        if max(map(len, prompts)) <= LONGEST_PROMPT:
            for row, prompt in zip(rows[filled], prompts):
                row[:2] = len(prompt) - 2, len(prompt)
                row[2:2 + len(prompt)] = prompt
            filled += 1
    return rows


def lesson_row(name: str) -> int:
    return FULL_ROW if any(drill.among or drill.facts[1] == MOST for drill in LESSONS[name]) else EASY_ROW


def validation(writer: Writer, out: Path) -> int:
    """val_KIND.npz of each lesson and of each world among 24 facts. Returns the rows written."""
    rows = 0
    for name in LESSONS:
        rows += pack(writer.lesson(name, 120, lesson_row(name)), lesson_row(name), out / f"val_{name}.npz")
    for world in WORLDS:
        among = [writer.story(world, 24, 12, FULL_ROW) for _ in range(10)]
        rows += pack(among, FULL_ROW, out / f"val_{world.__name__}24.npz")
    return rows


@dataclass
class Corpus:
    """What the files of OUT are made from; each method writes the files of its name."""

    data: Path
    out: Path
    tokenizer: bpe.Tokenizer
    documents: list[str]  # whose text is read…
    books: list[list[str]]  # …and the sentences of these and of novels…
    heldout: list[str]  # …but of none of these
    items: int
    count: int  # of facts
    seed: int = 0  # another one gives other rows, for a run that goes on

    @property
    def book(self) -> list[str]:
        return [s for book in self.books for s in book]

    @cached_property
    def prose_writer(self) -> ProseWriter:
        """Reads the books' grammar and questions once for all parts that draw from them."""
        return ProseWriter(self.writer(4), self.books)

    def writer(self, seed: int) -> Writer:
        return Writer(self.tokenizer, seed + 1000 * self.seed, self.book, self.data)

    def pack(self, name: str, items: Iterable[Item], row: int) -> None:
        print(name, "rows", pack(items, row, self.out / f"{name}.npz"), flush=True)

    def facts(self) -> None:
        rows = fact_rows(self.tokenizer, Maker(4242 + self.seed), self.book, self.count)
        rows.tofile(self.out / "facts.u16")
        print("facts", len(rows), flush=True)

    def written(self) -> None:
        rows = written_rows(self.tokenizer, Maker(4444 + self.seed), self.book, self.count)
        rows.tofile(self.out / "written.u16")
        print("facts for the writer", len(rows), flush=True)

    def keys(self) -> None:
        rows = key_rows(self.tokenizer, Maker(4343 + self.seed), self.book, self.count // 10)
        rows.tofile(self.out / "keys.u16")
        print("groups of keys", len(rows), flush=True)

    def easy(self) -> None:
        self.pack("easy", self.writer(1).items(self.items, True, EASY_ROW), EASY_ROW)

    def full(self) -> None:
        full = self.writer(2)
        mixed = [*full.items(self.items, False, FULL_ROW), *full.babi_items(self.items // 24, 24, FULL_ROW)]
        random.Random(3).shuffle(mixed)
        self.pack("full", mixed, FULL_ROW)

    def babi(self) -> None:
        items = list(self.writer(5).babi_combining(24, FULL_ROW, 2))
        random.Random(6).shuffle(items)
        self.pack("babi", items, FULL_ROW)

    def prose(self) -> None:
        self.pack("prose", self.prose_writer.drawn_anew(self.writer(4)).items(self.items, PROSE_ITEM), PROSE_ROW)

    def prose_short(self) -> None:
        prose = self.prose_writer.drawn_anew(self.writer(7))
        self.pack("prose-short", prose.items(2 * self.items, SHORT_PROSE_ROW, **SHORT_PROSE), SHORT_PROSE_ROW)

    def prose_dense(self) -> None:
        prose = self.prose_writer.drawn_anew(self.writer(9)).in_manner(DENSE)
        tellings = (prose.telling(MOST, PROSE_ITEM) for _ in range(self.items))
        self.pack("prose-dense", filter(None, tellings), PROSE_ROW)

    def prose_first(self) -> None:
        # where it is not sure yet, a model says that nothing is there, and learns no more
        prose = self.prose_writer.drawn_anew(self.writer(8), not_told=0.0)
        self.pack("prose-first", prose.items(2 * self.items, SHORT_PROSE_ROW, **SHORT_PROSE), SHORT_PROSE_ROW)

    def lessons(self) -> None:
        for seed, name in enumerate(LESSONS, 10):
            self.pack(name, self.writer(seed).lesson(name, self.items, lesson_row(name)), lesson_row(name))

    def val(self) -> None:
        held = [s for d in self.heldout for s in sentences(d)]
        (self.out / "heldout.json").write_text(json.dumps(held))
        val = Writer(self.tokenizer, 999, held, self.data)
        print("validation rows", validation(val, self.out), flush=True)
        prose = ProseWriter(val, [sentences(d) for d in self.heldout])
        self.pack("val_prose", (prose.telling(24, PROSE_ITEM) or prose.anchors(12) for _ in range(12)), PROSE_ROW)

    def text(self) -> None:
        print("text tokens", text_tokens(self.tokenizer, self.documents, self.out / "text.u16"),
              "held out", text_tokens(self.tokenizer, self.heldout, self.out / "heldout.u16"), flush=True)


PARTS = ["facts", "written", "keys", "easy", "full", "babi", "prose", "prose-short", "prose-dense", "prose-first", "lessons", "val", "text"]


def learn_tokenizer(documents: list[str], vocab: int, path: Path) -> None:
    m = Maker(0)
    made = " ".join(m.fact().sentence for _ in range(60000))
    prompts = [" ".join(PROMPTS.values())] * 50
    bpe.write(*bpe.train(documents[:400] + [made] + prompts, vocab, SPECIALS), SPECIALS, path)


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("data", type=Path)
    args.add_argument("out", type=Path)
    args.add_argument("--tokenizer", type=Path)
    args.add_argument("--vocab", type=int, default=4096)
    args.add_argument("--novels", type=float, default=0, help="megabytes of novels whose sentences are used")
    args.add_argument("--items", type=int, default=20000, help="conversations in each of easy and full")
    args.add_argument("--facts", type=int, default=200000)
    args.add_argument("--seed", type=int, default=0, help="another one gives other rows; what is held out stays the same")
    args.add_argument("--only", default=",".join(PARTS), help="the files to write: " + ", ".join(PARTS))
    a = args.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)

    documents = list(texts(a.data))
    random.Random(0).shuffle(documents)
    heldout = [d for d in documents if 80_000 < len(d) < 200_000][:4]
    documents = [d for d in documents if d not in heldout]
    stories = novels(a.data, a.novels)  # sentences alone: their text would be read more often than all the rest
    if a.tokenizer:
        shutil.copyfile(a.tokenizer, a.out / "tokenizer.json")
    else:
        learn_tokenizer(documents, a.vocab, a.out / "tokenizer.json")
    corpus = Corpus(a.data, a.out, bpe.Tokenizer(a.out / "tokenizer.json"), documents,
                    [sentences(d) for d in [*documents, *stories]], heldout, a.items, a.facts, a.seed)
    for part in a.only.split(","):
        getattr(corpus, part.replace("-", "_"))()


if __name__ == "__main__":
    main()
