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
