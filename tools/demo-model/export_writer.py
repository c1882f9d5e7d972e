"""Puts a trained writer beside its model, in 8 bits, with what the app must know of it, and golden numbers for its test.

    python3 export_writer.py RUN MODEL_DIR [--golden FILE --tokens TOKENS]

RUN is a folder of writer.py. Each matrix is stored as int8 rows with a float32 scale each, everything else as float16.
The metadata names the model by the SHA-256 that the app computes of it (src/weights/identity.ts).
"""
import argparse
import base64
import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import torch

from checkpoint import load_model, read_safetensors
from objectives import load_fact_rows
from writer import SIZE, STATES_AFTER, Writer

MATRIX = 32768  # tensors with at least so many numbers are stored in 8 bits
GOLDEN_ROWS = 36
PART = 14  # tokens of a part in the app: parts of 20 are a quarter fewer, but three times as many want Adam, and encoding a novel takes 1.4 times as long


def identity(folder: Path) -> str:
    """SHA-256 over config.json and the weights, as the app has it."""
    raw = (folder / "model.safetensors").read_bytes()
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    lines = []
    for name, meta in json.loads(raw[8:start]).items():
        if name != "__metadata__":
            begin, end = meta["data_offsets"]
            digest = hashlib.sha256(raw[start + begin:start + end]).hexdigest()
            lines.append(json.dumps([name, meta["dtype"], meta["shape"], digest], separators=(",", ":")))
    config = hashlib.sha256((folder / "config.json").read_bytes()).hexdigest()
    return hashlib.sha256("\n".join([config, *sorted(lines)]).encode()).hexdigest()


def packed(weights: dict[str, torch.Tensor], least: int = MATRIX) -> dict[str, np.ndarray]:
    """The arrays of the file: NAME in int8 with NAME.scale [rows], or NAME in float16.

    The layers' maps are near the identity, beside which 8 bits have no room for the rest of a row.
    """
    arrays = {}
    for name, tensor in weights.items():
        values = tensor.numpy()
        if values.size < least or name == "layer":
            arrays[name] = values.astype(np.float16)
            continue
        scale = np.maximum(np.abs(values).max(-1), 1e-12).astype(np.float32) / np.float32(127)
        arrays[name] = np.rint(values / scale[..., None]).astype(np.int8)
        arrays[f"{name}.scale"] = scale.reshape(-1)
    return arrays


def unpacked(arrays: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """What the app makes of them."""
    weights = {}
    for name, values in arrays.items():
        if name.endswith(".scale"):
            continue
        numbers = values.astype(np.float32)
        if values.dtype == np.int8:
            numbers *= arrays[f"{name}.scale"].reshape(*values.shape[:-1], 1)
        weights[name] = torch.from_numpy(numbers)
    return weights


def write_file(path: Path, arrays: dict[str, np.ndarray], about: dict, kind: str = "writer", more: dict[str, str] | None = None) -> None:
    dtypes = {np.dtype(np.int8): "I8", np.dtype(np.float16): "F16", np.dtype(np.float32): "F32"}
    header, blobs, offset = {"__metadata__": {kind: json.dumps(about), **(more or {})}}, [], 0
    for name in sorted(arrays):
        blob = arrays[name].tobytes()
        header[name] = {"dtype": dtypes[arrays[name].dtype], "shape": list(arrays[name].shape),
                        "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


@torch.no_grad()
def golden(model_dir: Path, weights: dict[str, torch.Tensor], layers: list[int], tokens: Path) -> dict:
    """Values of all lengths with their δ, [rows, D], in float64."""
    model = load_model(model_dir).double()
    places = weights["maps"].shape[0]
    writer = Writer(model.shape.hidden, places, len(layers))
    writer.load_state_dict(weights)
    writer.double()
    rows = load_fact_rows(tokens / "written.u16").long()
    rows = rows[rows[:, 2] <= places]
    picked = rows[torch.randperm(len(rows), generator=torch.Generator().manual_seed(7))[:GOLDEN_ROWS]]
    found, deltas = [], []
    for i, row in enumerate(picked):
        prompt, length = int(row[1]), int(row[2])
        words, layer = row[None, 3 + prompt:3 + prompt + length], i % len(layers)
        states = model.hidden(words, upto=STATES_AFTER)[0]
        deltas.append(writer(states, torch.tensor([length]), layer)[0])
        found.append({"layer": layers[layer], "targets": words[0].tolist()})
    delta = torch.stack(deltas).float().numpy()
    return {"parts": found, "delta": {"shape": list(delta.shape),
                                      "float32_base64": base64.b64encode(delta.tobytes()).decode()}}


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("run", type=Path)
    args.add_argument("model", type=Path)
    args.add_argument("--layers", default="3,4,5", help="storage layers that it was trained for")
    args.add_argument("--golden", type=Path, help="file for its test, such as golden/writer/golden.json")
    args.add_argument("--tokens", type=Path, help="folder of corpus.py, for --golden")
    a = args.parse_args()
    layers = [int(n) for n in a.layers.split(",")]
    arrays = packed(read_safetensors(a.run / "writer.safetensors"))
    about = {"model": a.model.name, "sha256": identity(a.model), "layers": layers, "places": len(arrays["maps"]), "part": PART,
             "reads": STATES_AFTER, "size": SIZE}
    write_file(a.model / "writer.safetensors", arrays, about)
    size = sum(file.stat().st_size for file in a.model.iterdir())
    print(about, f"{size / 1e6:.2f} MB in all")
    if a.golden:
        a.golden.parent.mkdir(parents=True, exist_ok=True)
        a.golden.write_text(json.dumps(golden(a.model, unpacked(arrays), layers, a.tokens)) + "\n")


if __name__ == "__main__":
    main()
