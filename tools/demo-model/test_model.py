"""The decoder, its files, its fused layers, and training runs that are stopped, resumed and shared by workers."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import unittest
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from average import averaged
from checkpoint import deepened, hf_config, load_model, read_safetensors, write_safetensors
from corpus import KEY_GROUP, LONGEST_PROMPT, LONGEST_VALUE, pack
from decoder import BLOCK, Decoder, Shape, mixed_products
from items import Item
from objectives import TOKEN_OF_BYTE, strange_run, with_strange_tokens
from train import Plan, Trainer, rate_at, read_mix, run

BYTE_OF_TOKEN = {t: b for b, t in TOKEN_OF_BYTE.items()}
TINY = Shape(vocab=64, hidden=32, layers=3, heads=4, kv_heads=2, feed_forward=48)
PLAN = Plan(shape=TINY, steps=6, text_rows=1, window=16, mix="easy:1x1,full:2x1", draws=2, fact_tokens=80, key_groups=2,
            shortest_limit=12, encoder_layers=2)


def tiny_corpus(folder: Path) -> None:
    """Random tokens in the formats of corpus.py."""
    draw = np.random.default_rng(0)
    draw.integers(0, 64, 500).astype(np.uint16).tofile(folder / "text.u16")
    rows = np.zeros((40, 3 + LONGEST_PROMPT + LONGEST_VALUE), np.uint16)
    rows[:, :3] = 3, 5, 4
    rows[:, 3:12] = draw.integers(1, 64, (40, 9))
    rows.tofile(folder / "facts.u16")
    keys = np.zeros((5, KEY_GROUP, 2 + LONGEST_PROMPT), np.uint16)
    keys[..., :2] = 4, 6
    keys[..., 2:8] = draw.integers(1, 64, (5, KEY_GROUP, 6))
    keys.tofile(folder / "keys.u16")
    items = []
    for _ in range(12):
        item = Item()
        item.tell([int(i) for i in draw.integers(0, 64, 6)])
        item.ask([1, 2, 3], [4, 5])
        items.append(item)
    for name in ("easy", "full", "val_made"):
        pack(items, 32, folder / f"{name}.npz")


class DecoderTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.model = Decoder(TINY)
        self.ids = torch.randint(0, 64, (2, 9))

    def test_the_cache_gives_what_the_whole_gives(self):
        whole, _ = self.model.hidden(self.ids)
        _, past = self.model.hidden(self.ids[:, :5])
        rest, _ = self.model.hidden(self.ids[:, 5:], past=past)
        torch.testing.assert_close(rest, whole[:, 5:], atol=1e-5, rtol=1e-5)

    def test_blocks_of_queries_give_what_all_give(self):
        long = torch.randint(0, 64, (1, 2 * BLOCK + 7))
        whole, _ = self.model.hidden(long)
        first, past = self.model.hidden(long[:, :BLOCK - 3])
        rest, _ = self.model.hidden(long[:, BLOCK - 3:], past=past)
        torch.testing.assert_close(torch.cat([first, rest], 1), whole, atol=1e-5, rtol=1e-5)

    def test_mixed_products_stay_close_and_have_gradients(self):
        exact = self.model.logits(self.model.hidden(self.ids)[0])
        with mixed_products():
            mixed = self.model.logits(self.model.hidden(self.ids)[0])
            mixed.sum().backward()
        self.assertLess((mixed - exact).abs().max(), 0.02 * exact.abs().max() + 0.02)
        self.assertTrue(all(p.grad is not None for p in self.model.parameters()))

    def test_a_fork_sees_what_a_plain_prompt_sees(self):
        item, fork = torch.ones(1, 6, dtype=torch.long), torch.tensor([[0, 0, 1, 1, 0, 2]])
        position = torch.tensor([[0, 1, 2, 3, 2, 3]])
        ids = torch.tensor([[5, 6, 7, 8, 9, 10]])
        forked, _ = self.model.hidden(ids, position, (item, fork))
        plain, _ = self.model.hidden(torch.tensor([[5, 6, 9, 10]]))
        torch.testing.assert_close(forked[:, [0, 1, 4, 5]], plain, atol=1e-5, rtol=1e-5)

    def test_a_deepened_model_says_the_same_and_learns_in_its_new_layers(self):
        deeper = deepened(self.model, [0, 2])
        self.assertEqual(deeper.shape.layers, 5)
        states, _ = deeper.hidden(self.ids)
        torch.testing.assert_close(states, self.model.hidden(self.ids)[0], atol=1e-6, rtol=1e-6)
        states.square().sum().backward()
        for layer in (1, 4):
            self.assertGreater(deeper.model.layers[layer].mlp.down_proj.weight.grad.abs().max(), 0)

    def test_weights_of_one_shape_are_averaged(self):
        one, other = ({"a": torch.full((2, 3), x), "b": torch.full((4,), -x)} for x in (1.0, 3.0))
        found = averaged(one, other, 0.75)
        self.assertTrue(torch.equal(found["a"], torch.full((2, 3), 2.5)))
        self.assertTrue(torch.equal(found["b"], torch.full((4,), -2.5)))
        with self.assertRaisesRegex(ValueError, "different weights"):
            averaged(one, {"a": other["a"]}, 0.5)

    def test_weights_survive_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            write_safetensors(self.model.state_dict(), Path(folder) / "model.safetensors")
            (Path(folder) / "config.json").write_text(json.dumps(hf_config(TINY)))
            back = load_model(Path(folder)).state_dict()
            for name, tensor in self.model.state_dict().items():
                torch.testing.assert_close(back[name], tensor.half().float())


@unittest.skipUnless(shutil.which("ninja") and shutil.which("g++"), "the fused layers are compiled: ninja and g++ are not here")
class FusedTest(unittest.TestCase):
    """The layers of fused.cpp against those in operators of PyTorch, in float32 and with products in bfloat16."""

    def setUp(self):
        torch.manual_seed(0)
        self.model = Decoder(TINY)
        for p in self.model.parameters():
            torch.nn.init.normal_(p, 1.0 if p.dim() == 1 else 0.0, 0.2)
        self.addCleanup(os.environ.pop, "PALIMPSEST_FUSED", None)

    def outcome(self, precision, fused: str, ids, sight, inject) -> list:
        """States and gradients, by one of the ways."""
        os.environ["PALIMPSEST_FUSED"] = fused
        self.model.zero_grad()
        with precision:
            states, cache = self.model.hidden(ids, sight=sight, inject=inject)
            (states * torch.linspace(-1, 1, states.numel()).view_as(states)).sum().backward()
        self.assertEqual(bool(fused), not cache)  # which of them ran
        return [states.detach(), *(p.grad.clone() for p in self.model.parameters())]

    def assert_alike(self, ids, sight=None, inject=None):
        """The fused layers are about as far from float32 as the mixed products of PyTorch are."""
        ways = [(nullcontext(), ""), (mixed_products(), ""), (mixed_products(), "1")]
        for exact, mixed, fused in zip(*(self.outcome(*way, ids, sight, inject) for way in ways)):
            self.assertLess((fused - exact).norm(), 2 * (mixed - exact).norm() + 0.01 * exact.norm() + 1e-4)

    def test_few_and_many_tokens(self):
        for tokens in (9, 64, 65, BLOCK, 2 * BLOCK + 7):
            self.assert_alike(torch.randint(0, 64, (2, tokens)))

    def test_items_and_forks(self):
        for tokens in (40, 300):
            item = 1 + (torch.arange(tokens) >= tokens // 3).long() + (torch.arange(tokens) >= tokens - 9)
            fork = (torch.arange(tokens) % (tokens // 3) > tokens // 6) * (torch.arange(tokens) // 7)
            self.assert_alike(torch.randint(0, 64, (2, tokens)), (item.expand(2, -1), fork.expand(2, -1)))

    def test_an_injected_vector_and_a_loss_on_the_activation(self):
        added = torch.zeros(2, 12, TINY.hidden)
        added[:, 3] = 1

        def inject(i, activation, y):
            return y + added + activation.float().mean() if i == 1 else y
        self.assert_alike(torch.randint(0, 64, (2, 12)), inject=inject)


class StrangeTokensTest(unittest.TestCase):
    def test_one_token_of_some_values_may_be_any_and_nothing_else_changes(self):
        draw = torch.Generator().manual_seed(0)
        ids = torch.full((2000, 12), 63)
        prompt, value = torch.randint(2, 5, (2000,), generator=draw), torch.randint(1, 7, (2000,), generator=draw)
        changed = with_strange_tokens(ids, prompt, value, 60, 0.1, draw)
        places = (changed != ids).nonzero()
        self.assertEqual(len(places), len(set(places[:, 0].tolist())))  # one a row at most
        self.assertTrue(140 < len(places) < 260)
        at = places[:, 1] - prompt[places[:, 0]]
        self.assertTrue(bool(((at >= 0) & (at < value[places[:, 0]])).all()))
        self.assertEqual(set(at.tolist()), set(range(6)))
        self.assertGreater(len(changed[places[:, 0], places[:, 1]].unique()), 50)
        self.assertTrue(bool((with_strange_tokens(ids, prompt, value, 60, 0.0, draw) == ids).all()))

    def test_strange_runs_are_characters_of_other_scripts_too_and_stay_inside_the_value(self):
        draw = torch.Generator().manual_seed(6)
        texts = [bytes(BYTE_OF_TOKEN[t] for t in run) for run in (strange_run(4000, draw) for _ in range(400))
                 if len(run) > 1 and all(t < 256 for t in run)]
        self.assertTrue(120 < len(texts) < 280)
        self.assertGreater(len({unicodedata.name(text.decode()[0], "").split(" ")[0] for text in texts}), 10)
        ids, prompt, value = torch.full((500, 12), 4001), torch.full((500,), 4), torch.full((500,), 3)
        changed = with_strange_tokens(ids, prompt, value, 4000, 1.0, draw)
        self.assertTrue(bool((changed[:, :4] == 4001).all() and (changed[:, 7:] == 4001).all()))
        self.assertTrue(bool((changed[:, 4:7] != 4001).any(1).all()))


class TrainingTest(unittest.TestCase):
    def test_a_resumed_run_is_the_run_that_was_never_stopped(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tiny_corpus(folder)
            for out, stops in (("whole", [6]), ("resumed", [2, 6])):
                (folder / out).mkdir()
                for stop in stops:
                    trainer = Trainer(folder, PLAN, seed=3, model=None)
                    if stop != stops[0]:
                        trainer.load(torch.load(folder / out / "last.pt"))
                    while trainer.step < stop:
                        trainer.advance()
                    trainer.save(folder / out / "last.pt")
                run(trainer, folder / out, None)
            whole, resumed = (read_safetensors(folder / out / "model.safetensors") for out in ("whole", "resumed"))
            for key in whole:
                torch.testing.assert_close(whole[key], resumed[key], atol=0, rtol=0)

    def test_a_mixture_is_read_by_shares_and_rows(self):
        self.assertEqual(read_mix("full:3x2,prose-short:0.5x4"), {"full": (3.0, 2), "prose-short": (0.5, 4)})

    def test_workers_share_a_run_that_can_be_resumed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tiny_corpus(folder)
            for out, legs in (("whole", [[]]), ("resumed", [["--steps", "1"], ["--resume"]])):
                for leg in legs:
                    given = ["--workers", "2", "--steps", "3", "--decay", "0", "--mix", "easy:1x1", "--window", "16", *leg]
                    told = [sys.executable, "train.py", folder, folder / out, *given]
                    subprocess.run(told, check=True, cwd=Path(__file__).parent, env={**os.environ, "PALIMPSEST_FUSED": ""})
            whole, resumed = (torch.load(folder / out / "last.pt") for out in ("whole", "resumed"))
            self.assertEqual(whole["step"], 3)
            self.assertEqual(whole["tokens_seen"], resumed["tokens_seen"])
            for key in whole["model"]:
                torch.testing.assert_close(whole["model"][key], resumed["model"][key], atol=0, rtol=0)

    def test_the_frozen_phase_leaves_the_model_alone(self):
        with tempfile.TemporaryDirectory() as name:
            tiny_corpus(Path(name))
            trainer = Trainer(Path(name), replace(PLAN, freeze=2), seed=0, model=None)
            before = trainer.model.model.layers[0].mlp.up_proj.weight.clone()
            trainer.advance()
            torch.testing.assert_close(trainer.model.model.layers[0].mlp.up_proj.weight, before, atol=0, rtol=0)

    def test_the_rate_warms_up_and_decays(self):
        plan = replace(PLAN, steps=10000, decay=0.5)
        self.assertLess(rate_at(0, plan), plan.rate / 100)
        self.assertEqual(rate_at(4000, plan), plan.rate)
        self.assertAlmostEqual(rate_at(7500, plan), plan.rate / 2)
        self.assertGreater(rate_at(9999, plan), 0)


if __name__ == "__main__":
    unittest.main()
