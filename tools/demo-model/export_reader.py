"""Writes a trained reader in 8 bits beside the bundled model, with its sizes and level, and golden numbers for its test.

    python3 export_reader.py RUN ENCODER OUT_DIR --level L --measured TEXT [--golden FILE]

RUN is a folder of reader.py; L is the confidence from which the app marks a span (`reader.py table`), TEXT how often spans
marked at that level are wrong, for the page. Matrices are stored as in export_writer.py; pieces of other scripts are left out. The
golden file has questions with sentences: tokens, units and scores as the app must find them.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch

from export_writer import packed, unpacked, write_file
from reader import LONGEST, PAIR, POSITIONS, Asked, Reader, Readings, Sizes, answers_of, load_reader
from reader_rows import Example
from reader_text import QUESTION_TOKENS, SENTENCE_TOKENS
from wordpiece import CLS, SEP, UNKNOWN, WordPiece

MATRIX = 8192  # tensors with at least so many numbers are stored in 8 bits
CASES = (
    ("How much is the worktop?", ("The worktop costs EUR 1,120.00, not €2,450.00.", "The oven was delivered on 3 May.")),
    ("When does the meeting start?", ("“Be there at quarter to twelve”, said Anna—the meeting starts then.", "The meeting was long.",
                                      "Furniture: planned €12,000, actual €13,480, owner Tom", "He ran home.")),
    ("Who struck the bear with the axe?", ("And then the old woodcutter strikes the bear.", "The bear was struck by nobody else.",
                                           "An axe lay in the snow.", "He died.", "Nobody's axe was sharp at 3 p.m.")),
    ("Why?", ("Because it was cold.",)),
    ("Where did\nthe fairy live?", ("The fairy 🧚 lived in a tiny\ncottage — naïve, très petite – by the old mill-stream.",
                                    "Her sister's house…", "\"Come in!\" cried the fairies' mother, who was flying")),
)


def kept(piece: str) -> bool:
    """Whether a piece is of a language that the reader has learnt to read, or a mark."""
    return piece in (CLS, SEP, UNKNOWN) or not piece.startswith("[unused") and piece != "[PAD]" and piece != "[MASK]" and all(
        c < "\u0250" or "\u2010" <= c <= "\u20bf" for c in piece)


def trimmed(reader: Reader, encoder: Path) -> tuple[dict[str, torch.Tensor], list[str]]:
    """The weights with the embeddings of the pieces that are kept, and these pieces."""
    number = WordPiece(encoder / "tokenizer.json").number
    pieces = [piece for piece in sorted(number, key=number.get) if kept(piece)]
    weights = dict(reader.state_dict())
    weights["words.weight"] = weights["words.weight"][[number[piece] for piece in pieces]]
    return weights, pieces


def wide(text: str, at: int) -> int:
    """A place in a text as JavaScript counts it: a character beyond the basic plane counts twice."""
    return len(text[:at].encode("utf-16-le")) // 2


@torch.no_grad()
def golden(reader: Reader, pieces: list[str]) -> list[dict]:
    told: dict[tuple[str, int], int] = {}
    at = lambda text, most: told.setdefault((text, most), len(told))
    examples = [Example("golden", at(question, QUESTION_TOKENS), [at(s, SENTENCE_TOKENS) for s in sentences],
                        ranks=[round(3.0 / (1 + i) - 0.7 * i, 2) for i in range(len(sentences))]) for question, sentences in CASES]
    texts = Readings(list(told), WordPiece(pieces))
    found = []
    for e in examples:
        asked = Asked(texts, [(e, list(range(len(e.candidates))))], groups=1)
        (batch, _, _), = asked.parts
        scores = reader(batch)
        q = texts.reading(e.question)
        case = {"question": q.text, "tokens": q.tokens.tolist(), "sentences": []}
        for row, (number, logit) in enumerate(zip(e.candidates, e.ranks)):
            r, start = texts.reading(number), batch.start[row]
            spans = (batch.allowed[row] == 0).nonzero().tolist()
            case["sentences"].append({
                "text": r.text, "logit": logit, "tokens": r.tokens.tolist(),
                "units": [[wide(r.text, u.start), wide(r.text, u.end)] for u in r.units],
                "scores": [[i - start, j - start, round(float(scores[row, i, j]), 4)] for i, j in spans]})
        (shares, answer), = answers_of(reader, texts, asked)
        r = texts.reading(e.candidates[answer.candidate])
        first, last = r.units[r.unit[answer.first]], r.units[r.unit[answer.last]]
        case["answer"] = {"sentence": answer.candidate, "span": [wide(r.text, first.start), wide(r.text, last.end)],
                          "confidence": round(answer.confidence, 5), "shares": np.round(shares, 5).tolist()}
        found.append(case)
    return found


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("run", type=Path)
    args.add_argument("encoder", type=Path)
    args.add_argument("out", type=Path)
    args.add_argument("--level", type=float, required=True)
    args.add_argument("--measured", required=True, help='such as "18 % (14 to 23) of 290 marked spans were wrong"')
    args.add_argument("--golden", type=Path, help="file for its test, such as golden/reader/golden.json")
    a = args.parse_args()
    weights, pieces = trimmed(load_reader(a.run), a.encoder)
    arrays = packed(weights, MATRIX)
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    sizes = Sizes(weights["words.weight"].shape[1], layers, vocabulary=len(pieces))
    about = {"width": sizes.width, "layers": sizes.layers, "heads": sizes.heads, "inner": sizes.inner, "longest": LONGEST, "pair": PAIR,
             "positions": POSITIONS, "questionTokens": QUESTION_TOKENS, "sentenceTokens": SENTENCE_TOKENS, "level": a.level, "measured": a.measured}
    path = a.out / "reader.safetensors"
    write_file(path, arrays, about, "reader", {"pieces": " ".join(pieces)})
    print(about, f"{len(pieces)} pieces, {path.stat().st_size / 1e6:.2f} MB")
    if a.golden:
        reader = Reader(sizes)
        reader.load_state_dict(unpacked(arrays))
        a.golden.parent.mkdir(parents=True, exist_ok=True)
        a.golden.write_text(json.dumps(golden(reader.eval(), pieces)) + "\n")


if __name__ == "__main__":
    main()
