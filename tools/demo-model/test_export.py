"""The card's tables say what an evaluation found, with and without its optional parts."""
import unittest

from export import figures_table

ROW = {"kind": "book", "tokens": "6-16", "layer": 1, "exact": 0.984, "fidelity": 0.9981, "median_steps": 9}
FIGURES = {
    "steps": 40, "rate": 0.2, "reconstruct_n": 64, "babi_n": 200, "reconstruct": [ROW, {**ROW, "median_steps": None}],
    "babi": {"qa1": {"among_24": 0.995}}, "made_24": {"right": 0.92, "not_in_memory": 0.905},
    "anchors_book": {"valid": 0.97, "equal": 0.8},
}
MORE = {
    "parts_n": 64, "parts": [{**ROW, "kind": "part", "tokens": "4-14"}], "prose": {"right": 0.5, "n": 60, "declined_untold": 0.7},
    "nearest_keys": [{"layer": 0, "anchors": 0.6, "anchors_centred": 0.5, "indices": 0.8, "indices_centred": 0.7,
                      "parts": 0.75, "parts_centred": 0.65}],
    "soft": [{"facts": 64, "layer": 2, "raw": 0.98, "centred": 1.0, "alone": 1.0}],
}


class Tables(unittest.TestCase):
    def test_every_figure_has_its_line(self):
        said = figures_table({**FIGURES, **MORE})
        for line in ("| part, 4-14 tokens | 1 | 98 % | 0.998 | 9 |", "| book, 6-16 tokens | 1 | 98 % | 0.998 | - |",
                     "| 0 | 0.60 (0.50) | 0.80 (0.70) | 0.75 (0.65) |", "| 64 | 98 % | 100 % | 100 % |",
                     "| bAbI QA1 (test) | 100 % |", "| made, not among the facts | 90 % |", "| book sentences | 97 % | 80 % |",
                     "| about three novels never trained on, sentences chosen by hand (60) | 50 % |",
                     "| the same without the sentence: declined | 70 % |"):
            self.assertIn(line, said)

    def test_an_evaluation_of_fewer_things_has_fewer_tables(self):
        said = figures_table(FIGURES)
        self.assertNotIn("Cosine", said)
        self.assertNotIn("novels never trained on, sentences", said)
        self.assertIn("| bAbI QA1 (test) | 100 % |", said)


if __name__ == "__main__":
    unittest.main()
