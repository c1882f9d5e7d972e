"""Trains the bundled model.

    python3 train.py TOKENS OUT [--preset cpu|gpu] [--workers N] [--steps N] [--minutes M] [--resume]
                     [--start MODEL_DIR [--deepen 2,4]] [--mix KIND:SHARExROWS,...]

TOKENS is what corpus.py wrote. OUT gets last.pt (weights, optimiser, step), log.jsonl, and at the end config.json and
model.safetensors. A run can be stopped at any time (SIGTERM saves first; --minutes stops by itself) and resumed with
--resume; it can also be paused with SIGSTOP. The schedule counts steps, never the clock, and every draw depends on
(seed, step, worker) alone, so a stopped and resumed run is the run that was never stopped.

On a CPU each worker is a process with one thread that draws its own rows; their gradients are averaged. One core per
worker wastes far less than several cores per operator at this size. Start it with the environment of cpu_env.sh (see
README.md).

What is read beside the reconstruction is a mixture: `--mix full:3x2,easy:1x6,prose:2x1` reads in three of six draws two
rows of full.npz, and so on. Every file of chat rows that corpus.py wrote can be named, the lessons among them.
"""
import argparse
import json
import os
import signal
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as processes
from torch import Tensor

from checkpoint import deepened, hf_config, load_model, write_safetensors
from corpus import LONGEST_PROMPT, LONGEST_VALUE
from decoder import Decoder, Shape, mixed_products
from objectives import (ChatRows, KeysApart, Reader, Reconstruction, ValueEncoder, load_fact_rows, load_key_groups,
                        load_tokens)

VOCAB = 4096
WARMUP = 150  # steps
FLOOR = 0.03  # of the peak rate, where the decay ends
LOG_EVERY, SAVE_EVERY, VALIDATE_EVERY = 50, 100, 400  # steps
VALIDATED = 12_288  # tokens of each kind


@dataclass(frozen=True)
class Plan:
    """Everything a run is defined by, besides its data and seed."""

    shape: Shape = Shape(VOCAB)
    rate: float = 1.2e-3
    steps: int = 8000
    decay: float = 0.35  # of the steps, at the end
    beta2: float = 0.95  # of Adam; steps of few rows want 0.99
    freeze: int = 0  # first steps in which only the encoder learns (for a model that comes with weights)
    text_rows: int = 1  # windows of `window` tokens
    window: int = 256
    mix: str = "easy:3x3,full:7x2"  # what is read, see read_mix
    draws: int = 1  # of the mixture, in each step of each worker
    fact_tokens: int = 900
    shortest_limit: int = 26  # prompt and value together, at the start of the length curriculum
    long_from: float = 0.3  # share of steps by which the longest facts are in
    encoder_layers: int = 3
    text_weight: float = 0.3
    chat_weight: float = 1.0
    fact_weight: float = 1.0
    key_groups: int = 6  # of keys hard to tell apart, in every step
    key_weight: float = 0.3


PRESETS = {
    "cpu": Plan(),
    # one H200: a step of about 170,000 tokens; not yet run on one, see README.md
    "gpu": Plan(shape=Shape(VOCAB, layers=8, heads=4, kv_heads=2), rate=2e-3, steps=6000, text_rows=128, window=512,
                mix="easy:3x64,full:7x32", draws=4, fact_tokens=48_000),
}


def layer_weights(layers: int) -> list[float]:
    """How often each layer stores: nothing after the last one can read the key token, after the one before it little can."""
    return [1.0] * (layers - 2) + [0.7, 0.0]


def rate_at(step: int, plan: Plan) -> float:
    """Warm-up (again when a frozen model begins to learn), plateau, linear decay to FLOOR."""
    since = step - plan.freeze if step >= plan.freeze else step
    decay_steps = plan.decay * plan.steps
    left = (plan.steps - step) / decay_steps if decay_steps else 1.0
    return plan.rate * min(1.0, (since + 1) / WARMUP) * min(1.0, max(FLOOR, left))


def read_mix(text: str) -> dict[str, tuple[float, int]]:
    """`full:3x2,easy:1x6` as {kind: (share, rows a draw)}."""
    found = {}
    for part in text.split(","):
        kind, _, rest = part.partition(":")
        share, _, rows = rest.partition("x")
        found[kind] = float(share), int(rows)
    return found


class Trainer:
    """One worker of `workers`, the `rank`th. All hold the same weights; each draws rows of its own."""

    def __init__(self, tokens: Path, plan: Plan, seed: int, model: Decoder | None, rank: int = 0, workers: int = 1):
        self.plan, self.seed, self.step, self.tokens_seen = plan, seed, 0, 0
        self.rank, self.workers = rank, workers
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(seed)
        self.model = (model or Decoder(plan.shape)).to(self.device)
        self.encoder = ValueEncoder(plan.shape.hidden, LONGEST_VALUE).to(self.device)
        self.reader = Reader(self.model, load_tokens(tokens / "text.u16").to(self.device), plan.window)
        self.mix = read_mix(plan.mix)
        self.chats = {kind: ChatRows(tokens / f"{kind}.npz", self.device) for kind in self.mix}
        self.held_out = {path.stem: ChatRows(path, self.device) for path in sorted(tokens.glob("val*.npz"))}
        rows = load_fact_rows(tokens / "facts.u16").to(self.device)
        self.facts = Reconstruction(self.model, self.encoder, rows, plan.encoder_layers, layer_weights(plan.shape.layers))
        self.keys = KeysApart(self.model, load_key_groups(tokens / "keys.u16").to(self.device), self.facts.storing)
        self.parameters = [*self.model.parameters(), *self.encoder.parameters()]
        matrices = [p for p in self.parameters if p.dim() > 1]
        vectors = [p for p in self.parameters if p.dim() <= 1]
        self.optimiser = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.05},
                                            {"params": vectors, "weight_decay": 0.0}], betas=(0.9, plan.beta2))

    def generator(self, stream: int) -> torch.Generator:
        """Draws of one objective of this worker at this step, whatever ran before."""
        return torch.Generator().manual_seed(((self.seed * 1_000_003 + self.step) * 64 + self.rank) * 8 + stream)

    def precision(self):
        return torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else mixed_products()

    def read(self) -> tuple[list, dict]:
        """Gradients and figures of text and chat."""
        plan, draw = self.plan, self.generator(0)
        kinds = list(self.mix)
        shares = torch.tensor([self.mix[kind][0] for kind in kinds])
        picked = torch.multinomial(shares, plan.draws, replacement=True, generator=draw).tolist()
        figures, answers, tokens, total = {}, [], 0, 0.0
        with self.precision():
            for kind in (kinds[i] for i in picked):
                chat = self.chats[kind]
                rows = torch.randint(0, len(chat), (self.mix[kind][1],), generator=draw)
                chat_loss, answer_loss, figures[f"{kind}_right"] = self.reader.chat_loss(chat, rows)
                total = total + plan.chat_weight * chat_loss / plan.draws
                answers.append(answer_loss)
                tokens += len(rows) * chat.row
            if plan.text_rows:
                figures["text"] = self.reader.text_loss(plan.text_rows, draw)
                tokens += plan.text_rows * plan.window
                total = total + plan.text_weight * figures["text"]
            gradients = self.gradients(total)
        return gradients, {**figures, "chat": torch.stack(answers).mean(), "tokens": tokens}

    def reconstruct(self) -> tuple[list, dict]:
        """Gradients and figures of saying a value from its vector, and of keys apart."""
        plan = self.plan
        grown = min(1.0, self.step / max(1, plan.long_from * plan.steps))
        whole = LONGEST_PROMPT + LONGEST_VALUE
        longest = int(plan.shortest_limit + grown * (whole - plan.shortest_limit))
        with self.precision():
            loss, right, stray = self.facts.loss(plan.fact_tokens, longest, self.generator(1))
            total, figures = plan.fact_weight * loss + plan.key_weight * stray, {}
            if plan.key_groups and self.step >= plan.freeze:
                apart, figures = self.keys.loss(plan.key_groups, self.generator(3))
                total = total + plan.key_weight * apart
                figures = {**figures, "key": apart}
            gradients = self.gradients(total)
        return gradients, {"fact": loss, "fact_right": right, "stray": stray, "tokens": plan.fact_tokens, **figures}

    def gradients(self, loss: Tensor) -> list:
        return torch.autograd.grad(loss, self.parameters, allow_unused=True)

    def advance(self, stop: bool = False) -> tuple[dict[str, float], bool]:
        """One step of all objectives. Returns the figures of this worker, and whether any worker asks to stop."""
        frozen = self.step < self.plan.freeze
        parts = [self.reconstruct()] if frozen else [self.reconstruct(), self.read()]
        figures = {k: v for _, part in parts for k, v in part.items()}
        figures["tokens"] = sum(part["tokens"] for _, part in parts)
        flat, stopping = self.averaged(parts, stop, figures["tokens"])
        for p, gradient in zip(self.parameters, flat):
            p.grad = gradient.view_as(p)
        if frozen:
            for p in self.model.parameters():
                p.grad = None
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = rate_at(self.step, self.plan)
        self.optimiser.step()
        self.step += 1
        return {k: float(v) for k, v in figures.items()}, stopping

    def averaged(self, parts: list[tuple[list, dict]], stop: bool, tokens: int) -> tuple[list[Tensor], bool]:
        """The sum of the objectives' gradients, averaged over the workers; whether any of them asks to stop."""
        sizes = [p.numel() for p in self.parameters]
        flat = torch.zeros(sum(sizes) + 2, device=self.device)
        for gradients, _ in parts:
            for piece, gradient in zip(flat.split([*sizes, 2]), gradients):
                if gradient is not None:
                    piece += gradient.flatten()
        flat[-2], flat[-1] = tokens, float(stop)
        if self.workers > 1:
            dist.all_reduce(flat)
        self.tokens_seen += int(flat[-2])
        return [piece / self.workers for piece in flat.split([*sizes, 2])[:-1]], bool(flat[-1] > 0)

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Share of held-out answers that begin right, by kind of conversation. The workers share the work."""
        mine = list(self.held_out.items())[self.rank::self.workers]
        with self.precision():
            found = {name: round(self.reader.answers_begun(chat, torch.arange(min(VALIDATED // chat.row, len(chat)))), 3)
                     for name, chat in mine}
        if self.workers == 1:
            return found
        everyones: list = [None] * self.workers
        dist.all_gather_object(everyones, found)
        return dict(sorted(item for part in everyones for item in part.items()))

    def save(self, path: Path) -> None:
        """Written beside and renamed, so that an interrupted save leaves the last one whole."""
        beside = path.with_suffix(".new")
        torch.save({"model": self.model.state_dict(), "encoder": self.encoder.state_dict(), "step": self.step,
                    "shape": asdict(self.plan.shape), "optimiser": self.optimiser.state_dict(), "tokens_seen": self.tokens_seen}, beside)
        os.replace(beside, path)

    def load(self, state: dict) -> None:
        """Goes on from what `save` wrote."""
        self.model.load_state_dict(state["model"])
        self.encoder.load_state_dict(state["encoder"])
        self.optimiser.load_state_dict(state["optimiser"])
        for group in self.optimiser.param_groups:  # the plan may have changed
            group["betas"] = (0.9, self.plan.beta2)
        self.step, self.tokens_seen = state["step"], state["tokens_seen"]


def run(trainer: Trainer, out: Path, minutes: float | None) -> None:
    """Steps until the plan, the time or a signal ends it, all workers after the same step; logs means over LOG_EVERY steps
    of the first worker, which also saves."""
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: asked.append(number))
    begun, window, stopping, first = time.monotonic(), [], False, trainer.rank == 0
    while trainer.step < trainer.plan.steps and not stopping:
        late = minutes is not None and time.monotonic() - begun > minutes * 60
        figures, stopping = trainer.advance(bool(asked) or late)
        window.append(figures)
        if trainer.step % LOG_EVERY == 0:
            held_out = trainer.validate() if trainer.step % VALIDATE_EVERY == 0 else {}
            if first:
                write_line(trainer, out, window, held_out, (time.monotonic() - begun) / 60)
            window = []
        if trainer.step % SAVE_EVERY == 0 and first:
            trainer.save(out / "last.pt")
    if first:
        trainer.save(out / "last.pt")
        write_model(trainer.model, out)


def write_line(trainer: Trainer, out: Path, window: list[dict], held_out: dict, minutes: float) -> None:
    """One line of log.jsonl: means of the window's steps, and now and then figures of what was held out."""
    keys = sorted({k for figures in window for k in figures} - {"tokens"})
    mean = {k: round(sum(f[k] for f in window if k in f) / sum(k in f for f in window), 4) for k in keys}
    line = {"step": trainer.step, "tokens": trainer.tokens_seen, "minutes": round(minutes, 2),
            "cpu_minutes": round(time.process_time() / 60, 2), "rate": round(rate_at(trainer.step, trainer.plan), 7), **mean, **held_out}
    with open(out / "log.jsonl", "a") as log:
        print(json.dumps(line), file=log)


def write_model(model: Decoder, out: Path) -> None:
    write_safetensors(model.state_dict(), out / "model.safetensors")
    (out / "config.json").write_text(json.dumps(hf_config(model.shape), indent=1) + "\n")


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("tokens", type=Path)
    args.add_argument("out", type=Path)
    args.add_argument("--preset", choices=PRESETS, default="cpu")
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("--mix", help="what is read: KIND:SHARExROWS,...")
    args.add_argument("--workers", type=int, default=1, help="processes of one thread, each with rows of its own")
    args.add_argument("--resume", action="store_true", help="go on from OUT/last.pt")
    args.add_argument("--start", type=Path, help="a model folder whose weights to begin with")
    args.add_argument("--deepen", help="layers of it (from 0) that get a copy after them, which changes nothing at first")
    args.add_argument("--minutes", type=float, help="stop after this long and save")
    for name in ("steps", "freeze", "fact_tokens", "draws", "text_rows", "window", "encoder_layers", "key_groups"):
        args.add_argument("--" + name.replace("_", "-"), type=int)
    for name in ("rate", "decay", "beta2", "long_from", "text_weight", "chat_weight", "fact_weight", "key_weight"):
        args.add_argument("--" + name.replace("_", "-"), type=float)
    a = args.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    if a.workers == 1:
        work(0, a)
    else:
        (a.out / "meeting").unlink(missing_ok=True)
        group = processes.spawn(work, (a,), a.workers, join=False)
        signal.signal(signal.SIGTERM, lambda *_: [os.kill(pid, signal.SIGTERM) for pid in group.pids()])
        while not group.join():
            pass


def work(rank: int, a: argparse.Namespace) -> None:
    """One worker from its beginning to its end."""
    if not torch.cuda.is_available():
        torch.set_num_threads(1)
    if a.workers > 1:
        dist.init_process_group("gloo", init_method=f"file://{(a.out / 'meeting').resolve()}", rank=rank, world_size=a.workers)
    plan = replace(PRESETS[a.preset], **{k: v for k, v in vars(a).items() if k in Plan.__dataclass_fields__ and v is not None})
    torch.manual_seed(a.seed)
    model = load_model(a.start) if a.start else None
    if model and a.deepen:
        model = deepened(model, [int(at) for at in a.deepen.split(",")])
    state = torch.load(a.out / "last.pt", map_location="cpu") if a.resume else None
    if state or model:
        plan = replace(plan, shape=Shape(**state["shape"]) if state else model.shape)
    trainer = Trainer(a.tokens, plan, a.seed, model, rank, a.workers)
    if state:
        trainer.load(state)
    run(trainer, a.out, a.minutes)


if __name__ == "__main__":
    main()
