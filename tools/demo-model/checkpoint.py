"""Reads and writes model weights as safetensors in the Hugging Face layout."""
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from decoder import Decoder, Shape, read_shape


def write_safetensors(tensors: dict[str, Tensor], path: Path) -> None:
    """Float16 tensors in name order, header padded to eight bytes."""
    header, blobs, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name in sorted(tensors):
        blob = tensors[name].detach().cpu().half().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F16", "shape": list(tensors[name].shape),
                        "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Float32 tensors from a file."""
    raw = Path(path).read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + size])
    kinds = {"F16": np.float16, "F32": np.float32, "I64": np.int64}
    tensors = {}
    for name, meta in header.items():
        if name != "__metadata__":
            begin, end = meta["data_offsets"]
            array = np.frombuffer(raw[8 + size + begin:8 + size + end], kinds[meta["dtype"]]).reshape(meta["shape"])
            tensors[name] = torch.from_numpy(array.astype(np.float32))
    return tensors


def load_model(folder: Path) -> Decoder:
    model = Decoder(read_shape(Path(folder) / "config.json"))
    model.load_state_dict(read_safetensors(Path(folder) / "model.safetensors"))
    return model


def deepened(model: Decoder, after: list[int]) -> Decoder:
    """The model with a copy of each named layer after it that adds nothing yet: its two output projections are zero.

    So the deeper model says what the given one says, and learns from there (block expansion, LLaMA Pro, arXiv:2401.02415).
    """
    order = [(i, copy) for i in range(model.shape.layers) for copy in (False, True)[:1 + (i in after)]]
    deeper = Decoder(replace(model.shape, layers=len(order)))
    given = model.state_dict()
    taken = {name: tensor for name, tensor in given.items() if not name.startswith("model.layers.")}
    for at, (i, copy) in enumerate(order):
        mine = f"model.layers.{i}."
        for name, tensor in given.items():
            if name.startswith(mine):
                silent = copy and name.endswith(("o_proj.weight", "down_proj.weight"))
                taken[f"model.layers.{at}.{name[len(mine):]}"] = torch.zeros_like(tensor) if silent else tensor.clone()
    deeper.load_state_dict(taken)
    return deeper


def hf_config(shape: Shape) -> dict:
    """config.json of a Qwen3 model of that shape. The specials close the vocabulary: endoftext, im_start, im_end."""
    return {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": shape.vocab,
        "hidden_size": shape.hidden, "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads, "head_dim": shape.head_size,
        "intermediate_size": shape.feed_forward, "rms_norm_eps": shape.norm_eps, "rope_theta": shape.rope_theta,
        "rope_scaling": None, "tie_word_embeddings": True, "max_position_embeddings": shape.positions,
        "hidden_act": "silu", "attention_bias": False, "torch_dtype": "float16",
        "eos_token_id": shape.vocab - 1, "bos_token_id": None, "pad_token_id": shape.vocab - 3,
    }
