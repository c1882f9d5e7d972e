"""The reader: units and features of a text, spans that meet an answer, the loss, and the choice of a span."""
import random
import re
import unittest
from pathlib import Path

import numpy as np
import torch

import bpe
from facts import Maker
from reader import (FEATURES, LONGEST, MATCHES, REACH, Asked, Batch, Flat, Head, HeadShape, Noise, Table, answers_of, arrays_of,
                    grouped_logsumexp, interval, loss_of, relations, surest)
from reader_notes import page
from reader_rows import Bm25, Example, Texts, found_spans, gapped, phrases, untokenised
from renamed import Renaming
from reader_text import ASKS, STATIC, Reading, ask_of, normal, spans_of, stem, token_f1, units

TOKENIZER = bpe.Tokenizer(Path(__file__).resolve().parents[2] / "public/models/palimpsest-7m/tokenizer.json")
reading = lambda text, most=96: Reading(text, TOKENIZER, most)


class Text(unittest.TestCase):
    def test_units_have_no_marks_around_them_and_prices_are_whole(self):
        text = "“The worktop”—it costs EUR 1,120.00, not €2,450.00. See you at 3 p.m. (quarter to twelve), -5 °C"
        said = [text[u.start:u.end] for u in units(text.translate({0x201c: '"', 0x201d: '"'}))]
        self.assertEqual(said, ["The", "worktop", "it", "costs", "EUR", "1,120.00", "not", "€2,450.00", "See", "you", "at", "3", "p.m.",
                                "quarter", "to", "twelve", "-5", "°C"])

    def test_classes_spelt_out_split_alike(self):
        spelt = re.compile(bpe.spelt_out(bpe.PATTERN))
        for text in ("It's 12½ m², naïve – Ünal's \n\n 北京 ٣٤ Ⅷ!  x", "€2,450.00 at 3 p.m. (a_b) 'LL don't\ttab  "):
            self.assertEqual(spelt.findall(text), [m[0] for m in bpe.SPLIT.finditer(text)])

    def test_every_unit_has_its_tokens(self):
        r = reading("Tom paid €2,450.00 – “too much”.")
        for n, u in enumerate(r.units):
            said = TOKENIZER.decode(r.tokens[r.first[n]:r.last[n] + 1])
            self.assertIn(r.text[u.start:u.end], said)
            self.assertTrue((r.unit[r.first[n]:r.last[n] + 1] == n).all())

    def test_a_long_text_is_cut_between_units(self):
        r = reading("One two three four five six seven.", 4)
        self.assertEqual(len(r.tokens), 4)
        self.assertLessEqual(max(r.last.values()), 3)
        self.assertEqual(reading("").units, [])

    def test_features_of_a_text(self):
        r = reading('The king said "Come at 7" to Anna.')
        at = lambda word: r.first[[u.word for u in r.units].index(word)]
        self.assertEqual(r.static[at("the"), STATIC.index("stop")], 1)
        self.assertEqual(r.static[at("the"), STATIC.index("capital")], 0)
        self.assertEqual(r.static[at("anna"), STATIC.index("capital")], 1)
        self.assertEqual(r.static[at("7"), STATIC.index("number")], 1)
        self.assertEqual(r.static[at("come"), STATIC.index("quoted")], 1)
        self.assertEqual(r.static[at("anna"), STATIC.index("quoted")], 0)

    def test_forms_of_a_word_meet(self):
        for several in (("struck", "strike"), ("died", "die"), ("carried", "carries", "carry"), ("running", "ran"), ("happily", "happy"),
                        ("loved", "love", "loves"), ("Anna's".lower(), "anna")):
            self.assertEqual(len({stem(word) for word in several}), 1, several)

    def test_what_a_question_asks_for(self):
        for question, name in (("Who came?", "who"), ("What time is it?", "when"), ("How much is it?", "many"), ("How did he feel?", "feel"),
                               ("Why did he go?", "why"), ("What did he do?", "did"), ("What was it?", "what")):
            self.assertEqual(ASKS[ask_of(question)][0], name, question)
        self.assertEqual(ask_of("Name it."), len(ASKS))


class Spans(unittest.TestCase):
    def test_an_exact_span_does_not_begin_with_an_article(self):
        r = reading("Then the big sun set, and the sun was gone.")
        said = {(r.text[r.units[i].start:r.units[j].end], f1) for i, j, f1 in spans_of(r, ["the sun"], 0.9, 25)}
        self.assertEqual(said, {("sun", 1.0)})

    def test_near_spans_have_the_f1_that_is_compared(self):
        r = reading("He went into the dark old forest alone.")
        for i, j, f1 in spans_of(r, ["the dark forest"], 0.5, 25):
            said = r.text[r.units[i].start:r.units[j].end]
            self.assertAlmostEqual(f1, token_f1(normal(said), normal("the dark forest")))
            self.assertGreaterEqual(f1, 0.5)

    def test_notes_answer_their_questions_in_one_span(self):
        m = Maker(1)
        for text, asked in (line for _ in range(60) for line in page(m, 8)):
            r = reading(text, 200)
            for question, answer in asked:
                self.assertTrue(spans_of(r, [answer], 0.99, 25), (text, question, answer))


class Ranking(unittest.TestCase):
    def test_the_sentence_with_the_rarest_words_is_first(self):
        lines = ["The dog ran home.", "The dog struck a bear.", "A bear slept."]
        self.assertEqual(Bm25(lines).rank("Which bear did the dog strike?", 3)[0], 1)

    def test_text_that_was_cut_into_tokens_is_put_together(self):
        self.assertEqual(untokenised("He did n't go , ( said Tom 's friend ) ."), "He didn't go, (said Tom's friend).")


class Rows(unittest.TestCase):
    def test_a_gap_takes_whole_words(self):
        draw = random.Random(0)
        for _ in range(20):
            self.assertRegex(gapped("They looked, and took a last look at the old mill.", "old mill", draw), "[Ll]ook at what\\?$")
            self.assertRegex(gapped("They looked, and gave Anna a look.", "look", draw), "(?:and|And) gave Anna what\\?$")
        self.assertEqual(set(phrases("Then Anna saw the old mill by a river.")), {"Anna", "old mill", "river"})

    def test_a_story_with_other_names_keeps_its_answers(self):
        told = ["There was Rashin with a golden ring.", "The king gave Rashin an apple.", "Then Rashin ran to the castle."]
        for seed in range(20):
            other = Renaming(told, random.Random(seed))
            sentence, answer = other.applied(told[1]), other.applied("the king")
            self.assertIn(answer, sentence[0].lower() + sentence[1:])
            self.assertNotRegex(sentence, r"\ba [aeiou]|\ban [^aeiou]")
            self.assertEqual(len(sentence.split()), 6 - (len(answer.split()) - 2))


class Made(Flat):
    """Two questions, without files."""

    def __init__(self):
        every = Texts()
        self.examples = [
            every.example("fairytale", "Who struck the bear?", ["Anna struck a bear.", "A bear slept.", "Tom left."], ["Anna"], 0.5),
            every.example("fairytale", "Where is the key?", ["The door was shut.", "He lost it."], ["under the mat"], 0.5)]
        self.readings = [Reading(text, TOKENIZER, most) for text, most in every.number]
        super().__init__(arrays_of(self.readings))
        for e in self.examples:
            e.spans = found_spans(e, self.readings.__getitem__)
        self.embedding = torch.randn(4096, 16, generator=torch.Generator().manual_seed(2))


class Reader(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.rows = Made()
        self.head = Head(HeadShape(width=32, depth=1, heads=2, reads=(0,), hidden=16), 0.0).eval()
        self.all = [(e, list(range(len(e.candidates)))) for e in self.rows.examples]

    def test_matches_are_marked_on_both_sides(self):
        rows, e = self.rows, self.rows.examples[0]
        q, s = e.question, e.candidates[0]
        found = Batch(rows, np.array([q]), np.array([s]), np.zeros(1), (0,)).features[0]
        r, Q = rows.readings[s], int(rows.size[q])
        struck, anna = Q + r.first[1], Q + r.first[0]
        self.assertEqual(found[struck, FEATURES.index("same stem")], 1)
        self.assertEqual(found[anna, FEATURES.index("same stem")], 0)
        self.assertGreater(found[anna, FEATURES.index("near a match")], 0.5)
        self.assertEqual(found[anna, FEATURES.index("covered")], 1)

    def test_relations_are_clipped_distances_and_two_for_across(self):
        r = relations(2, 3)
        self.assertEqual(r[0, 1], REACH + 1)
        self.assertEqual(r[4, 2], REACH - 2)
        self.assertEqual((r[0, 3], r[3, 0]), (2 * REACH + 1, 2 * REACH + 2))

    def test_padding_and_other_questions_change_no_score(self):
        together = Asked(self.rows, self.all, (0,), groups=1)
        (batch, owner, candidate), = together.parts
        scores = self.head(batch)
        for row in range(len(owner)):
            e = self.rows.examples[owner[row]]
            (alone, _, _), = Asked(self.rows, [(e, [int(candidate[row])])], (0,), groups=1).parts
            alone.rank = batch.rank[row:row + 1]  # alone it is the first for certain
            alone_scores = self.head(alone)[0]
            n = len(alone_scores)
            mine = scores[row, :n, :n]
            open_ = alone_scores > -1e3
            torch.testing.assert_close(mine[open_], alone_scores[open_], atol=1e-4, rtol=1e-4)

    def test_no_span_cuts_a_unit_or_is_too_long(self):
        (batch, owner, candidate), = Asked(self.rows, self.all, (0,), groups=1).parts
        for row in range(len(owner)):
            r = self.rows.readings[self.rows.examples[owner[row]].candidates[candidate[row]]]
            for i, j in (batch.allowed[row] == 0).nonzero().tolist():
                self.assertIn(i, r.first.values())
                self.assertIn(j, r.last.values())
                self.assertTrue(0 <= j - i < LONGEST)

    def test_the_loss_is_the_share_of_good_spans_of_all(self):
        picked = self.all[:1]
        loss = float(loss_of(self.head, Asked(self.rows, picked, (0,))))
        scores = torch.cat([self.head(b).reshape(-1) for b, _, _ in Asked(self.rows, picked, (0,)).parts] + [torch.zeros(1)])
        (first, owner, candidate), = Asked(self.rows, picked, (0,), groups=1).parts
        table = self.head(first)
        good = sum(w * float(table[c, i, j].exp()) for c, i, j, w in self.good(candidate))
        self.assertAlmostEqual(loss, -float(np.log(good / float(scores.exp().sum()))), places=3)

    def good(self, candidate):
        row_of = {int(c): row for row, c in enumerate(candidate)}
        return [(row_of[c], i, j, w) for c, i, j, w in self.rows.examples[0].spans]

    def test_an_answer_is_never_padding(self):
        short = Example("fairytale", self.rows.examples[0].question, [self.rows.examples[0].candidates[2]])
        with torch.no_grad():
            self.head.edges.weight.zero_()
            self.head.edges.bias.zero_()
        for e, answer in zip([short, self.rows.examples[1]], answers_of(self.head, Asked(
                self.rows, [(short, [0]), self.all[1]], (0,), groups=1))):
            r = self.rows.readings[e.candidates[answer.candidate]]
            self.assertIn(answer.first, r.first.values())
            self.assertIn(answer.last, r.last.values())

    def test_it_learns_to_answer_and_to_decline(self):
        optimiser = torch.optim.Adam(self.head.parameters(), lr=0.01)
        asked = Asked(self.rows, self.all, (0,))
        first = float(loss_of(self.head, asked))
        for _ in range(40):
            loss = loss_of(self.head, asked)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        self.assertLess(float(loss), 0.3 * first)

    def test_what_is_hidden_is_neither_read_nor_matched(self):
        rows, e = self.rows, self.rows.examples[0]
        one = lambda noise: Batch(rows, np.array([e.question]), np.array([e.candidates[0]]), np.zeros(1), (0,), np.array([0]), noise)
        seen, nothing, unmatched = one(Noise()), one(Noise(question=1.0, sentence=1.0)), one(Noise(match=1.0))
        Q = seen.question_tokens
        self.assertGreater(float(seen.features[..., MATCHES].sum()), 0)
        self.assertEqual(float(unmatched.features[..., MATCHES].abs().sum()), 0)
        torch.testing.assert_close(unmatched.states, seen.states)
        self.assertEqual(float(nothing.states[:, 1:].abs().sum()), 0)  # the question's first token stays
        self.assertEqual((nothing.mask[0, 0, 0, :Q] == 0).tolist(), [True] + [False] * (Q - 1))
        torch.testing.assert_close(nothing.features[:, Q:, :len(STATIC)], seen.features[:, Q:, :len(STATIC)])
        torch.testing.assert_close(nothing.allowed, seen.allowed)

    def test_a_drawn_step_has_the_loss_of_the_same_questions(self):
        table, chosen = Table(self.rows.examples), np.array([[True, True, False], [True, False, False]])
        picked = np.array([1, 0])
        drawn = Asked.drawn(self.rows, table, picked, chosen[picked], (0,), 2, Noise())
        listed = Asked(self.rows, [(self.rows.examples[1], [0]), (self.rows.examples[0], [0, 1])], (0,))
        self.assertAlmostEqual(float(loss_of(self.head, drawn)), float(loss_of(self.head, listed)), places=4)

    def test_chosen_candidates_have_one_that_answers_or_are_as_shown(self):
        every = [Example("prose", 0, [1, 2, 3, 4, 5, 6], ranks=[0.0] * 6, spans=[(3, 0, 0, 1.0)]),
                 Example("fairytale", 0, [1, 2], ranks=[0.0] * 2)]
        table, draw = Table(every), np.random.default_rng(0)
        found = table.chosen(np.array([0, 1] * 500), np.array([4, 5] * 500), draw)
        self.assertEqual(set(found[1::2].sum(1)), {2})
        self.assertFalse(found[1::2, 2:].any())
        self.assertEqual(set(found[::2].sum(1)), {4})
        self.assertAlmostEqual(found[::2, 3].mean(), 0.9, delta=0.05)  # the rest learn to decline
        self.assertFalse(found[::2, 5].any())

    def test_sums_by_owner(self):
        found = grouped_logsumexp(torch.tensor([0.0, 1.0, -500.0]), torch.tensor([1, 1, 0]), 2)
        torch.testing.assert_close(found, torch.tensor([-500.0, float(np.log(1 + np.e))]), atol=1e-4, rtol=1e-4)


class Choice(unittest.TestCase):
    def test_spans_that_overlap_stand_by_each_other(self):
        spans = np.array([[1.0, 0, 2, 2, 2, 3], [0.9, 1, 4, 6, 4, 7], [0.8, 1, 4, 7, 4, 8], [0.7, 1, 5, 7, 5, 8]])
        best = surest(spans, float(np.logaddexp.reduce(spans[:, 0])))
        self.assertEqual((best.candidate, best.first, best.last), (1, 4, 6))
        self.assertAlmostEqual(best.confidence, float(np.exp(spans[1:, 0]).sum() / np.exp(spans[:, 0]).sum()))

    def test_articles_do_not_count_as_overlap(self):
        spans = np.array([[1.0, 0, 0, 2, 0, 2], [0.9, 0, 0, 0, 0, 0], [0.8, 0, 0, 1, 0, 1], [0.7, 0, 4, 4, 3, 4]])
        best = surest(spans, 3.0)
        self.assertEqual((best.first, best.last), (0, 2))
        self.assertAlmostEqual(best.confidence, float(np.exp(spans[[0, 2], 0] - 3.0).sum()))

    def test_intervals(self):
        self.assertEqual(interval(225, 750), "30.0 (26.8-33.4)")


if __name__ == "__main__":
    unittest.main()
