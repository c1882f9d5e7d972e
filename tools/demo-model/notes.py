"""Lines as notes, tables, letters and programs have them: what no book has and the writer must store all the same."""
import random
import sysconfig
from pathlib import Path

from facts import Maker
from words import ANIMALS, CITIES, FOODS, LAST, MONTHS, ROOMS, THINGS

MONEY = ("€{}", "${}", "£{}", "{} EUR", "{} USD", "CHF {}", "{} kr", "¥{}")
UNITS = ("kg", "g", "km", "m²", "kWh", "°C", "ml", "GB", "%", "mm", "hours", "ppm", "bar", "V")
STATES = ("done", "open", "ordered", "paid", "late", "yes", "no", "n/a", "-", "TBD", "approved", "draft")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Mon", "Tue", "Fri")
FOREIGN = (  # letters of words in other scripts
    "абвгдежзиклмнопрстуфхцчшыьэюя", "αβγδεζηθικλμνξοπρστυφχψω", "的一是不了人我在有他这中大来上国",
    "あいうえおかきくけこさしすせそ", "אבגדהוזחטיכלמנ", "ابتثجحدذرسشصضطظعغ", "कखगघचछजझटठडढ", "กขคงจฉชซญ")
DOMAINS = ("org", "com", "net", "de", "io", "ac.uk", "eu")
SHORTEST_LINE = 12  # characters of a line of a program


def programs(megabytes: float = 3.0) -> list[str]:
    """Lines of the Python standard library on this machine, in an order that is always the same."""
    lines: list[str] = []
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    random.Random(11).shuffle(paths)
    left = megabytes * 1e6
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="ignore")
        left -= len(text)
        if left < 0:
            break
        lines += [line.rstrip() for line in text.split("\n") if len(line.strip()) >= SHORTEST_LINE]
    return lines


def number(m: Maker) -> str:
    """A number as people write it: whole, grouped, decimal, German."""
    n = m.random.randint(1, 10 ** m.random.randint(1, 7))
    return m.pick([lambda: str(n), lambda: f"{n:,}", lambda: f"{n / 100:,.2f}", lambda: f"{n / 10:.1f}",
                   lambda: f"{n:,}".replace(",", "."), lambda: f"{n / 100:,.2f}"])()


def money(m: Maker) -> str:
    return m.pick(MONEY).format(number(m))


def date(m: Maker) -> str:
    day, month, year = m.random.randint(1, 31), m.random.randint(1, 12), m.random.randint(1900, 2035)
    name = MONTHS[month - 1]
    return m.pick([f"{day} {name} {year}", f"{name} {day}, {year}", f"{year}-{month:02}-{day:02}", f"{day:02}.{month:02}.{year}",
                   f"{m.pick(DAYS)}, {day} {name}", f"{name[:3]} {day}", f"{day}/{month}/{year % 100:02}"])


def clock(m: Maker) -> str:
    hour, minute = m.random.randint(0, 23), m.random.randint(0, 59)
    return m.pick([f"{hour}:{minute:02}", f"{hour % 12 + 1}:{minute:02} {m.pick(['am', 'pm', 'a.m.', 'p.m.'])}",
                   f"{hour:02}:{minute:02}:{m.random.randint(0, 59):02}", f"{hour % 12 + 1} {m.pick(['am', 'p.m.'])}"])


def street(m: Maker) -> str:
    kind = m.pick(["Street", "Road", "Lane", "St.", "Ave", "strasse", "Square"])
    return f"{m.random.randint(1, 320)} {m.pick(LAST)} {kind}, {m.city()} {m.random.randint(1000, 99999)}"


def contact(m: Maker) -> str:
    name, home = m.made_name().lower(), f"{m.made_name().lower()}.{m.pick(DOMAINS)}"
    digits = " ".join(str(m.random.randint(10, 999)) for _ in range(m.random.randint(3, 4)))
    return m.pick([f"{name}@{home}", f"https://{home}/{name}?id={m.random.randint(1, 999)}", f"+{m.random.randint(1, 99)} {digits}",
                   f"www.{home}", f"({digits[:3]}) {digits}", f"{name}_{m.random.randint(1, 99)}.pdf", f"/home/{name}/{home}"])


def foreign(m: Maker) -> str:
    """A short word in the letters of another script."""
    letters = m.pick(FOREIGN)
    return "".join(m.pick(letters) for _ in range(m.random.randint(1, 4)))


def thing(m: Maker) -> str:
    word = m.pick(THINGS + ROOMS + FOODS + ANIMALS)
    return m.pick([word, word.capitalize(), f"{m.made_name()} {word}", m.code(), m.made_name()])


def cell(m: Maker) -> str:
    return m.pick([thing, thing, money, number, number, date, clock, lambda m: m.pick(STATES), lambda m: m.person(),
                   lambda m: f"{number(m)} {m.pick(UNITS)}", lambda m: ""])(m)


def row(m: Maker) -> str:
    """A row of a table: with tabs, bars, commas, or with its headings."""
    cells = [thing(m)] + [cell(m) for _ in range(m.random.randint(1, 4))]
    return m.pick([lambda: "\t".join(cells), lambda: "| " + " | ".join(cells) + " |", lambda: ",".join(cells), lambda: "; ".join(cells),
                   lambda: f"{cells[0]}: " + ", ".join(f"{thing(m)} {c}" for c in cells[1:])])()


def note(m: Maker) -> str:
    who, what = m.person(), thing(m)
    return m.pick([
        lambda: f"{m.pick(['- [ ]', '- [x]', 'TODO:', '*', '-', '1.', '•'])} {m.pick(['call', 'ask', 'pay', 'send'])} {who} about the {what} by {date(m)}",
        lambda: f"{what}: {money(m)} ({m.pick(STATES)})",
        lambda: f"{who} – {contact(m)}",
        lambda: f"Meeting with {who} moved to {m.pick(DAYS)} {clock(m)}, room {m.code()}.",
        lambda: f"The {what} costs {money(m)} instead of {money(m)}, due {date(m)}.",
        lambda: f"{m.pick(['Address', 'Deliver to', 'Lives at'])}: {street(m)}",
        lambda: f"{who}, {street(m)}, {contact(m)}",
        lambda: f"{clock(m)}–{clock(m)} {what}, {who} & {m.person()}",
        lambda: f"{m.made_name()} ({foreign(m)}) is {number(m)} {m.pick(UNITS)} [{m.random.randint(1, 99)}]",
        lambda: f"{what} #{m.random.randint(1, 9999)} v{m.random.randint(0, 9)}.{m.random.randint(0, 20)} -> {contact(m)}",
        lambda: f"**{what.capitalize()}**: {number(m)} {m.pick(UNITS)}; {m.pick(CITIES)} {number(m)}",
    ])()


def line(m: Maker, code: list[str]) -> str:
    """One line: a note, a row of a table, or a line of a program."""
    roll = m.random.random()
    return note(m) if roll < 0.5 else row(m) if roll < 0.8 else m.pick(code)
