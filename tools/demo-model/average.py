"""Puts two sets of weights of one run together, number by number: what the later ones gained, most of what they lost.

    python3 average.py EARLIER_DIR LATER_DIR SHARE OUT [--state RUN/last.pt]

SHARE is that of the later ones; OUT/model.safetensors the result, with which --state lets a run go on: its encoder and
optimiser stay as they are.
"""
import argparse
from pathlib import Path

import torch
from torch import Tensor

from checkpoint import read_safetensors, write_safetensors


def averaged(earlier: dict[str, Tensor], later: dict[str, Tensor], share: float) -> dict[str, Tensor]:
    """(1 - share) of the earlier weights and `share` of the later ones. The two must have the same names and shapes."""
    if {k: w.shape for k, w in earlier.items()} != {k: w.shape for k, w in later.items()}:
        raise ValueError("average: the two models have different weights; both must be of one shape")
    return {k: (1 - share) * earlier[k].float() + share * later[k].float() for k in later}


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("earlier", type=Path)
    args.add_argument("later", type=Path)
    args.add_argument("share", type=float)
    args.add_argument("out", type=Path)
    args.add_argument("--state", type=Path, help="the state of a run that is to go on from the result")
    a = args.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    read = lambda folder: read_safetensors(folder / "model.safetensors")
    weights = averaged(read(a.earlier), read(a.later), a.share)
    write_safetensors(weights, a.out / "model.safetensors")
    if a.state:
        state = torch.load(a.state, map_location="cpu")
        torch.save({**state, "model": weights}, a.state)


if __name__ == "__main__":
    main()
