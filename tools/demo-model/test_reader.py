"""The reader: units and features of a text, spans that meet an answer, the loss, and the choice of a span."""
import random
import unittest

import numpy as np
import torch

from facts import Maker
from reader import LONGEST, Asked, Reader, Readings, Sizes, answers_of, chosen, interval, loss_of, surest
from reader_notes import page
from reader_rows import Bm25, Example, Texts, found_spans, gapped, phrases, untokenised
from renamed import Renaming
from reader_text import Reading, normal, spans_of, stem, token_f1, units
from wordpiece import CLS, SEP, UNKNOWN, WordPiece

PIECES = WordPiece([CLS, SEP, UNKNOWN, *"abcdefghijklmnopqrstuvwxyz0123456789,.?", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz0123456789€"),
                    "€", "paid", "##y", "tom", "much", "##ed"])
reading = lambda text, most=96: Reading(text, PIECES, most)
said_of = lambda r, first, last: "".join(p for n in r.tokens[first:last + 1] for p, m in PIECES.number.items() if m == n).replace("##", "")


class Text(unittest.TestCase):
    def test_units_have_no_marks_around_them_and_prices_are_whole(self):
        text = "“The worktop”—it costs EUR 1,120.00, not €2,450.00. See you at 3 p.m. (quarter to twelve), -5 °C"
        said = [text[u.start:u.end] for u in units(text.translate({0x201c: '"', 0x201d: '"'}))]
        self.assertEqual(said, ["The", "worktop", "it", "costs", "EUR", "1,120.00", "not", "€2,450.00", "See", "you", "at", "3", "p.m.",
                                "quarter", "to", "twelve", "-5", "°C"])

    def test_words_are_split_into_the_longest_pieces_without_accents_and_case(self):
        self.assertEqual(PIECES.encode("Tom  paid much, Pàyed."), tuple(PIECES.number[p] for p in ("tom", "paid", "much", ",", "p", "##a", "##y", "##ed", ".")))
        self.assertEqual(PIECES.encode("北京 🧚"), (PIECES.unknown,) * 3)
        self.assertEqual(PIECES.encode(" "), ())

    def test_units_one_by_one_have_the_tokens_of_the_whole_text(self):
        for text in ("Tom paid €2,450.00 - \"too much\"... (3 p.m.)", "It's 12½ m², naïve, Ünal's 北京!  x", "a_b 'LL don't\ttab--so"):
            self.assertEqual(tuple(reading(text).tokens), PIECES.encode(text))

    def test_every_unit_has_its_tokens(self):
        r = reading("Tom paid €2,450.00 – “too much”.")
        for n, u in enumerate(r.units):
            self.assertEqual(said_of(r, r.first[n], r.last[n]), u.word)
            self.assertTrue((r.unit[r.first[n]:r.last[n] + 1] == n).all())

    def test_a_long_text_is_cut_between_units(self):
        r = reading("Tom paid tom one.", 4)
        self.assertEqual((len(r.tokens), len(r.units)), (3, 3))
        self.assertEqual(reading("").units, [])

    def test_forms_of_a_word_meet(self):
        for several in (("struck", "strike"), ("died", "die"), ("carried", "carries", "carry"), ("running", "ran"), ("happily", "happy"),
                        ("loved", "love", "loves"), ("Anna's".lower(), "anna")):
            self.assertEqual(len({stem(word) for word in several}), 1, several)


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


def made() -> tuple[Readings, list[Example]]:
    every = Texts()
    examples = [
        every.example("fairytale", "Who struck the bear?", ["Anna struck a bear.", "A bear slept.", "Tom left."], ["Anna"], 0.5),
        every.example("fairytale", "Where is the key?", ["The door was shut.", "He lost it."], ["under the mat"], 0.5)]
    texts = Readings(list(every.number), PIECES)
    for e in examples:
        e.ranks = [0.0] * len(e.candidates)
        e.spans = found_spans(e, texts.reading)
    return texts, examples


class Network(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.texts, self.examples = made()
        self.reader = Reader(Sizes(32, 2, 4, 64, len(PIECES.number)), 0.0).eval()
        self.all = [(e, list(range(len(e.candidates)))) for e in self.examples]

    def test_padding_and_other_questions_change_no_score(self):
        (batch, owner, candidate), = Asked(self.texts, self.all, groups=1).parts
        scores = self.reader(batch)
        for row, (n, c) in enumerate(zip(owner, candidate)):
            (alone, _, _), = Asked(self.texts, [(self.examples[n], [c])], groups=1).parts
            alone.rank = batch.rank[row:row + 1]  # alone it is the first for certain
            alone_scores = self.reader(alone)[0]
            mine = scores[row, :len(alone_scores), :len(alone_scores)]
            open_ = alone_scores > -1e3
            torch.testing.assert_close(mine[open_], alone_scores[open_], atol=1e-4, rtol=1e-4)

    def test_no_span_cuts_a_unit_or_is_too_long(self):
        (batch, owner, candidate), = Asked(self.texts, self.all, groups=1).parts
        for row, (n, c) in enumerate(zip(owner, candidate)):
            r = self.texts.reading(self.examples[n].candidates[c])
            spans = (batch.allowed[row] == 0).nonzero().tolist()
            self.assertEqual(len(spans), len(r.units) * (len(r.units) + 1) // 2)
            for i, j in spans:
                self.assertIn(i - batch.start[row], r.first)
                self.assertIn(j - batch.start[row], r.last)
                self.assertTrue(0 <= j - i < LONGEST)

    def test_the_loss_is_the_share_of_good_spans_of_all(self):
        picked = self.all[:1]
        loss = float(loss_of(self.reader, Asked(self.texts, picked)))
        (batch, _, candidate), = Asked(self.texts, picked, groups=1).parts
        scores = self.reader(batch)
        row, start = {c: r for r, c in enumerate(candidate)}, batch.start
        good = sum(w * float(scores[row[c], start[row[c]] + i, start[row[c]] + j].exp()) for c, i, j, w in self.examples[0].spans)
        self.assertAlmostEqual(loss, -float(np.log(good / (1 + float(scores.exp().sum())))), places=3)

    def test_it_learns_to_answer_and_to_decline(self):
        optimiser = torch.optim.Adam(self.reader.parameters(), lr=0.003)
        asked = Asked(self.texts, self.all)
        first = float(loss_of(self.reader, asked))
        for _ in range(60):
            loss = loss_of(self.reader, asked)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        self.assertLess(float(loss), 0.3 * first)
        (shares, answer), (declined, _) = answers_of(self.reader, self.texts, asked)
        self.assertEqual((int(shares.argmax()), answer.candidate, answer.first), (0, 0, 0))
        self.assertLess(declined.sum(), 0.5)

    def test_chosen_candidates_have_one_that_answers_or_are_as_shown(self):
        prose = Example("prose", 0, [1, 2, 3, 4, 5, 6], ranks=[0.0] * 6, spans=[(3, 0, 0, 1.0)])
        tale = Example("fairytale", 0, [1, 2], ranks=[0.0] * 2)
        draw = np.random.default_rng(0)
        self.assertEqual({tuple(sorted(chosen(tale, 5, draw))) for _ in range(200)}, {(0, 1)})
        found = [chosen(prose, 4, draw) for _ in range(500)]
        self.assertEqual({len(set(one)) for one in found}, {4})
        self.assertAlmostEqual(np.mean([3 in one for one in found]), 0.9, delta=0.05)  # the rest learn to decline


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
