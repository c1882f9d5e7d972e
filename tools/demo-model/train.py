"""Trains the bundled model.

    python3 train.py TOKENS OUT [--preset cpu|gpu] [--steps N] [--minutes M] [--resume] [--start MODEL_DIR]

TOKENS is what corpus.py wrote. OUT gets last.pt (weights, optimiser, step), log.jsonl, and at the end config.json and
model.safetensors. A run can be stopped at any time (SIGTERM saves first; --minutes stops by itself) and resumed with
--resume; it can also be paused with SIGSTOP. The schedule counts steps, never the clock, and every draw depends on
(seed, step) alone, so a stopped and resumed run is the run that was never stopped.

On a CPU the two objectives run side by side, one thread each: one core per objective wastes far less than two cores
per operator at this size. Start it with the environment of cpu_env.sh (see README.md).
"""
import argparse
import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from checkpoint import hf_config, load_model, write_safetensors
from corpus import LONGEST_PROMPT, LONGEST_VALUE
from decoder import Decoder, Shape, mixed_products
from items import LESSONS
from objectives import (ChatRows, KeysApart, Reader, Reconstruction, ValueEncoder, load_fact_rows, load_key_groups,
                        load_tokens)

VOCAB = 4096
WARMUP = 150  # steps
FLOOR = 0.03  # of the peak rate, where the decay ends
LOG_EVERY, SAVE_EVERY, VALIDATE_EVERY = 50, 100, 400  # steps
VALIDATED = 3072  # tokens of each kind


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
    easy_rows: int = 3  # rows of 256 in an easy step
    full_rows: int = 2  # rows of 768 in a full step
    side_rows: int = 0  # more of them, read after the facts so that both threads are busy equally long
    side_drills: bool = False  # these are drills too
    easy_until: float = 0.25  # share of steps by which easy chat has given way to full…
    easy_share: float = 0.3  # …but for this share of steps
    lesson: str | None = None  # drills of items.LESSONS…
    drill_share: float = 0.0  # …which this share of the steps reads, as many rows as easy ones
    prose_share: float = 0.0  # of the steps that read no drills: questions about book sentences…
    prose: str = "prose"  # …in rows of 2,048, or "prose-short" and "prose-first" (all answered) in rows of 512
    prose_rows: int = 1
    fact_tokens: int = 900
    shortest_limit: int = 26  # prompt and value together, at the start of the length curriculum
    long_from: float = 0.3  # share of steps by which the longest facts are in
    encoder_layers: int = 3
    layer_weights: tuple[float, ...] = (1, 1, 1, 1, 0.7, 0)  # nothing after the last layer can read the key token
    text_weight: float = 0.3
    chat_weight: float = 1.0
    fact_weight: float = 1.0
    key_groups: int = 6  # of keys hard to tell apart, in every step
    key_weight: float = 0.3

    @property
    def side_share(self) -> float:
        """Of the chat loss, the part that comes from the side rows."""
        return self.side_rows / (self.side_rows + self.full_rows)


PRESETS = {
    "cpu": Plan(),
    # one H200: a step of about 170,000 tokens; not yet run on one, see README.md
    "gpu": Plan(shape=Shape(VOCAB, layers=8, heads=4, kv_heads=2), rate=2e-3, steps=6000, text_rows=128, window=512,
                easy_rows=256, full_rows=128, fact_tokens=48_000, layer_weights=(1, 1, 1, 1, 1, 1, 0.7, 0)),
}


def rate_at(step: int, plan: Plan) -> float:
    """Warm-up (again when a frozen model begins to learn), plateau, linear decay to FLOOR."""
    since = step - plan.freeze if step >= plan.freeze else step
    decay_steps = plan.decay * plan.steps
    left = (plan.steps - step) / decay_steps if decay_steps else 1.0
    return plan.rate * min(1.0, (since + 1) / WARMUP) * min(1.0, max(FLOOR, left))


class Trainer:
    def __init__(self, tokens: Path, plan: Plan, seed: int, start: Path | None):
        self.plan, self.seed, self.step, self.tokens_seen = plan, seed, 0, 0
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(seed)
        self.model = (load_model(start) if start else Decoder(plan.shape)).to(self.device)
        self.encoder = ValueEncoder(plan.shape.hidden, LONGEST_VALUE).to(self.device)
        self.reader = Reader(self.model, load_tokens(tokens / "text.u16").to(self.device), plan.window)
        self.chats = {name: ChatRows(tokens / f"{name}.npz", self.device) for name in ("easy", "full")}
        if plan.prose_share:
            self.chats["prose"] = ChatRows(tokens / f"{plan.prose}.npz", self.device)
        if plan.lesson:
            self.chats["drill"] = ChatRows(tokens / f"{plan.lesson}.npz", self.device)
        self.held_out = {path.stem: ChatRows(path, self.device) for path in sorted(tokens.glob("val*.npz"))}
        rows = load_fact_rows(tokens / "facts.u16").to(self.device)
        self.facts = Reconstruction(self.model, self.encoder, rows, plan.encoder_layers, list(plan.layer_weights))
        self.keys = KeysApart(self.model, load_key_groups(tokens / "keys.u16").to(self.device), self.facts.storing)
        self.parameters = [*self.model.parameters(), *self.encoder.parameters()]
        matrices = [p for p in self.parameters if p.dim() > 1]
        vectors = [p for p in self.parameters if p.dim() <= 1]
        self.optimiser = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.05},
                                            {"params": vectors, "weight_decay": 0.0}], betas=(0.9, plan.beta2))
        self.pool = ThreadPoolExecutor(1)

    def generator(self, stream: int) -> torch.Generator:
        """Draws of one objective at this step, whatever ran before."""
        return torch.Generator().manual_seed((self.seed * 1_000_003 + self.step) * 8 + stream)

    def precision(self):
        return torch.autocast("cuda", torch.bfloat16) if self.device.type == "cuda" else mixed_products()

    def read_aside(self) -> tuple[list, dict]:
        """Gradients and figures of more rows."""
        plan, chat = self.plan, self.chats["drill" if self.plan.side_drills else "full"]
        rows = torch.randint(0, len(chat), (plan.side_rows,), generator=self.generator(2)).to(self.device)
        with self.precision():
            loss, _, _ = self.reader.chat_loss(chat, rows)
            gradients = self.gradients(plan.chat_weight * loss * plan.side_share)
        return gradients, {"tokens": plan.side_rows * chat.parts["ids"].shape[1]}

    def read(self) -> tuple[list, dict]:
        """Gradients and figures of text and chat."""
        plan, draw = self.plan, self.generator(0)
        easy_now = max(plan.easy_share, 1 - self.step / max(1, plan.easy_until * plan.steps))
        shares = torch.tensor([plan.drill_share, plan.prose_share, easy_now])
        drill, prose, easy = (torch.rand(3, generator=draw) < shares).tolist()
        kind = "drill" if drill else "prose" if prose else "easy" if easy else "full"
        count = {"full": plan.full_rows, "prose": plan.prose_rows}.get(kind, plan.easy_rows)
        chat = self.chats[kind]
        with self.precision():
            chat_loss, answer_loss, right = self.reader.chat_loss(
                chat, torch.randint(0, len(chat), (count,), generator=draw).to(self.device))
            total = plan.chat_weight * chat_loss * (1 - plan.side_share)
            figures = {"chat": answer_loss, "chat_right": right, f"{kind}_right": right, "tokens": count * chat.parts["ids"].shape[1]}
            if plan.text_rows:
                figures["text"] = self.reader.text_loss(plan.text_rows, draw)
                figures["tokens"] += plan.text_rows * plan.window
                total = total + plan.text_weight * figures["text"]
            gradients = self.gradients(total)
        return gradients, figures

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

    def advance(self) -> dict[str, float]:
        """One step of both objectives. Returns its figures."""
        frozen = self.step < self.plan.freeze
        reading = None if frozen else self.pool.submit(self.read) if self.device.type == "cpu" else done(self.read())
        parts = [self.reconstruct()]
        if not frozen and self.plan.side_rows:
            parts.append(self.read_aside())
        if reading:
            parts.append(reading.result())
        figures = {k: v for _, part in parts for k, v in part.items()}
        figures["tokens"] = sum(part["tokens"] for _, part in parts)
        for p, *gradients in zip(self.parameters, *(g for g, _ in parts)):
            given = [g for g in gradients if g is not None]
            p.grad = sum(given[1:], given[0]) if given else None
        if frozen:
            for p in self.model.parameters():
                p.grad = None
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = rate_at(self.step, self.plan)
        self.optimiser.step()
        self.step += 1
        self.tokens_seen += figures["tokens"]
        return {k: float(v) for k, v in figures.items()}

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Share of held-out answers that begin right, by kind of conversation."""
        with self.precision():
            return {name: round(self.reader.answers_begun(chat, torch.arange(min(VALIDATED // chat.row, len(chat)))), 3)
                    for name, chat in self.held_out.items()}

    def save(self, path: Path) -> None:
        """Written beside and renamed, so that an interrupted save leaves the last one whole."""
        beside = path.with_suffix(".new")
        torch.save({"model": self.model.state_dict(), "encoder": self.encoder.state_dict(), "step": self.step,
                    "optimiser": self.optimiser.state_dict(), "tokens_seen": self.tokens_seen}, beside)
        os.replace(beside, path)

    def load(self, path: Path) -> None:
        state = torch.load(path, map_location=self.device)
        self.model.load_state_dict(state["model"])
        self.encoder.load_state_dict(state["encoder"])
        self.optimiser.load_state_dict(state["optimiser"])
        for group in self.optimiser.param_groups:  # the plan may have changed
            group["betas"] = (0.9, self.plan.beta2)
        self.step, self.tokens_seen = state["step"], state["tokens_seen"]


class done:
    """A result that is already there, with a future's face."""

    def __init__(self, value):
        self.value = value

    def result(self):
        return self.value


def run(trainer: Trainer, out: Path, minutes: float | None) -> None:
    """Steps until the plan, the time or a signal ends it; logs means over LOG_EVERY steps."""
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: stopping.append(number))
    begun, window = time.monotonic(), []
    while trainer.step < trainer.plan.steps and not stopping:
        if minutes is not None and time.monotonic() - begun > minutes * 60:
            break
        window.append(trainer.advance())
        if trainer.step % LOG_EVERY == 0:
            keys = sorted({k for figures in window for k in figures} - {"tokens"})
            mean = {k: round(sum(f[k] for f in window if k in f) / sum(k in f for f in window), 4) for k in keys}
            if trainer.step % VALIDATE_EVERY == 0:
                mean.update(trainer.validate())
            line = {"step": trainer.step, "tokens": trainer.tokens_seen,
                    "minutes": round((time.monotonic() - begun) / 60, 2),
                    "cpu_minutes": round(time.process_time() / 60, 2),
                    "rate": round(rate_at(trainer.step, trainer.plan), 7), **mean}
            with open(out / "log.jsonl", "a") as log:
                print(json.dumps(line), file=log)
            window = []
        if trainer.step % SAVE_EVERY == 0:
            trainer.save(out / "last.pt")
    trainer.save(out / "last.pt")
    write_model(trainer.model, out)


def write_model(model: Decoder, out: Path) -> None:
    write_safetensors(model.state_dict(), out / "model.safetensors")
    (out / "config.json").write_text(json.dumps(hf_config(model.shape), indent=1) + "\n")


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("tokens", type=Path)
    args.add_argument("out", type=Path)
    args.add_argument("--preset", choices=PRESETS, default="cpu")
    args.add_argument("--seed", type=int, default=0)
    args.add_argument("--lesson", choices=LESSONS)
    args.add_argument("--prose", choices=("prose", "prose-short", "prose-first"))
    args.add_argument("--side-drills", action="store_true", default=None, help="side rows are drills, as many")
    args.add_argument("--resume", action="store_true", help="go on from OUT/last.pt")
    args.add_argument("--start", type=Path, help="a model folder whose weights to begin with")
    args.add_argument("--minutes", type=float, help="stop after this long and save")
    for name in ("steps", "freeze", "fact_tokens", "easy_rows", "full_rows", "side_rows", "text_rows", "encoder_layers",
                 "key_groups", "prose_rows"):
        args.add_argument("--" + name.replace("_", "-"), type=int)
    for name in ("rate", "decay", "beta2", "easy_until", "easy_share", "drill_share", "prose_share", "long_from",
                 "text_weight", "chat_weight", "fact_weight", "key_weight"):
        args.add_argument("--" + name.replace("_", "-"), type=float)
    a = args.parse_args()
    changed = {k: v for k, v in vars(a).items() if k in Plan.__dataclass_fields__ and v is not None}
    if not torch.cuda.is_available():
        torch.set_num_threads(1)  # each objective has a thread of its own
    a.out.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(a.tokens, replace(PRESETS[a.preset], **changed), a.seed, a.start)
    if a.resume:
        trainer.load(a.out / "last.pt")
    run(trainer, a.out, a.minutes)


if __name__ == "__main__":
    main()
