"""Writes a trained model as the app ships it, with a model card whose figures come from an evaluation file.

    python3 export.py TOKENS RUN OUT --figures EVALUATION.json

RUN is a training folder (config.json, model.safetensors, log.jsonl); OUT a folder such as public/models/palimpsest-7m.
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


def table(head: list[str], rows: list[list]) -> list[str]:
    """Markdown, with an empty line after it."""
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(map(str, row))} |" for row in rows), ""]


def steps(row: dict) -> str:
    return "-" if row["median_steps"] is None else str(row["median_steps"])


def saying_back(figures: dict) -> list[str]:
    """Parts of novels' sentences, then whole values, by kind and layer."""
    rows = [("part", row) for row in figures.get("parts", [])] + [(row["kind"], row) for row in figures["reconstruct"]]
    return [f"Reconstruction, {figures['reconstruct_n']} values a line (parts: {figures.get('parts_n', '-')}): Adam from zero, "
            f"at most {figures['steps']} steps at rate {figures['rate']}; layers counted from 0. Parts are those of sentences of "
            "three novels never trained on, cut anywhere.", "",
            *table(["values", "layer", "exact", "fidelity", "median steps"],
                   [[f"{kind}, {row['tokens']} tokens", row["layer"], percent(row["exact"]), f"{row['fidelity']:.3f}", steps(row)]
                    for kind, row in rows])]


def keys_and_reads(figures: dict) -> list[str]:
    """How near keys lie, and what the paper's own read recalls."""
    if "soft" not in figures:
        return []
    kinds = ["anchors", "indices", "parts"]
    return ["Cosine of a key with the nearest other one (in brackets: less the mean of the probe's keys): among 128 parts of "
            "novels, 32 indices of one anchor, 32 parts of one anchor.", "",
            *table(["layer", *kinds], [[row["layer"], *(f"{row[k]:.2f} ({row[f'{k}_centred']:.2f})" for k in kinds)]
                                       for row in figures["nearest_keys"]]),
            f"The paper's read (beta 50, theta 0.6, at every position) of template facts at layer {figures['soft'][0]['layer']}:", "",
            *table(["facts there", "exact with raw keys", "with centred keys", "each injected alone"],
                   [[row["facts"], percent(row["raw"]), percent(row["centred"]), percent(row["alone"])] for row in figures["soft"]])]


def answers(figures: dict) -> list[str]:
    rows = [[f"bAbI {task.upper()} (test)", percent(row["among_24"])] for task, row in figures["babi"].items()]
    made = figures["made_24"]
    rows += [["made, answerable", percent(made["right"])], ["made, not among the facts", percent(made["not_in_memory"])]]
    for key, of in (("prose", "sentences chosen by hand"), ("prose_drawn", "sentences drawn at random")):
        if key in figures:
            found = figures[key]
            rows += [[f"about three novels never trained on, {of} ({found['n']})", percent(found["right"])],
                     ["the same without the sentence: declined", percent(found["declined_untold"])]]
    verbatim = [[f"{kind} sentences", percent(row["valid"]), percent(row["equal"])]
                for kind in ("made", "book") if (row := figures.get(f"anchors_{kind}"))]
    return [f"Answers among 24 facts, {figures['babi_n']} questions a figure:", "", *table(["questions", "right"], rows),
            *table(["anchors", "verbatim", "equal to the reference"], verbatim)]


def figures_table(figures: dict) -> str:
    """Markdown of an evaluation."""
    return "\n".join([*saying_back(figures), *keys_and_reads(figures), *answers(figures)]).strip()


def curve_table(log: list[dict]) -> str:
    """Training figures against tokens seen, at the steps after which held-out conversations were looked at."""
    looked = [line for line in log if "val_prose" in line]
    points = looked[::-(-len(looked) // CURVE_POINTS)] if looked else []
    if looked and looked[-1] not in points:
        points.append(looked[-1])
    kinds = [key for key in (looked[-1] if looked else {}) if key.startswith("val_")]
    lines = [f"Against tokens seen: value tokens right from the encoder's vector (mean of 50 batches), and held-out answers that "
             f"begin right, the mean of {len(kinds)} kinds of conversation and two of them (long mixed tellings; book sentences with "
             "their anchors):", "",
             "| million tokens | value tokens | held-out answers | long tellings | prose |", "|---|---|---|---|---|"]
    mean = lambda p: sum(p[key] for key in kinds) / len(kinds)
    lines += [f"| {p['tokens'] / 1e6:.1f} | {percent(p['fact_right'])} | {percent(mean(p))} | {percent(p['val_all'])} | "
              f"{percent(p['val_prose'])} |" for p in points]
    return "\n".join(lines)


def merged(paths: list[Path]) -> dict:
    """Evaluations of different parts as one, each part with its own number of cases."""
    figures: dict = {}
    for path in paths:
        part = json.loads(path.read_text())
        figures.update(part)
        figures.update({f"{key}_n": part["n"] for key in ("parts", "reconstruct", "babi") if key in part})
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
        "not_in_memory": NOT_IN_MEMORY, "n": figures["babi_n"], "tokens": f"{log[-1]['tokens'] / 1e6:.0f}", "steps": f"{log[-1]['step']:,}",
        "figures": figures_table(figures), "curve": curve_table(log),
        "limits": a.limits.read_text().strip(),
    }
    card = (HERE / "card.md").read_text()
    for key, value in values.items():
        card = card.replace("{" + key + "}", str(value))
    (a.out / "README.md").write_text(card)


if __name__ == "__main__":
    main()
