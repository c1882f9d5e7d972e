"""The soft read, the addresses it works on, and the objective that keeps them apart."""
import unittest

import torch
import torch.nn.functional as F

from corpus import KEY_GROUP, LONGEST_PROMPT
from decoder import Decoder, Shape
from objectives import KeysApart, strays
from soft_read import Store, addresses, recalled, second_best, template_facts

TINY = Shape(vocab=64, hidden=32, layers=3, heads=4, kv_heads=2, feed_forward=48)


class Read(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.keys = F.normalize(torch.randn(5, 48), dim=-1)
        self.store = Store(1, self.keys, torch.randn(5, 32))

    def test_at_a_key_its_vector_is_added(self):
        y = torch.zeros(1, 2, 32)
        activation = torch.stack([3 * self.keys[2], -self.keys[2]])[None]
        read = self.store.read(1, activation, y)
        torch.testing.assert_close(read[0, 0], self.store.vectors[2], atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(read[0, 1], torch.zeros(32))

    def test_other_layers_are_left_alone(self):
        y = torch.randn(1, 1, 32)
        self.assertIs(self.store.read(0, self.keys[None, :1], y), y)

    def test_keys_that_are_alike_mix_their_vectors(self):
        alike = F.normalize(self.keys[:1] + 0.01 * torch.randn(2, 48), dim=-1)
        store = Store(1, alike, torch.eye(2, 32))
        read = store.read(1, alike[None, :1], torch.zeros(1, 1, 32))
        self.assertGreater(float(read[0, 0, 1]), 0.3)

    def test_a_centre_tells_them_apart_again(self):
        shared, own = 10 * torch.ones(48), torch.randn(2, 48)
        self.assertGreater(second_best(shared + own), 0.95)
        self.assertLess(second_best(own), 0.5)
        centre = shared
        store = Store(1, F.normalize(own, dim=-1), torch.eye(2, 32), centre)
        read = store.read(1, (shared + own)[None, :1], torch.zeros(1, 1, 32))
        torch.testing.assert_close(read[0, 0], torch.eye(2, 32)[0], atol=1e-3, rtol=1e-3)


class Model(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.model = Decoder(TINY)

    def test_padding_changes_no_address(self):
        prompts = [[1, 2, 3, 4], [5, 6, 7, 8, 9, 10]]
        together = addresses(self.model, prompts)
        for i, prompt in enumerate(prompts):
            torch.testing.assert_close(together[:, i:i + 1], addresses(self.model, [prompt]), atol=1e-5, rtol=1e-5)

    def test_recalled_is_what_greedy_decoding_says(self):
        ids, said = [3, 4, 5], []
        for _ in range(4):
            states, _ = self.model.hidden(torch.tensor([ids + said]))
            said.append(int(self.model.logits(states[0, -1]).argmax()))
        wrong = said[:-1] + [(said[-1] + 1) % 64]
        self.assertEqual(recalled(self.model, [(ids, said), (ids, wrong)], None).tolist(), [True, False])

    def test_template_facts_differ_and_fewer_are_the_first_of_more(self):
        facts = template_facts(1024, 3)
        self.assertEqual(len({value for _, _, value in facts}), 1024)
        self.assertEqual(len({(anchor, index) for anchor, index, _ in facts}), 1024)
        self.assertEqual(template_facts(64, 3), facts[:64])

    def test_training_on_keys_apart_drives_them_apart(self):
        groups = torch.zeros(4, KEY_GROUP, 2 + LONGEST_PROMPT, dtype=torch.int32)
        groups[..., 0], groups[..., 1] = 4, 6
        groups[..., 2:8] = 7
        groups[..., 5] = torch.arange(4 * KEY_GROUP).view(4, KEY_GROUP)  # the prompts differ in one token
        keys = KeysApart(self.model, groups, 2)
        optimiser = torch.optim.Adam(self.model.parameters(), lr=3e-3)
        near = []
        for step in range(40):
            loss, figures = keys.loss(3, torch.Generator().manual_seed(step))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            near.append(float(figures["key_near"]))
        self.assertGreater(near[0], 0.8)
        self.assertLess(near[-1], near[0] - 0.1)

    def test_tokens_far_from_every_key_cost_nothing(self):
        keys = F.normalize(torch.randn(2, 48), dim=-1)
        far, near = -keys[:1, None], keys[:1, None]
        mask = torch.ones(1, 1, dtype=torch.bool)
        self.assertEqual(float(strays(torch.where(keys[1:] > 9, near, far - far), mask, keys)[0]), 0)
        self.assertGreater(float(strays(near, mask, keys)[0]), 0.3)


if __name__ == "__main__":
    unittest.main()
