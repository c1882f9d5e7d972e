"""Training items: one conversation each, as prefix pieces and forks.

A story with questions is one sequence in which every question is a *fork*: it sees the facts told so far and its own
tokens, never another fork, and its positions continue those of the facts it sees. So a fork is token for token the
prompt the app sends for those facts, and one telling of 24 facts supervises a dozen answers.
"""
import re
from dataclasses import dataclass, field, replace
from itertools import islice, repeat
from pathlib import Path
from typing import Iterator

from anchors import book_anchor
from bpe import Tokenizer
from facts import Maker
from prompts import anchors_answer, anchors_prompt, answer_parts, answer_reply, assistant_turn, fact_line, fill, user_turn
from texts import BABI_TRAINING, COMBINING, babi_questions, babi_stories
from words import BABI_CAST, BABI_ROOMS, BABI_THINGS
from worlds import CarryWorld, CompassWorld, FactWorld, GiveWorld, MoveWorld, plain_words

# loss weight of a token, in hundredths. What is told is drawn at random: there is little to learn from predicting it,
# and scoring answers alone saves a sixth of the time.
ASKED, TOLD, ANSWERED = 0, 0, 100
BOOK_DISTRACTOR_LENGTH = 140  # characters
# shares of a story's facts that have nothing to do with it: a bAbI story of two facts stands among 22 others
UNRELATED = [0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92, 0.92]
BOOK_SHARE = 0.12  # of the unrelated facts
AT_THE_END = 0.7  # of the questions, so that most are asked with all facts told
LONGEST_FORK = 40  # tokens
FEW, MOST = 8, 24  # facts of an easy story and of any story at most
WORLDS = [MoveWorld, CarryWorld, GiveWorld, CompassWorld, FactWorld]
# An easy story is where a relation is learnt (directions, who carries what); a long one is where it is found again.
EASY_SHARES, FULL_SHARES = [0.18, 0.28, 0.2, 0.24, 0.1], [0.14, 0.22, 0.12, 0.18, 0.34]
DRILL_BABI = 0.7  # of the drills speak bAbI's own words


@dataclass(frozen=True)
class Drill:
    """A story of one relation with its hard questions."""

    world: type
    facts: tuple[int, int]  # fewest, most
    each: int  # questions at a time
    shape: dict = field(default_factory=dict)  # of the world
    asks: str = "contested"  # the world's list of questions to draw from
    among: bool = False  # unrelated facts
    late: bool = False  # questions after the last fact alone


ROOMS_AROUND = Drill(CompassWorld, (2, 2), 4, {"hub": True, "line": True})
ROOMS_ANYHOW = Drill(CompassWorld, (2, 4), 5)
ONE_CARRIER = Drill(CarryWorld, (3, 7), 2, {"people": 1, "things": 1})
TWO_CARRIERS = Drill(CarryWorld, (4, 9), 2, {"people": 2, "things": 1})
CARRIERS = Drill(CarryWorld, (4, 12), 3)
MOVED = Drill(CarryWorld, (6, 14), 2, asks="moved_since")
LEFT = replace(CARRIERS, asks="left_behind")
GIVERS = Drill(GiveWorld, (3, 20), 6)
SUBJECTS = Drill(FactWorld, (10, MOST), 1, asks="subjects")
MOVERS = Drill(MoveWorld, (3, 12), 6)
LONG_CARRIERS = Drill(CarryWorld, (8, MOST), 2)
LATE = {"among": True, "late": True}
# Relations are learnt in this order, each lesson alone and until it is right, first in short stories, then in long ones,
# asked about at every length; "all" and "keep" are for keeping them.
LESSONS = {
    "sides": [replace(ROOMS_AROUND, asks="direct")],
    "inverse": [ROOMS_AROUND],
    "rooms": [ROOMS_AROUND, ROOMS_ANYHOW, ROOMS_ANYHOW],
    "carrying": [ONE_CARRIER, ONE_CARRIER, TWO_CARRIERS],
    "left": [replace(ONE_CARRIER, facts=(4, 9), asks="left_behind"), replace(TWO_CARRIERS, facts=(5, 12), asks="left_behind"),
             replace(LEFT, facts=(8, 14))],
    "left-or-held": [replace(ONE_CARRIER, facts=(4, 9), each=1, asks="moved_since"),
                     replace(TWO_CARRIERS, facts=(5, 12), each=1, asks="moved_since")],
    "several-left-or-held": [MOVED, replace(MOVED, shape={"people": 1}), replace(MOVED, shape={"people": 2}),
                             replace(MOVED, shape={"people": 2, "things": 1}), replace(MOVED, shape={"people": 3, "things": 1})],
    "carriers": [ROOMS_ANYHOW, TWO_CARRIERS, replace(LEFT, facts=(8, 14)), CARRIERS, replace(CARRIERS, facts=(8, 18))],
    "subjects": [Drill(GiveWorld, (2, 7), 2, asks="givers"), Drill(FactWorld, (2, 7), 2, asks="subjects")],
    "long-subjects": [replace(SUBJECTS, facts=(4, 12), each=2), replace(SUBJECTS, facts=(8, 18), each=2), SUBJECTS, SUBJECTS,
                      replace(GIVERS, facts=(8, MOST), each=1, asks="givers", among=True)],
    "long-left-or-held": [MOVED, replace(MOVED, facts=(8, 18)), replace(MOVED, facts=(10, MOST)),
                          replace(MOVED, facts=(6, 12), among=True), replace(MOVED, facts=(8, 20), among=True)],
    "long-carriers": [LONG_CARRIERS, replace(LONG_CARRIERS, among=True), replace(LONG_CARRIERS, asks="left_behind", among=True)],
    "giving": [Drill(GiveWorld, (2, 6), 4), Drill(GiveWorld, (4, 14), 4)],
    "among": [*[replace(ROOMS_AROUND, **LATE)] * 2, replace(ROOMS_ANYHOW, each=6, **LATE),
              *[replace(CARRIERS, facts=(4, 14), each=6, **LATE)] * 2],
    "all": [MOVED, replace(MOVED, facts=(8, 18)), *[replace(MOVED, facts=(10, MOST))] * 2,
            replace(MOVED, facts=(6, 12), among=True), *[replace(MOVED, facts=(6, 20), among=True)] * 2,
            replace(CARRIERS, facts=(8, 16), each=2, asks="before"), LONG_CARRIERS, replace(LONG_CARRIERS, among=True),
            replace(SUBJECTS, facts=(8, 18), each=2), *[SUBJECTS] * 3,
            replace(GIVERS, **LATE), replace(GIVERS, facts=(4, 14), each=2, asks="givers"),
            replace(GIVERS, each=1, asks="givers", among=True),
            replace(MOVERS, **LATE), replace(ROOMS_AROUND, **LATE), replace(ROOMS_ANYHOW, each=6, **LATE)],
    "keep": [ROOMS_AROUND, ROOMS_ANYHOW, TWO_CARRIERS, CARRIERS, CARRIERS],
    "not-told": [Drill(FactWorld, (3, 10), 2, asks="doubtful"), Drill(FactWorld, (8, MOST), 8, asks="doubtful", late=True)],
}


@dataclass
class Item:
    """Tokens with the fork each belongs to (0: the prefix), its loss weight, its position and what follows it."""

    ids: list[int] = field(default_factory=list)
    fork: list[int] = field(default_factory=list)
    weight: list[int] = field(default_factory=list)  # of predicting the token *after* this one
    position: list[int] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    forks: int = 0
    told: int = 0  # prefix tokens so far

    def tell(self, ids: list[int], weight: int = TOLD) -> None:
        """Appends to the prefix."""
        previous = max((i for i, f in enumerate(self.fork) if f == 0), default=None)
        if previous is not None:  # the last prefix token predicts this piece, across any forks in between
            self.target[previous], self.weight[previous] = ids[0], weight
        self._append(ids, [weight] * len(ids), fork=0, start=self.told)
        self.told += len(ids)

    def ask(self, question: list[int], answer: list[int]) -> None:
        """Opens a fork here. Its first answer token is predicted by the last question token."""
        self.forks += 1
        weights = [ASKED] * (len(question) - 1) + [ANSWERED] * len(answer) + [ASKED]
        self._append(question + answer, weights, fork=self.forks, start=self.told)

    def _append(self, ids: list[int], weights: list[int], fork: int, start: int) -> None:
        self.ids += ids
        self.fork += [fork] * len(ids)
        self.position += range(start, start + len(ids))
        self.target += ids[1:] + [0]
        self.weight += weights[:-1] + [0]  # what follows the piece is not known yet


class Writer:
    """Turns stories and conversations into items with one tokenizer and one seed."""

    def __init__(self, tokenizer: Tokenizer, seed: int, book: list[str], data: Path):
        self.encode, self.m, self.book, self.data = tokenizer.encode, Maker(seed), book, data
        self.before, self.after = answer_parts()

    def fork(self, item: Item, question: str, answer: str) -> None:
        item.ask(self.encode(self.after.replace("{question}", question)), self.encode(answer_reply(answer)))

    def told_item(self) -> Item:
        item = Item()
        item.tell(self.encode(self.before), ASKED)
        return item

    def tag(self, anchor: str, sentence: str) -> str:
        """Mostly the anchor itself; sometimes another word of the sentence, as a rule or a model may have chosen."""
        other = book_anchor(sentence.removeprefix("The ")) if self.m.chance(0.1) else None
        return other or anchor

    def distractor(self) -> tuple[str, str] | None:
        """A short book sentence: what routing brings along when a name also occurs in the novel."""
        sentence = self.m.pick(self.book)
        anchor = book_anchor(sentence)
        return (anchor, sentence) if anchor and len(sentence) < BOOK_DISTRACTOR_LENGTH else None

    def beside(self, world) -> FactWorld:
        """Tells what stands beside the world's story: unrelated facts, of which a world of facts has enough itself."""
        return world if isinstance(world, FactWorld) else FactWorld(self.m, False, world.cast.words())

    def story(self, world_type, facts: int, questions: int, tokens: int) -> Item:
        """A world told among unrelated facts, up to `facts` in all, with up to `questions` forks and `tokens` tokens."""
        world = world_type(self.m, babi=self.m.chance(0.5))
        if world_type is FactWorld:
            unrelated, book = self.m.pick([0, 0, 0.1, 0.3]), 1.0
        else:
            unrelated, book = self.m.pick(UNRELATED if facts > FEW else [0, 0, 0, 0.3]), BOOK_SHARE
        others = self.beside(world)
        item, told = self.told_item(), 0
        early = questions * (1 - AT_THE_END) / facts
        while told < facts and len(item.ids) < tokens - 2 * LONGEST_FORK:
            if self.m.chance(unrelated):
                fact = self.distractor() if self.m.chance(book) else others.step()
            else:
                fact = world.step()
            if fact is None:
                continue
            item.tell(self.encode(fact_line(self.tag(*fact), fact[1])))
            told += 1
            if self.m.chance(early):
                self.asks(item, world, others, 1, tokens)
        self.asks(item, world, others, questions - item.forks, tokens)
        return item

    def asks(self, item: Item, world, others: FactWorld, count: int, tokens: int) -> None:
        """Up to `count` different questions, three of four about the story and the others about what stands beside."""
        asked: set[str] = set()
        for _ in range(2 * count):
            source = world if self.m.chance(0.75) else others
            ready = getattr(source, "at", True) and getattr(source, "said", True)
            fork = source.ask() if ready else None
            if len(asked) == count or len(item.ids) > tokens - LONGEST_FORK:
                return
            if fork and fork[0] not in asked:
                asked.add(fork[0])
                self.fork(item, *fork)

    def drill(self, drill: Drill, tokens: int) -> Item:
        world, item = drill.world(self.m, babi=self.m.chance(DRILL_BABI), **drill.shape), self.told_item()
        others = self.beside(world)
        unrelated, told = self.m.pick(UNRELATED) if drill.among else 0, 0
        left = self.m.random.randint(*drill.facts)
        while left and len(item.ids) < tokens - (1 + drill.each * drill.late) * LONGEST_FORK:
            beside = told + left < MOST and self.m.chance(unrelated)
            fact = others.step() if beside else world.step()
            if fact is None:
                continue
            item.tell(self.encode(fact_line(*fact)))
            told, left = told + 1, left - (not beside)
            if not beside and not (drill.late and left):
                self.quiz(item, drill, world, tokens)
        return item

    def quiz(self, item: Item, drill: Drill, world, tokens: int) -> None:
        """Up to `each` of the hard questions, as far as there is room."""
        forms = list(dict.fromkeys(getattr(world, drill.asks)()))
        self.m.random.shuffle(forms)
        for question, answer in forms[:drill.each]:
            if len(item.ids) <= tokens - LONGEST_FORK:
                self.fork(item, question, answer)

    def lesson(self, name: str, count: int, tokens: int) -> Iterator[Item]:
        """As many drills, those in which nothing could be asked left out."""
        drills = (self.drill(self.m.pick(LESSONS[name]), tokens) for _ in repeat(None))
        return islice((item for item in drills if item.forks), count)

    def babi(self, task: str, facts: int, tokens: int) -> Iterator[Item]:
        """Training stories of one task among unrelated facts, up to `facts` in all."""
        for story in babi_stories(self.data, task):
            item, told, unrelated = self.told_item(), 0, self.m.pick(UNRELATED)
            others = FactWorld(self.m, False, set().union(*(plain_words(text) for text, _ in story)))
            for text, answer in story:
                lines = []
                while told + len(lines) < facts - 3 and self.m.chance(unrelated if answer is None else unrelated / 2):
                    lines.append(others.step())
                if answer is None:
                    lines.append((text.removeprefix("The ").split()[0], text))
                if told + len(lines) > facts or len(item.ids) > tokens - 2 * LONGEST_FORK:
                    break
                for anchor, sentence in lines:
                    item.tell(self.encode(fact_line(self.tag(anchor, sentence), sentence)))
                told += len(lines)
                if answer is not None:
                    self.fork(item, text, answer)
            if item.forks:
                yield item

    def renamed(self, *texts: str) -> list[str]:
        """The texts with bAbI's people, rooms and things among themselves exchanged: another story of the same shape."""
        table = {}
        for words in (BABI_CAST[:4], BABI_ROOMS, BABI_THINGS):
            table.update(zip(words, self.m.random.sample(words, len(words))))
        return [re.sub(r"\w+", lambda word: table.get(word[0], word[0]), text) for text in texts]

    def babi_asked(self, task: str, facts: int, tokens: int, rename: bool = False) -> Iterator[Item]:
        """Training questions of one task, each after its supporting facts and the latest others, `facts` in all, of
        which some are unrelated: what is left of a long story when there is room for so many."""
        for story, support, question, answer in babi_questions(self.data, task):
            if rename:
                question, answer, *story = self.renamed(question, answer, *story)
            count = facts if self.m.chance(0.6) else self.m.random.randint(len(support), facts)
            spare = [i for i in range(len(story)) if i not in support]
            kept = support | set(spare[-(count - len(support)):] if count > len(support) else [])
            lines = [(story[i].removeprefix("The ").split()[0], story[i]) for i in sorted(kept)]
            others = FactWorld(self.m, False, set().union(*map(plain_words, story)))
            while len(lines) < count:
                lines.insert(self.m.random.randint(0, len(lines)), others.step())
            item = self.told_item()
            for anchor, sentence in lines:
                item.tell(self.encode(fact_line(self.tag(anchor, sentence), sentence)))
            self.fork(item, question, answer)
            if others.said:
                self.asks(item, others, others, 2, tokens)
            if len(item.ids) <= tokens:
                yield item

    def anchors(self, sentences: int) -> Item:
        """Copy an anchor from each numbered sentence, made or from books."""
        pairs: list[tuple[str, str]] = []
        made = self.m.pick([0, 0, 0, 0.5, 1])
        while len(pairs) < sentences:
            if self.m.chance(made):
                fact = self.m.fact()
                pair = (fact.anchor, fact.sentence)
            else:
                pair = self.distractor()
            if pair and pair[0] in pair[1]:
                pairs.append(pair)
        return self.anchors_of(pairs)

    def anchors_of(self, pairs: list[tuple[str, str]]) -> Item:
        return self.chat(anchors_prompt([s for _, s in pairs]), anchors_answer([a for a, _ in pairs]))

    def questions(self) -> Item:
        """Questions that a made sentence answers."""
        fact = self.m.fact()
        asked = [q for q, _ in fact.questions]
        self.m.random.shuffle(asked)
        return self.chat(user_turn(fill("questions", sentence=fact.sentence)), assistant_turn("\n".join(asked[:3])))

    def chat(self, prompt: str, answer: str) -> Item:
        item = Item()
        ids = self.encode(prompt)
        item.tell(ids[:1], ASKED)
        item.ask(ids[1:], self.encode(answer))
        return item

    def items(self, count: int, easy: bool, tokens: int) -> Iterator[Item]:
        """The chat mixture. Easy: up to 8 facts and 4 sentences to anchor; else up to 24 and 12, mostly that many."""
        r = self.m.random
        for _ in range(count):
            kind = r.random()
            if kind < 0.76:
                world = r.choices(WORLDS, EASY_SHARES if easy else FULL_SHARES)[0]
                facts = r.randint(2, FEW) if easy else 24 if r.random() < 0.6 else r.randint(FEW, 24)
                yield self.story(world, facts, r.randint(4, 9) if easy else r.randint(10, 16), tokens)
            elif kind < 0.96:
                yield self.anchors(r.randint(1, 4) if easy else 12 if r.random() < 0.6 else r.randint(3, 12))
            else:
                yield self.questions()

    def babi_combining(self, facts: int, tokens: int, rounds: int) -> Iterator[Item]:
        """All training questions that combine facts, in so many rounds with other names each; of QA3, of which there is a
        fifth as many, four times as often."""
        for _ in range(rounds):
            for task in COMBINING:
                for _ in range(1 if "10k_qa2" in task else 4):
                    yield from self.babi_asked(task, facts, tokens, rename=True)

    def babi_items(self, per_task: int, facts: int, tokens: int) -> Iterator[Item]:
        """Up to `per_task` training stories of each bAbI task, and as many of the questions that combine facts."""
        for task in BABI_TRAINING:
            yield from islice(self.babi(task, facts, tokens), per_task)
            if task in COMBINING:
                yield from islice(self.babi_asked(task, facts, tokens), per_task)
