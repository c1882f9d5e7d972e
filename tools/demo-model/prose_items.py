"""Tellings of book sentences with questions about them: what a person does who drops a novel and asks about it."""
from copy import copy
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import Iterator

from anchors import book_anchor
from items import LONGEST_FORK, MOST, Item, Writer
from prompts import NOT_IN_MEMORY, assistant_turn, fact_line, fill, user_turn
from clauses import Grammar
from prose import ECHOES, SAYING, loosened, mistakable, questions, telling
from texts import curled

WINDOWS = [30, 60, 120, 300]  # sentences in a row from which a telling is drawn: the nearer, the more they share
LONGEST_SENTENCE = 230  # characters
NOT_TOLD = 0.05  # of the questions: about sentences of the same pages that were not told
LOOSE = 0.4  # of the questions lose a word, where they can
IN_PRINT = 0.4  # of the tellings have the quotes of print, as most books; a person types plain ones
SAYINGS = 0.25  # of the questions about who said something, of which novels have most
EARLY = 0.03  # questions after a fact, each time, before all is told
WITH_QUESTIONS = 0.5  # of the facts told, where there are as many, answer something


@dataclass(frozen=True)
class Manner:
    """What is told together, and how much of it is asked."""

    alike_share: float = 0.75  # of the tellings have sentences that are alike…
    wide: int = 2000  # …from so many in a row
    alike: tuple[int, ...] = (2, 5, 23, 23)  # others that are likest to each question of such a telling
    alike_asked: float = 0  # of such tellings have others that answer something, too
    many: int = 16  # questions of a telling at most
    of_a_sentence: int = 2  # questions at most
    echoes: int = ECHOES  # one sentence in so many, of those in which nothing else can be asked
    sayings: bool = True  # whether it is asked what somebody said


PLAIN = Manner()
# Made for finding alone: likest sentences of a novel, most of which answer something, with many questions.
DENSE = Manner(1, 6000, (MOST - 1,), alike_asked=0.6, many=48, of_a_sentence=3, echoes=12, sayings=False)


class ProseWriter:
    def __init__(self, writer: Writer, documents: list[list[str]], not_told: float = NOT_TOLD):
        self.writer, self.m, self.not_told = writer, writer.m, not_told
        self.documents = [d for d in documents if len(d) >= WINDOWS[0]]
        self.sizes = [min(len(d), 6000) for d in self.documents]  # a long novel is not drawn from more than a short one
        self.grammar = Grammar([s for d in self.documents for s in d])
        self.words_of, self.anchor_of = cache(telling), cache(book_anchor)
        self.in_manner(PLAIN)

    def in_manner(self, manner: Manner) -> "ProseWriter":
        self.manner = manner
        self.asked_of = cache(lambda sentence: [pair for pair in questions(sentence, self.grammar, manner.echoes)
                                                if manner.sayings or not SAYING.search(pair[0])])
        return self

    def drawn_anew(self, writer: Writer, not_told: float = NOT_TOLD) -> "ProseWriter":
        """The same books, read once, with the draws of another writer."""
        other = copy(self)
        other.writer, other.m, other.not_told = writer, writer.m, not_told
        return other

    def pages(self, window: int | None = None) -> list[str]:
        """A run of sentences of one book."""
        book = self.m.random.choices(self.documents, self.sizes)[0]
        size = min(window or self.m.pick(WINDOWS), len(book))
        start = self.m.random.randint(0, len(book) - size)
        return [s for s in dict.fromkeys(book[start:start + size]) if len(s) < LONGEST_SENTENCE and self.anchor_of(s)]

    def telling(self, facts: int, tokens: int) -> Item | None:
        """Up to `facts` sentences of the same pages, then questions; None where nothing can be asked.

        Now and then they stand as the book has them. Else the sentences that answer something stand among those likest
        to the questions, in any order, as routing brings them: there is always another with some of the question's words.
        """
        r, alike = self.m.random, facts > 1 and self.m.chance(self.manner.alike_share)
        pages = self.pages(self.manner.wide if alike else self.m.pick(WINDOWS))
        asked = {s: found for s in pages if (found := self.asked_of(s))}
        if alike:
            chosen = self.with_alike(pages, asked, facts)
        else:
            chosen = set(r.sample(list(asked), min(len(asked), max(1, int(facts * WITH_QUESTIONS)))))
            others = [s for s in pages if s not in chosen]
            chosen |= set(r.sample(others, min(len(others), facts - len(chosen))))
        print_it = curled if self.m.chance(IN_PRINT) else str
        told, item, order = [], self.writer.told_item(), [s for s in pages if s in chosen]
        if alike:
            r.shuffle(order)
            asked = {s: found for s, found in asked.items() if s in chosen or r.random() < self.manner.many / len(asked)}
        for sentence in order:
            ids = self.writer.encode(fact_line(print_it(self.tag(sentence)), print_it(sentence)))
            if len(item.ids) + len(ids) > tokens - 4 * LONGEST_FORK:
                break
            item.tell(ids)
            told.append(sentence)
            if self.m.chance(EARLY):
                self.ask(item, told, asked, 2, tokens, print_it)
        self.ask(item, told, asked, self.manner.many, tokens, print_it)
        return item if item.forks else None

    def with_alike(self, pages: list[str], asked: dict, facts: int) -> set[str]:
        """Some sentences with questions, each with the sentences of these pages likest to one of its questions."""
        words = {s: self.words_of(s) for s in pages}
        each = min(self.m.pick(self.manner.alike), facts - 1)
        chosen: dict[str, None] = {}  # in the order found, which depends on nothing but the seed
        for sentence in self.m.random.sample(list(asked), min(len(asked), facts // (1 + each))):
            question, _ = self.m.pick(asked[sentence])
            wanted = telling(question)
            near = sorted(asked if self.manner.alike_asked and self.m.chance(self.manner.alike_asked) else words,
                          key=lambda s: -len(wanted & words[s]) / (8 + len(words[s])))[:2 * each + 1]
            chosen |= dict.fromkeys([sentence, *[s for s in near if s != sentence and not mistakable(question, s)][:each]])
        return set(list(chosen)[:facts])

    def tag(self, sentence: str) -> str:
        """The anchor, or now and then another word, as a model may have chosen."""
        words = [w.strip(".,;:!?\"'()") for w in sentence.split()]
        other = [w for w in words if len(w) > 4 and w.isalpha()]
        return self.m.pick(other) if other and self.m.chance(0.1) else self.anchor_of(sentence)

    def ask(self, item: Item, told: list[str], asked: dict, most: int, tokens: int, print_it) -> None:
        """Questions that one of the facts answers and no other seems to, and some that none answers."""
        pairs = []
        for sentence in asked:
            for question, answer in self.some(asked[sentence]):
                if SAYING.search(question) and not self.m.chance(SAYINGS):
                    continue
                if self.m.chance(LOOSE):
                    question = loosened(question, self.m.random)
                if not any(mistakable(question, other) for other in told if other != sentence):
                    pairs.append((sentence in told, question, print_it(answer)))
        self.m.random.shuffle(pairs)
        here = [(q, a) for inside, q, a in pairs if inside][:most]
        absent = [(q, NOT_IN_MEMORY) for inside, q, _ in pairs if not inside]
        absent = absent[:self.absent(len(here))]
        both = here + absent
        self.m.random.shuffle(both)
        for question, answer in both:
            if len(item.ids) <= tokens - LONGEST_FORK:
                self.writer.fork(item, question, answer)

    def some(self, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Some of a sentence's questions, of different kinds: one phrase gives a "What", a "With what" and a "Which"."""
        kinds: dict[str, list] = {}
        for pair in pairs:
            kinds.setdefault(pair[0].split()[0], []).append(pair)
        return [self.m.pick(kinds[k]) for k in self.m.random.sample(list(kinds), min(self.manner.of_a_sentence, len(kinds)))]

    def absent(self, here: int) -> int:
        """How many questions that no fact answers go with so many that one does: on average, the share of `not_told`."""
        return int(here * self.not_told / (1 - self.not_told) + self.m.random.random())

    def anchors(self, sentences: int) -> Item:
        """Copy the anchors of sentences of the same pages."""
        pages = [s for s in self.pages() if self.anchor_of(s) in s]
        start = self.m.random.randint(0, max(0, len(pages) - sentences))
        print_it = curled if self.m.chance(IN_PRINT) else str
        return self.writer.anchors_of([(print_it(self.anchor_of(s)), print_it(s)) for s in pages[start:start + sentences]])

    def question(self) -> Item | None:
        """Questions that a sentence answers."""
        found = [(s, q) for s in self.pages() if (q := self.asked_of(s))]
        if not found:
            return None
        sentence, pairs = self.m.pick(found)
        asked = self.m.random.sample([q for q, _ in pairs], min(3, len(pairs)))
        return self.writer.chat(user_turn(fill("questions", sentence=sentence)), assistant_turn("\n".join(asked)))

    def items(self, count: int, tokens: int, facts: int = 24, sentences: int = 12) -> Iterator[Item]:
        """Mostly tellings, of `facts` more often than of fewer; some anchors of up to `sentences`, some questions to be written."""
        r, made = self.m.random, 0
        for kind in (r.random() for _ in repeat(None)):
            if kind < 0.78:
                item = self.telling(facts if r.random() < 0.65 else r.randint(1, facts - 1), tokens)
            elif kind < 0.93:
                item = self.anchors(sentences if r.random() < 0.6 else r.randint(2, sentences))
            else:
                item = self.question()
            if item and len(item.ids) <= tokens:
                yield item
                made += 1
            if made == count:
                return
