"""A fork must be, token for token and position for position, the prompt that the app sends."""
import unittest
from pathlib import Path

import bpe
from items import ANSWERED, LESSONS, Item, Writer
from prompts import NOT_IN_MEMORY, answer_reply, fact_line, fill, user_turn
from facts import Maker
from worlds import STORY_RELATIONS, CarryWorld, CompassWorld, FactWorld, GiveWorld, MoveWorld, plain_words

MODEL = next((Path(__file__).parents[2] / "public/models").glob("*/tokenizer.json"))
BOOK = ["Mr. Utterson the lawyer was a man of a rugged countenance.", 'The Queen turned crimson with fury.']


def seen_by_fork(item: Item, fork: int) -> list[int]:
    """The tokens a fork sees, in order: the prefix told before it opens, then its own."""
    opens = item.fork.index(fork)
    told = [t for t, f in zip(item.ids[:opens], item.fork[:opens]) if f == 0]
    return told + [t for t, f in zip(item.ids, item.fork) if f == fork]


class Forks(unittest.TestCase):
    def setUp(self):
        self.tokenizer = bpe.Tokenizer(MODEL)
        self.writer = Writer(self.tokenizer, 5, BOOK, Path("."))

    def test_a_fork_is_the_plain_prompt(self):
        item = self.writer.told_item()
        lines = [("Mary", "Mary moved to the garden."), ("kitchen", "The kitchen is north of the hallway.")]
        for i, line in enumerate(lines):
            item.tell(self.tokenizer.encode(fact_line(*line)))
            self.writer.fork(item, f"Where is {line[0]}?", "garden")
            facts = "".join(fact_line(*l) for l in lines[:i + 1]).rstrip("\n")
            plain = user_turn(fill("answer", facts=facts, question=f"Where is {line[0]}?")) + answer_reply("garden")
            self.assertEqual(seen_by_fork(item, i + 1), self.tokenizer.encode(plain))

    def test_positions_continue_those_of_the_facts_seen(self):
        for world in [MoveWorld, CarryWorld, GiveWorld, CompassWorld, FactWorld]:
            item = self.writer.story(world, 12, 8, 512)
            for fork in range(1, item.forks + 1):
                first = item.fork.index(fork)
                self.assertEqual(item.position[first], item.fork[:first].count(0))

    def test_answers_carry_full_weight_and_their_own_targets(self):
        item = self.writer.told_item()
        item.tell(self.tokenizer.encode(fact_line("Mary", "Mary moved to the garden.")))
        self.writer.fork(item, "Where is Mary?", "garden")
        predicted = [t for t, w in zip(item.target, item.weight) if w == ANSWERED]
        self.assertEqual(self.tokenizer.decode(predicted), answer_reply("garden"))

    def test_the_prefix_predicts_across_forks(self):
        item = self.writer.story(MoveWorld, 10, 10, 512)
        told = [(t, target) for t, target, f in zip(item.ids, item.target, item.fork) if f == 0]
        for (_, target), (following, _) in zip(told, told[1:]):
            self.assertEqual(target, following)

    def test_most_questions_stand_after_all_facts(self):
        items = [self.writer.story(world, 24, 12, 768) for world in [MoveWorld, FactWorld] for _ in range(20)]
        late = sum(item.position[item.fork.index(fork)] == item.told for item in items for fork in range(1, item.forks + 1))
        self.assertGreater(late, 0.5 * sum(item.forks for item in items))
        self.assertTrue(all(len(item.ids) <= 768 for item in items))

    def test_a_long_telling_reaches_the_length_of_the_apps_longest_prompts(self):
        told = [self.writer.story(FactWorld, 24, 12, 768).told for _ in range(20)]
        self.assertGreater(sorted(told)[10], 320)


class Drills(unittest.TestCase):
    def test_of_two_directions_only_the_shared_room_is_asked_about(self):
        world = CompassWorld(Maker(1), babi=True)
        world.said = {("north", "kitchen"): "office", ("south", "office"): "kitchen",
                      ("south", "kitchen"): "garden", ("north", "garden"): "kitchen"}
        self.assertEqual(sorted(world.contested()), [
            ("What is north of the kitchen?", "office"), ("What is south of the kitchen?", "garden"),
            ("What is the kitchen north of?", "garden"), ("What is the kitchen south of?", "office")])
        self.assertEqual(len(world.forms()), 8)

    def test_a_thing_left_stays_where_its_bearer_was(self):
        for seed in range(30):
            world = CarryWorld(Maker(seed), babi=True)
            for _ in range(12):
                before = {thing: rooms[-1] for thing, rooms in world.trail.items() if thing not in world.holder}
                world.step()
                for thing in before.keys() - world.holder.keys():
                    self.assertIn((f"Where is the {thing}?", before[thing]), world.forms())

    def test_left_behind_is_what_lies_where_its_leaver_no_longer_is(self):
        asked = 0
        for seed in range(30):
            world = CarryWorld(Maker(seed), babi=True)
            for _ in range(16):
                world.step()
                for question, room in world.left_behind():
                    thing = question.removeprefix("Where is the ").rstrip("?")
                    self.assertNotIn(thing, world.holder)
                    self.assertIn((question, room), world.forms())
                    self.assertNotEqual(world.at[world.leaver[thing]], room)
                    asked += 1
        self.assertGreater(asked, 50)

    def test_things_left_and_things_carried_on_are_asked_about_equally_often(self):
        left = carried = 0
        for seed in range(200):
            world = CarryWorld(Maker(seed), True, people=1, things=1)
            for _ in range(8):
                world.step()
                for question, room in world.moved_since():
                    self.assertIn((question, room), world.forms())
                    if world.holder:
                        self.assertGreater(len(world.trail[next(iter(world.holder))]), 1)
                    left, carried = left + (not world.holder), carried + bool(world.holder)
        self.assertLess(abs(left - carried), 0.25 * (left + carried))
        self.assertGreater(left + carried, 100)

    def test_givers_and_subjects_are_answered_by_what_begins_the_fact(self):
        for seed in range(30):
            gifts, facts = GiveWorld(Maker(seed), babi=True), FactWorld(Maker(seed), False)
            told = [gifts.step()[1] for _ in range(16)]
            for question, giver in gifts.givers():
                thing = question.split(" the ")[1].split()[0].rstrip("?")
                self.assertTrue(any(s.startswith(giver) and f" the {thing} to " in s for s in told), question)
            for _ in range(16):
                facts.step()
            for question, answer in facts.subjects():
                self.assertIn((question, answer), facts.contested())
                self.assertTrue(any(f.sentence.removeprefix("The ").startswith(answer) for f in facts.said), question)

    def test_doubtful_questions_are_half_answered_and_half_of_what_nobody_told(self):
        answered = untold = 0
        for seed in range(20):
            world = FactWorld(Maker(seed), False)
            told = [world.step()[1] for _ in range(20)]
            for question, answer in world.doubtful():
                if answer != NOT_IN_MEMORY:
                    answered += 1
                    self.assertTrue(any(answer in sentence for sentence in told), question)
                else:
                    untold += 1
                    self.assertFalse(any(q == question for f in world.said for q, _ in f.questions), question)
        self.assertEqual(answered, untold)
        self.assertGreater(untold, 60)

    def test_a_late_drill_asks_after_its_last_fact_only(self):
        writer = Writer(bpe.Tokenizer(MODEL), 5, BOOK, Path("."))
        for item in (writer.drill(d, 768) for d in LESSONS["among"] for _ in range(10)):
            self.assertTrue(all(item.position[item.fork.index(fork)] == item.told for fork in range(1, item.forks + 1)))

    def test_a_drill_is_a_telling_with_many_answers(self):
        writer = Writer(bpe.Tokenizer(MODEL), 5, BOOK, Path("."))
        for item in (item for name in LESSONS for item in writer.lesson(name, 20, 256)):
            self.assertLessEqual(len(item.ids), 256)
            opened = [item.position[item.fork.index(fork)] for fork in range(1, item.forks + 1)]
            self.assertEqual(opened, sorted(opened))


class Beside(unittest.TestCase):
    def test_unrelated_facts_neither_name_the_story_nor_answer_questions_about_it(self):
        for seed in range(40):
            m = Maker(seed)
            words = MoveWorld(m, babi=True).cast.words()
            others = FactWorld(m, False, words)
            for _ in range(20):
                _, sentence = others.step()
                self.assertTrue(words.isdisjoint(plain_words(sentence)), sentence)
                self.assertNotIn(others.said[-1].relation.split()[0], STORY_RELATIONS)
                asked = others.ask()
                self.assertTrue(asked is None or words.isdisjoint(plain_words(asked[0])), asked)


if __name__ == "__main__":
    unittest.main()
