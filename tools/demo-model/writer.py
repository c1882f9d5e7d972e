"""Trains the writer: a network that gives δ for a part of a value in one pass, on the frozen model.

    python3 writer.py TOKENS MODEL_DIR RUN [--minutes M] [--steps N] [--longest N] [--resume]

TOKENS is a folder of corpus.py (its written.u16), RUN gets state.pt (resumable), log.jsonl and writer.safetensors.
SIGTERM or the end of the minutes stops after the present step and saves.
"""
import argparse
import json
import signal
import time
from pathlib import Path

import torch
from torch import Tensor, nn
import torch.nn.functional as F

from checkpoint import load_model, write_safetensors
from corpus import LONGEST_VALUE
from decoder import Decoder
from objectives import IGNORED, SPECIALS, load_fact_rows, with_strange_tokens

STATES_AFTER = 3  # layers of the frozen model whose output the writer reads, besides the embedding
BLOCKS, HEADS = 2, 4
SIZE = 1.25  # root mean square of every δ: the size that the model was trained with, and that Adam can correct (rate 0.2)
MARGIN = 2.0  # logits by which a target is to lead; the app checks a smaller one
BANDS = ((4, 8), (9, 14), (15, 20), (21, 28), (29, 32))  # tokens of a part, for the report


class Block(nn.Module):
    """Attention among all places of a value (no causal mask), and a feed-forward network, both behind a norm."""

    def __init__(self, hidden: int):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.out = nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, 3 * hidden), nn.Linear(3 * hidden, hidden)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """x [B,T,D], bias [B,1,1,T] (0 or -inf) -> [B,T,D]."""
        B, T, D = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(B, T, 3, HEADS, D // HEADS).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2) * (D // HEADS) ** -0.5 + bias).softmax(-1)  # [B,H,T,T]
        x = x + self.out((weights @ v).transpose(1, 2).reshape(B, T, D))
        return x + self.down(F.silu(self.up(self.norm2(x))))


class Writer(nn.Module):
    """States at the value's tokens, and the storage layer -> δ.

    Blocks of attention let a place take its neighbours into account. Then each place has its own linear map and the
    results are summed, so that one vector holds words and their order; a last network corrects the sum.
    """

    def __init__(self, hidden: int, places: int, layers: int):
        super().__init__()
        self.join = nn.Linear(2 * hidden, hidden)
        self.place = nn.Parameter(torch.randn(places, hidden) * 0.02)
        self.layer = nn.Parameter(torch.zeros(layers, hidden))
        self.blocks = nn.ModuleList(Block(hidden) for _ in range(BLOCKS))
        self.maps = nn.Parameter(torch.randn(places, hidden, hidden) * (0.3 / hidden ** 0.5))
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)
        nn.init.zeros_(self.down.weight)
        nn.init.zeros_(self.down.bias)

    def forward(self, embedded: Tensor, states: Tensor, length: Tensor, layer: Tensor) -> Tensor:
        """embedded and states [B,T,D], length [B], layer [B] -> δ [B,D]."""
        T = states.shape[1]
        real = torch.arange(T)[None] < length[:, None]  # [B,T]
        bias = torch.zeros(real.shape).masked_fill(~real, float("-inf"))[:, None, None]
        x = self.join(torch.cat([embedded, states], -1)) + self.place[:T] + self.layer[layer][:, None]
        for block in self.blocks:
            x = block(x, bias)
        total = torch.einsum("btd,tde->be", x * real[..., None], self.maps[:T])
        raw = total + self.down(F.silu(self.up(total + self.layer[layer])))
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


def spoken(model: Decoder, writer: Writer, batch: Batch, layer: Tensor) -> Tensor:
    """Logits [B,T,V] of the model with the written δ added at the key token of `layer` [B]."""
    embedded = F.embedding(batch.words, model.model.embed_tokens.weight)
    with torch.no_grad():
        states = model.hidden(batch.words, upto=STATES_AFTER)[0]
    delta = writer(embedded, states, batch.value, layer)
    at_key = F.one_hot(batch.key, batch.ids.shape[1])[..., None].float() * delta[:, None]
    return model.hidden(batch.ids, inject=lambda i, _a, y: y + at_key * (layer == i)[:, None, None].float())[0]


def loss_of(model: Decoder, writer: Writer, batch: Batch, layer: Tensor) -> tuple[Tensor, Tensor]:
    """Cross-entropy per value token with the target's logit lowered by MARGIN, and the share of tokens right."""
    scored = batch.target != IGNORED
    target = batch.target[scored]
    logits = model.logits(spoken(model, writer, batch, layer)[scored]).float()
    right = (logits.argmax(-1) == target).float().mean()
    return F.cross_entropy(logits - MARGIN * F.one_hot(target, logits.shape[-1]), target), right


@torch.no_grad()
def exact_by_length(model: Decoder, writer: Writer, rows: Tensor, layers: list[int], most: int = 128) -> dict[str, str]:
    """Share of held-out parts that are exact with no Adam step, by tokens of the part, at each layer in turn."""
    found = {}
    for low, high in BANDS:
        picked = rows[(rows[:, 2] >= low) & (rows[:, 2] <= high)][:most].long()
        if len(picked) == 0:
            continue
        batch = Batch(picked, picked[:, 3:3 + int((picked[:, 1] + picked[:, 2]).max())])
        layer = torch.tensor(layers)[torch.arange(len(picked)) % len(layers)]
        logits = model.logits(spoken(model, writer, batch, layer))
        exact = ((logits.argmax(-1) == batch.target) | (batch.target == IGNORED)).all(1).float().mean()
        found[f"{low}-{high}"] = f"{float(exact):.3f} (n = {len(picked)})"
    return found


class Rows:
    """Draws batches of fact rows alike in length, long ones as often as short ones."""

    def __init__(self, rows: Tensor):
        length = rows[:, 1] + rows[:, 2]
        order = length.argsort()
        self.rows, self.length = rows[order], length[order]

    def draw(self, tokens: int, longest: int, draw: torch.Generator) -> Tensor:
        allowed = int(torch.searchsorted(self.length, longest + 1))
        wanted = torch.randint(int(self.length[0]), longest + 1, (1,), generator=draw)
        start = min(int(torch.searchsorted(self.length, wanted)), allowed - 1)
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
    args.add_argument("--rate", type=float, default=1e-3)
    args.add_argument("--layers", default="4,5,6", help="storage layers, as in probe.json")
    args.add_argument("--longest", type=int, default=LONGEST_VALUE, help="tokens of the longest value that is learnt")
    args.add_argument("--batch", type=int, default=3600, help="tokens of a step")
    args.add_argument("--resume", action="store_true")
    a = args.parse_args()
    a.run.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    layers = [int(n) for n in a.layers.split(",")]
    model = load_model(a.model)
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    writer = Writer(model.shape.hidden, a.longest, model.shape.layers)
    rows = load_fact_rows(a.tokens / "written.u16")
    rows = rows[rows[:, 2] <= a.longest]
    shuffled = rows[torch.randperm(len(rows), generator=torch.Generator().manual_seed(5))]
    held_out, train = shuffled[:2048], Rows(shuffled[2048:])
    optimiser = torch.optim.AdamW(writer.parameters(), lr=a.rate, betas=(0.9, 0.98), weight_decay=0.01)
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
            group["lr"] = rate_at(step, a.steps, a.rate)
        draw = torch.Generator().manual_seed(1_000_003 + step)  # a resumed run draws what an undisturbed one does
        longest = min(int(train.length[-1]), 36 + 26 * step // 1500)
        picked = train.draw(a.batch, longest, draw)
        ids = picked[:, 3:3 + int((picked[:, 1] + picked[:, 2]).max())]
        batch = Batch(picked, with_strange_tokens(ids, picked[:, 1], picked[:, 2], plain, 0.05, draw))
        layer = torch.tensor(layers)[torch.randint(0, len(layers), (len(picked),), generator=draw)]
        loss, right = loss_of(model, writer, batch, layer)
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
        if step % 1000 == 0:
            log(step=step, exact=exact_by_length(model, writer, held_out, layers))
    save()
    log(step=step, exact=exact_by_length(model, writer, held_out, layers))


if __name__ == "__main__":
    main()
