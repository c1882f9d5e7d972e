"""Trains the reader: a pointer head on early states of the frozen model that marks, in one of five sentences, the span that
answers a question, or declines.

    python3 reader.py read ROWS MODEL_DIR                 # once: readings of all texts and the spans that answer, in all cores
    python3 reader.py train ROWS MODEL_DIR RUN [--minutes M] [--steps N] [--width W] [--depth D] [--reads 0,2] [--device cuda]
    python3 reader.py table ROWS MODEL_DIR RUN            # right, wrong and declined at each level, on validation stories

ROWS is a folder of reader_rows.py; `read` adds readings.npz, and on a CPU the first use of a layer adds its states. RUN gets
state.pt, log.jsonl, shape.json and reader.safetensors, a running mean of the weights; RUN/best has the ones that answered most
validation questions with at most 12 % wrong. SIGTERM or the end of the minutes stops after the present step and saves.

Shapes in comments: R rows (a question with one candidate), Q and S tokens of a question and a sentence, T = Q + S, D hidden
size of the model, W width of the head, N questions, C candidates of a question.
"""
import argparse
import json
import math
import multiprocessing
import os
import random
import signal
import time
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
import torch.nn.functional as F

import bpe
from checkpoint import load_model, read_safetensors, write_safetensors
from decoder import Decoder, causal_bias, rotary
from reader_rows import ELSEWHERE, FIVE, Example, found_spans, read_rows
from reader_text import ASK_KINDS, FEATURES, STATIC, Reading, ask_of, normal, token_f1

REACH = 16  # tokens: distances beyond are alike
RELATIONS = 2 * REACH + 3  # distances in one text; question to sentence; sentence to question
LONGEST = 32  # tokens of a span
PAIR = 32  # size of the product of a span's first and last token
NEAR = 4.0  # tokens over which nearness to a match falls by e
MASKED = -1e4
MATCHES = slice(len(STATIC), len(STATIC) + 5)  # features that compare question and sentence
STORIES = ("fairytale", "renamed", "asked")
GROUP = {"cpu": 256, "cuda": 2048}  # texts whose states are computed together
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
    return F.dropout(torch.ones(len(x), 1, x.shape[-1], device=x.device, dtype=x.dtype), share, training) * x if training and share else x


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
        """x [R,T,W], relation [T*T,RELATIONS] with a one each, mask [R,1,1,T] added to scores."""
        R, T, W = x.shape
        q, k, v = self.qkv(normed(x) * self.norm1).view(R, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        with torch.autocast(x.device.type, enabled=False):  # a product, as gathering has a slow gradient on a GPU
            bias = (relation @ self.relation).view(T, T, -1).permute(2, 0, 1)  # [H,T,T]
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
        relation = F.one_hot(b.relation.reshape(-1), RELATIONS).to(self.norm.dtype)
        for block in self.blocks:
            x = block(x, relation, b.mask)
        with torch.autocast(x.device.type, enabled=False):
            return self.scores(x if x.dtype == torch.float64 else x.float(), b)

    def scores(self, x: Tensor, b: "Batch") -> Tensor:
        x = normed(x) * self.norm
        Q = b.question_tokens
        s = x[:, Q:]
        edges = self.edges(s)
        first, last = self.pair(s).chunk(2, -1)
        whole = self.whole(x[:, 0]) + self.rank * b.rank[:, None]  # [R,1]
        return (edges[..., 0, None] + edges[..., None, :, 1] + first @ last.transpose(1, 2) / math.sqrt(PAIR)
                + whole[..., None] + b.allowed)


def arrays_of(readings: list[Reading]) -> dict[str, np.ndarray]:
    """What is read of several texts, one after the other."""
    many = lambda name: np.concatenate([np.asarray(getattr(r, name)) for r in readings]) if readings else np.zeros(0)
    return {"size": np.array([len(r.tokens) for r in readings], np.int64), "tokens": many("tokens").astype(np.int32),
            "static": many("static").astype(np.uint8).reshape(-1, len(STATIC)), "words": many("words").astype(np.int32),
            "stems": many("stems").astype(np.int32), "before": many("before").astype(np.int16).reshape(-1, 2),
            "ask": np.array([ask_of(r.text) for r in readings], np.int64)}


class Flat:
    """Texts as flat arrays, one after the other, on a device. `states` has one tensor [tokens, D] for each layer above 0."""

    def __init__(self, arrays: dict[str, np.ndarray], device: str = "cpu"):
        self.device = torch.device(device)
        self.size, self.before = arrays["size"], arrays["before"]
        self.offset = np.concatenate([[0], np.cumsum(self.size)])[:-1]
        there = lambda array: torch.from_numpy(array).to(self.device)
        self.sizes, self.offsets, self.ask = there(self.size), there(self.offset), there(arrays["ask"])
        self.tokens, self.static = there(arrays["tokens"]), there(arrays["static"])
        self.words, self.stems = there(arrays["words"]), there(arrays["stems"])
        self.states: dict[int, Tensor] = {}


class Rows(Flat):
    """The rows of a folder of reader_rows.py that have been read, with states of the layers that are wanted."""

    def __init__(self, folder: Path, model_dir: Path, reads: tuple[int, ...] = (), device: str = "cpu"):
        self.texts, self.examples = read_rows(folder)
        with np.load(folder / "readings.npz") as file:
            super().__init__({name: file[name] for name in file.files if not name.startswith("span")}, device)
            ends = np.cumsum(file["span_count"])
            for e, some in zip(self.examples, np.split(file["spans"], ends[:-1])):
                e.spans = some
        self.tokenizer = bpe.Tokenizer(model_dir / "tokenizer.json")
        self.asked = sum(e.kind == "validation" for e in self.examples)  # also those for which nothing is ranked
        declines = (*STORIES, "validation", "worlds")
        self.examples = [e for e in self.examples if e.candidates and (len(e.spans) or e.kind in declines)]
        self._rank_others()
        model = load_model(model_dir).eval().to(self.device)
        self.embedding = normed(model.model.embed_tokens.weight.detach())
        self.states = states_of_all(self, model, [n for n in reads if n], folder)

    def _rank_others(self) -> None:
        """Gives questions that the app did not rank the mean logits of sentences at the same place; QA-SRL's have no order."""
        known = [e.ranks for e in self.examples if e.kind == "fairytale"]
        usual = [float(np.mean([r[c] - r[0] for r in known if len(r) > c])) for c in range(FIVE)] if known else [0.0] * FIVE
        for e in self.examples:
            if not e.ranks:
                e.ranks = [0.0 if e.kind == "qasrl" else usual[min(c, FIVE - 1)] for c in range(len(e.candidates))]

    @lru_cache(None)
    def reading(self, number: int) -> Reading:
        return Reading(self.texts[number][0], self.tokenizer, self.texts[number][1])


@dataclass(frozen=True)
class Noise:
    """What is hidden from a head that learns, as shares of: tokens of a question, tokens of a sentence (of which only the
    features of a text alone stay), and the features that compare the two, each at once in all rows of a question."""

    question: float = 0.0
    sentence: float = 0.0
    match: float = 0.0


class Batch:
    """Rows side by side. question and sentence [R] are numbers of texts, rank [R] log p of the sentence by the ranking, owner
    [R] numbers the questions."""

    def __init__(self, rows: Flat, question: np.ndarray, sentence: np.ndarray, rank: np.ndarray, reads: tuple[int, ...],
                 owner: np.ndarray | None = None, noise: Noise | None = None):
        device = rows.device
        there = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(device, non_blocking=True)
        up = lambda n: int(n) if device.type == "cpu" else -(-int(n) // 8) * 8  # few shapes on a GPU
        Q, S = up(rows.size[question].max()), up(rows.size[sentence].max())
        questions, sentences = there(question), there(sentence)
        self.rank, self.question_tokens = there(rank.astype(np.float32)), Q
        at_q, real_q = self._places(rows, questions, Q)
        at_s, real_s = self._places(rows, sentences, S)
        at, real = torch.cat([at_q, at_s], 1), torch.cat([real_q, real_s], 1)
        static = rows.static[at].float()
        span = (static[:, Q:, 4] * real_s)[:, :, None] * (static[:, Q:, 5] * real_s)[:, None] * short_spans(S, device)
        self.allowed = torch.where(span > 0, 0.0, MASKED)
        known, columns = real, None
        if noise and owner is not None:
            owners, count = there(owner), int(owner.max()) + 1
            left = torch.rand(count, Q, device=device) >= noise.question
            left[:, 0] = True  # where it is told whether the sentence answers
            real = torch.cat([real_q & left[owners], real_s], 1)
            known = torch.cat([real[:, :Q], real_s & (torch.rand(real_s.shape, device=device) >= noise.sentence)], 1)
            columns = (torch.rand(count, MATCHES.stop - MATCHES.start, device=device) >= noise.match).float()[owners]
        tokens = rows.tokens[at].long()
        parts = [rows.embedding[tokens] if layer == 0 else rows.states[layer][at].to(rows.embedding.dtype) for layer in reads]
        self.states = torch.cat(parts, -1) * known[..., None]
        self.features = features_of(rows, at, real, known, tokens, static, Q)
        if columns is not None:
            self.features[..., MATCHES] *= columns[:, None]
        self.ask = rows.ask[questions]
        self.mask = torch.where(real, 0.0, MASKED)[:, None, None]
        self.relation = relations(Q, S, device)

    @staticmethod
    def _places(rows: Flat, texts: Tensor, longest: int) -> tuple[Tensor, Tensor]:
        time_ = torch.arange(longest, device=texts.device)[None]
        real = time_ < rows.sizes[texts][:, None]
        return rows.offsets[texts][:, None] + time_ * real, real


def features_of(rows: Flat, at: Tensor, real: Tensor, known: Tensor, tokens: Tensor, static: Tensor, Q: int) -> Tensor:
    """[R,T,len(FEATURES)]: those of each text alone, and matches of question and sentence among the known tokens."""
    n = len(STATIC)
    words, stems = rows.words[at] * known, rows.stems[at] * known
    matches = []
    for values in (torch.where(words > 0, tokens + 1, 0), words, stems):
        same = (values[:, :Q, None] == values[:, None, Q:]) & (values[:, :Q, None] > 0)
        matches.append(torch.cat([same.any(2), same.any(1)], 1).float())
    stem_q, stem_s = matches[2][:, :Q], matches[2][:, Q:]
    near = (stem_s[:, None] * falling(stem_s.shape[1], at.device)).amax(2)
    content = (stems[:, :Q] > 0) * static[:, :Q, 4]  # first tokens of the question's content words
    covered = (content * stem_q).sum(1) / content.sum(1).clamp(min=1)
    rest = [torch.cat([torch.zeros_like(stem_q), near], 1), covered[:, None].expand(at.shape),
            (torch.arange(at.shape[1], device=at.device) >= Q).float()[None].expand(at.shape)]
    found = torch.cat([static, torch.stack([*matches, *rest], -1)], -1)
    assert found.shape[-1] == len(FEATURES) and n + 6 == len(FEATURES)
    return found * real[..., None]


@lru_cache(None)
def falling(S: int, device: torch.device) -> Tensor:
    """[S,S]: how near two tokens are, 1 for the same."""
    at = torch.arange(S, device=device)
    return torch.exp(-(at[:, None] - at).abs() / NEAR)


@lru_cache(None)
def short_spans(S: int, device: torch.device) -> Tensor:
    """[S,S]: 1 for spans of at most LONGEST tokens."""
    return torch.ones(S, S, device=device).triu().tril(LONGEST - 1)


@lru_cache(None)
def relations(Q: int, S: int, device: torch.device = torch.device("cpu")) -> Tensor:
    """[T,T] numbers of relations between tokens."""
    near = lambda n: np.clip(np.arange(n)[None] - np.arange(n)[:, None], -REACH, REACH) + REACH
    found = np.block([[near(Q), np.full((Q, S), 2 * REACH + 1)], [np.full((S, Q), 2 * REACH + 2), near(S)]])
    return torch.from_numpy(found).to(device)


class Table:
    """Examples as arrays: question [N]; text (-1 for none), logit and weight (of the best span) [N,C]; spans one after the other."""

    def __init__(self, examples: list[Example]):
        N, C = len(examples), max(len(e.candidates) for e in examples)
        self.kind = np.array([e.kind for e in examples])
        self.question = np.array([e.question for e in examples])
        self.text, self.logit, self.weight = np.full((N, C), -1), np.full((N, C), -np.inf), np.zeros((N, C))
        several = [np.asarray(e.spans, np.float64).reshape(-1, 4) for e in examples]
        for n, (e, spans) in enumerate(zip(examples, several)):
            self.text[n, :len(e.candidates)] = e.candidates
            self.logit[n, :len(e.candidates)] = e.ranks or 0.0
            np.maximum.at(self.weight[n], spans[:, 0].astype(int), spans[:, 3])
        count = np.array([len(spans) for spans in several])
        every = np.concatenate(several)
        usable = every[:, 2] - every[:, 1] < LONGEST
        owner = np.repeat(np.arange(N), count)[usable]
        self.ends = np.searchsorted(owner, np.arange(N + 1))
        self.spans, self.log_weight = every[usable, :3].astype(int), np.log(every[usable, 3])
        self.is_story, self.is_qasrl = np.isin(self.kind, STORIES), self.kind == "qasrl"

    def chosen(self, picked: np.ndarray, most: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """Candidates of a training step, [n,C] of bool. Mostly those that the app would show, whether they answer or not, so that
        declining is learnt as often as it is right; otherwise some that answer, and others. picked and most [n]."""
        n, C = len(picked), self.text.shape[1]
        place, there, weight = np.arange(C)[None], self.text[picked] >= 0, self.weight[picked]
        ranks = np.argsort(np.argsort(-weight, 1, kind="stable"), 1)
        good = (weight > 0) & (ranks < 2) & ((weight > ELSEWHERE) | (ranks == 0))
        declined = ~self.is_qasrl[picked] & (draw.random(n) < 0.1)  # nothing that is shown answers
        good &= ~declined[:, None]
        others = there & ~good & (good.any(1)[:, None] | (weight == 0))
        first = others & (place < FIVE)
        others = np.where(first.any(1)[:, None], first, others)
        key = np.where(good, -1.0, np.where(others, draw.random((n, C)), 9.0))
        wanted = good.sum(1) + np.maximum(1, most - good.sum(1))
        shown = self.is_story[picked] & (draw.random(n) < AS_SHOWN)
        key[shown] = np.where(there, place - 99.0, 9.0)[shown]
        wanted[shown] = most[shown]
        found = (np.argsort(np.argsort(key, 1), 1) < wanted[:, None]) & (key < 9)
        found[~found.any(1), 0] = True
        return found


class Asked:
    """Several questions, each with the candidates that are used, as batches of rows. parts: (batch, question of each row,
    candidate of each row); good: for each part (row, first token, last token, log weight) of the spans that answer."""

    def __init__(self, rows: Flat, picked: list[tuple[Example, list[int]]], reads: tuple[int, ...], groups: int = 4):
        self.picked = picked
        table, chosen = Table([e for e, _ in picked]), np.zeros((len(picked), max(len(e.candidates) for e, _ in picked)), bool)
        for n, (_, places) in enumerate(picked):
            chosen[n, places] = True
        self._fill(rows, table, np.arange(len(picked)), chosen, reads, groups, None)

    @classmethod
    def drawn(cls, rows: Flat, table: Table, picked: np.ndarray, chosen: np.ndarray, reads: tuple[int, ...], groups: int,
              noise: Noise) -> "Asked":
        """Of examples picked [n] of a table, with the chosen [n,C] candidates."""
        self = cls.__new__(cls)
        self._fill(rows, table, picked, chosen, reads, groups, noise)
        return self

    def _fill(self, rows: Flat, table: Table, picked: np.ndarray, chosen: np.ndarray, reads: tuple[int, ...], groups: int,
              noise: Noise | None) -> None:
        self.rows, self.count = rows, len(picked)
        owner, candidate = np.nonzero(chosen)
        question, sentence = table.question[picked][owner], table.text[picked][owner, candidate]
        logits = np.where(chosen, table.logit[picked], -np.inf)
        rank = np.maximum(logits - np.logaddexp.reduce(logits, 1)[:, None], LEAST_RANK)[owner, candidate]
        self.sentence = dict(zip(zip(owner.tolist(), candidate.tolist()), sentence.tolist())) if noise is None else {}
        begin, end = table.ends[picked], table.ends[picked + 1]
        whose = np.repeat(np.arange(len(picked)), end - begin)  # the question of each span that answers one
        at = np.arange(len(whose)) + np.repeat(begin - np.cumsum(end - begin) + (end - begin), end - begin)
        used = chosen[whose, table.spans[at, 0]]
        at, row = at[used], (np.cumsum(chosen.ravel()).reshape(chosen.shape) - 1)[whose[used], table.spans[at[used], 0]]
        order = np.argsort(rows.size[sentence], kind="stable") if groups > 1 else np.arange(len(owner))
        self.parts, self.good = [], []
        for some in np.array_split(order, groups):
            if not len(some):
                continue
            self.parts.append((Batch(rows, question[some], sentence[some], rank[some], reads, owner[some], noise), owner[some], candidate[some]))
            place = np.full(len(owner), -1)
            place[some] = np.arange(len(some))
            here = place[row] >= 0
            self.good.append((place[row[here]], *table.spans[at[here], 1:].T, table.log_weight[at[here]]))


def loss_of(head: Head, asked: Asked) -> Tensor:
    """−log of the weighted share of the spans that answer, or of declining, among all spans of a question's candidates."""
    N, device = asked.count, asked.rows.device
    there = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(device, non_blocking=True)
    every, owners, good, good_owners = [torch.zeros(N, device=device)], [np.arange(N)], [], []
    for (batch, owner, _), (row, i, j, weight) in zip(asked.parts, asked.good):
        scores = head(batch)
        R, S, _ = scores.shape
        every.append(scores.reshape(R, -1).logsumexp(-1))
        owners.append(owner)
        good.append(scores.reshape(-1)[there((row * S + i) * S + j)] + there(weight.astype(np.float32)))
        good_owners.append(owner[row])
    total = grouped_logsumexp(torch.cat(every), there(np.concatenate(owners)), N)
    answers = np.concatenate(good_owners)
    if not len(answers):
        return total.mean()
    answered = there(np.isin(np.arange(N), answers))
    found = grouped_logsumexp(torch.cat(good), there(answers), N)
    return (total - torch.where(answered, found, 0.0)).mean()


def grouped_logsumexp(values: Tensor, owner: Tensor, count: int) -> Tensor:
    """log Σ exp by owner, [count]; very low for one without values."""
    top = torch.full((count,), -1e9, device=values.device).scatter_reduce(0, owner, values.detach(), "amax")
    total = torch.zeros(count, device=values.device).index_add(0, owner, (values - top[owner]).exp())
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
        top, at, rest = top.cpu().numpy(), at.cpu().numpy(), flat.logsumexp(-1).cpu().numpy()
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
    reading = rows.reading(e.candidates[answer.candidate])
    first, last = (reading.units[reading.unit[t]] for t in (answer.first, answer.last))
    return reading.text[first.start:last.end]


@torch.no_grad()
def judged(head: Head, rows: Rows, examples: list[Example], given: bool = False) -> list[tuple[float, float, Example, str]]:
    """(confidence, token F1 with the nearest reference, example, span); given: only candidates that answer are shown."""
    head.eval()
    found = []
    order = sorted(examples, key=lambda e: rows.size[e.question])
    together = 128 if rows.device.type == "cuda" else 16
    for start in range(0, len(order), together):
        picked = []
        for e in order[start:start + together]:
            good = sorted({int(c) for c, _, _, w in e.spans if w > ELSEWHERE})
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


def levels(head: Head, rows: Rows) -> str:
    """Right, wrong and declined from each confidence on, as a table; the last line is the level to ship."""
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

def read_texts(folder: Path, model_dir: Path) -> None:
    """Writes readings of all texts and the spans that answer, FOLDER/readings.npz. A text belongs to the part with the first
    example that has it, and they are numbered in that order."""
    texts, examples = read_rows(folder)
    tokenizer = bpe.Tokenizer(model_dir / "tokenizer.json")
    highest = np.maximum.accumulate([max(e.question, *e.candidates, -1) for e in examples])
    parts = [part for part in np.array_split(np.arange(len(examples)), max(1, len(examples) // 400)) if len(part)]
    starts = [0, *(int(highest[part[-1]]) + 1 for part in parts)]
    if starts[-1] != len(texts):
        raise ValueError(f"{folder}/rows.json: {starts[-1]} of {len(texts)} texts are used: write it anew with reader_rows.py")
    _work.update(texts=texts, examples=examples, tokenizer=tokenizer)
    with multiprocessing.get_context("fork").Pool(len(os.sched_getaffinity(0))) as pool:
        done = pool.starmap(_read_part, [(part, starts[n], starts[n + 1]) for n, part in enumerate(parts)], chunksize=1)
    arrays = {name: np.concatenate([one[0][name] for one in done if len(one[0]["size"])]) for name in done[0][0]}
    spans = [spans for _, several in done for spans in several]
    np.savez(folder / "readings.tmp.npz", **arrays, span_count=np.array([len(s) for s in spans]), spans=np.concatenate(spans))
    (folder / "readings.tmp.npz").replace(folder / "readings.npz")
    print(f"{len(texts)} texts, {int(arrays['size'].sum())} tokens, {len(examples)} examples")
    for kind, some in groupby(zip(examples, spans), lambda pair: pair[0].kind):
        several = [len(s) > 0 for _, s in some]
        print(kind, len(several), "with a span", sum(several))


_work: dict = {}  # of a process that reads a part


def _read_part(part: np.ndarray, start: int, end: int) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    """Readings of the texts start…end, and spans of some examples."""
    reading = lru_cache(None)(lambda number: Reading(_work["texts"][number][0], _work["tokenizer"], _work["texts"][number][1]))
    arrays = arrays_of([reading(number) for number in range(start, end)])
    return arrays, [np.array(found_spans(_work["examples"][n], reading), np.float32).reshape(-1, 4) for n in part]


@torch.no_grad()
def states_of_all(rows: Flat, model: Decoder, layers: list[int], folder: Path) -> dict[int, Tensor]:
    """Normed outputs of layers for all texts, float16 [tokens, D] each. On a CPU they are kept in FOLDER."""
    path = lambda layer: folder / f"states-{layer}.npy"
    if rows.device.type == "cpu" and all(path(n).exists() for n in layers):
        return {n: torch.from_numpy(np.load(path(n), mmap_mode="c")) for n in layers}
    found = {n: torch.empty(len(rows.tokens), model.shape.hidden, dtype=torch.float16, device=rows.device) for n in layers}
    if not layers:
        return found
    order = np.argsort(rows.size, kind="stable")
    order = order[rows.size[order] > 0]
    for some in np.array_split(order, max(1, len(order) // GROUP[rows.device.type])):
        at, real = Batch._places(rows, torch.from_numpy(some).to(rows.device), int(rows.size[some].max()))
        states = states_of(model, (rows.tokens[at] * real).long(), layers)
        for n, layer in enumerate(layers):
            found[layer][at[real]] = states[:, :, n][real].half()
    if rows.device.type == "cpu":
        for n, states in found.items():
            np.save(path(n), states.numpy())
    return found


@torch.no_grad()
def states_of(model: Decoder, ids: Tensor, layers: list[int]) -> Tensor:
    """[B,T,len(layers),D]: normed outputs of layers above 0."""
    kept = []
    x = F.embedding(ids, model.model.embed_tokens.weight)
    turn = rotary(torch.arange(ids.shape[1], device=ids.device)[None], model.shape)
    bias = causal_bias(ids.shape[1], 0, ids.device)
    for i, layer in enumerate(model.model.layers[:max(layers)]):
        x, _ = layer(x, turn, bias, i, None, None)
        if i + 1 in layers:
            kept.append(normed(x))
    return torch.stack(kept, 2)


def train(folder: Path, model_dir: Path, run: Path, a: argparse.Namespace) -> None:
    (run / "best").mkdir(parents=True, exist_ok=True)
    torch.manual_seed(a.seed)
    draw = np.random.default_rng(a.seed)
    shape = HeadShape(a.width, a.depth, a.width // 32, tuple(int(n) for n in a.reads.split(",")))
    began = time.monotonic()
    rows = Rows(folder, model_dir, shape.reads, a.device)
    on_gpu = rows.device.type == "cuda"
    exact, rows.embedding = rows.embedding, rows.embedding.bfloat16() if on_gpu else rows.embedding
    head = Head(shape, a.dropout).to(rows.device)
    mixes = [{k: float(v) for k, v in (part.split(":") for part in mix.split(","))} for mix in (a.mix, a.end_mix or a.mix)]
    table = Table([e for e in rows.examples if e.kind in mixes[0] | mixes[1]])
    of_kind = {k: np.nonzero(table.kind == k)[0] for k in mixes[0] | mixes[1]}
    noise = Noise(a.hide_question, a.hide_sentence, a.hide_matches)
    decay = [p for p in head.parameters() if p.ndim > 1]
    optimiser = torch.optim.AdamW([{"params": decay, "weight_decay": a.decay},
                                   {"params": [p for p in head.parameters() if p.ndim <= 1], "weight_decay": 0.0}], lr=a.rate, betas=(0.9, 0.98))
    for folder_ in (run, run / "best"):
        (folder_ / "shape.json").write_text(json.dumps(asdict(shape)))

    def log(**line: object) -> None:
        print(line, flush=True)
        with (run / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
    log(parameters=sum(p.numel() for p in head.parameters()), tokens=len(rows.tokens), loaded_s=round(time.monotonic() - began, 1),
        **{k: len(v) for k, v in of_kind.items()}, **vars(a) | {"rows": "", "model": "", "run": "", "start": str(a.start or "")})
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    step, spent = 0, 0.0
    if a.start:
        earlier = read_safetensors(a.start)
        fits = {k: v for k, v in earlier.items() if head.state_dict()[k].shape == v.shape}
        log(begins_with=len(fits), begins_without=sorted(head.state_dict().keys() - fits.keys()))
        head.load_state_dict(fits, strict=False)
    mean = Head(shape, 0.0).to(rows.device)  # a running mean of the weights: what is measured and shipped
    mean.load_state_dict(head.state_dict())
    if a.resume:
        state = torch.load(run / "state.pt", map_location=rows.device)
        head.load_state_dict(state["head"])
        mean.load_state_dict(state["mean"])
        optimiser.load_state_dict(state["optimiser"])
        step, spent = state["step"], state["spent"]
        draw = np.random.default_rng(a.seed + step)
    weights, means = list(head.parameters()), [p.data for p in mean.parameters()]
    best = -1.0

    def save() -> None:
        torch.save({"head": head.state_dict(), "mean": mean.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "spent": spent}, run / "state.tmp")
        (run / "state.tmp").replace(run / "state.pt")
        write_safetensors(mean.state_dict(), run / "reader.safetensors")

    def measure() -> None:
        nonlocal best
        learnt, rows.embedding = rows.embedding, exact
        found = figures(mean, rows)
        rows.embedding = learnt
        log(step=step, minutes=round(spent / 60, 2), **found)
        if found["right_at_12_wrong"] >= best:
            best = found["right_at_12_wrong"]
            write_safetensors(mean.state_dict(), run / "best" / "reader.safetensors")
    if a.deadline:
        a.minutes = min(a.minutes, spent / 60 + max(0.05, (a.deadline - time.time()) / 60))
    pool: list[np.ndarray] = []
    last = saved = time.monotonic()
    losses: list[Tensor] = []
    while not stopped:
        fraction = max(step / a.steps, spent / 60 / a.minutes)
        if fraction >= 1:
            break
        if not pool:
            pool = drawn(table, of_kind, mixes[fraction >= 1 - a.end], rows, a.batch, draw)
        rate = a.rate * min(1, (step + 1) / 150) * min(1.0, max(0.02, (1 - fraction) / 0.7))
        for group in optimiser.param_groups:
            group["lr"] = rate
        picked = pool.pop()
        most = np.where(table.is_story[picked], a.candidates, min(a.others, a.candidates))
        asked = Asked.drawn(rows, table, picked, table.chosen(picked, most, draw), shape.reads, 1 if on_gpu else 4, noise)
        with torch.autocast(rows.device.type, torch.bfloat16, enabled=on_gpu):
            loss = loss_of(head, asked)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        step += 1
        share = min(a.mean, (1 + step) / (10 + step))
        with torch.no_grad():
            torch._foreach_mul_(means, share)
            torch._foreach_add_(means, [p.data for p in weights], alpha=1 - share)
        losses.append(loss.detach())
        if step % 50 == 0:  # the only wait for the device
            lately, losses = float(torch.stack(losses).mean()), []
            spent, last = spent + time.monotonic() - last, time.monotonic()
            log(step=step, loss=round(lately, 3), minutes=round(spent / 60, 2), phase=int(fraction >= 1 - a.end))
            if not math.isfinite(lately):
                raise FloatingPointError(f"the loss is {lately} at step {step}: begin again with a lower --rate than {a.rate}")
        if step % a.every == 0:
            measure()
        if time.monotonic() - saved > 60:
            save()
            saved = time.monotonic()
        spent, last = spent + time.monotonic() - last, time.monotonic()
    save()
    measure()
    rows.embedding = exact
    for folder_ in (run, run / "best"):
        (folder_ / "table.txt").write_text(levels(load_head(folder_).to(rows.device), rows) + "\n")
    log(done=True, step=step, best=best)


def drawn(table: Table, of_kind: dict[str, np.ndarray], shares: dict[str, float], rows: Rows, batch: int,
          draw: np.random.Generator) -> list[np.ndarray]:
    """Sixteen batches of examples with questions alike in length, in any order."""
    kinds = [k for k in shares if len(of_kind[k])]
    p = np.array([shares[k] for k in kinds])
    counts = draw.multinomial(16 * batch, p / p.sum())
    several = np.concatenate([draw.choice(of_kind[k], n) for k, n in zip(kinds, counts)])
    draw.shuffle(several)
    several = several[np.argsort(rows.size[table.question[several]], kind="stable")]
    batches = np.split(several, 16)
    draw.shuffle(batches)
    return list(batches)


def load_head(run: Path) -> Head:
    said = json.loads((run / "shape.json").read_text())
    head = Head(HeadShape(**{**said, "reads": tuple(said["reads"])}))
    head.load_state_dict(read_safetensors(run / "reader.safetensors"))
    return head.eval()


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("what", choices=["read", "train", "table"])
    args.add_argument("rows", type=Path)
    args.add_argument("model", type=Path)
    args.add_argument("run", type=Path, nargs="?")
    args.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args.add_argument("--minutes", type=float, default=1e9)
    args.add_argument("--deadline", type=float, help="when to stop, in seconds of the clock (date +%%s), if that is sooner")
    args.add_argument("--steps", type=int, default=20000)
    args.add_argument("--rate", type=float, default=1e-3)
    args.add_argument("--decay", type=float, default=0.03)
    args.add_argument("--mean", type=float, default=0.998, help="share of the running mean of the weights that a step keeps")
    args.add_argument("--width", type=int, default=192)
    args.add_argument("--depth", type=int, default=3)
    args.add_argument("--reads", default="0,2", help="layers of the model whose states are read; 0 is the embedding")
    args.add_argument("--mix", default="fairytale:0.1,renamed:0.2,prose:0.27,gaps:0.18,qasrl:0.12,notes:0.09,worlds:0.04")
    args.add_argument("--end-mix", default="fairytale:0.3,renamed:0.28,prose:0.12,gaps:0.06,qasrl:0.08,notes:0.12,worlds:0.04")
    args.add_argument("--end", type=float, default=0.25, help="share of the run that has --end-mix")
    args.add_argument("--batch", type=int, default=24, help="questions of a step")
    args.add_argument("--candidates", type=int, default=FIVE, help="sentences of a story's question in a step")
    args.add_argument("--others", type=int, default=4, help="sentences of another question")
    args.add_argument("--dropout", type=float, default=0.1)
    args.add_argument("--hide-question", type=float, default=0.08, help="share of a question's tokens that are not seen in a step")
    args.add_argument("--hide-sentence", type=float, default=0.08)
    args.add_argument("--hide-matches", type=float, default=0.08, help="share of the features of matches, by question")
    args.add_argument("--every", type=int, default=500, help="steps between two measurements")
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("--start", type=Path, help="RUN/reader.safetensors of an earlier run to begin from")
    args.add_argument("--resume", action="store_true")
    a = args.parse_args()
    torch.set_num_threads(1)
    if a.what == "read":
        read_texts(a.rows, a.model)
    elif a.what == "train":
        train(a.rows, a.model, a.run, a)
    else:
        head = load_head(a.run).to(a.device)
        print(levels(head, Rows(a.rows, a.model, head.shape.reads, a.device)))


if __name__ == "__main__":
    main()
