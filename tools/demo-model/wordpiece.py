"""The tokens of BERT (Devlin et al., arXiv:1810.04805): words in lower case without accents, split at marks, then the longest pieces."""
import json
import unicodedata
from functools import lru_cache
from pathlib import Path

CLS, SEP, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


def is_mark(c: str) -> bool:
    return 33 <= ord(c) <= 126 and not c.isalnum() or unicodedata.category(c).startswith("P")


def is_ideograph(c: str) -> bool:
    return any(first <= ord(c) <= last for first, last in (
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B820, 0x2CEAF),
        (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)))


class WordPiece:
    """Encodes with the vocabulary of a tokenizer.json, or with pieces in the order of their numbers."""

    def __init__(self, given: Path | list[str]):
        if isinstance(given, list):
            self.number = {piece: n for n, piece in enumerate(given)}
        else:
            self.number = json.loads(given.read_text())["model"]["vocab"]
        self.cls, self.sep, self.unknown = (self.number[name] for name in (CLS, SEP, UNKNOWN))
        self.encode = lru_cache(None)(self.encode)

    def encode(self, text: str) -> tuple[int, ...]:
        """Numbers of the pieces of a text, without the tokens around it."""
        said = []
        for c in text:
            if c in "\0\ufffd" or unicodedata.category(c).startswith("C") and c not in "\t\n\r":
                continue
            said.append(f" {c} " if is_ideograph(c) else " " if c.isspace() else c)
        words: list[str] = []
        for word in "".join(said).split():
            plain = "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn").lower()
            current = ""
            for c in plain:
                if is_mark(c):
                    words += [current] * bool(current) + [c]
                    current = ""
                else:
                    current += c
            words += [current] * bool(current)
        return tuple(n for word in words for n in self._pieces(word))

    def _pieces(self, word: str) -> list[int]:
        found, start = [], 0
        while start < len(word) <= 100:
            end = next((end for end in range(len(word), start, -1) if "##" * (start > 0) + word[start:end] in self.number), None)
            if end is None:
                return [self.unknown]
            found.append(self.number["##" * (start > 0) + word[start:end]])
            start = end
        return found or [self.unknown]
