"""The app's prompts, read from the one file that both the app and this recipe use: src/records/prompts.json."""
import json
from pathlib import Path

PROMPTS = json.loads((Path(__file__).parents[2] / "src/records/prompts.json").read_text())
NOT_IN_MEMORY = PROMPTS["notInMemory"]
ANSWER_TURN = "<|im_start|>assistant\n"
# keys of the app's probe, which no memory holds: their mean is what keys share
PROBES = [("Ondine", 1), ("Tobias", 1), ("Marisol", 1), ("Hollis", 1), ("Project Larch", 1), ("Coastal Guild", 1),
          ("Ravi Stone", 1), ("pantry", 1)]
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def fill(name: str, **values) -> str:
    """The prompt of that name with its {placeholders} replaced."""
    text = PROMPTS[name]
    for key, value in values.items():
        text = text.replace("{" + key + "}", str(value))
    return text


def user_turn(content: str) -> str:
    """What the chat template makes of one user message, up to where the assistant begins."""
    return f"<|im_start|>user\n{content}<|im_end|>\n{ANSWER_TURN}"


def assistant_turn(content: str) -> str:
    return f"{content}<|im_end|>\n"


def answer_reply(answer: str) -> str:
    """An answer as the assistant gives it: with a leading space, which the app trims.

    So " garden" is the very token that stands in the fact, and answering is copying. Without the space it would be
    "g", "arden": another spelling to be learnt for every word there is (most wrong answers were the like of
    "mreenhouse").
    """
    return assistant_turn(" " + answer)


def recall_prompt(anchor: str, index: int, part: int | None = None) -> str:
    """The prompt of a whole value, or of one of its parts: "Sandra (1)", "Sandra (1.2)"."""
    return fill("recall", key=fill("key", anchor=anchor, index=index if part is None else f"{index}.{part}"))


def fact_line(anchor: str, value: str) -> str:
    return fill("answerFact", anchor=anchor, value=value) + "\n"


def answer_parts() -> tuple[str, str]:
    """The answer prompt's text before the facts and, with {question} open, after them."""
    before, after = user_turn(PROMPTS["answer"]).split("{facts}\n")
    return before, after


def anchors_prompt(sentences: list[str]) -> str:
    lines = [fill("numberedLine", number=i + 1, text=s) for i, s in enumerate(sentences)]
    return user_turn(fill("anchors", lines="\n".join(lines)))


def anchors_answer(anchors: list[str]) -> str:
    return assistant_turn("\n".join(fill("numberedLine", number=i + 1, text=a) for i, a in enumerate(anchors)))
