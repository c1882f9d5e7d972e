"""What the model is trained for: text and conversations (`Reader`), saying back a value from one vector
(`Reconstruction`), and keys that differ (`KeysApart`). Each returns a loss and the figures worth printing."""
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
import torch.nn.functional as F

from bpe import BYTE_OF_CHAR
from corpus import KEY_GROUP, LONGEST_PROMPT, LONGEST_VALUE, PIECES
from decoder import Decoder

IGNORED = -100
SPECIALS = 3  # tokens at the end of the vocabulary that no value has (bpe.py)
HUNDREDTH = 0.01  # corpus weights are stored in hundredths


def load_tokens(path: Path) -> Tensor:
    return torch.from_numpy(np.fromfile(path, dtype=np.uint16).astype(np.int32))


class ChatRows:
    """Packed conversations, kept as small as they are stored; see items.py for forks and corpus.pack for rows."""

    def __init__(self, path: Path, device):
        self.device = device
        with np.load(path) as stored:
            self.parts = {k: stored[k] for k in [*PIECES, "item"]}

    def __len__(self) -> int:
        return len(self.parts["ids"])

    @property
    def row(self) -> int:
        """Tokens of a row."""
        return self.parts["ids"].shape[1]

    def take(self, rows: Tensor) -> dict[str, Tensor]:
        """The parts of the given rows, each [B,T] and long."""
        return {k: torch.from_numpy(v[rows.numpy()].astype(np.int64)).to(self.device) for k, v in self.parts.items()}


class Reader:
    """Next-token loss on windows of text and on conversations, in one batch shape each."""

    def __init__(self, model: Decoder, text: Tensor, window: int):
        self.model, self.text, self.window = model, text, window

    def text_loss(self, rows: int, draw: torch.Generator) -> Tensor:
        at = torch.randint(0, len(self.text) - self.window - 1, (rows, 1), generator=draw)
        ids = self.text[at.to(self.text.device) + torch.arange(self.window + 1, device=self.text.device)].long()
        states, _ = self.model.hidden(ids[:, :-1])
        return F.cross_entropy(self.model.logits(states).flatten(0, 1).float(), ids[:, 1:].flatten())

    def chat_loss(self, chat: ChatRows, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Weighted loss per answer token, and of the answers alone: their loss and share right."""
        batch = chat.take(rows)
        states, _ = self.model.hidden(batch["ids"], batch["position"], (batch["item"], batch["fork"]))
        scored = batch["weight"] > 0  # only these positions need a head
        weight, target = batch["weight"][scored].float() * HUNDREDTH, batch["target"][scored]
        logits = self.model.logits(states[scored]).float()
        losses = F.cross_entropy(logits, target, reduction="none")
        answers = weight > 0.99
        right = (logits.argmax(-1) == target)[answers].float().mean()
        return (losses * weight).sum() / weight.sum(), losses[answers].mean().detach(), right

    @torch.no_grad()
    def answers_begun(self, chat: ChatRows, rows: Tensor) -> float:
        """Share of the answers whose first token is the likeliest one: where the answer is one of the facts' words,
        the rest of it follows by itself."""
        batch = chat.take(rows)
        states, _ = self.model.hidden(batch["ids"], batch["position"], (batch["item"], batch["fork"]))
        scored = batch["weight"] > 0
        first = scored & ~scored.roll(1, 1)
        return float((self.model.logits(states[first]).argmax(-1) == batch["target"][first]).float().mean())


class ValueEncoder(nn.Module):
    """A sentence to one vector: states of the model's first layers, bound to their places, summed.

    Each place has its own linear map, so that words and their order are both in the sum. Thrown away after training.
    Every vector has the same size, which the app's Adam (rate 0.2, from zero) reaches in a few of its 40 steps; left
    free, the encoder made vectors of five times that size, and made facts took 21 steps instead of 4.
    """

    SIZE = 1.25  # root mean square of every vector

    def __init__(self, hidden: int, places: int):
        super().__init__()
        self.maps = nn.Parameter(torch.randn(places, hidden, hidden) * (0.3 / hidden ** 0.5))
        self.mix = nn.Linear(2 * hidden, hidden)

    def forward(self, states: Tensor, length: Tensor) -> Tensor:
        """states [B,T,D], length [B] -> [B,D]."""
        rows = torch.arange(len(states), device=states.device)
        real = torch.arange(states.shape[1], device=states.device)[None] < length[:, None]  # [B,T]
        states = states * real[..., None]
        placed = torch.einsum("btd,tde->be", states, self.maps[:states.shape[1]].to(states.dtype))
        last = states[rows, length - 1]
        raw = placed + self.mix(torch.cat([last, states.sum(1) / length[:, None]], -1))
        return raw * (self.SIZE * torch.rsqrt(raw.float().pow(2).mean(-1, keepdim=True) + 1e-6)).to(raw.dtype)


STRAY = 0.4  # cosine with a key up to which another token's activation costs nothing; the paper's gate opens at 0.6


def strays(activation: Tensor, others: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    """What the tokens that are no keys cost by lying near one, and the largest cosine among them.

    The read of the paper looks at every position: a token whose activation lies near a key would be given its vector.
    activation [B,T,F], others [B,T] (which tokens to look at), keys [N,F] of length 1.
    """
    nearest = (F.normalize(activation[others].float(), dim=-1) @ keys.t()).amax(-1)
    return (nearest - STRAY).relu().square().mean(), nearest.detach().amax()


class KeysApart:
    """Keys that can be told apart by their cosine alone, so that the paper's soft read works on them as they are.

    The addresses (inputs of the down-projection at the key token) of the prompts of a batch compete at every layer that
    can store: each is to be nearer to itself than to any other, as a softmax at SHARPNESS sees it. So they do less the
    mean of the probe's keys (the first group), which the app may take off.
    """

    SHARPNESS = 20.0  # the paper reads at 50; a blunter softmax goes on pushing when that one is content

    def __init__(self, model: Decoder, groups: Tensor, layers: int):
        self.model, self.groups, self.layers = model, groups, layers

    def loss(self, count: int, draw: torch.Generator) -> tuple[Tensor, dict[str, Tensor]]:
        """Over `count` groups of keys. Figures: mean cosine of the nearest other key, as it is and less the probe's mean;
        the largest of a token that is no key."""
        picked = 1 + torch.randint(0, len(self.groups) - 1, (count,), generator=draw)
        picked = torch.cat([torch.zeros(1, dtype=picked.dtype), picked]).to(self.groups.device)
        rows = self.groups[picked].flatten(0, 1).long()
        key, length = rows[:, 0], rows[:, 1]
        ids = rows[:, 2:2 + int(length.max())]
        seen: list[Tensor] = []
        self.model.hidden(ids, inject=lambda _i, activation, y: seen.append(activation) or y, upto=self.layers)
        time = torch.arange(ids.shape[1], device=ids.device)[None]
        others = (time < length[:, None]) & (time != key[:, None])
        same = (ids[:, None] == ids[None]).all(-1)  # a key drawn twice is no other
        total, figures = 0.0, {"key_near": [], "key_near_centred": [], "key_stray": []}
        for activation in seen:
            addresses = activation[torch.arange(len(key)), key].float()
            cost, largest = strays(activation, others, F.normalize(addresses, dim=-1))
            raw, near = self.apart(addresses, same)
            centre = addresses[:KEY_GROUP].mean(0)
            less, near_centred = self.apart(addresses[KEY_GROUP:] - centre, same[KEY_GROUP:, KEY_GROUP:])
            total = total + raw + less + cost
            for name, figure in zip(figures, (near, near_centred, largest)):
                figures[name].append(figure)
        return total / len(seen), {name: torch.stack(found).mean() for name, found in figures.items()}

    def apart(self, addresses: Tensor, same: Tensor) -> tuple[Tensor, Tensor]:
        """What it costs that keys are near each other, and the mean cosine of the nearest other one."""
        keys = F.normalize(addresses, dim=-1)
        cosine = (keys @ keys.t()).masked_fill(same, -1.0)
        cost = torch.logsumexp(F.pad(self.SHARPNESS * (cosine - 1), (1, 0)), -1).mean()  # the key itself has 0
        return cost, cosine.detach().amax(-1).mean()


SCRIPTS = ((0xC0, 0x17F), (0x370, 0x3FF), (0x400, 0x4FF), (0x5D0, 0x5EA), (0x620, 0x64A), (0x900, 0x97F), (0x2010, 0x203A),
           (0x2190, 0x22FF), (0x3001, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x1F300, 0x1F64F))  # of Unicode
TOKEN_OF_BYTE = {BYTE_OF_CHAR[c]: i for i, c in enumerate(sorted(BYTE_OF_CHAR))}  # the vocabulary begins with the bytes
LONGEST_RUN = 5  # characters of another script in a row


def strange_run(vocabulary: int, draw: torch.Generator) -> list[int]:
    """Any one token of the first `vocabulary`; as often, the bytes of a few characters of one script or of signs."""
    def below(n: int) -> int:
        return int(torch.randint(0, n, (1,), generator=draw))
    if vocabulary <= len(TOKEN_OF_BYTE) or below(2):
        return [below(vocabulary)]
    first, last = SCRIPTS[below(len(SCRIPTS))]
    text = "".join(chr(first + below(last - first + 1)) for _ in range(1 + below(LONGEST_RUN)))
    return [TOKEN_OF_BYTE[b] for b in text.encode()]


def with_strange_tokens(ids: Tensor, prompt: Tensor, value: Tensor, vocabulary: int, share: float,
                        draw: torch.Generator) -> Tensor:
    """`ids` [B,T] with a place in some values, about `share` of them, overwritten by a `strange_run`, cut where the value ends.

    A person's text has tokens that no training book has (an underscore, the bytes of another script). A token that was
    never a target is said by no vector: in the first edition its logit moves with those of all other unseen ones.
    """
    changed = ids.clone()
    rows = (torch.rand(len(ids), generator=draw) < share).nonzero()[:, 0].tolist()
    within = torch.rand(len(ids), generator=draw).tolist()
    for row in rows:
        begin, end = int(prompt[row]), int(prompt[row] + value[row])
        at = begin + int(within[row] * (end - begin))
        run = strange_run(vocabulary, draw)[:end - at]
        changed[row, at:at + len(run)] = torch.tensor(run).to(ids)
    return changed


class Reconstruction:
    """The objective that makes a small model steerable by one vector.

    A value is encoded, the vector (with a little noise) is added to the down-projection output of a random layer at
    the key token of the recall prompt, and the model must say the value.
    """

    NOISE = 0.3  # at most, of the vector's own root mean square: a wide target is found in fewer steps
    STRANGE = 0.1  # of the values have a token that may be any, or characters of another script
    LEVEL = 0.3  # of the batches are of any length alike: long values are rare and take the longest to learn
    BAND = 8  # a batch is drawn from this many batches' worth of facts alike in length, so little of it is padding

    def __init__(self, model: Decoder, encoder: ValueEncoder, rows: Tensor, encoder_layers: int,
                 layer_weights: list[float]):
        self.model, self.encoder, self.encoder_layers = model, encoder, encoder_layers
        self.layer_weights = torch.tensor(layer_weights, dtype=torch.float32)
        self.storing = int(self.layer_weights.nonzero().max()) + 1  # layers, from the first, that can store
        self.plain_tokens = len(model.model.embed_tokens.weight) - SPECIALS
        length = rows[:, 1] + rows[:, 2]
        order = length.argsort()
        self.rows, self.length = rows[order], length[order].cpu()

    def draw_rows(self, tokens: int, longest: int, draw: torch.Generator) -> Tensor:
        """Rows of facts alike in length, prompt and value together at most `longest`; about `tokens` in all."""
        allowed = int(torch.searchsorted(self.length, longest + 1))
        if float(torch.rand((), generator=draw)) < self.LEVEL:
            length = torch.randint(int(self.length[0]), longest + 1, (1,), generator=draw)
            start = min(int(torch.searchsorted(self.length, length)), allowed - 1)
        else:
            start = int(torch.randint(0, allowed, (1,), generator=draw))
        count = max(4, tokens // int(self.length[start]))
        band = min(self.BAND * count, allowed)
        start = min(start, allowed - band)
        return self.rows[(start + torch.randperm(band, generator=draw)[:count]).to(self.rows.device)].long()

    def loss(self, tokens: int, longest: int, draw: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Loss per value token, the share of value tokens right, and what value tokens near a key cost."""
        picked = self.draw_rows(tokens, longest, draw)
        key, prompt, value = picked[:, 0], picked[:, 1], picked[:, 2]
        ids = picked[:, 3:3 + int((prompt + value).max())]  # [B,T]
        ids = with_strange_tokens(ids, prompt, value, self.plain_tokens, self.STRANGE, draw)
        layer = int(torch.multinomial(self.layer_weights, 1, generator=draw))
        time = torch.arange(ids.shape[1], device=ids.device)[None]
        first, last = (prompt - 1)[:, None], (prompt + value - 1)[:, None]
        target = torch.where((time >= first) & (time < last), ids.roll(-1, 1), IGNORED)

        place = torch.arange(int(value.max()), device=ids.device)[None]
        words = ids.gather(1, (prompt[:, None] + place).clamp(max=ids.shape[1] - 1))  # [B,V]
        delta = self.encoder(self.model.hidden(words, upto=self.encoder_layers)[0], value)  # [B,D]
        noise = torch.randn(delta.shape, generator=draw) * torch.rand(len(delta), 1, generator=draw)
        delta = delta + noise.to(delta) * (self.NOISE * ValueEncoder.SIZE)
        added = F.one_hot(key, ids.shape[1])[..., None].to(delta.dtype) * delta[:, None]  # [B,T,D]

        seen: list[Tensor] = []

        def inject(i: int, activation: Tensor, y: Tensor) -> Tensor:
            if i != layer:
                return y
            seen.append(activation)
            return y + added
        states, _ = self.model.hidden(ids, inject=inject)
        keys = F.normalize(seen[0][torch.arange(len(key)), key].float(), dim=-1)
        cost, _ = strays(seen[0], (time > key[:, None]) & (time <= last), keys)
        scored = target != IGNORED
        logits = self.model.logits(states[scored]).float()
        right = (logits.argmax(-1) == target[scored]).float().mean()
        return F.cross_entropy(logits, target[scored]), right, cost


def load_fact_rows(path: Path) -> Tensor:
    return load_tokens(path).view(-1, 3 + LONGEST_PROMPT + LONGEST_VALUE)


def load_key_groups(path: Path) -> Tensor:
    return load_tokens(path).view(-1, KEY_GROUP, 2 + LONGEST_PROMPT)
