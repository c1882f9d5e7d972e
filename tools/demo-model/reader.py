"""Trains the reader: a pointer head on early states of the frozen model that marks, in one of five sentences, the span that
answers a question, or declines.

    python3 reader.py states ROWS MODEL_DIR               # once: states of all texts, into ROWS/states.f16
    python3 reader.py train ROWS MODEL_DIR RUN [--minutes M] [--steps N] [--width W] [--depth D] [--reads 0,2]
    python3 reader.py table ROWS MODEL_DIR RUN            # right, wrong and declined at each level, on validation stories

ROWS is a folder of reader_rows.py. RUN gets state.pt, log.jsonl, reader.safetensors and shape.json. SIGTERM or the end of the minutes
stops after the present step and saves.

Shapes in comments: R rows (a question with one candidate), Q and S tokens of a question and a sentence, T = Q + S, D hidden
size of the model, W width of the head.
"""
import argparse
import json
import math
import pickle
import random
import signal
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
import torch.nn.functional as F

from checkpoint import load_model, read_safetensors, write_safetensors
from decoder import Decoder, causal_bias, rotary
from reader_rows import ELSEWHERE, FIVE, Example
from reader_text import ASK_KINDS, FEATURES, STATIC, Reading, ask_of, normal, token_f1

STORED = (2,)  # layers whose output is stored; 0, the embedding, is looked up
REACH = 16  # tokens: distances beyond are alike
RELATIONS = 2 * REACH + 3  # distances in one text; question to sentence; sentence to question
LONGEST = 32  # tokens of a span
PAIR = 32  # size of the product of a span's first and last token
NEAR = 4.0  # tokens over which nearness to a match falls by e
MASKED = -1e4
AS_SHOWN = 0.75  # of the training questions of stories are asked about the sentences that the app would show
LEAST_RANK = -6.0  # log p of a candidate by the ranking is at least this
EPSILON = 1e-6


@dataclass(frozen=True)
class HeadShape:
    width: int = 192
    depth: int = 3
    heads: int = 6
    reads: tuple[int, ...] = (0, 2)  # layers of the model; 0 is the embedding
    hidden: int = 256


def dropped(x: Tensor, share: float, training: bool) -> Tensor:
    """Dropout of whole channels of a row: as good here, and cheaper to draw on a CPU."""
    return F.dropout(torch.ones(len(x), 1, x.shape[-1]), share, training) * x if training and share else x


def normed(x: Tensor) -> Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON)


class Block(nn.Module):
    """Attention over question and sentence, then a feed-forward network, each on normed input and added."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.relation = nn.Parameter(torch.zeros(RELATIONS, heads))
        away = (torch.arange(2 * REACH + 1) - REACH).abs().float()
        with torch.no_grad():
            for head in range(heads // 2):  # these begin by looking nearby
                self.relation[:2 * REACH + 1, head] = -away / 2 ** head
            for layer in (self.out, self.down):
                layer.weight.mul_(0.5)
        self.dropout = dropout

    def forward(self, x: Tensor, relation: Tensor, mask: Tensor) -> Tensor:
        """x [R,T,W], relation [T,T] numbers, mask [R,1,1,T] added to scores."""
        R, T, W = x.shape
        q, k, v = self.qkv(normed(x) * self.norm1).view(R, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        bias = self.relation[relation.reshape(-1)].view(T, T, -1).permute(2, 0, 1)  # [H,T,T]
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + bias + mask
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(R, T, W)
        x = x + dropped(self.out(mixed), self.dropout, self.training)
        inner = F.silu(self.up(normed(x) * self.norm2))
        return x + dropped(self.down(inner), self.dropout, self.training)


class Head(nn.Module):
    """States, features and the kind of question -> a score of every span [R,S,S]; declining has the score 0."""

    def __init__(self, shape: HeadShape, dropout: float = 0.1):
        super().__init__()
        self.shape, W = shape, shape.width
        self.states = nn.Linear(len(shape.reads) * shape.hidden, W)
        self.features = nn.Parameter(torch.randn(len(FEATURES), W) * 0.3)
        self.ask = nn.Parameter(torch.randn(ASK_KINDS, W) * 0.3)
        self.blocks = nn.ModuleList(Block(W, shape.heads, dropout) for _ in range(shape.depth))
        self.norm = nn.Parameter(torch.ones(W))
        self.edges = nn.Linear(W, 2)  # first and last token of a span
        self.pair = nn.Linear(W, 2 * PAIR)
        self.whole = nn.Linear(W, 1)  # of the question's first token: whether this sentence answers
        self.rank = nn.Parameter(torch.ones(1))  # factor of log p of the sentence by the app's ranking
        self.dropout = dropout

    def forward(self, b: "Batch") -> Tensor:
        x = self.states(dropped(b.states, self.dropout, self.training)) + b.features @ self.features + self.ask[b.ask][:, None]
        for block in self.blocks:
            x = block(x, b.relation, b.mask)
        x = normed(x) * self.norm
        Q = b.question_tokens
        s = x[:, Q:]
        edges = self.edges(s)
        first, last = self.pair(s).chunk(2, -1)
        whole = self.whole(x[:, 0]) + self.rank * b.rank[:, None]  # [R,1]
        return (edges[..., 0, None] + edges[..., None, :, 1] + first @ last.transpose(1, 2) / math.sqrt(PAIR)
                + whole[..., None] + b.allowed)


class Flat:
    """Readings as flat arrays, one after the other."""

    def __init__(self, readings: list[Reading]):
        self.readings = readings
        self.size = np.array([len(r.tokens) for r in readings])
        self.offset = np.concatenate([[0], np.cumsum(self.size)])[:-1]
        self.tokens = np.concatenate([r.tokens for r in readings]).astype(np.int64)
        self.static = np.concatenate([r.static for r in readings])
        self.words = np.concatenate([r.words for r in readings]).astype(np.int32)
        self.stems = np.concatenate([r.stems for r in readings]).astype(np.int32)
        self.ask = np.array([ask_of(r.text) for r in readings])
        self.before = np.concatenate([r.before for r in readings])


class Rows(Flat):
    """The rows of a folder of reader_rows.py, with the states that are there for them."""

    def __init__(self, folder: Path, model: Path, reads: tuple[int, ...] = STORED):
        with (folder / "rows.pkl").open("rb") as file:
            readings, self.examples = pickle.load(file)
        super().__init__(readings)
        self.embedding = normed(read_safetensors(model / "model.safetensors")["model.embed_tokens.weight"])
        path = folder / "states.f16"
        self.states = np.memmap(path, np.float16, "r").reshape(-1, len(STORED), self.embedding.shape[1]) if path.exists() else None
        self.asked = sum(e.kind == "validation" for e in self.examples)  # also those for which nothing is ranked
        self.examples = [e for e in self.examples if e.candidates]
        self._rank_others()
        if self.states is not None and max(reads) > 0:  # examples whose texts have no states yet are left out
            known = len(self.states)
            ready = self.offset + self.size <= known
            self.examples = [e for e in self.examples if all(ready[i] for i in [e.question, *e.candidates])]


    def _rank_others(self) -> None:
        """Gives questions that the app did not rank the mean logits of sentences at the same place; QA-SRL's have no order."""
        known = [e.ranks for e in self.examples if e.kind == "fairytale"]
        usual = [float(np.mean([r[c] - r[0] for r in known if len(r) > c])) for c in range(FIVE)] if known else [0.0] * FIVE
        for e in self.examples:
            if not e.ranks:
                e.ranks = [0.0 if e.kind == "qasrl" else usual[min(c, FIVE - 1)] for c in range(len(e.candidates))]


class Batch:
    """Rows alike in length. question and sentence [R] are numbers of readings, rank [R] log p of the sentence by the ranking."""

    def __init__(self, rows: Flat, question: np.ndarray, sentence: np.ndarray, rank: np.ndarray, reads: tuple[int, ...]):
        self.rank = torch.from_numpy(rank.astype(np.float32))
        Q, S = int(rows.size[question].max()), int(rows.size[sentence].max())
        self.question_tokens = Q
        at_q, real_q = self._places(rows, question, Q)
        at_s, real_s = self._places(rows, sentence, S)
        at, real = np.concatenate([at_q, at_s], 1), np.concatenate([real_q, real_s], 1)
        tokens = rows.tokens[at]
        parts = [rows.embedding[torch.from_numpy(tokens)] if layer == 0
                 else torch.from_numpy(rows.states[at, STORED.index(layer)].astype(np.float32)) for layer in reads]
        self.states = torch.cat(parts, -1) * torch.from_numpy(real[..., None].astype(np.float32))
        self.features = torch.from_numpy(features_of(rows, at, real, tokens, Q))
        self.ask = torch.from_numpy(rows.ask[question])
        self.mask = torch.from_numpy(np.where(real, 0, MASKED).astype(np.float32))[:, None, None]
        self.relation = torch.from_numpy(relations(Q, S))
        begins, ends = rows.static[at_s, 4] * real_s, rows.static[at_s, 5] * real_s
        span = begins[:, :, None] * ends[:, None] * np.triu(np.ones((S, S))) * np.tril(np.ones((S, S)), LONGEST - 1)
        self.allowed = torch.from_numpy(np.where(span > 0, 0, MASKED).astype(np.float32))

    @staticmethod
    def _places(rows: Flat, texts: np.ndarray, longest: int) -> tuple[np.ndarray, np.ndarray]:
        time_ = np.arange(longest)[None]
        real = time_ < rows.size[texts][:, None]
        return np.where(real, rows.offset[texts][:, None] + time_, rows.offset[texts][:, None]), real


def features_of(rows: Flat, at: np.ndarray, real: np.ndarray, tokens: np.ndarray, Q: int) -> np.ndarray:
    """[R,T,len(FEATURES)] float32: those of each text alone, and matches of question and sentence."""
    found = np.zeros((*at.shape, len(FEATURES)), np.float32)
    n = len(STATIC)
    found[..., :n] = rows.static[at]
    words, stems = rows.words[at] * real, rows.stems[at] * real
    for k, values in enumerate((np.where(words > 0, tokens + 1, 0), words, stems)):
        same = (values[:, :Q, None] == values[:, None, Q:]) & (values[:, :Q, None] > 0)
        found[:, :Q, n + k], found[:, Q:, n + k] = same.any(2), same.any(1)
    matched = found[:, Q:, n + 2]
    S = matched.shape[1]
    fall = np.exp(-np.abs(np.arange(S)[:, None] - np.arange(S)) / NEAR).astype(np.float32)
    found[:, Q:, n + 3] = (matched[:, None] * fall).max(2)
    content = (stems[:, :Q] > 0) * found[:, :Q, 4]  # first tokens of the question's content words
    found[..., n + 4] = ((content * found[:, :Q, n + 2]).sum(1) / np.maximum(1, content.sum(1)))[:, None]
    found[:, Q:, n + 5] = 1
    return found * real[..., None]


def relations(Q: int, S: int) -> np.ndarray:
    """[T,T] numbers of relations between tokens."""
    near = lambda n: np.clip(np.arange(n)[None] - np.arange(n)[:, None], -REACH, REACH) + REACH
    return np.block([[near(Q), np.full((Q, S), 2 * REACH + 1)], [np.full((S, Q), 2 * REACH + 2), near(S)]])


def chosen_candidates(e: Example, most: int, draw: random.Random) -> list[int]:
    """Candidates of a training step. Mostly those that the app would show, whether they answer or not, so that declining
    is learnt as often as it is right; otherwise some that answer, and others."""
    weight: dict[int, float] = {}
    for c, _, _, w in e.spans:
        weight[c] = max(weight.get(c, 0), w)
    if e.kind == "fairytale" and draw.random() < AS_SHOWN:
        return list(range(min(most, len(e.candidates))))
    good = sorted(weight, key=lambda c: -weight[c])
    good = [c for c in good if weight[c] > ELSEWHERE or c == good[0]][:2]
    if good and e.kind != "qasrl" and draw.random() < 0.1:
        good = []  # to decline: nothing here answers
    others = [c for c in range(len(e.candidates)) if c not in (weight if not good else good)]
    others = [c for c in others if c < FIVE] or others
    return sorted([*good, *draw.sample(others, min(len(others), max(1, most - len(good))))]) or [0]


def log_shares(logits: list[float], chosen: list[int]) -> np.ndarray:
    """log p of the chosen candidates, by a softmax of their logits; all are alike without logits."""
    several = np.array([logits[c] if logits else 0.0 for c in chosen])
    return np.maximum(several - np.logaddexp.reduce(several), LEAST_RANK)


class Asked:
    """Several questions, each with the candidates that are used, as batches of rows."""

    def __init__(self, rows: Flat, picked: list[tuple[Example, list[int]]], reads: tuple[int, ...], groups: int = 4):
        self.picked, self.rows = picked, rows
        self.sentence = {(n, c): e.candidates[c] for n, (e, chosen) in enumerate(picked) for c in chosen}
        owner = np.array([n for n, (_, chosen) in enumerate(picked) for _ in chosen])
        candidate = np.array([c for _, chosen in picked for c in chosen])
        question = np.array([e.question for e, chosen in picked for _ in chosen])
        sentence = np.array([e.candidates[c] for e, chosen in picked for c in chosen])
        rank = np.concatenate([log_shares(e.ranks, chosen) for e, chosen in picked])
        order = np.argsort(rows.size[sentence], kind="stable")
        self.parts = []  # (batch, question of each row, candidate of each row)
        for at in np.array_split(order, groups):
            if len(at):
                self.parts.append((Batch(rows, question[at], sentence[at], rank[at], reads), owner[at], candidate[at]))


def loss_of(head: Head, asked: Asked) -> Tensor:
    """−log of the weighted share of the spans that answer, or of declining, among all spans of a question's candidates."""
    N = len(asked.picked)
    every, owners, good, good_owners = [torch.zeros(N)], [torch.arange(N)], [], []
    for batch, owner, candidate in asked.parts:
        scores = head(batch)
        R, S, _ = scores.shape
        every.append(scores.reshape(R, -1).logsumexp(-1))
        owners.append(torch.from_numpy(owner))
        places, weights = [], []
        for row, (n, c) in enumerate(zip(owner, candidate)):
            for at, i, j, w in asked.picked[n][0].spans:
                if at == c and j - i < LONGEST:
                    places.append((row * S + i) * S + j)
                    weights.append(math.log(w))
                    good_owners.append(n)
        good.append(scores.reshape(-1)[torch.tensor(places, dtype=torch.long)] + torch.tensor(weights))
    total = grouped_logsumexp(torch.cat(every), torch.cat(owners), N)
    if not good_owners:
        return total.mean()
    answered = torch.zeros(N, dtype=torch.bool).index_fill(0, torch.tensor(good_owners), True)
    found = grouped_logsumexp(torch.cat(good), torch.tensor(good_owners), N)
    return (total - torch.where(answered, found, torch.zeros(N))).mean()


def grouped_logsumexp(values: Tensor, owner: Tensor, count: int) -> Tensor:
    """log Σ exp by owner, [count]; very low for one without values."""
    top = torch.full((count,), -1e9).scatter_reduce(0, owner, values.detach(), "amax")
    total = torch.zeros(count).index_add(0, owner, (values - top[owner]).exp())
    return top + (total + 1e-30).log()


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
def answers_of(head: Head, asked: Asked) -> list[Answer | None]:
    """The span of each question that most of the probability meets by half; None if its sentences have no unit."""
    # Of each question: [KEPT, (score, candidate, first, last, words before the first, words up to the last)].
    spans: list[list[np.ndarray]] = [[] for _ in asked.picked]
    total = [[0.0] for _ in asked.picked]
    for batch, owner, candidate in asked.parts:
        scores = head(batch)
        R, S, _ = scores.shape
        flat = scores.reshape(R, -1)
        top, at = flat.topk(min(KEPT, S * S))
        top, at, rest = top.numpy(), at.numpy(), flat.logsumexp(-1).numpy()
        for row, n in enumerate(owner):
            open_ = top[row] > MASKED / 2  # a short sentence has fewer spans
            places = at[row][open_]
            first, last = places // S, places % S
            before, up_to = asked.rows.before[asked.rows.offset[asked.sentence[n, candidate[row]]] + np.stack([first, last])]
            spans[n].append(np.stack([top[row][open_], np.full(len(places), candidate[row]), first, last, before[:, 0], up_to[:, 1]], 1))
            total[n].append(rest[row])
    several = [np.concatenate(s) for s in spans]
    return [surest(s, np.logaddexp.reduce(t)) if len(s) else None for s, t in zip(several, total)]


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


def text_of(rows: Rows, e: Example, answer: Answer) -> str:
    reading = rows.readings[e.candidates[answer.candidate]]
    first, last = (reading.units[reading.unit[t]] for t in (answer.first, answer.last))
    return reading.text[first.start:last.end]


@torch.no_grad()
def judged(head: Head, rows: Rows, examples: list[Example], given: bool = False) -> list[tuple[float, float, Example, str]]:
    """(confidence, token F1 with the nearest reference, example, span); given: only candidates that answer are shown."""
    head.eval()
    found = []
    order = sorted(examples, key=lambda e: rows.size[e.question])
    for start in range(0, len(order), 16):
        picked = []
        for e in order[start:start + 16]:
            good = sorted({c for c, _, _, w in e.spans if w > ELSEWHERE})
            picked.append((e, good[:1] if given else list(range(min(FIVE, len(e.candidates))))))
        for (e, _), answer in zip(picked, answers_of(head, Asked(rows, picked, head.shape.reads))):
            if answer is None:
                continue
            said = text_of(rows, e, answer)
            found.append((answer.confidence, max(token_f1(normal(said), normal(a)) for a in e.answers), e, said))
    head.train()
    return sorted(found, key=lambda one: -one[0])


def figures(head: Head, rows: Rows) -> dict[str, float]:
    """Of the validation questions (all explicit ones): right given the sentence, and at several levels."""
    asked, validation = rows.asked, [e for e in rows.examples if e.kind == "validation"]
    with_span = [e for e in validation if any(w > ELSEWHERE for *_, w in e.spans)]
    given = judged(head, rows, with_span, given=True)
    every = judged(head, rows, validation)
    # A question that gives no candidate at all is declined, and counts.
    right = np.cumsum([f1 >= 0.5 for _, f1, _, _ in every])
    wrong = np.arange(1, len(every) + 1) - right
    share = lambda kept: round(100 * float(right[kept].max(initial=0)) / asked, 1)
    return {"given": round(100 * sum(f1 >= 0.5 for _, f1, _, _ in given) / len(given), 1), "n_given": len(given),
            "all_right": share(slice(None)), "right_at_12_wrong": share(wrong <= 0.12 * asked),
            "right_at_one_in_five": share(wrong <= 0.25 * right), "n": asked}


def interval(count: int, n: int) -> str:
    """A share in per cent with its 95 % interval (Wilson)."""
    z, p = 1.96, count / max(1, n)
    middle, half = (p + z * z / 2 / n), z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    low, high = ((middle + sign * half) / (1 + z * z / n) for sign in (-1, 1))
    return f"{100 * p:.1f} ({100 * low:.1f}-{100 * high:.1f})"


def table(head: Head, rows: Rows) -> str:
    every = judged(head, rows, [e for e in rows.examples if e.kind == "validation"])
    n = rows.asked
    right = np.cumsum([f1 >= 0.5 for _, f1, _, _ in every])
    allowed = np.nonzero(np.arange(1, len(every) + 1) - right <= right / 4)[0]
    calibrated = every[allowed[-1]][0] if len(allowed) else 1.0  # the lowest from which at most one marked span in five is wrong
    lines = ["| level | right % | wrong % | declined % | wrong of those marked % |", "|---|---|---|---|---|"]
    for level in (0.0, 0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9, calibrated):
        shown = [f1 >= 0.5 for sure, f1, _, _ in every if sure >= level]
        right = sum(shown)
        wrong = len(shown) - right
        lines.append(f"| {level:.4f} | {interval(right, n)} | {interval(wrong, n)} | {100 * (n - len(shown)) / n:.1f} | "
                     f"{interval(wrong, len(shown)) if shown else '-'} |")
    return "\n".join(lines)


# ----- Commands -----

@torch.no_grad()
def compute_states(folder: Path, model_dir: Path) -> None:
    """Appends states of texts that have none yet to ROWS/states.f16, normed, float16, [tokens, len(STORED), D]."""
    rows = Rows(folder, model_dir)
    path = folder / "states.f16"
    model = load_model(model_dir).eval()
    done = len(rows.states) if rows.states is not None else 0
    left = [i for i in range(len(rows.size)) if rows.offset[i] >= done]
    total = int(rows.size.sum())
    began = time.monotonic()
    for start in range(0, len(left), 512):
        several = left[start:start + 512]
        out = {}
        for group in [g for g in np.array_split(sorted(several, key=lambda i: rows.size[i]), 16) if len(g)]:
            ids = np.zeros((len(group), max(1, int(rows.size[group].max()))), np.int64)
            for row, i in enumerate(group):
                ids[row, :rows.size[i]] = rows.tokens[rows.offset[i]:rows.offset[i] + rows.size[i]]
            states = states_of(model, torch.from_numpy(ids))
            for row, i in enumerate(group):
                out[i] = states[row, :rows.size[i]].numpy().astype(np.float16)
        with path.open("ab") as file:
            for i in several:
                file.write(out[i].tobytes())
        if start // 512 % 20 == 0:
            print(f"{rows.offset[several[-1]]} of {total} tokens, {time.monotonic() - began:.0f} s", flush=True)


@torch.no_grad()
def states_of(model: Decoder, ids: Tensor) -> Tensor:
    """[B,T,len(STORED),D]: normed outputs of the stored layers."""
    kept = []
    x = F.embedding(ids, model.model.embed_tokens.weight)
    turn = rotary(torch.arange(ids.shape[1])[None], model.shape)
    bias = causal_bias(ids.shape[1], 0, ids.device)
    for i, layer in enumerate(model.model.layers[:max(STORED)]):
        x, _ = layer(x, turn, bias, i, None, None)
        if i + 1 in STORED:
            kept.append(normed(x))
    return torch.stack(kept, 2)


def train(folder: Path, model_dir: Path, run: Path, a: argparse.Namespace) -> None:
    run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(a.seed)
    draw = random.Random(a.seed)
    shape = HeadShape(a.width, a.depth, a.width // 32, tuple(int(n) for n in a.reads.split(",")))
    rows = Rows(folder, model_dir, shape.reads)
    head = Head(shape, a.dropout)
    shares = {k: float(v) for k, v in (part.split(":") for part in a.mix.split(","))}
    by_kind = {k: [e for e in rows.examples if e.kind == k] for k in shares}
    decay = [p for p in head.parameters() if p.ndim > 1]
    optimiser = torch.optim.AdamW([{"params": decay, "weight_decay": 0.03},
                                   {"params": [p for p in head.parameters() if p.ndim <= 1], "weight_decay": 0.0}], lr=a.rate, betas=(0.9, 0.98))
    (run / "shape.json").write_text(json.dumps(asdict(shape)))

    def log(**line: object) -> None:
        print(line, flush=True)
        with (run / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
    log(parameters=sum(p.numel() for p in head.parameters()), **{k: len(v) for k, v in by_kind.items()}, **vars(a) | {"rows": "", "model": "", "run": "", "start": str(a.start or "")})
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    step, smooth, spent, last, saved = 0, None, 0.0, time.monotonic(), time.monotonic()
    if a.start:
        earlier = read_safetensors(a.start)
        fits = {k: v for k, v in earlier.items() if head.state_dict()[k].shape == v.shape}
        log(begins_with=len(fits), begins_without=sorted(head.state_dict().keys() - fits.keys()))
        head.load_state_dict(fits, strict=False)
    if a.resume:
        state = torch.load(run / "state.pt")
        head.load_state_dict(state["head"])
        optimiser.load_state_dict(state["optimiser"])
        step, spent = state["step"], state["spent"]
        draw = random.Random(a.seed + step)

    def save() -> None:
        torch.save({"head": head.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "spent": spent}, run / "state.tmp")
        (run / "state.tmp").replace(run / "state.pt")
        write_safetensors(head.state_dict(), run / "reader.safetensors")
    pool: list = []
    while not stopped:
        fraction = max(step / a.steps, spent / 60 / a.minutes)
        if fraction >= 1:
            break
        if not pool:
            pool = drawn(by_kind, shares, rows, a.batch, a.candidates, draw)
        rate = a.rate * min(1, (step + 1) / 150) * min(1.0, max(0.02, (1 - fraction) / 0.7))
        for group in optimiser.param_groups:
            group["lr"] = rate
        loss = loss_of(head, Asked(rows, pool.pop(), shape.reads))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(head.parameters(), 1.0)
        optimiser.step()
        step += 1
        smooth = float(loss) if smooth is None else 0.98 * smooth + 0.02 * float(loss)
        spent, last = spent + time.monotonic() - last, time.monotonic()
        if step % 50 == 0:
            log(step=step, loss=round(smooth, 3), minutes=round(spent / 60, 1))
        if step % a.every == 0:
            log(step=step, **figures(head, rows))
        if time.monotonic() - saved > 180:
            save()
            saved = time.monotonic()
    save()
    log(step=step, **figures(head, rows))


def drawn(by_kind: dict, shares: dict[str, float], rows: Rows, batch: int, candidates: int, draw: random.Random) -> list:
    """Sixteen batches of questions alike in length, in any order."""
    kinds = [k for k in shares if by_kind[k]]
    several = []
    for kind in draw.choices(kinds, [shares[k] for k in kinds], k=16 * batch):
        e = draw.choice(by_kind[kind])
        several.append((e, chosen_candidates(e, candidates if kind == "fairytale" else min(3, candidates), draw)))
    several.sort(key=lambda one: rows.size[one[0].question])  # sentences are grouped by length in Asked
    batches = [several[i:i + batch] for i in range(0, len(several), batch)]
    draw.shuffle(batches)
    return batches


def load_head(run: Path) -> Head:
    said = json.loads((run / "shape.json").read_text())
    head = Head(HeadShape(**{**said, "reads": tuple(said["reads"])}))
    head.load_state_dict(read_safetensors(run / "reader.safetensors"))
    return head.eval()


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("what", choices=["states", "train", "table"])
    args.add_argument("rows", type=Path)
    args.add_argument("model", type=Path)
    args.add_argument("run", type=Path, nargs="?")
    args.add_argument("--minutes", type=float, default=1e9)
    args.add_argument("--steps", type=int, default=20000)
    args.add_argument("--rate", type=float, default=1e-3)
    args.add_argument("--width", type=int, default=192)
    args.add_argument("--depth", type=int, default=3)
    args.add_argument("--reads", default="0,2", help="layers of the model whose states are read; 0 is the embedding")
    args.add_argument("--mix", default="fairytale:0.4,prose:0.3,qasrl:0.2,notes:0.1")
    args.add_argument("--batch", type=int, default=24, help="questions of a step")
    args.add_argument("--candidates", type=int, default=FIVE, help="sentences of a question in a step")
    args.add_argument("--dropout", type=float, default=0.1)
    args.add_argument("--every", type=int, default=500, help="steps between two measurements")
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("--start", type=Path, help="RUN/reader.safetensors of an earlier run to begin from")
    args.add_argument("--resume", action="store_true")
    a = args.parse_args()
    torch.set_num_threads(1)
    if a.what == "states":
        compute_states(a.rows, a.model)
    elif a.what == "train":
        train(a.rows, a.model, a.run, a)
    else:
        print(table(load_head(a.run), Rows(a.rows, a.model)))


if __name__ == "__main__":
    main()
