"""The reference anchor of a book sentence: its longest run of capitalised words, else its first telling word.

The first word that can be a noun is mostly the subject, which is what a question will name. It can also be found by a
small model, which cannot compare the lengths of words it sees as pieces.
"""
import re

CAPITALISED_ANYWAY = set("""The A An And But Or He She It They We You I In On At To Of For With From By As If When Then
There This That These Those His Her Its Their Our My Your Not No Yes So What Who How Why Where Which While After Before
Although Though However Now Here All Some Many Most One Two Once Upon Oh O Mr Mrs Miss Dr St Is Was Were Are Be Been Do
Did Does Have Had Has Can Could Will Would Shall Should May Might Must Let Come Go See Look Nor Yet Still Even Every
Each Any Such Both Either Neither Only Just Never Ever Perhaps Indeed Thus Therefore Hence""".split())
COMMON = {w.lower() for w in CAPITALISED_ANYWAY} | set("""me him them us not out up down over under into upon about very
more much than then too own same other another been being having said says say went came come got get made make took
take see saw know knew think thought like little great good old new long first last could would should which where
there their these those every again always never""".split())
NAME_RUN = re.compile(r"\b[A-Z][a-z]+(?:'s)?(?:(?: of| the| de| von| van)* [A-Z][a-z]+)*")
NO_NOUN = re.compile(r"(?:ly|ing|ed)$")  # adverbs and verb forms
LONGEST_NAME = 4  # words


def names(sentence: str) -> list[str]:
    """Runs of capitalised words, without a sentence's own capital and a closing 's."""
    found = []
    for run in NAME_RUN.findall(sentence):
        words = run.removesuffix("'s").split()
        while words and words[0] in CAPITALISED_ANYWAY:
            words = words[1:]
        text = " ".join(words)
        if 3 <= len(text) and len(words) <= LONGEST_NAME:
            found.append(text)
    return found


def book_anchor(sentence: str) -> str | None:
    """A verbatim anchor, or None where the sentence has nothing to hold on to."""
    candidates = names(sentence)
    if candidates:
        return max(candidates, key=lambda name: len(name.split()))  # the first of the longest
    words = [w.strip(".,;:!?\"'()-") for w in sentence.split()]
    telling = [w for w in words if len(w) > 3 and w.isalpha() and w.lower() not in COMMON]
    nouns = [w for w in telling if not NO_NOUN.search(w)]
    return next(iter([*nouns, *telling]), None)
