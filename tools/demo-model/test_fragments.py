"""Parts of a value join to the value, end where words end, and are as long as asked for."""
import re
import unittest
from pathlib import Path

import bpe
from corpus import KEY_GROUP, LONGEST_PROMPT, fact_rows, key_group, key_rows
from facts import Maker
from fragments import SHORT, coded, parts
from texts import curled

MODEL = next((Path(__file__).parents[2] / "public/models").glob("*/tokenizer.json"))
SENTENCE = ("Mr. Utterson the lawyer was a man of a rugged countenance, that was never lighted by a smile; cold, scanty "
            "and embarrassed in discourse; backward in sentiment; lean, long, dusty, dreary, and yet somehow lovable.")
BOOK = [SENTENCE, "The Queen turned crimson with fury, and, after glaring at her for a moment, began screaming."]


class Classes(unittest.TestCase):
    def test_classes_spelt_out_split_alike(self):
        spelt = re.compile(bpe.spelt_out(bpe.PATTERN))
        for text in ("It's 12½ m², naïve – Ünal's \n\n 北京 ٣٤ Ⅷ!  x", "€2,450.00 at 3 p.m. (a_b) 'LL don't\ttab  "):
            self.assertEqual(spelt.findall(text), [m[0] for m in bpe.SPLIT.finditer(text)])


class Parts(unittest.TestCase):
    def setUp(self):
        self.tokenizer = bpe.Tokenizer(MODEL)
        self.value = self.tokenizer.encode(" " + SENTENCE)
        self.pieces = [self.tokenizer.decode([i]) for i in self.value]

    def test_they_join_to_the_value_and_begin_with_a_space(self):
        for longest in range(4, 25):
            cut = parts(self.pieces, longest)
            joined = [i for part in cut for i in self.value[part]]
            self.assertEqual(joined, self.value)
            self.assertTrue(all(self.pieces[part.start].startswith(" ") for part in cut))

    def test_they_are_about_as_long_as_asked_for(self):
        for longest in range(6, 25):
            sizes = [part.stop - part.start for part in parts(self.pieces, longest)]
            self.assertLessEqual(max(sizes), longest + 6)
            self.assertGreater(min(sizes), 1)

    def test_they_end_with_clauses_where_they_can(self):
        ends = [self.tokenizer.decode(self.value[part])[-1] for part in parts(self.pieces, 14)]
        self.assertGreaterEqual(sum(end in ",;." for end in ends), len(ends) / 2)

    def test_a_value_that_is_short_enough_is_one_part(self):
        self.assertEqual(parts([" a", " b"], 4), [slice(0, 2)])


class Codes(unittest.TestCase):
    def setUp(self):
        self.tokenizer = bpe.Tokenizer(MODEL)

    def spelt(self, text: str) -> str:
        return self.tokenizer.decode(coded(self.tokenizer, self.tokenizer.encode(text)))

    def test_the_quotes_of_print_are_spelt_as_the_app_spells_them(self):
        source = (Path(__file__).parents[2] / "src/memory/codes.ts").read_text()
        self.assertIn(f'const SHORT = "{"".join(SHORT)}"', source)
        self.assertRegex(source, f'const LETTERS = "{"".join(SHORT.values())}')
        self.assertEqual(self.spelt(" “Don’t,” said Zoë…"), " {gDon{jt,{h said Zo{q{m")
        self.assertEqual(self.spelt(" 中 and Ж"), " {4e2d{ and {416{")

    def test_plain_words_stay(self):
        ids = self.tokenizer.encode(" " + SENTENCE)
        self.assertEqual(coded(self.tokenizer, ids), ids)

    def test_a_text_is_set_in_print(self):
        self.assertEqual(curled("\"I can't,\" he said, \"'tis 'so'...\""), "“I can’t,” he said, “‘tis ‘so’…”")


class Rows(unittest.TestCase):
    def test_values_of_the_corpus_begin_within_sentences_as_often_as_at_their_start(self):
        tokenizer = bpe.Tokenizer(MODEL)
        rows = fact_rows(tokenizer, Maker(1), BOOK, 300)
        said = [tokenizer.decode(row[3 + row[1]:3 + row[1] + row[2]]) for row in rows]
        prompts = [tokenizer.decode(row[3:3 + row[1]]) for row in rows]
        within = [p for p, value in zip(prompts, said) if any(value in s and not s.startswith(value.strip()) for s in BOOK)]
        self.assertGreater(len(within), 90)
        self.assertTrue(all("." in p.rsplit("(", 1)[1] for p in within))
        for row in rows:
            self.assertEqual(tokenizer.decode([row[3 + row[0]]]), ")")

    def test_keys_of_a_group_differ(self):
        tokenizer, m = bpe.Tokenizer(MODEL), Maker(2)
        for _ in range(50):
            self.assertEqual(len(set(key_group(m, BOOK))), KEY_GROUP)
        rows = key_rows(tokenizer, m, BOOK, 20)
        self.assertEqual(rows.shape, (21, KEY_GROUP, 2 + LONGEST_PROMPT))
        for row in rows.reshape(-1, rows.shape[-1]):
            self.assertEqual(tokenizer.decode([row[2 + row[0]]]), ")")
            self.assertEqual(row[0] + 2, row[1])


if __name__ == "__main__":
    unittest.main()
