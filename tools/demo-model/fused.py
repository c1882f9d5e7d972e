"""A decoder layer for training on a CPU: products in bfloat16, all between them in few passes of memory (fused.cpp).

Compiled once by PyTorch with the machine's g++ (Debian: libtorch-dev libpython3-dev ninja-build), and only asked for where
PALIMPSEST_FUSED is set (cpu_env.sh does): without it decoder.py says the same in operators of PyTorch, which is slower.
"""
import os
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

FLAGS = ["-O3", "-march=native", "-mprefer-vector-width=512", "-ffast-math", "-fno-math-errno", "-w"]


@lru_cache
def kernels():
    from torch.utils.cpp_extension import load
    return load("palimpsest_fused", [str(Path(__file__).with_name("fused.cpp"))], extra_cflags=FLAGS, extra_ldflags=["-lmvec", "-lm"])


def is_wanted() -> bool:
    return bool(os.environ.get("PALIMPSEST_FUSED"))


class Norm(torch.autograd.Function):
    """x [...,D] f32, weight [D] -> bf16 (RmsNorm)."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, eps: float):
        x = x.contiguous()
        y, scale = kernels().norm_forward(x, weight, eps)
        ctx.save_for_backward(x, weight, scale)
        return y

    @staticmethod
    def backward(ctx, grad: Tensor):
        gx, gw = kernels().norm_backward(grad.contiguous(), *ctx.saved_tensors)
        return gx, gw, None


class Linear(torch.autograd.Function):
    """x [...,I] bf16 and weights [Oᵢ,I] f32 -> [...,ΣOᵢ] bf16."""

    @staticmethod
    def forward(ctx, x: Tensor, *weights: Tensor):
        w = torch.cat([weight.bfloat16() for weight in weights]) if len(weights) > 1 else weights[0].bfloat16()
        ctx.save_for_backward(x, w)
        ctx.sizes = [len(weight) for weight in weights]
        return (x.view(-1, x.shape[-1]) @ w.t()).view(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx, grad: Tensor):
        x, w = ctx.saved_tensors
        g = grad.reshape(-1, grad.shape[-1])
        if not any(ctx.needs_input_grad[1:]):  # a frozen model
            return (g @ w).view(x.shape), *[None] * len(ctx.sizes)
        gw = (g.t() @ x.view(-1, x.shape[-1])).float()
        return (g @ w).view(x.shape), *gw.split(ctx.sizes)


class Gate(torch.autograd.Function):
    """[...,2F] bf16, gate and then up -> silu(gate) up [...,F] bf16."""

    @staticmethod
    def forward(ctx, both: Tensor):
        ctx.save_for_backward(both)
        return kernels().gate_forward(both)

    @staticmethod
    def backward(ctx, grad: Tensor):
        return kernels().gate_backward(grad.contiguous(), *ctx.saved_tensors)


class Add(torch.autograd.Function):
    """x f32 + y bf16 -> f32."""

    @staticmethod
    def forward(ctx, x: Tensor, y: Tensor):
        return kernels().add_half(x, y.contiguous())

    @staticmethod
    def backward(ctx, grad: Tensor):
        return grad, grad.bfloat16()


class Attend(torch.autograd.Function):
    """qkv [B,T,(H+2G)E] bf16 -> what each head heard, [B,T,HE] bf16. Norms and turns of q and k are part of it."""

    @staticmethod
    def forward(ctx, qkv: Tensor, qw: Tensor, kw: Tensor, cos: Tensor, sin: Tensor, item: Tensor, fork: Tensor, heads: int,
                kv_heads: int, eps: float):
        out, *kept = kernels().attend_forward(qkv, qw, kw, cos, sin, item, fork, heads, kv_heads, eps)
        ctx.save_for_backward(out, qkv, *kept, qw, kw, cos, sin, item, fork)
        ctx.eps = eps
        return out

    @staticmethod
    def backward(ctx, grad: Tensor):
        return *kernels().attend_backward(grad.contiguous(), *ctx.saved_tensors, ctx.eps), *[None] * 7
