"""Puts a trained reader beside its model, in 8 bits, with what the app must know of it, and golden numbers for its test.

    python3 export_reader.py RUN MODEL_DIR --level L --measured TEXT [--golden FILE]

RUN is a folder of reader.py; L is the confidence from which the app marks a span (`reader.py table`), TEXT how often marked spans
are wrong from there on, as people read it. Matrices are stored as in
export_writer.py. The golden file has questions with sentences: tokens, units, features and scores as the app must find them.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch

import bpe
from checkpoint import load_model, read_safetensors
from export_writer import identity, packed, unpacked, write_file
from reader import FEATURES, LONGEST, NEAR, PAIR, REACH, Asked, Flat, Head, answers_of, arrays_of, load_head, normed, states_of
from reader_rows import Example
from reader_text import QUESTION_TOKENS, SENTENCE_TOKENS, Reading

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


class Few(Flat):
    """Texts of the golden cases, with states in float64."""

    def __init__(self, model_dir: Path, reads: tuple[int, ...]):
        tokenizer = bpe.Tokenizer(model_dir / "tokenizer.json")
        model = load_model(model_dir).double()
        readings, self.examples = [], []
        for question, sentences in CASES:
            first = len(readings)
            readings += [Reading(question, tokenizer, QUESTION_TOKENS), *(Reading(s, tokenizer, SENTENCE_TOKENS) for s in sentences)]
            logits = [round(3.0 / (1 + i) - 0.7 * i, 2) for i in range(len(sentences))]
            self.examples.append(Example("golden", first, list(range(first + 1, len(readings))), ranks=logits))
        super().__init__(arrays_of(readings))
        self.readings = readings
        self.embedding = normed(model.model.embed_tokens.weight.detach())
        above = [n for n in reads if n]
        states = [states_of(model, torch.from_numpy(r.tokens.astype(np.int64))[None], above)[0] for r in readings] if above else []
        self.states = {layer: torch.cat([s[:, n] for s in states]) for n, layer in enumerate(above)}


def wide(text: str, at: int) -> int:
    """A place in a text as JavaScript counts it: a character beyond the basic plane counts twice."""
    return len(text[:at].encode("utf-16-le")) // 2


@torch.no_grad()
def golden(model_dir: Path, head: Head) -> list[dict]:
    few = Few(model_dir, head.shape.reads)
    head = head.double()
    found = []
    for e in few.examples:
        asked = Asked(few, [(e, list(range(len(e.candidates))))], head.shape.reads, groups=1)
        (batch, _, candidates), = asked.parts
        for name in ("states", "features", "mask", "allowed", "rank"):
            setattr(batch, name, getattr(batch, name).double())
        scores, order = head(batch), np.argsort(candidates)
        q = few.readings[e.question]
        case = {"question": q.text, "tokens": q.tokens.tolist(), "ask": int(few.ask[e.question]), "sentences": []}
        for c, row in enumerate(order):
            r = few.readings[e.candidates[c]]
            n, Q = len(r.tokens), batch.question_tokens
            spans = [(i, j) for i in range(n) for j in range(i, n) if batch.allowed[row, i, j] == 0]
            case["sentences"].append({
                "text": r.text, "logit": e.ranks[c], "tokens": r.tokens.tolist(), "units": [[wide(r.text, u.start), wide(r.text, u.end)] for u in r.units],
                "features": np.round(batch.features[row, :Q + n].numpy(), 5).tolist(),
                "scores": [[i, j, round(float(scores[row, i, j]), 5)] for i, j in spans]})
        answer = answers_of(head, asked)[0]
        r = few.readings[e.candidates[answer.candidate]]
        first, last = r.units[r.unit[answer.first]], r.units[r.unit[answer.last]]
        case["answer"] = {"sentence": answer.candidate, "span": [wide(r.text, first.start), wide(r.text, last.end)], "confidence": round(answer.confidence, 5)}
        found.append(case)
    return found


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("run", type=Path)
    args.add_argument("model", type=Path)
    args.add_argument("--level", type=float, required=True)
    args.add_argument("--measured", required=True, help='such as "18 % (14 to 23) of 290 marked spans were wrong"')
    args.add_argument("--golden", type=Path, help="file for its test, such as golden/reader/golden.json")
    a = args.parse_args()
    head = load_head(a.run)
    arrays = packed(read_safetensors(a.run / "reader.safetensors"), MATRIX)
    s = head.shape
    about = {"model": a.model.name, "sha256": identity(a.model), "width": s.width, "depth": s.depth, "heads": s.heads,
             "reads": list(s.reads), "reach": REACH, "longest": LONGEST, "near": NEAR, "pair": PAIR, "features": list(FEATURES),
             "questionTokens": QUESTION_TOKENS, "sentenceTokens": SENTENCE_TOKENS, "level": a.level, "measured": a.measured}
    write_file(a.model / "reader.safetensors", arrays, about, "reader")
    print(about, f"{(a.model / 'reader.safetensors').stat().st_size / 1e6:.2f} MB")
    if a.golden:
        head.load_state_dict(unpacked(arrays))
        a.golden.parent.mkdir(parents=True, exist_ok=True)
        a.golden.write_text(json.dumps(golden(a.model, head)) + "\n")


if __name__ == "__main__":
    main()
