"""The bundled model: a Qwen3 decoder in PyTorch whose parameter names are those of Hugging Face checkpoints.

Written for training on two CPU cores and on one GPU alike. Shapes in comments: B rows, T tokens, S cached plus
new tokens, D hidden, H query heads, G key-value heads, E head size, V vocabulary.
"""
import json
import math
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

import torch
from torch import Tensor, nn
import torch.nn.functional as F

import fused

# (layer index, down-projection input [B,T,F], down-projection output [B,T,D]) -> output [B,T,D]
Inject = Callable[[int, Tensor, Tensor], Tensor]

BLOCK = 128  # queries that attend together on a CPU


@dataclass(frozen=True)
class Shape:
    """The sizes that define a model; everything else in config.json follows from them."""

    vocab: int
    hidden: int = 256
    layers: int = 6
    heads: int = 8
    kv_heads: int = 4
    feed_forward: int = 768
    positions: int = 2048
    rope_theta: float = 10000.0
    norm_eps: float = 1e-6

    @property
    def head_size(self) -> int:
        return self.hidden // self.heads


def read_shape(path: Path) -> Shape:
    """Shape from a Hugging Face config.json."""
    c = json.loads(Path(path).read_text())
    return Shape(c["vocab_size"], c["hidden_size"], c["num_hidden_layers"], c["num_attention_heads"],
                 c["num_key_value_heads"], c["intermediate_size"], c["max_position_embeddings"],
                 c["rope_theta"], c["rms_norm_eps"])


class MixedLinear(torch.autograd.Function):
    """x W₁ᵀ, x W₂ᵀ, … multiplied in bfloat16, everything else in float32.

    On a CPU with avx512_bf16 the products run four times as fast as in float32, while norms, softmax and the
    optimiser keep full precision. Several weights share one conversion of x and one product.
    """

    @staticmethod
    def forward(ctx, x: Tensor, *weights: Tensor):  # [N,I], [Oᵢ,I] -> [N,Oᵢ]
        x16 = x.bfloat16()
        w16 = torch.cat([w.bfloat16() for w in weights])
        ctx.save_for_backward(x16, w16)
        ctx.sizes = [len(w) for w in weights]
        return tuple(y.float() for y in (x16 @ w16.t()).split(ctx.sizes, -1))

    @staticmethod
    def backward(ctx, *grads: Tensor):
        x16, w16 = ctx.saved_tensors
        g16 = torch.cat([g.bfloat16() for g in grads], -1)
        return ((g16 @ w16).float(), *(g16.t() @ x16).float().split(ctx.sizes))


class MixedProduct(torch.autograd.Function):
    """Batched a bᵀ (or a b) in bfloat16, in and out in float32."""

    @staticmethod
    def forward(ctx, a: Tensor, b: Tensor):  # [...,N,I], [...,I,M] -> [...,N,M]
        a16, b16 = a.bfloat16(), b.bfloat16()
        ctx.save_for_backward(a16, b16)
        return (a16 @ b16).float()

    @staticmethod
    def backward(ctx, grad: Tensor):
        a16, b16 = ctx.saved_tensors
        g16 = grad.bfloat16()
        return (g16 @ b16.transpose(-1, -2)).float(), (a16.transpose(-1, -2) @ g16).float()


_mixed = threading.local()


@contextmanager
def mixed_products():
    """Inside: matrix products on the CPU run in bfloat16 (CUDA has its own autocast; evaluation stays exact)."""
    _mixed.on = True
    try:
        yield
    finally:
        _mixed.on = False


def is_mixed(x: Tensor) -> bool:
    return getattr(_mixed, "on", False) and not x.is_cuda


def linear(x: Tensor, *weights: Tensor) -> tuple[Tensor, ...]:
    """x Wᵀ for each weight. [..., I] -> [..., Oᵢ]."""
    if not is_mixed(x):
        return tuple(F.linear(x, w) for w in weights)
    flat = MixedLinear.apply(x.reshape(-1, x.shape[-1]), *weights)
    return tuple(y.view(*x.shape[:-1], -1) for y in flat)


def product(a: Tensor, b: Tensor) -> Tensor:
    """Batched matrix product. [...,N,I], [...,I,M] -> [...,N,M]."""
    return MixedProduct.apply(a, b) if is_mixed(a) else a @ b


class Projection(nn.Module):
    """A linear map without bias."""

    def __init__(self, inputs: int, outputs: int, scale: float = 1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) * 0.02 * scale)

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight)[0]


class RmsNorm(nn.Module):
    def __init__(self, size: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        x32 = x.float()
        scale = torch.rsqrt(x32.pow(2).mean(-1, keepdim=True) + self.eps)
        return (x32 * scale).to(x.dtype) * self.weight.to(x.dtype)


def rotary(positions: Tensor, shape: Shape) -> tuple[Tensor, Tensor]:
    """Cosines and sines [B,1,T,E] for positions [B,T], both halves of a head alike."""
    half = torch.arange(0, shape.head_size, 2, device=positions.device).float() / shape.head_size
    angle = positions.float()[:, None, :, None] * shape.rope_theta ** -half  # [B,1,T,E/2]
    return torch.cat([angle.cos()] * 2, -1), torch.cat([angle.sin()] * 2, -1)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary embedding in the half-split form. x [B,H,T,E]."""
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


class Attention(nn.Module):
    def __init__(self, shape: Shape, scale: float):
        super().__init__()
        self.shape = shape
        self.q_proj = Projection(shape.hidden, shape.heads * shape.head_size)
        self.k_proj = Projection(shape.hidden, shape.kv_heads * shape.head_size)
        self.v_proj = Projection(shape.hidden, shape.kv_heads * shape.head_size)
        self.o_proj = Projection(shape.heads * shape.head_size, shape.hidden, scale)
        self.q_norm = RmsNorm(shape.head_size, shape.norm_eps)
        self.k_norm = RmsNorm(shape.head_size, shape.norm_eps)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], bias: Tensor, past=None):
        """x [B,T,D], bias [B or 1,1,T,S] (0 where a token may look, -inf where not) -> [B,T,D] and (k, v)."""
        B, T, _ = x.shape
        H, G, E = self.shape.heads, self.shape.kv_heads, self.shape.head_size
        q, k, v = linear(x, self.q_proj.weight, self.k_proj.weight, self.v_proj.weight)
        q = rotate(self.q_norm(q.view(B, T, H, E)).transpose(1, 2), *turn)  # [B,H,T,E]
        k = rotate(self.k_norm(k.view(B, T, G, E)).transpose(1, 2), *turn)  # [B,G,T,E]
        v = v.view(B, T, G, E).transpose(1, 2)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        if x.is_cuda:
            # autocast leaves the rotated q and k in float32: bring all to v's type
            out = F.scaled_dot_product_attention(
                q.to(v.dtype), k.to(v.dtype).repeat_interleave(H // G, 1), v.repeat_interleave(H // G, 1),
                attn_mask=bias.to(v.dtype))
        else:
            before = k.shape[2] - T
            blocks = []
            for start in range(0, T, BLOCK):  # nothing looks ahead, so a block of queries needs the keys up to its end
                end = min(start + BLOCK, T)
                blocks.append(self.attend(q[:, :, start:end], k[:, :, :before + end], v[:, :, :before + end],
                                          bias[:, :, start:end, :before + end]))
            out = torch.cat(blocks, 2)
        return self.o_proj(out.transpose(1, 2).reshape(B, T, H * E)), (k, v)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
        """q [B,H,T,E], k and v [B,G,S,E] -> [B,H,T,E]. The query heads that share keys are stacked along time."""
        B, H, T, E = q.shape
        G = k.shape[1]
        scores = product((q / math.sqrt(E)).reshape(B, G, -1, E), k.transpose(2, 3))  # [B,G,(H/G)T,S]
        weights = (scores.view(B, H, T, -1) + bias).softmax(-1)
        return product(weights.view(B, G, -1, k.shape[2]), v).view(B, H, T, E)


class FeedForward(nn.Module):
    def __init__(self, shape: Shape, scale: float):
        super().__init__()
        self.gate_proj = Projection(shape.hidden, shape.feed_forward)
        self.up_proj = Projection(shape.hidden, shape.feed_forward)
        self.down_proj = Projection(shape.feed_forward, shape.hidden, scale)

    def forward(self, x: Tensor, layer: int, inject: Optional[Inject]) -> Tensor:
        gate, up = linear(x, self.gate_proj.weight, self.up_proj.weight)
        activation = F.silu(gate) * up  # [B,T,F], the address of the paper
        out = self.down_proj(activation)
        return out if inject is None else inject(layer, activation, out)


class Layer(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        scale = 1 / math.sqrt(2 * shape.layers)  # keeps the residual stream's size independent of depth
        self.input_layernorm = RmsNorm(shape.hidden, shape.norm_eps)
        self.self_attn = Attention(shape, scale)
        self.post_attention_layernorm = RmsNorm(shape.hidden, shape.norm_eps)
        self.mlp = FeedForward(shape, scale)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], bias: Tensor, index: int, inject: Optional[Inject], past=None):
        """x [B,T,D] -> the same further on, and (k, v)."""
        mixed, kv = self.self_attn(self.input_layernorm(x), turn, bias, past)
        x = x + mixed
        return x + self.mlp(self.post_attention_layernorm(x), index, inject), kv

    def fused(self, x: Tensor, turn: tuple[Tensor, Tensor], sight: tuple[Tensor, Tensor], index: int,
              inject: Optional[Inject]) -> Tensor:
        """The same in the kernels of fused.cpp: turn [B,T,E/2] each, sight as `hidden` has it."""
        attention, mlp, eps = self.self_attn, self.mlp, self.input_layernorm.eps
        told = fused.Norm.apply(x, self.input_layernorm.weight, eps)
        qkv = fused.Linear.apply(told, attention.q_proj.weight, attention.k_proj.weight, attention.v_proj.weight)
        heard = fused.Attend.apply(qkv, attention.q_norm.weight, attention.k_norm.weight, *turn, *sight,
                                   attention.shape.heads, attention.shape.kv_heads, eps)
        x = fused.Add.apply(x, fused.Linear.apply(heard, attention.o_proj.weight))
        both = fused.Linear.apply(fused.Norm.apply(x, self.post_attention_layernorm.weight, eps), mlp.gate_proj.weight,
                                  mlp.up_proj.weight)
        activation = fused.Gate.apply(both)
        out = fused.Linear.apply(activation, mlp.down_proj.weight)
        if inject is not None:
            out = inject(index, activation, out)
        return fused.Add.apply(x, out) if out.dtype == torch.bfloat16 else x + out


class Embedding(nn.Module):
    def __init__(self, vocab: int, hidden: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(vocab, hidden) * 0.02)


class Body(nn.Module):
    def __init__(self, shape: Shape):
        super().__init__()
        self.embed_tokens = Embedding(shape.vocab, shape.hidden)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = RmsNorm(shape.hidden, shape.norm_eps)


class Decoder(nn.Module):
    """`hidden` gives final hidden states, `logits` scores over the vocabulary (tied to the embedding)."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.model = Body(shape)

    def hidden(self, ids: Tensor, positions: Optional[Tensor] = None, sight: Optional[tuple[Tensor, Tensor]] = None,
               inject: Optional[Inject] = None, past: Optional[list] = None, upto: Optional[int] = None):
        """ids [B,T] -> (states [B,T,D], keys and values per layer).

        positions [B,T] default to a running count after `past`; sight, items and forks [B,T], says which earlier tokens
        each sees (`fork_bias`; by default all of them); upto: stop after that many layers and skip the last norm (the
        reconstruction encoder reads there). Training on a CPU keeps no keys and values.
        """
        seen = past[0][0].shape[2] if past else 0
        if positions is None:
            positions = torch.arange(seen, seen + ids.shape[1], device=ids.device)[None]
        turn = rotary(positions, self.shape)
        x = F.embedding(ids, self.model.embed_tokens.weight)
        cache = []
        if is_mixed(x) and fused.is_wanted() and not past:
            turn = tuple(t[:, 0, :, :t.shape[-1] // 2].expand(len(ids), -1, -1).contiguous() for t in turn)
            sight = sight or (torch.ones_like(ids), torch.zeros_like(ids))
            sight = tuple(t.int().contiguous() for t in sight)
            for i, layer in enumerate(self.model.layers[:upto]):
                x = layer.fused(x, turn, sight, i, inject)
        else:
            bias = fork_bias(*sight) if sight else causal_bias(ids.shape[1], seen, ids.device)
            for i, layer in enumerate(self.model.layers[:upto]):
                x, kv = layer(x, turn, bias, i, inject, past[i] if past else None)
                cache.append(kv)
        return (x if upto is not None else self.model.norm(x)), cache

    def logits(self, states: Tensor) -> Tensor:
        """[..., D] -> [..., V]."""
        return linear(states, self.model.embed_tokens.weight)[0]


def causal_bias(length: int, seen: int, device) -> Tensor:
    """[1,1,T,S]: token t may look at everything up to itself."""
    may = torch.ones(length, seen + length, dtype=torch.bool, device=device).tril(seen)
    return torch.zeros(may.shape, device=device).masked_fill(~may, float("-inf"))[None, None]


def fork_bias(item: Tensor, fork: Tensor) -> Tensor:
    """[B,1,T,T]: a token sees earlier tokens of its own item that are told to all or belong to its fork."""
    mine = (item[:, :, None] == item[:, None]) & ((fork[:, None] == 0) | (fork[:, :, None] == fork[:, None]))
    mine = mine.tril()
    return torch.zeros(mine.shape, device=item.device).masked_fill(~mine, float("-inf"))[:, None]
