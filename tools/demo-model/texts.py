"""Reads the training texts and bAbI stories of the data directory. Novels in books/, bAbI test files, SQuAD and the
probe are never opened here: they measure the model."""
import gzip
import json
import re
from pathlib import Path
from typing import Iterator

CHILDREN = ["classics_children", "gitenberg_children", "african_storybook_ccby", "pratham_books_ccby",
            "onestopenglish_ccbysa"]
PLAIN = {"“": '"', "”": '"', "’": "'", "‘": "'", "—": "-", "–": "-", "\u00a0": " ", "…": "..."}
# qa3 has no 10k training file in the data; its 1k training and validation files are disjoint from the test file
BABI_TRAINING = ["en-10k_qa1_single-supporting-fact_train", "en-10k_qa2_two-supporting-facts_train",
                 "en_qa3_three-supporting-facts_train", "en-valid-10k_qa3_three-supporting-facts_valid",
                 "en-10k_qa4_two-arg-relations_train", "en-10k_qa5_three-arg-relations_train"]

COMBINING = [task for task in BABI_TRAINING if "qa2" in task or "qa3" in task]  # questions that need several facts


def tidy(text: str) -> str:
    """Plain quotes and dashes, one paragraph a line."""
    for odd, plain in PLAIN.items():
        text = text.replace(odd, plain)
    text = re.sub(r"[ \t]+", " ", text)
    text = re.sub(r" ?\n ?", "\n", text)
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)  # a single line break inside a paragraph
    return re.sub(r"\n{2,}", "\n", text).strip()


def curled(text: str) -> str:
    """`text` with the quotes of print, which most editions have and `tidy` took off."""
    text = re.sub(r"(^|[\s(\-])\"", r"\1“", text).replace('"', "”")
    return re.sub(r"(^|[\s(“\-])'", r"\1‘", text).replace("'", "’").replace("...", "…")


def texts(data: Path) -> Iterator[str]:
    """Children's books and easy news."""
    for name in CHILDREN:
        yield from (tidy(record["text"]) for record in records(data / "simple" / f"{name}.jsonl.gz"))


def novels(data: Path, megabytes: float) -> Iterator[str]:
    """Novels up to the given size; none of those in books/."""
    left = megabytes * 1e6
    for record in records(data / "simple" / "novels_train.jsonl.gz"):
        text = tidy(record["text"])
        left -= len(text)
        if left < 0:
            return
        yield text


def records(path: Path) -> Iterator[dict]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


def sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])(?<!\bMr\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bSt\.)[\"']?\s+(?=[\"'A-Z])", text.replace("\n", " "))
    return [s for s in map(str.strip, parts) if 20 < len(s) < 260]


def babi_stories(data: Path, task: str) -> Iterator[list[tuple[str, str | None]]]:
    """Stories as lists of (fact, None) and (question, answer), in order."""
    story: list[tuple[str, str | None]] = []
    with gzip.open(data / "babi" / f"{task}.txt.gz", "rt") as lines:
        for line in lines:
            number, rest = line.strip().split(" ", 1)
            if number == "1" and story:
                yield story
                story = []
            question, *answer = rest.split("\t")
            story.append((question.strip(), answer[0] if answer else None))
    yield story


def babi_questions(data: Path, task: str) -> Iterator[tuple[list[str], set[int], str, str]]:
    """(facts told before it, places of its supporting facts, question, answer) of every question of a task."""
    facts: list[str] = []
    place: dict[str, int] = {}  # a line's number in the story -> its place among the facts
    with gzip.open(data / "babi" / f"{task}.txt.gz", "rt") as lines:
        for line in lines:
            number, rest = line.strip().split(" ", 1)
            if number == "1":
                facts, place = [], {}
            text, *asked = rest.split("\t")
            if asked:
                answer, support = asked
                yield list(facts), {place[n] for n in support.split()}, text.strip(), answer
            else:
                place[number] = len(facts)
                facts.append(text)
