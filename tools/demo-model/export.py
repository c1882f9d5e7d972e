"""Writes a trained model as the app ships it, with a model card whose figures come from an evaluation file.

    python3 export.py TOKENS RUN OUT --figures EVALUATION.json

RUN is a training folder (config.json, model.safetensors, log.jsonl); OUT a folder such as public/models/palimpsest-6m.
"""
import argparse
import json
import shutil
from pathlib import Path

from checkpoint import read_safetensors
from decoder import Shape
from prompts import NOT_IN_MEMORY

HERE = Path(__file__).parent
TEMPLATE = ("{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + "
            "'<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")
TOKENIZER_CONFIG = {
    "tokenizer_class": "Qwen2Tokenizer", "add_bos_token": False, "add_prefix_space": False, "bos_token": None,
    "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "model_max_length": Shape.positions, "chat_template": TEMPLATE,
}
CURVE_POINTS = 12


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def figures_table(figures: dict) -> str:
    """Markdown: reconstruction by kind and layer, then answers and anchors."""
    lines = [f"Reconstruction, {figures['reconstruct_n']} facts a line: Adam from zero, at most {figures['steps']} steps "
             f"at rate {figures['rate']}; layers counted from 0.", "",
             "| values | layer | exact | fidelity | median steps |", "|---|---|---|---|---|"]
    for row in figures["reconstruct"]:
        steps = "-" if row["median_steps"] is None else row["median_steps"]
        lines.append(f"| {row['kind']}, {row['tokens']} tokens | {row['layer']} | {percent(row['exact'])} "
                     f"| {row['fidelity']:.3f} | {steps} |")
    lines += ["", f"Answers and anchors, {figures['babi_n']} questions or sentences a figure:", "",
              "| questions | story facts alone | among 24 facts |", "|---|---|---|"]
    for task, row in figures["babi"].items():
        lines.append(f"| bAbI {task.upper()} (test) | {percent(row['story'])} | {percent(row['among_24'])} |")
    for key, label in (("right", "made, answerable (6 and 24 facts)"), ("not_in_memory", "made, not among the facts")):
        lines.append(f"| {label} | {percent(figures['made_6'][key])} | {percent(figures['made_24'][key])} |")
    lines += ["", "| anchors | verbatim | equal to the reference |", "|---|---|---|"]
    for kind in ("made", "book"):
        row = figures[f"anchors_{kind}"]
        lines.append(f"| {kind} sentences | {percent(row['valid'])} | {percent(row['equal'])} |")
    return "\n".join(lines)


def curve_table(log: list[dict]) -> str:
    """Training figures against tokens seen: means over the 50 steps before each point."""
    full = [line for line in log if "chat_right" in line]
    points = full[::-(-len(full) // CURVE_POINTS)]
    if full[-1] not in points:
        points.append(full[-1])
    lines = ["Against tokens seen (means over 50 training batches, whose facts and stories grow longer with time; answer "
             "tokens include the end of the turn):", "",
             "| million tokens | value tokens right from the encoder's vector | answer tokens right |",
             "|---|---|---|"]
    lines += [f"| {p['tokens'] / 1e6:.1f} | {percent(p['fact_right'])} | {percent(p['chat_right'])} |"
              for p in points]
    return "\n".join(lines)


def merged(paths: list[Path]) -> dict:
    """Evaluations of different parts as one, each part with its own number of cases."""
    figures: dict = {}
    for path in paths:
        part = json.loads(path.read_text())
        figures.update(part)
        figures.update({f"{key}_n": part["n"] for key in ("reconstruct", "babi") if key in part})
    return figures


def read_log(path: Path) -> list[dict]:
    """One line a step: a resumed run repeats the steps after its last checkpoint, and the later line holds."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [by_step for _, by_step in sorted({line["step"]: line for line in lines}.items())]


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("tokens", type=Path)
    args.add_argument("run", type=Path)
    args.add_argument("out", type=Path)
    args.add_argument("--figures", type=Path, nargs="+", required=True, help="JSON of evaluate.py, whole or in parts")
    args.add_argument("--limits", type=Path, default=HERE / "limits.md")
    a = args.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "model.safetensors"):
        shutil.copyfile(a.run / name, a.out / name)
    shutil.copyfile(a.tokens / "tokenizer.json", a.out / "tokenizer.json")
    (a.out / "tokenizer_config.json").write_text(json.dumps(TOKENIZER_CONFIG, indent=1) + "\n")

    figures, log = merged(a.figures), read_log(a.run / "log.jsonl")
    weights = read_safetensors(a.out / "model.safetensors")
    values = {
        "name": a.out.name, "parameters": f"{sum(w.numel() for w in weights.values()) / 1e6:.1f}",
        "not_in_memory": NOT_IN_MEMORY, "tokens": f"{log[-1]['tokens'] / 1e6:.0f}", "steps": f"{log[-1]['step']:,}",
        "figures": figures_table(figures), "curve": curve_table(log),
        "limits": a.limits.read_text().strip(),
    }
    card = (HERE / "card.md").read_text()
    for key, value in values.items():
        card = card.replace("{" + key + "}", str(value))
    (a.out / "README.md").write_text(card)


if __name__ == "__main__":
    main()
