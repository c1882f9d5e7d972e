"""Byte-level BPE in the Hugging Face tokenizer.json layout: training, encoding, decoding.

The split pattern is Qwen's with one digit a token, so numbers of any length are spelt out and can be copied.
"""
import heapq
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from itertools import groupby
from pathlib import Path

try:
    import regex
except ImportError:  # the standard library does, with classes spelt out
    regex = re

PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
           r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def spelt_out(pattern: str) -> str:
    """The pattern with \\p{L} and \\p{N} as ranges of characters, for a library that has no classes of Unicode."""
    for name in "LN":
        members = [c for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c))[0] == name]
        runs = [[c for _, c in run] for _, run in groupby(enumerate(members), lambda at: at[1] - at[0])]
        ranges = "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)
        inside = re.sub(r"\[\^[^\]]*\]", lambda found: found[0].replace(f"\\p{{{name}}}", ranges), pattern)
        pattern = inside.replace(f"\\p{{{name}}}", f"[{ranges}]")
    return pattern


SPLIT = regex.compile(PATTERN if regex is not re else spelt_out(PATTERN))


def byte_alphabet() -> dict[int, str]:
    """A printable character for each byte, as GPT-2 chose them."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {b: chr(b) for b in plain}
    for byte in range(256):
        if byte not in table:
            table[byte] = chr(256 + len(table) - len(plain))
    return table


CHAR_OF_BYTE = byte_alphabet()
BYTE_OF_CHAR = {c: b for b, c in CHAR_OF_BYTE.items()}


def spell(word: str) -> list[str]:
    return [CHAR_OF_BYTE[b] for b in word.encode()]


class Tokenizer:
    """Encodes and decodes with a tokenizer.json."""

    def __init__(self, path: Path):
        spec = json.loads(Path(path).read_text())
        self._fragment: dict[int, bool] = {}
        self.ids = spec["model"]["vocab"]
        self.specials = {a["content"]: a["id"] for a in spec["added_tokens"]}
        self.size = len(self.ids) + len(self.specials)
        self._text = {i: t for t, i in {**self.ids, **self.specials}.items()}
        pairs = (m if isinstance(m, list) else m.split(" ") for m in spec["model"]["merges"])
        self._rank = {tuple(pair): i for i, pair in enumerate(pairs)}
        self._special_split = regex.compile("(" + "|".join(map(regex.escape, self.specials)) + ")")
        self._known: dict[str, list[int]] = {}

    def _word(self, word: str) -> list[int]:
        """Ids of one piece of the split pattern: the earliest learnt merge first, until none applies."""
        found = self._known.get(word)
        if found is not None:
            return found
        parts = spell(word)
        while len(parts) > 1:
            ranks = [self._rank.get(pair, 1 << 30) for pair in zip(parts, parts[1:])]
            best = min(ranks)
            if best == 1 << 30:
                break
            at = ranks.index(best)
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        found = self._known[word] = [self.ids[p] for p in parts]
        return found

    def of_byte(self, byte: int) -> int:
        """The token of a single byte."""
        return self.ids[CHAR_OF_BYTE[byte]]

    def is_fragment(self, token: int) -> bool:
        """Whether a token is bytes that make no character by themselves."""
        if token not in self._fragment:
            self._fragment[token] = "\ufffd" in self.decode([token])
        return self._fragment[token]

    def encode(self, text: str) -> list[int]:
        out: list[int] = []
        for part in self._special_split.split(text):
            if part in self.specials:
                out.append(self.specials[part])
            else:
                for word in SPLIT.findall(part):
                    out += self._word(word)
        return out

    def decode(self, ids, keep_specials: bool = True) -> str:
        out, pending = "", bytearray()
        for i in ids:
            piece = self._text[int(i)]
            if piece not in self.specials:
                pending += bytes(BYTE_OF_CHAR[c] for c in piece)
                continue
            out += pending.decode("utf8", "replace") + (piece if keep_specials else "")
            pending = bytearray()
        return out + pending.decode("utf8", "replace")


def train(texts, vocab_size: int, specials: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Learns merges by pair frequency. Returns the vocabulary in id order (without specials) and the merges."""
    counts: Counter = Counter()
    for text in texts:
        counts.update(SPLIT.findall(text))
    words = [(spell(word), n) for word, n in counts.items() if n > 1]
    pairs: Counter = Counter()
    where = defaultdict(set)
    for i, (parts, n) in enumerate(words):
        for pair in zip(parts, parts[1:]):
            pairs[pair] += n
            where[pair].add(i)
    vocab = sorted(CHAR_OF_BYTE.values())
    merges: list[tuple[str, str]] = []
    heap = [(-n, pair) for pair, n in pairs.items()]
    heapq.heapify(heap)
    while heap and len(vocab) + len(merges) + len(specials) < vocab_size:
        n, pair = heapq.heappop(heap)
        if pairs.get(pair, 0) != -n:  # a stale entry: push its present count back
            if pairs.get(pair, 0) > 0:
                heapq.heappush(heap, (-pairs[pair], pair))
            continue
        merges.append(pair)
        for changed in merge_everywhere(pair, words, pairs, where):
            heapq.heappush(heap, (-pairs[changed], changed))
    return vocab + [a + b for a, b in merges], merges


def merge_everywhere(pair, words, pairs, where) -> set:
    """Joins `pair` in every word that has it, keeps the counts right, returns the pairs that appeared."""
    appeared = set()
    for i in where.pop(pair):
        parts, n = words[i]
        for old in zip(parts, parts[1:]):
            pairs[old] -= n
        joined, at = [], 0
        while at < len(parts):
            if tuple(parts[at:at + 2]) == pair:
                joined.append(pair[0] + pair[1])
                at += 2
            else:
                joined.append(parts[at])
                at += 1
        words[i] = (joined, n)
        for new in zip(joined, joined[1:]):
            pairs[new] += n
            where[new].add(i)
            appeared.add(new)
    pairs.pop(pair, None)
    return appeared - {pair}


def write(vocab: list[str], merges, specials: list[str], path: Path) -> None:
    """tokenizer.json as the tokenizers library writes it."""
    added = [{"id": len(vocab) + i, "content": s, "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False, "special": True} for i, s in enumerate(specials)]
    split = {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
             "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
             "vocab": {t: i for i, t in enumerate(vocab)}, "merges": [f"{a} {b}" for a, b in merges]}
    spec = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
            "post_processor": None, "decoder": level, "model": model}
    Path(path).write_text(json.dumps(spec, ensure_ascii=False))
