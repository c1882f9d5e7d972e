"""Trains the writer: a network that gives δ for a part of a value in one pass, on the frozen model.

    python3 writer.py TOKENS MODEL_DIR RUN [--minutes M] [--steps N] [--longest N] [--resume]

TOKENS is a folder of corpus.py (its written.u16), RUN gets state.pt (resumable), log.jsonl and writer.safetensors.
SIGTERM or the end of the minutes stops after the present step and saves.
"""
import argparse
import json
import signal
import time
from contextlib import nullcontext
from pathlib import Path

import torch
from torch import Tensor, nn
import torch.nn.functional as F

from checkpoint import load_model, write_safetensors
from decoder import Decoder, mixed_products
from objectives import IGNORED, SPECIALS, load_fact_rows, with_strange_tokens

STATES_AFTER = 3  # layers of the frozen model whose output the writer reads
SIZE = 1.25  # root mean square of every δ: the size that the model was trained with, and that Adam can correct (rate 0.2)
MARGIN = 2.0  # logits by which a target is to lead; the app checks a smaller one
BANDS = ((4, 8), (9, 14), (15, 20), (21, 28), (29, 32))  # tokens of a part, for the report


class Writer(nn.Module):
    """States at the value's tokens, and the storage layer -> δ.

    Each place has its own linear map and the results are summed, so that one vector holds words and their order; a map of
    the last state and of the mean is added. A last map makes of it what the storage layer wants.
    """

    def __init__(self, hidden: int, places: int, layers: int):
        super().__init__()
        self.maps = nn.Parameter(torch.randn(places, hidden, hidden) * (0.3 / hidden ** 0.5))
        self.mix = nn.Linear(2 * hidden, hidden)
        self.layer = nn.Parameter(torch.eye(hidden).repeat(layers, 1, 1))

    def forward(self, states: Tensor, length: Tensor, layer: int) -> Tensor:
        """states [B,T,D], length [B], layer (counted among those that it is trained for) -> δ [B,D]."""
        T = states.shape[1]
        real = torch.arange(T)[None] < length[:, None]  # [B,T]
        states = states * real[..., None]
        placed = torch.einsum("btd,tde->be", states, self.maps[:T])
        last = states[torch.arange(len(states)), length - 1]
        raw = (placed + self.mix(torch.cat([last, states.sum(1) / length[:, None]], -1))) @ self.layer[layer]
        return raw * SIZE * torch.rsqrt(raw.pow(2).mean(-1, keepdim=True) + 1e-6)


class Batch:
    """Fact rows as the model sees them."""

    def __init__(self, picked: Tensor, ids: Tensor):
        self.key, prompt, self.value = picked[:, 0], picked[:, 1], picked[:, 2]
        self.ids = ids  # [B,T]
        time_ = torch.arange(ids.shape[1])[None]
        inside = (time_ >= (prompt - 1)[:, None]) & (time_ < (prompt + self.value - 1)[:, None])
        self.target = torch.where(inside, ids.roll(-1, 1), IGNORED)
        place = torch.arange(int(self.value.max()))[None]
        self.words = ids.gather(1, (prompt[:, None] + place).clamp(max=ids.shape[1] - 1))  # [B,V]


def spoken(model: Decoder, writer: Writer, batch: Batch, layer: int, at: int) -> Tensor:
    """Logits [B,T,V] of the model with the written δ added at the key token of layer `at`, which is the writer's `layer`."""
    with torch.no_grad():
        states = model.hidden(batch.words, upto=STATES_AFTER)[0].float()
    delta = writer(states, batch.value, layer)
    added = F.one_hot(batch.key, batch.ids.shape[1])[..., None].float() * delta[:, None]
    return model.hidden(batch.ids, inject=lambda i, _a, y: y + added if i == at else y)[0]


def loss_of(model: Decoder, writer: Writer, batch: Batch, layer: int, at: int) -> tuple[Tensor, Tensor]:
    """Cross-entropy per value token with the target's logit lowered by MARGIN, and the share of tokens right."""
    scored = batch.target != IGNORED
    target = batch.target[scored]
    logits = model.logits(spoken(model, writer, batch, layer, at)[scored]).float()
    right = (logits.argmax(-1) == target).float().mean()
    return F.cross_entropy(logits - MARGIN * F.one_hot(target, logits.shape[-1]), target), right


@torch.no_grad()
def exact_by_length(model: Decoder, writer: Writer, rows: Tensor, layers: list[int], most: int = 128) -> dict[str, str]:
    """Share of held-out parts that are exact with no Adam step, by tokens of the part, at each layer."""
    found = {}
    for low, high in BANDS:
        picked = rows[(rows[:, 2] >= low) & (rows[:, 2] <= high)][:most].long()
        if len(picked) == 0:
            continue
        batch = Batch(picked, picked[:, 3:3 + int((picked[:, 1] + picked[:, 2]).max())])
        shares = []
        for i, at in enumerate(layers):
            logits = model.logits(spoken(model, writer, batch, i, at))
            exact = ((logits.argmax(-1) == batch.target) | (batch.target == IGNORED)).all(1).float().mean()
            shares.append(round(float(exact), 3))
        found[f"{low}-{high}"] = f"{shares} (n = {len(picked)})"
    return found


class Rows:
    """Draws batches of fact rows alike in length."""

    def __init__(self, rows: Tensor):
        length = rows[:, 1] + rows[:, 2]
        order = length.argsort()
        self.rows, self.length = rows[order], length[order]

    def draw(self, tokens: int, longest: int, draw: torch.Generator) -> Tensor:
        allowed = int(torch.searchsorted(self.length, longest + 1))
        start = int(torch.randint(0, allowed, (1,), generator=draw))
        count = max(4, tokens // int(self.length[start]))
        band = min(8 * count, allowed)
        start = min(start, allowed - band)
        return self.rows[start + torch.randperm(band, generator=draw)[:count]].long()


def rate_at(step: int, steps: int, peak: float) -> float:
    """A short warm-up, a plateau, and a linear decay over the last 35 %."""
    return peak * min(1.0, (step + 1) / 200) * min(1.0, max(0.02, (steps - step) / (0.35 * steps)))


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("tokens", type=Path)
    args.add_argument("model", type=Path)
    args.add_argument("run", type=Path)
    args.add_argument("--minutes", type=float, default=1e9)
    args.add_argument("--steps", type=int, default=20000)
    args.add_argument("--rate", type=float, default=2e-3)
    args.add_argument("--layers", default="3,4,5", help="storage layers")
    args.add_argument("--longest", type=int, default=20, help="tokens of the longest value that is learnt")
    args.add_argument("--batch", type=int, default=3600, help="tokens of a step")
    args.add_argument("--mixed", action="store_true", help="products in bfloat16: faster on processors with avx512_bf16")
    args.add_argument("--resume", action="store_true")
    a = args.parse_args()
    a.run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    layers = [int(n) for n in a.layers.split(",")]
    model = load_model(a.model)
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    writer = Writer(model.shape.hidden, a.longest, len(layers))
    rows = load_fact_rows(a.tokens / "written.u16")
    rows = rows[rows[:, 2] <= a.longest]
    shuffled = rows[torch.randperm(len(rows), generator=torch.Generator().manual_seed(5))]
    held_out, train = shuffled[:2048], Rows(shuffled[2048:])
    # The map of a layer begins at the identity: a step of the others' size in each of its numbers would drown it.
    groups = [{"params": [p for p in writer.parameters() if p is not writer.layer], "scale": 1.0},
              {"params": [writer.layer], "scale": 0.1, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=a.rate, betas=(0.9, 0.98), weight_decay=0.01)
    step, seen = 0, 0
    if a.resume:
        state = torch.load(a.run / "state.pt")
        writer.load_state_dict(state["writer"])
        optimiser.load_state_dict(state["optimiser"])
        step, seen = state["step"], state["seen"]
    print("parameters", sum(p.numel() for p in writer.parameters()), "from step", step, flush=True)
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)

    def save() -> None:
        state = {"writer": writer.state_dict(), "optimiser": optimiser.state_dict(), "step": step, "seen": seen}
        torch.save(state, a.run / "state.tmp")
        (a.run / "state.tmp").replace(a.run / "state.pt")
        write_safetensors(writer.state_dict(), a.run / "writer.safetensors")

    def log(**line: object) -> None:
        print(line, flush=True)
        with (a.run / "log.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    began, smooth = time.monotonic(), None
    plain = model.shape.vocab - SPECIALS
    while step < a.steps and not stopped and time.monotonic() - began < a.minutes * 60:
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, a.steps, a.rate) * group["scale"]
        draw = torch.Generator().manual_seed(1_000_003 + step)  # a resumed run draws what an undisturbed one does
        longest = min(int(train.length[-1]), 48 + 14 * step // 600)
        picked = train.draw(a.batch, longest, draw)
        ids = picked[:, 3:3 + int((picked[:, 1] + picked[:, 2]).max())]
        batch = Batch(picked, with_strange_tokens(ids, picked[:, 1], picked[:, 2], plain, 0.05, draw))
        layer = int(torch.randint(0, len(layers), (1,), generator=draw))
        with mixed_products() if a.mixed else nullcontext():
            loss, right = loss_of(model, writer, batch, layer, layers[layer])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(writer.parameters(), 1.0)
        optimiser.step()
        step, seen = step + 1, seen + int(batch.value.sum())
        smooth = float(right) if smooth is None else 0.98 * smooth + 0.02 * float(right)
        if step % 50 == 0:
            log(step=step, tokens=seen, loss=round(float(loss), 4), right=round(smooth, 4),
                minutes=round((time.monotonic() - began) / 60, 1))
        if step % 250 == 0:
            save()
        if step % 500 == 0:
            log(step=step, exact=exact_by_length(model, writer, held_out, layers))
    save()
    log(step=step, exact=exact_by_length(model, writer, held_out, layers))


if __name__ == "__main__":
    main()
