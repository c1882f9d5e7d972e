"""Questions about what a sentence says in other places than a clause: what lies where, how many there are, of which
colour, who somebody is; and of a sentence that no rule reads, a stretch with a gap."""
import re

from anchors import CAPITALISED_ANYWAY
from clauses import CLAUSE, DETERMINERS, LONGEST_REST, NAME, TITLE, TITLES, Grammar, bare, clauses, does, phrase_at, rest_of, who
from grammar import BE, COLOURS, FUNCTION, MEASURES, MODALS, NUMBERS, PAST, PLACES, PREPOSITIONS, THERE_VERBS, TIMES

FIRST = "At|In|On|By|During|After|Before|For|Near|Behind|Under|Beside|Upon|Above|Opposite"  # what a sentence begins with
LEADING = re.compile(rf"^({FIRST}) ((?:[a-z'-]+|[A-Z][a-z]+)(?: [a-zA-Z'-]+){{0,4}}?),? "
                     r"(?=(?:the|an?|his|her|my|their|our|I|he|she|they|we|it|[A-Z][a-z]+) [a-z])")
LYING = re.compile(r"\b((?:the|an?) (?:[a-z-]+ ){0,2}[a-z-]+) (on|in|near|under|behind|beside|by|above|beneath) "
                   r"((?:the|an?|his|her) (?:[a-z-]+ ){0,2}[a-z-]+)")
NUMBER = "|".join(sorted(NUMBERS))
PHRASE = rf"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Tt]heir|[Ii]ts|{NUMBER}) (?:[a-z-]+ ){{0,2}}[a-z-]+"
WHERE = r"(?:[Ii]n|[Oo]n|[Uu]nder|[Bb]ehind|[Bb]eside|[Uu]pon|[Aa]t|[Nn]ear|[Aa]bove|[Oo]ver|[Bb]eneath|[Oo]pposite)"
OPENINGS = set("as if although though until with before and which or of".split())  # of what is no clause of its own
THERE = re.compile(rf"\b[Tt]here (was|were) ({PHRASE}) ({WHERE} {PHRASE}(?: of {PHRASE})?)\b")
INVERTED = re.compile(rf"(?:^|[,;:] |\band )({WHERE} {PHRASE}(?: of {PHRASE})?),? ({THERE_VERBS}) ({PHRASE}|{NAME})\b")
COUNTED = re.compile(rf"\b({NUMBER}|{NUMBER.title()}) ((?:[a-z-]+ )?[a-z]+s) (were|had|[a-z]+ed|{'|'.join(PAST)})\b([^.;:!?]*)")
SOME_NUMBER = re.compile(rf"(?<![\w-])({NUMBER}) ((?:[a-z-]+ ){{0,2}}[a-z]+s)\b")
COLOURED = re.compile(rf"\b(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y) (?:[a-z-]+ ){{0,2}}?({COLOURS}) ((?:[a-z-]+ )?[a-z-]+)\b")
OF_COLOUR = re.compile(rf"\b([Tt]he (?:[a-z-]+ )?[a-z-]+|[Hh]is [a-z]+|[Hh]er [a-z]+) (?:was|were) ({COLOURS})\b")
BESIDE = re.compile(rf"(?<=[a-z,] )({TITLE}?[A-Z][a-z]+(?: [A-Z][a-z]+)?), "
                    r"((?:the|his|her|an?|their|our) (?:[a-z-]+ ){0,2}[a-z-]+(?: of (?:the |an? )?[A-Za-z]+)?)[,.;]")
OLD = re.compile(rf"\b({NAME}|[Hh]e|[Ss]he) (?:was|is) (?:about |only |nearly )?([a-z-]+) years (?:old|of age)")
BECAUSE = re.compile(r"^(.*[a-z]),? because (?!of )((?:[\w'-]+ ){1,4}[\w'-]+)[,.;]")
NAMED = re.compile(r"\b((?:the|an?|his|her|my) (?:[a-z-]+ ){0,2}[a-z-]+),? (?:was |is )?(?:called|named) "
                   rf"({TITLE}?[A-Z][a-z]+(?: [A-Z][a-z]+)?)")


def inverted(sentence: str) -> list[tuple[str, str]]:
    """What is somewhere: "There was a lamp on the table", "On the left side lay a Bible"."""
    found = []
    for verb, thing, where in THERE.findall(sentence):
        found.append((f"{who(thing)} {verb} {where}?", bare(thing.split())))
        found.append((f"{who(thing)} {verb} there {where}?", bare(thing.split())))
    for where, verb, thing in INVERTED.findall(sentence):
        where = where[0].lower() + where[1:]
        found.append((f"{who(thing)} {verb} {where}?", bare(thing.split())))
        found.append((f"{who(thing)} was {where}?", bare(thing.split())))
        found.append((f"Where {verb} {thing}?", bare(where.split()[1:])))
    return found


def counted(sentence: str) -> list[tuple[str, str]]:
    """How many, and of which colour, wherever the sentence says it."""
    found = []
    for number, things, verb, after in COUNTED.findall(sentence):
        found.append((f"How many {things} {verb} {' '.join(rest_of(after)[:6])}?", number))
    for number, things in SOME_NUMBER.findall(sentence):
        if things.split()[-1] not in TIMES | MEASURES:
            found.append((f"How many {things} were there?", number))
    for colour, thing in COLOURED.findall(sentence):
        words = thing.split()
        thing = words[0] if words[-1] in FUNCTION or words[-1].endswith(("ly", "ing", "ed")) else thing
        found.append((f"What colour {'were' if thing.endswith('s') else 'was'} the {thing}?", colour))
    for thing, colour in OF_COLOUR.findall(sentence):
        found.append((f"What colour {'were' if thing.endswith('s') else 'was'} {thing[0].lower() + thing[1:]}?", colour))
    return found


def called(sentence: str, grammar: Grammar) -> list[tuple[str, str]]:
    """Who somebody is, what something is called, how old, and why: "Millie, her lymphatic maid, …", "a friend named William
    Dane", "because it was dark"."""
    found = []
    for name, is_what in BESIDE.findall(sentence):
        if any(w in BE or w.endswith("ed") for w in is_what.split()):
            continue
        found += [(f"Who {be} {name}?", bare(is_what.split())) for be in ("is", "was")]
        found.append((f"Who is {is_what}?", name))
    for is_what, name in NAMED.findall(sentence):
        found += [(f"What was {is_what} called?", name), (f"What is the name of {is_what}?", name)]
    for name, number in OLD.findall(sentence):
        found.append((f"How old was {name}?", f"{number} years"))
    for clause, why in BECAUSE.findall(sentence):
        found += [(f"Why {does(c, grammar)} {' '.join(c.rest)}?", why) for c in clauses(clause, grammar)[-1:]]
    return [(q, a) for q, a in found if a.split()[0] not in CAPITALISED_ANYWAY - set(TITLES)]


def echoed(sentence: str) -> list[tuple[str, str]]:
    """Of a sentence that no rule reads, a stretch with one noun phrase asked for and the rest as it stands: not always
    English ("What he had been quite silent about?"), but any sentence has one, and it asks for what stands at a place."""
    found = []
    for words in (part.split() for part in CLAUSE.split(sentence)):
        if not 4 <= len(words) <= 14 or words[0].lower() in OPENINGS or any(not w.strip(",'-").replace("-", "").replace("'", "").isalpha() for w in words):
            continue
        for at in range(len(words)):
            end = phrase_at(words, at)
            before, after = words[:at], words[end:]
            if end == at or len(before) + len(after) < 3:
                continue
            if before and (before[-1][0].isupper() or before[-1] in FUNCTION - set(PREPOSITIONS) - BE):
                continue  # in the middle of a name or a phrase
            if not before and (words[0] not in DETERMINERS or after[0] in FUNCTION - BE - MODALS):
                continue  # nothing is said of it
            opening = [w.lower() if w in CAPITALISED_ANYWAY - {"I"} and w.rstrip(".") not in TITLES else w for w in before[:1]]
            found.append((f"{who(' '.join(words[at:end]))} {' '.join([*opening, *before[1:], *after])}?", bare(words[at:end])))
    return found


def led(sentence: str, grammar: Grammar) -> list[tuple[str, str]]:
    """When and where, of a sentence that begins with it: "At one o'clock it began to rain"."""
    match = LEADING.match(sentence)
    if not match:
        return []
    words, tail = match[2].split(), sentence[match.end():]
    word = ("How long" if match[1] == "For" else "When") if words[-1] in TIMES else "Where" if words[-1] in PLACES else None
    found = clauses(tail[0].upper() + tail[1:], grammar)[:1] if word and len(words) < 6 else []
    return [(f"{word} {does(c, grammar)} {' '.join(c.rest)}?", bare(words)) for c in found if len(c.rest) <= LONGEST_REST]


def lying(sentence: str, grammar: Grammar) -> list[tuple[str, str]]:
    """Where a thing is that is named with its place: "the bright fire on the brick hearth"."""
    return [(f"Where was {thing}?", bare(place.split())) for thing, _, place in LYING.findall(sentence)
            if place.split()[-1] in PLACES and all(w not in FUNCTION and not w.endswith(("ly", "ing")) for w in thing.split()[1:])
            and not grammar.base(thing.split()[-1])]
