"""The peer of the benchmark: the batched loop that one would write in PyTorch, on the same weights and the same parts.

usage: peer.py MODEL_DIR, then a JSON line per job on stdin: {"layer", "rate", "betas", "steps", "parts": [{"ids", "key",
"targets"}]}. Answers each with {"seconds", "exact", "steps"}; the first line is {"torch": VERSION, "threads": N}.
"""
import json
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo-model"))
from checkpoint import load_model  # noqa: E402

ROWS = 64
IGNORED = -100


def encode(model, parts: list, job: dict) -> tuple[int, int]:
    """Adam on one vector per part, all parts of a batch at once, until each says its tokens. Returns exact parts, and steps."""
    length = max(len(part["ids"]) + len(part["targets"]) for part in parts)
    ids = torch.zeros(len(parts), length, dtype=torch.long)
    target = torch.full((len(parts), length), IGNORED)
    for row, part in enumerate(parts):
        whole = part["ids"] + part["targets"]
        ids[row, :len(whole)] = torch.tensor(whole)
        target[row, len(part["ids"]) - 1:len(whole) - 1] = torch.tensor(part["targets"])
    scored = target != IGNORED
    at = F.one_hot(torch.tensor([part["key"] for part in parts]), length)[..., None].float()
    delta = torch.zeros(len(parts), model.shape.hidden, requires_grad=True)
    adam = torch.optim.Adam([delta], lr=job["rate"], betas=tuple(job["betas"]))
    said = torch.zeros(len(parts), dtype=torch.bool)
    for step in range(job["steps"]):
        added = at * delta[:, None]
        states, _ = model.hidden(ids, inject=lambda i, _a, y: y + added if i == job["layer"] else y)
        logits = model.logits(states[scored])
        missed = torch.zeros_like(target)
        missed[scored] = (logits.argmax(-1) != target[scored]).long()
        said |= missed.sum(1) == 0
        if bool(said.all()):
            return len(parts), step
        adam.zero_grad()
        F.cross_entropy(logits, target[scored], reduction="sum").backward()
        adam.step()
    return int(said.sum()), job["steps"]


def main() -> None:
    model = load_model(Path(sys.argv[1])).eval().requires_grad_(False)
    print(json.dumps({"torch": torch.__version__, "threads": torch.get_num_threads()}), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        parts = sorted(job["parts"], key=lambda part: len(part["targets"]))
        began = time.perf_counter()
        results = [encode(model, parts[i:i + ROWS], job) for i in range(0, len(parts), ROWS)]
        exact, steps = (sum(column) for column in zip(*results))
        print(json.dumps({"seconds": time.perf_counter() - began, "exact": exact, "steps": steps}), flush=True)


if __name__ == "__main__":
    main()
