"""Parts of a value, cut where the app cuts them: as even as possible, at the ends of clauses and of words."""
import re

CLAUSE_END = re.compile(r"[,;:.!?)\"'-]$")
CLAUSE_WORTH = 3  # tokens that a cut may stray from an even one to end a clause


def cuts(pieces: list[str], longest: int) -> list[int]:
    """Where each part but the first begins, for parts of about `longest` tokens at most.

    pieces: the value's tokens as text. A part begins with a word's first token, whose space it keeps: so nothing is
    lost when the parts are joined.
    """
    count = -(-len(pieces) // longest)
    found: list[int] = []
    for part in range(1, count):
        even = len(pieces) * part / count
        starts = [i for i in range((found[-1] if found else 0) + 1, len(pieces)) if pieces[i].startswith(" ")]
        if not starts:
            break
        found.append(min(starts, key=lambda i: abs(i - even) - CLAUSE_WORTH * bool(CLAUSE_END.search(pieces[i - 1]))))
    return found


def parts(pieces: list[str], longest: int) -> list[slice]:
    """The parts as slices of the value's tokens."""
    edges = [0, *cuts(pieces, longest), len(pieces)]
    return [slice(a, b) for a, b in zip(edges, edges[1:])]


SHORT = dict(zip("“”‘’—–…éèêëàâäáçñöüïîíóôúßæøåœ£§°", "ghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def coded(tokenizer, ids: list[int]) -> list[int]:
    """`ids` as the app stores them (src/memory/codes.ts): what the tokenizer has only in bytes is a brace and a letter, or
    a character's number between braces."""
    out: list[int] = []
    run: list[int] = []
    for token in [*ids, None]:
        if token is not None and tokenizer.is_fragment(token):
            run.append(token)
            continue
        for char in tokenizer.decode(run) if run else "":
            out += [tokenizer.of_byte(b) for b in ("{" + (SHORT.get(char) or f"{ord(char):x}{{")).encode()]
        run = []
        if token is not None:
            out.append(token)
    return out
