"""The paper's own read (Eq. 3 and 4): at every position the keys of a layer compete, and the mixture of their vectors is
added where the nearest one is near enough. Measured on template facts, of which there are as many as one likes."""
import random
from dataclasses import dataclass

import torch
from torch import Tensor
import torch.nn.functional as F

from decoder import Decoder
from prompts import PROBES, recall_prompt

BETA, THETA = 50.0, 0.6  # the paper's
NAMES = """Mary John Sandra Daniel Fred Bill Jeff Julie Jason Emily Brian Greg Lily Bernhard Yann Antoine""".split()
MOVES = ["moved to", "went to", "journeyed to", "travelled to", "went back to"]
PLACES = """garden hallway kitchen bathroom office bedroom cellar library pantry harbor chapel station barn park market
attic""".split()
IGNORED = -100
TOGETHER = 64  # prompts or facts in one forward pass


def template_facts(count: int, seed: int) -> list[tuple[str, int, str]]:
    """(anchor, index, value): the names in turn, each value of a name once. Fewer facts are the first of more."""
    values = {}
    for name in NAMES:
        values[name] = [f"{name} {move} the {place}." for move in MOVES for place in PLACES]
        random.Random(f"{seed} {name}").shuffle(values[name])
    turns = ((i % len(NAMES), i // len(NAMES)) for i in range(count))
    return [(NAMES[order], n + 1, values[NAMES[order]][n]) for order, n in turns]


@torch.no_grad()
def addresses(model: Decoder, prompts: list[list[int]]) -> Tensor:
    """[layers, N, F]: the input of every layer's down-projection at the key token, the last but one of its prompt."""
    found = []
    for start in range(0, len(prompts), TOGETHER):
        some = prompts[start:start + TOGETHER]
        ids = torch.zeros(len(some), max(map(len, some)), dtype=torch.long)
        for row, prompt in zip(ids, some):
            row[:len(prompt)] = torch.tensor(prompt)
        at = torch.arange(len(some)), torch.tensor([len(prompt) - 2 for prompt in some])
        seen: list[Tensor] = []
        model.hidden(ids, inject=lambda _i, activation, y: seen.append(activation[at]) or y)
        found.append(torch.stack(seen))
    return torch.cat(found, 1)


def second_best(keys: Tensor) -> float:
    """Mean cosine of a key with the nearest other one. keys [N,F]."""
    keys = F.normalize(keys, dim=-1)
    cosine = keys @ keys.t()
    return float(cosine.fill_diagonal_(-1).amax(-1).mean())


def centred(keys: Tensor, centre: Tensor | None) -> Tensor:
    return F.normalize(keys if centre is None else keys - centre, dim=-1)


@dataclass
class Store:
    """The facts of one layer: keys [N,F] as they are compared, vectors [N,D], what is taken off every address."""

    layer: int
    keys: Tensor
    vectors: Tensor
    centre: Tensor | None = None

    def read(self, layer: int, activation: Tensor, y: Tensor) -> Tensor:
        """An injection for Decoder.hidden: the gated read at every position."""
        if layer != self.layer:
            return y
        similarity = centred(activation, self.centre) @ self.keys.t()  # [B,T,N]
        is_open = similarity.amax(-1, keepdim=True) > THETA
        return y + is_open * ((BETA * similarity).softmax(-1) @ self.vectors)


@torch.no_grad()
def recalled(model: Decoder, facts: list[tuple[list[int], list[int]]], inject) -> Tensor:
    """Which facts (prompt, value) greedy decoding says word for word: those whose every token is the likeliest."""
    exact = []
    for start in range(0, len(facts), TOGETHER):
        some = facts[start:start + TOGETHER]
        ids = torch.zeros(len(some), max(len(p) + len(v) for p, v in some), dtype=torch.long)
        target = torch.full_like(ids, IGNORED)
        for i, (prompt, value) in enumerate(some):
            ids[i, :len(prompt) + len(value)] = torch.tensor(prompt + value)
            target[i, len(prompt) - 1:len(prompt) + len(value) - 1] = torch.tensor(value)
        states, _ = model.hidden(ids, inject=inject)
        scored = target != IGNORED
        wrong = torch.zeros(len(some)).index_add_(
            0, scored.nonzero()[:, 0], (model.logits(states[scored]).argmax(-1) != target[scored]).float())
        exact.append(wrong == 0)
    return torch.cat(exact)


def measure(bench, sizes: list[int], layer: int, seed: int) -> dict:
    """Exact recalls by the soft read, raw and centred, of as many template facts at one layer as `sizes` says.

    bench: an evaluate.Bench (its model, tokenizer and way of encoding).
    """
    made = template_facts(max(sizes), seed)
    encode = bench.tokenizer.encode
    facts = [(encode(recall_prompt(anchor, index)), encode(" " + value)) for anchor, index, value in made]
    # in batches: facts stop moving one by one, a batch when its last has
    batches = [bench.encode(facts[i:i + TOGETHER], layer) for i in range(0, len(facts), TOGETHER)]
    vectors = torch.cat([delta for delta, _ in batches])
    alone = torch.cat([exact_at <= bench.steps for _, exact_at in batches]).float()
    keys = addresses(bench.model, [prompt for prompt, _ in facts])[layer]
    centre = addresses(bench.model, [encode(recall_prompt(*key)) for key in PROBES])[layer].mean(0)
    rows = []
    for size in sizes:
        row = {"facts": size, "layer": layer, "alone": round(float(alone[:size].mean()), 3)}
        for name, mean in (("raw", None), ("centred", centre)):
            store = Store(layer, centred(keys[:size], mean), vectors[:size], mean)
            exact = recalled(bench.model, facts[:size], store.read)
            row[name] = round(float(exact.float().mean()), 3)
            row[f"{name}_nearest"] = round(second_best(store.keys), 3)
        rows.append(row)
    return {"soft": rows}


def nearest_keys(bench, count: int, draw_facts) -> list[dict]:
    """By layer: how near the nearest other key is, among `count` keys of different anchors, of one anchor's indices, of
    one value's parts; raw and less the probes' mean."""
    encode = bench.tokenizer.encode
    kinds = {"anchors": [prompt for prompt, _ in draw_facts(count)],
             "indices": [encode(recall_prompt("Sandra", j)) for j in range(1, 33)],
             "parts": [encode(recall_prompt("Sandra", 1 + i // 8, 1 + i % 8)) for i in range(32)]}
    centre = addresses(bench.model, [encode(recall_prompt(*key)) for key in PROBES]).mean(1)
    rows = [{"layer": layer} for layer in range(bench.model.shape.layers - 1)]
    for kind, prompts in kinds.items():
        keys = addresses(bench.model, list(map(list, dict.fromkeys(map(tuple, prompts)))))
        for row in rows:
            at = row["layer"]
            row[kind] = round(second_best(keys[at]), 3)
            row[f"{kind}_centred"] = round(second_best(keys[at] - centre[at]), 3)
    return rows
