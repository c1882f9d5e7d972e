"""An implementation of the decoder families in float64, written from the public model code alone, for golden numbers.

usage: reference.py make FOLDER CONFIG.json    a random model of this config.json, and its golden.json
       reference.py compare FOLDER             this implementation against a golden.json of another one

Needs torch and numpy (Debian: python3-torch).
"""
import base64
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

torch.set_default_dtype(torch.float64)
KINDS = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16}


def read_weights(path: Path) -> dict[str, Tensor]:
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    tensors = {}
    for name, meta in json.loads(raw[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = meta["data_offsets"]
        data = np.frombuffer(raw[8 + size + begin:8 + size + end], KINDS[meta["dtype"]])
        if meta["dtype"] == "BF16":
            data = (data.astype(np.uint32) << 16).view(np.float32)
        tensors[name] = torch.from_numpy(data.astype(np.float64).reshape(meta["shape"]))
    return tensors


def write_weights(tensors: dict[str, np.ndarray], path: Path) -> None:
    header, blobs, offset = {}, [], 0
    for name in sorted(tensors):
        blob = tensors[name].astype(np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensors[name].shape), "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def frequencies(config: dict, d: int, length: int) -> tuple[Tensor, float]:
    """The d / 2 inverse frequencies and the factor of cos and sin."""
    scaling = config.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    theta = config.get("rope_theta", 10000.0)
    largest = config["max_position_embeddings"]
    original = scaling.get("original_max_position_embeddings") or config.get("original_max_position_embeddings") or largest
    pairs = torch.arange(0, d, 2) / d
    plain = theta ** -pairs
    if kind == "default":
        return plain, 1.0
    if kind == "linear":
        return plain / scaling["factor"], 1.0
    if kind == "dynamic":
        seen = max(length, original)
        base = theta * (scaling["factor"] * seen / original - (scaling["factor"] - 1)) ** (d / (d - 2))
        return base ** -pairs, 1.0
    if kind == "llama3":
        low, high = original / scaling["low_freq_factor"], original / scaling["high_freq_factor"]
        wave = 2 * math.pi / plain
        smooth = (original / wave - scaling["low_freq_factor"]) / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
        between = (1 - smooth) * plain / scaling["factor"] + smooth * plain
        return torch.where(wave > low, plain / scaling["factor"], torch.where(wave < high, plain, between)), 1.0
    if kind in ("longrope", "su"):
        factors = torch.tensor(scaling["long_factor"] if length > original else scaling["short_factor"])
        ratio = largest / original
        attention = scaling.get("attention_factor") or (1.0 if ratio <= 1 else math.sqrt(1 + math.log(ratio) / math.log(original)))
        return plain / factors, attention
    if kind == "yarn":
        factor = scaling["factor"]

        def correction(rotations: float) -> float:
            return d * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(theta))

        low = max(math.floor(correction(scaling.get("beta_fast", 32))), 0)
        high = min(math.ceil(correction(scaling.get("beta_slow", 1))), d - 1)
        ramp = ((torch.arange(d // 2) - low) / (high - low if high != low else 0.001)).clamp(0, 1)
        extrapolated = 1 - ramp
        attention = scaling.get("attention_factor") or 0.1 * math.log(factor) + 1.0
        return plain / factor * (1 - extrapolated) + plain * extrapolated, attention
    raise ValueError(f"rope type {kind}")


class Model:
    def __init__(self, config: dict, weights: dict[str, Tensor]):
        self.c, self.w = config, weights
        self.heads = config["num_attention_heads"]
        self.groups = config.get("num_key_value_heads", self.heads)
        self.size = config.get("head_dim") or config["hidden_size"] // self.heads
        self.rotary = int(self.size * config.get("partial_rotary_factor", 1.0))

    def norm(self, x: Tensor, name: str) -> Tensor:
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.c["rms_norm_eps"])
        return self.w[name] * x * scale

    def linear(self, x: Tensor, name: str) -> Tensor:
        y = x @ self.w[name + ".weight"].T
        return y + self.w[name + ".bias"] if name + ".bias" in self.w else y

    def attention(self, x: Tensor, at: str, turn: tuple[Tensor, Tensor]) -> Tensor:
        batch, time, _ = x.shape
        if at + ".qkv_proj.weight" in self.w:
            sizes = [self.heads * self.size, self.groups * self.size, self.groups * self.size]
            q, k, v = self.linear(x, at + ".qkv_proj").split(sizes, -1)
        else:
            q, k, v = (self.linear(x, f"{at}.{name}_proj") for name in "qkv")
        q, k, v = (part.view(batch, time, -1, self.size) for part in (q, k, v))
        if at + ".q_norm.weight" in self.w:
            q, k = self.norm(q, at + ".q_norm.weight"), self.norm(k, at + ".k_norm.weight")
        cos, sin = turn

        def rotated(heads: Tensor) -> Tensor:
            turned, kept = heads[..., :self.rotary], heads[..., self.rotary:]
            one, two = turned.chunk(2, -1)
            return torch.cat([turned * cos + torch.cat([-two, one], -1) * sin, kept], -1)

        q, k = rotated(q).transpose(1, 2), rotated(k).transpose(1, 2)
        k, v = (part.repeat_interleave(self.heads // self.groups, 1) for part in (k, v.transpose(1, 2)))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size)
        scores = scores.masked_fill(torch.ones(time, time).triu(1).bool(), -math.inf)
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, time, -1)
        return self.linear(mixed, at + ".o_proj")

    def run(self, ids: Tensor, down=lambda layer, a, y: y, length: int | None = None) -> tuple[Tensor, list[Tensor]]:
        """Logits, and the input of each layer's down projection; `down` may change its output."""
        inverse, factor = frequencies(self.c, self.rotary, length or ids.shape[1])
        angles = torch.arange(ids.shape[1])[:, None] * torch.cat([inverse, inverse])[None]
        turn = (angles.cos()[None, :, None] * factor, angles.sin()[None, :, None] * factor)
        x, taps = self.w["model.embed_tokens.weight"][ids], []
        for layer in range(self.c["num_hidden_layers"]):
            at = f"model.layers.{layer}"
            x = x + self.attention(self.norm(x, at + ".input_layernorm.weight"), at + ".self_attn", turn)
            z = self.norm(x, at + ".post_attention_layernorm.weight")
            if at + ".mlp.gate_up_proj.weight" in self.w:
                gate, up = self.linear(z, at + ".mlp.gate_up_proj").chunk(2, -1)
            else:
                gate, up = self.linear(z, at + ".mlp.gate_proj"), self.linear(z, at + ".mlp.up_proj")
            a = torch.nn.functional.silu(gate) * up
            taps.append(a)
            x = x + down(layer, a, self.linear(a, at + ".mlp.down_proj"))
        head = "model.embed_tokens" if self.c.get("tie_word_embeddings") else "lm_head"
        return self.linear(self.norm(x, "model.norm.weight"), head), taps


def packed(x: Tensor) -> dict:
    data = x.detach().numpy().astype("<f4")
    return {"shape": list(data.shape), "float32_base64": base64.b64encode(data.tobytes()).decode()}


def unpacked(x: dict) -> Tensor:
    data = np.frombuffer(base64.b64decode(x["float32_base64"]), "<f4").reshape(x["shape"])
    return torch.from_numpy(data.astype(np.float64))


def numbers(model: Model, given: dict) -> dict:
    """Everything that golden.json has, for the inputs in `given`."""
    ids = torch.tensor(given["input_ids"])
    rows = torch.arange(len(ids))
    logits, taps = model.run(ids)
    at = given["injection"]
    position, first, layer = torch.tensor(at["position"]), at["first_value_position"], at["layer"]

    def injected(delta: Tensor):
        def down(i: int, _a: Tensor, y: Tensor) -> Tensor:
            added = torch.zeros_like(y)
            added[rows, position] = delta
            return y + added if i == layer else y
        return down

    def losses(delta: Tensor) -> Tensor:
        said = model.run(ids, injected(delta))[0].log_softmax(-1)
        return torch.stack([
            -sum(said[row, t - 1, ids[row, t]] for t in range(first, first + count))
            for row, count in enumerate(at["value_length"])
        ])

    delta = unpacked(at["delta"]).requires_grad_()
    loss = losses(delta)
    (gradient,) = torch.autograd.grad(loss.sum(), delta)
    adam = given["adam"]
    found = torch.zeros_like(delta, requires_grad=True)
    optimiser = torch.optim.Adam([found], lr=adam["lr"], betas=(adam["beta1"], adam["beta2"]), eps=adam["eps"])
    trajectory = []
    for _ in range(12):
        optimiser.zero_grad()
        step = losses(found)
        trajectory.append(step.tolist())
        step.sum().backward()
        optimiser.step()

    def greedy(down) -> list[list[int]]:
        said = ids[:, :given["greedy"]["prompt_length"]]
        for _ in range(10):
            said = torch.cat([said, model.run(said, down)[0][:, -1:].argmax(-1)], 1)
        return said[:, given["greedy"]["prompt_length"]:].tolist()

    read = given["gated_read"]
    keys, residuals = unpacked(read["keys"]), unpacked(read["residuals"])
    seen = {}

    def gate(i: int, a: Tensor, y: Tensor) -> Tensor:
        if i != read["layer"]:
            return y
        similarity = (a / a.norm(dim=-1, keepdim=True)) @ keys.T
        weights = (read["beta"] * similarity).softmax(-1)
        opened = similarity.max(-1).values > read["theta"]
        mix = weights @ residuals * opened[..., None]
        seen.update(similarity=similarity, weights=weights, injected=mix, gate_open=opened.long().tolist())
        return y + mix

    with torch.no_grad():
        read_logits = model.run(ids, gate)[0]
        plain, steered = greedy(lambda i, a, y: y), greedy(injected(delta))
    return {
        "about": "float64 reference (golden/reference.py) rounded to float32; see README.md",
        "input_ids": given["input_ids"], "logits": packed(logits),
        "down_proj_input": {str(i): packed(tap) for i, tap in enumerate(taps)},
        "injection": {**at, "loss_per_row": loss.tolist(), "gradient": packed(gradient)},
        "adam": {**adam, "start": "zero", "loss_per_step_per_row": trajectory, "delta": packed(found)},
        "greedy": {**given["greedy"], "plain": plain, "with_delta": steered},
        "gated_read": {**{k: read[k] for k in ("layer", "beta", "theta", "keys", "residuals")},
                       "similarity": packed(seen["similarity"]), "weights": packed(seen["weights"]),
                       "gate_open": seen["gate_open"], "injected": packed(seen["injected"]), "logits": packed(read_logits)},
    }


def shapes(c: dict) -> dict[str, list[int]]:
    d, ff, heads = c["hidden_size"], c["intermediate_size"], c["num_attention_heads"]
    groups = c.get("num_key_value_heads", heads)
    size = c.get("head_dim") or d // heads
    q, kv = heads * size, groups * size
    found = {"model.embed_tokens.weight": [c["vocab_size"], d], "model.norm.weight": [d]}
    if not c.get("tie_word_embeddings"):
        found["lm_head.weight"] = [c["vocab_size"], d]
    for layer in range(c["num_hidden_layers"]):
        at = f"model.layers.{layer}"
        found |= {f"{at}.{name}.weight": [d] for name in ("input_layernorm", "post_attention_layernorm")}
        found |= {f"{at}.self_attn.o_proj.weight": [d, q], f"{at}.mlp.down_proj.weight": [d, ff]}
        if c["architectures"][0] == "Phi3ForCausalLM":
            found |= {f"{at}.self_attn.qkv_proj.weight": [q + 2 * kv, d], f"{at}.mlp.gate_up_proj.weight": [2 * ff, d]}
            continue
        found |= {f"{at}.mlp.{name}_proj.weight": [ff, d] for name in ("gate", "up")}
        for name, rows in (("q", q), ("k", kv), ("v", kv)):
            found[f"{at}.self_attn.{name}_proj.weight"] = [rows, d]
            if c["architectures"][0] == "Qwen2ForCausalLM":
                found[f"{at}.self_attn.{name}_proj.bias"] = [rows]
    return found


def make(folder: Path, config: dict) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(2027)
    weights = {}
    for name, shape in shapes(config).items():
        if name.endswith("norm.weight"):
            weights[name] = draw.uniform(0.5, 1.5, shape)
        elif name.endswith(".bias"):
            weights[name] = draw.normal(0, 0.5, shape)
        else:
            weights[name] = draw.normal(0, 1.3 / math.sqrt(shape[1]), shape)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    write_weights(weights, folder / "model.safetensors")
    model = Model(config, read_weights(folder / "model.safetensors"))
    ids = draw.integers(0, config["vocab_size"], (3, 17)).tolist()
    taps = model.run(torch.tensor(ids))[1]
    layer = 1
    near = taps[layer][[0, 0, 1, 1, 2, 2], [4, 6, 3, 9, 4, 12]].detach()
    keys = torch.cat([near, torch.from_numpy(draw.normal(0, 1, (1, near.shape[1])))])
    width = config["hidden_size"]
    given = {
        "input_ids": ids,
        "injection": {"layer": layer, "position": [4, 3, 4], "first_value_position": 6, "value_length": [11, 8, 4],
                      "delta": packed(torch.from_numpy(draw.normal(0, 2, (3, width))))},
        "adam": {"lr": 0.1, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8},
        "greedy": {"prompt_length": 6},
        "gated_read": {"layer": layer, "beta": 50.0, "theta": 0.6, "keys": packed(keys / keys.norm(dim=-1, keepdim=True)),
                       "residuals": packed(torch.from_numpy(draw.normal(0, 2, (7, width))))},
    }
    (folder / "golden.json").write_text(json.dumps(numbers(model, given)))


def compare(folder: Path) -> None:
    given = json.loads((folder / "golden.json").read_text())
    model = Model(json.loads((folder / "config.json").read_text()), read_weights(folder / "model.safetensors"))
    found = numbers(model, given)

    def differences(a, b, name: str) -> None:
        if isinstance(a, dict) and "float32_base64" in a:
            print(f"{name}: {float((unpacked(a) - unpacked(b)).abs().max()):.1e}")
        elif isinstance(a, dict):
            for key in a:
                if key != "about":
                    differences(a[key], b[key], f"{name}.{key}")
        elif a != b:
            print(f"{name}: {np.abs(np.array(a, float) - np.array(b, float)).max():.1e}")

    differences(given, found, folder.name)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text()))
    else:
        compare(Path(sys.argv[2]))
