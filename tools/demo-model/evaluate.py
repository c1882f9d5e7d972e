"""What a model can do, by an implementation independent of the app.

    python3 evaluate.py DATA TOKENS MODEL_DIR [--n 64] [--only parts,soft,reconstruct,answers,prose,anchors]
        [--layers 0,2] [--sizes 64,256,1024] [--tasks qa1,qa2] [--alone] [--json FILE]

Reconstruction: a vector is optimised from zero by Adam for at most --steps steps (the app's method, Eq. 4 of the
paper), at one layer, until every value token is the argmax under teacher forcing, which makes greedy recall exact.
Fidelity is the token F1 between the greedy recall and the value. Parts: the same for parts of sentences of novels, as the
app cuts them. Soft: the paper's own read of template facts at one layer, and how near keys lie to each other. Answers:
questions of the bAbI test files and made ones, with their facts among 24 in the answer prompt (--alone: also with the
story's facts alone). Prose: questions about novels written by hand (data/answers), among the 23 sentences of the
novel that are likest to the question. Anchors: on made and on held-out book sentences.
Prints a table to stderr and one JSON document to stdout.
"""
import argparse
import gzip
import json
import random
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import torch
from torch import Tensor
import torch.nn.functional as F

import bpe
from anchors import book_anchor
from checkpoint import load_model
from decoder import Decoder
from facts import Maker
from fragments import parts
from prompts import NOT_IN_MEMORY, anchors_prompt, fact_line, fill, recall_prompt, user_turn
from prose import telling
from soft_read import measure, nearest_keys
from texts import sentences, tidy
from worlds import CarryWorld, CompassWorld, FactWorld, GiveWorld, MoveWorld

SEED = 777_001  # not a seed of the corpus
FACTS_IN_PROMPT = 24
PART_TOKENS = 14  # the longest part, as in the app
NOVELS = ["wells_the_invisible_man", "eliot_silas_marner", "doyle_a_study_in_scarlet"]  # never trained on
SOFT_LAYER = 2
LONGEST_FACT = 260  # characters of a novel's sentence among the facts


def by_hand(name: str) -> list[dict]:
    """Questions about novels, each with its book, that the app asks too, of the whole novels (npm run bench -- answers)."""
    novels = json.loads((Path(__file__).parents[2] / "data/answers" / name).read_text())
    return [{**asked, "book": novel["book"]} for novel in novels for asked in novel["questions"]]


GOLD = by_hand("novels.json")  # about sentences chosen by who wrote them, and read while the recipe was made
DRAWN = by_hand("drawn.json")  # about sentences drawn at random from three other novels, whose replies nobody has read
IGNORED = -100


def token_f1(a: list[int], b: list[int]) -> float:
    common = sum((Counter(a) & Counter(b)).values())
    return 2 * common / (len(a) + len(b)) if common else 0.0


def plain(text: str) -> str:
    """Lower case, no marks, no articles."""
    words = "".join(c if c.isalnum() or c in "-' " else " " for c in text.lower()).split()
    return " ".join(w.removesuffix("'s").strip("'") for w in words if w not in ("the", "a", "an"))


def interval(share: float, n: int) -> str:
    """Wilson's 95 % interval."""
    z = 1.96
    middle, half = (share + z * z / 2 / n), z * (share * (1 - share) / n + z * z / 4 / n / n) ** 0.5
    return f"{(middle - half) / (1 + z * z / n):.2f}-{(middle + half) / (1 + z * z / n):.2f}"


class Bench:
    def __init__(self, data: Path, tokens: Path, folder: Path, steps: int, rate: float):
        self.data, self.steps, self.rate = data, steps, rate
        self.tokenizer = bpe.Tokenizer(folder / "tokenizer.json")
        self.model: Decoder = load_model(folder).eval()
        for p in self.model.parameters():
            p.requires_grad_(False)
        self.book = json.loads((tokens / "heldout.json").read_text())
        self.novel = cache(self.read_novel)

    def read_novel(self, name: str) -> list[str]:
        """The sentences of a novel nobody trained on."""
        return sentences(tidy(gzip.open(self.data / "books" / f"{name}.txt.gz", "rt").read()))

    # ---- reconstruction ------------------------------------------------------------------------------------------

    def facts(self, kind: str, count: int, shortest: int, longest: int) -> list[tuple[list[int], list[int]]]:
        """(prompt, value) tokens of facts no training saw: made and bAbI-like by another seed, books kept out."""
        m, draw, out = Maker(SEED), random.Random(SEED), []
        while len(out) < count:
            if kind == "part":
                out += self.some_part(draw, shortest, longest)
                continue
            if kind == "made":
                fact = m.fact()
                anchor, value = fact.anchor, fact.sentence
            elif kind == "babi":
                world = m.pick([MoveWorld, CarryWorld, GiveWorld, CompassWorld])(m, babi=True)
                anchor, value = [world.step() for _ in range(m.random.randint(1, 5))][-1] or (None, "")
            else:
                value = draw.choice(self.book)
                anchor = book_anchor(value)
            ids = self.tokenizer.encode(" " + value)
            if anchor and shortest <= len(ids) <= longest:
                out.append((self.tokenizer.encode(recall_prompt(anchor, 1)), ids))
        return out

    def some_part(self, draw: random.Random, shortest: int, longest: int) -> list[tuple[list[int], list[int]]]:
        """A part of a novel's sentence, any of its parts alike; none where it is of another length."""
        sentence = draw.choice(self.novel(draw.choice(NOVELS)))
        anchor, ids = book_anchor(sentence), self.tokenizer.encode(" " + sentence)
        cut = parts([self.tokenizer.decode([i]) for i in ids], longest)
        number = draw.randrange(len(cut))
        value = ids[cut[number]]
        if not anchor or not shortest <= len(value) <= longest:
            return []
        prompt = recall_prompt(anchor, draw.randint(1, 14), number + 1 if len(cut) > 1 else None)
        return [(self.tokenizer.encode(prompt), value)]

    def encode(self, facts, layer: int) -> tuple[Tensor, Tensor]:
        """Vectors [N,D] and the step at which each fact became exact (steps + 1: never). Exact facts stop moving."""
        n, width = len(facts), max(len(p) + len(v) for p, v in facts)
        ids, target = torch.zeros(n, width, dtype=torch.long), torch.full((n, width), IGNORED)
        key = torch.zeros(n, width, 1)
        for i, (prompt, value) in enumerate(facts):
            whole = torch.tensor(prompt + value)
            ids[i, :len(whole)] = whole
            target[i, len(prompt) - 1:len(whole) - 1] = torch.tensor(value)
            key[i, len(prompt) - 2] = 1
        delta = torch.zeros(n, self.model.shape.hidden, requires_grad=True)
        adam = torch.optim.Adam([delta], lr=self.rate)
        exact_at = torch.full((n,), self.steps + 1)
        frozen = delta.detach().clone()
        for step in range(self.steps + 1):
            added = key * delta[:, None]
            states, _ = self.model.hidden(ids, inject=lambda i, _a, y: y + added if i == layer else y)
            scored = target != IGNORED
            logits = self.model.logits(states[scored])
            wrong = torch.zeros(n).index_add_(0, scored.nonzero()[:, 0], (logits.argmax(-1) != target[scored]).float())
            newly = (wrong == 0) & (exact_at > self.steps)
            exact_at[newly] = step
            frozen[newly] = delta.detach()[newly]
            if step == self.steps or (exact_at <= self.steps).all():
                break
            adam.zero_grad()
            F.cross_entropy(logits, target[scored], reduction="sum").backward()
            adam.step()
        never = exact_at > self.steps
        frozen[never] = delta.detach()[never]
        return frozen, exact_at

    @torch.no_grad()
    def recall(self, prompt: list[int], count: int, delta: Tensor, layer: int) -> list[int]:
        """Greedy tokens with the vector added at the key token of the prompt."""
        key = len(prompt) - 2

        def inject(i, _a, y):
            if i == layer and y.shape[1] > 1:
                y = y.clone()
                y[:, key] += delta
            return y
        return self.generate(prompt, count, inject=inject)

    def reconstruct(self, kind: str, count: int, shortest: int, longest: int, layer: int) -> dict:
        facts = self.facts(kind, count, shortest, longest)
        delta, exact_at = self.encode(facts, layer)
        exact = exact_at <= self.steps
        fidelity = [1.0 if exact[i] else token_f1(self.recall(p, len(v), delta[i], layer), v)
                    for i, (p, v) in enumerate(facts)]
        return {"kind": kind, "tokens": f"{shortest}-{longest}", "layer": layer, "n": count,
                "exact": round(exact.float().mean().item(), 3), "fidelity": round(sum(fidelity) / count, 3),
                "median_steps": int(exact_at[exact].median()) if exact.any() else None,
                "delta_norm": round(delta.norm(dim=1).mean().item(), 1)}

    # ---- generation ----------------------------------------------------------------------------------------------

    @torch.no_grad()
    def generate(self, ids: list[int], count: int, inject=None, stop: int | None = None) -> list[int]:
        out: list[int] = []
        states, past = self.model.hidden(torch.tensor([ids]), inject=inject)
        while True:
            token = int(self.model.logits(states[0, -1]).argmax())
            out.append(token)
            if token == stop or len(out) == count:
                return out
            states, past = self.model.hidden(torch.tensor([[token]]), past=past)

    def reply(self, prompt: str, longest: int) -> str:
        end = self.tokenizer.specials["<|im_end|>"]
        ids = self.generate(self.tokenizer.encode(prompt), longest, stop=end)
        return self.tokenizer.decode(ids, keep_specials=False).strip()

    # ---- answers -------------------------------------------------------------------------------------------------

    def answer(self, facts: list[tuple[str, str]], question: str, longest: int = 12) -> str:
        lines = "".join(fact_line(*f) for f in facts).rstrip("\n")
        return self.reply(user_turn(fill("answer", facts=lines, question=question)), longest)

    def at_most(self, facts: list[tuple[str, str]], keep: set[int]) -> list[tuple[str, str]]:
        """The facts of a story without those beyond 24: the oldest go, never a supporting one."""
        spare = [i for i in range(len(facts)) if i not in keep]
        dropped = set(spare[:max(0, len(facts) - FACTS_IN_PROMPT)])
        return [f for i, f in enumerate(facts) if i not in dropped]

    def padded(self, facts: list[tuple[str, str]], m: Maker) -> list[tuple[str, str]]:
        """Exactly 24 facts in order: unrelated made facts fill the gaps of the given ones."""
        out = list(facts)
        world, said = FactWorld(m, False), " ".join(s for _, s in facts)
        while len(out) < FACTS_IN_PROMPT:
            anchor, sentence = world.step()
            # about nobody and nothing of the story
            if not any(w[0].isupper() and w in said for w in sentence.rstrip(".").split() if w != "The") \
                    and world.said[-1].relation not in ("location", "carrying", "dropping", "giving") \
                    and not world.said[-1].relation.startswith("direction"):
                out.insert(m.random.randint(0, len(out)), (anchor, sentence))
        return out

    def babi(self, task: str, count: int, fill_up: bool) -> float:
        m, draw, right = Maker(SEED), random.Random(SEED), 0
        with gzip.open(self.data / "babi" / f"samples_{task}_test.jsonl.gz", "rt") as lines:
            samples = draw.sample([json.loads(line) for line in lines], count)
        for s in samples:
            facts = [(f.removeprefix("The ").split()[0], f) for f in s["facts"]]
            facts = self.at_most(facts, set(s["support_pos"]))
            if fill_up:
                facts = self.padded(facts, m)
            right += self.answer(facts, s["question"]).lower().rstrip(".") == s["answer"].lower()
        return right / count

    def made(self, count: int, facts: int) -> tuple[float, float]:
        """Share right of questions with an answer among `facts` made facts, and of questions without one."""
        right = {True: [], False: []}
        seed = SEED
        while min(len(r) for r in right.values()) < count:
            seed += 1
            world = FactWorld(Maker(seed), False)
            told = [world.step() for _ in range(facts)]
            asked = world.ask()
            if not asked:
                continue
            answerable = asked[1] != NOT_IN_MEMORY
            if len(right[answerable]) < count:
                right[answerable].append(self.answer(told, asked[0]) == asked[1])
        return sum(right[True]) / count, sum(right[False]) / count

    def prose(self, golds: list[dict]) -> dict:
        """Share right of questions written by hand, by novel: right is a reply that holds a gold answer. And of the same
        without the sentence they ask about, the share that declines."""
        right, replies, declined = Counter(), [], 0
        for gold in golds:
            facts = self.recalled(gold)
            reply = self.answer(facts, gold["ask"], 24)
            said = f" {plain(reply)} "
            is_right = any(f" {plain(answer)} " in said for answer in gold["answers"])
            right[gold["book"]] += is_right
            replies.append({"question": gold["ask"], "reply": reply, "right": is_right})
            others = [fact for fact in facts if fact[1] != gold["sentence"]]
            declined += self.answer(others, gold["ask"], 24) == NOT_IN_MEMORY
        return {"right": sum(right.values()) / len(golds), "n": len(golds), "by_book": dict(right),
                "declined_untold": declined / len(golds), "replies": replies}

    def recalled(self, gold: dict) -> list[tuple[str, str]]:
        """The facts of a question: its sentence among the 23 of its novel likest to the question, in a fixed order.

        Nearest words first, as routing finds them. The place of the right one is drawn by the question.
        """
        asked = telling(gold["ask"])
        others = [s for s in self.novel(gold["book"])
                  if len(s) < LONGEST_FACT and gold["sentence"] not in s and book_anchor(s)]
        others.sort(key=lambda s: -len(asked & telling(s)) / (8 + len(s.split())))
        facts = others[:FACTS_IN_PROMPT - 1]
        draw = random.Random(gold["ask"])
        draw.shuffle(facts)
        facts.insert(draw.randint(0, len(facts)), gold["sentence"])
        return [(book_anchor(s), s) for s in facts]

    # ---- anchors -------------------------------------------------------------------------------------------------

    def anchors(self, count: int, made: bool) -> tuple[float, float]:
        """Share of proposals that are verbatim substrings, and that equal the reference, over batches of 12."""
        m, valid, equal, total = Maker(SEED), 0, 0, 0
        for _ in range(count):
            pairs = []
            while len(pairs) < 12:
                fact, sentence = m.fact(), m.pick(self.book)
                anchor = fact.anchor if made else book_anchor(sentence)
                sentence = fact.sentence if made else sentence
                if anchor and anchor in sentence and len(sentence) < 140:
                    pairs.append((anchor, sentence))
            lines = self.reply(anchors_prompt([s for _, s in pairs]), 160).split("\n")
            said = dict(line.split(". ", 1) for line in lines if ". " in line)
            for i, (anchor, sentence) in enumerate(pairs):
                proposal = said.get(str(i + 1), "")
                valid += bool(proposal) and proposal in sentence
                equal += proposal == anchor
                total += 1
        return valid / total, equal / total


def reconstructed(bench: Bench, kinds, layers, count: int) -> list[dict]:
    rows = []
    for kind, low, high in kinds:
        for layer in layers:
            rows.append(row := bench.reconstruct(kind, count, low, high, layer))
            say("{kind:5} {tokens:6} tokens, layer {layer}: exact {exact:.2f}, fidelity {fidelity:.3f}, "
                "median steps {median_steps}, norm {delta_norm}".format(**row))
    return rows


def soft(bench: Bench, sizes: list[int]) -> dict:
    result = {"nearest_keys": nearest_keys(bench, 128, lambda n: bench.facts("part", n, 4, PART_TOKENS)),
              **measure(bench, sizes, SOFT_LAYER, SEED)}
    for row in result["nearest_keys"]:
        say("nearest other key, layer {layer}: of 128 {anchors} ({anchors_centred} centred), indices {indices} "
            "({indices_centred}), parts {parts} ({parts_centred})".format(**row))
    for row in result["soft"]:
        say("soft read of {facts} facts at layer {layer}: exact {raw:.2f} raw (nearest {raw_nearest}), {centred:.2f} centred "
            "({centred_nearest}); {alone:.2f} injected alone".format(**row))
    return result


def answers(bench: Bench, tasks: list[str], count: int, alone: bool) -> dict:
    result: dict = {"babi": {}}
    for task in tasks:
        row = {"among_24": bench.babi(task, count, True)}
        if alone:
            row["story"] = bench.babi(task, count, False)
        result["babi"][task] = row
        say(f"{task}: among 24 facts {row['among_24']:.3f} ({interval(row['among_24'], count)})",
            f"story alone {row['story']:.3f}" if alone else "")
    for facts in (6, FACTS_IN_PROMPT) if alone else (FACTS_IN_PROMPT,):
        right, declined = bench.made(count, facts)
        result[f"made_{facts}"] = {"right": right, "not_in_memory": declined}
        say(f"made questions among {facts}: right {right:.3f} ({interval(right, count)}), "
            f"says it is not there {declined:.3f} ({interval(declined, count)})")
    return result


def anchors(bench: Bench, count: int) -> dict:
    result = {}
    for kind, made in (("made", True), ("book", False)):
        valid, equal = bench.anchors(max(2, count // 12), made)
        result[f"anchors_{kind}"] = {"valid": round(valid, 3), "equal": round(equal, 3)}
        say(f"anchors of {kind} sentences: valid {valid:.3f}, equal {equal:.3f}")
    return result


def say(*words) -> None:
    print(*words, file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("data", type=Path)
    args.add_argument("tokens", type=Path)
    args.add_argument("model", type=Path)
    args.add_argument("--n", type=int, default=64)
    args.add_argument("--steps", type=int, default=40)
    args.add_argument("--rate", type=float, default=0.2)
    args.add_argument("--layers", help="storage layers to try, from 0; default all but the last")
    args.add_argument("--sizes", default="64,256,1024", help="facts at one layer, for the soft read")
    args.add_argument("--tasks", default="qa1,qa2,qa3,qa4,qa5", help="of bAbI; none with an empty text")
    args.add_argument("--alone", action="store_true", help="answers also with a story's facts alone")
    args.add_argument("--only", default="parts,soft,reconstruct,answers,prose,anchors")
    args.add_argument("--json", type=Path)
    return args.parse_args()


def main() -> None:
    a = arguments()
    bench = Bench(a.data, a.tokens, a.model, a.steps, a.rate)
    layers = [int(x) for x in a.layers.split(",")] if a.layers else range(bench.model.shape.layers - 1)
    only = a.only.split(",")
    result: dict = {"model": a.model.name, "n": a.n, "steps": a.steps, "rate": a.rate}
    if "parts" in only:
        result["parts"] = reconstructed(bench, [("part", 4, PART_TOKENS)], layers, a.n)
    if "soft" in only:
        result.update(soft(bench, [int(x) for x in a.sizes.split(",")]))
    if "reconstruct" in only:
        kinds = [("babi", 4, 16), ("made", 4, 16), ("book", 6, 16), ("book", 17, 24), ("book", 25, 32)]
        result["reconstruct"] = reconstructed(bench, kinds, layers, a.n)
    if "answers" in only:
        result.update(answers(bench, [t for t in a.tasks.split(",") if t], a.n, a.alone))
    if "prose" in only:
        for name, golds in (("prose", GOLD), ("prose_drawn", DRAWN)):
            found = result[name] = bench.prose(golds)
            say(f"questions about novels, {name}: right {found['right']:.3f} ({interval(found['right'], len(golds))}), "
                f"declined without the sentence {found['declined_untold']:.3f}")
    if "anchors" in only:
        result.update(anchors(bench, a.n))
    text = json.dumps(result, indent=1)
    print(text)
    if a.json:
        a.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
