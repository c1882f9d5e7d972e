"""Notes with questions about them: prices, dates, times, addresses, numbers, table lines. The answers are whole spans."""
from facts import Maker
from notes import clock, contact, date, money, street
from words import CITIES, COLORS, FOODS, JOBS, ROOMS, THINGS

THINGS_OF_NOTES = tuple(THINGS) + (
    "worktop", "sofa", "boiler", "roof", "rent", "insurance", "laptop", "printer", "ticket", "flight", "hotel", "train", "invoice",
    "deposit", "fence", "floor", "kitchen", "heating", "window", "bike", "piano", "tiles", "paint", "carpet", "bed", "dishwasher")
EVENTS = ("meeting", "call", "interview", "concert", "lecture", "party", "dinner", "workshop", "appointment", "wedding", "class",
          "exam", "tour", "match", "review", "rehearsal", "delivery", "inspection")
BUSINESS = ("plumber", "dentist", "landlord", "electrician", "accountant", "school", "office", "bank", "vet", "garage", "clinic",
            "library", "caterer", "lawyer", "neighbour", "manager", "nurse", "carpenter")
HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
MATERIALS = ("oak", "steel", "white marble", "dark green wool", "glass", "recycled plastic", "walnut", "brushed aluminium", "linen")
REASONS = ("the delivery was late", "the price had risen", "nobody had the key", "the road was closed", "the old one was broken",
           "of the rain", "the budget was too small", "two people were ill", "the permit was missing")
HEADS = ("planned", "actual", "owner", "due", "status", "paid", "offer", "phone", "place")


def told_time(m: Maker) -> str:
    """A time as it is said."""
    return m.pick([lambda: f"{m.pick(['quarter', 'ten', 'five', 'twenty'])} {m.pick(['to', 'past'])} {m.pick(HOURS)}",
                   lambda: f"half past {m.pick(HOURS)}", lambda: f"{m.pick(HOURS)} o'clock", lambda: m.pick(["noon", "midnight"]),
                   lambda: clock(m), lambda: clock(m)])()


def amount(m: Maker) -> str:
    """A price; the currency in front, behind, or in letters."""
    whole = m.random.randint(1, 10 ** m.random.randint(1, 5))
    number = m.pick([f"{whole:,}", f"{whole:,}.{m.random.randint(0, 99):02}", f"{whole}", f"{whole}.{m.random.randint(0, 99):02}"])
    return m.pick([f"€{number}", f"${number}", f"£{number}", f"EUR {number}", f"{number} EUR", f"{number} euros", f"CHF {number}", f"USD {number}"])


def listed(m: Maker) -> str:
    """Two to four things as one span."""
    several = [m.pick([thing_, f"{m.random.randint(2, 30)} {thing_}s", f"a {thing_}"]) for thing_ in m.random.sample(THINGS_OF_NOTES, m.random.randint(2, 4))]
    return f"{', '.join(several[:-1])} and {several[-1]}"


def price(m: Maker, what: str, who: str):
    cost, before = amount(m), amount(m)
    text = m.pick([f"The {what} costs {cost}.", f"The {what} costs {cost} instead of {before}.", f"{who} paid {cost} for the {what}.",
                   f"{what.capitalize()}: {cost}", f"The {what} from {m.made_name()} is {cost}, delivery included.",
                   f"We agreed on {cost} for the {what}, down from {before}.", f"The {what} costs {cost}, not {before}.",
                   f"The {what} does not cost {before} but {cost}.", f"Not {before}: the {what} is {cost}.", f"The total for the {what} came to {cost}."])
    asked = [(f"How much is the {what}?", cost), (f"What does the {what} cost?", cost), (f"How much does the {what} cost?", cost),
             (f"What is the price of the {what}?", cost), (f"How much for the {what}?", cost)]
    if " paid " in text:
        asked += [(f"How much did {who} pay for the {what}?", cost), (f"Who paid for the {what}?", who), (f"What did {who} pay for?", what)]
    return text, asked


def event(m: Maker, _what: str, who: str):
    kind, when, day, place = m.pick(EVENTS), told_time(m), date(m), m.pick([f"room {m.code()}", f"the {m.pick(ROOMS)}", m.city(), street(m)])
    form = m.random.randrange(7)
    text = [f"The {kind} with {who} is at {when} on {day}, {place}.", f"{day}: {kind} with {who} at {when}.",
            f"The {kind} was moved to {day} at {when} because {m.pick(REASONS)}.", f"The {kind} starts at {when} in {place}.",
            f"{who} arrives at {when} for the {kind} on {day}.", f"{when} {kind}, {who}, {place}",
            f"The {kind} with {who} is at {when}, not at {told_time(m)}."][form]
    asked = [(q, a) for q, a in [
        (f"What time is the {kind}?", when), (f"At what time is the {kind}?", when), (f"When does the {kind} start?", when if form == 3 else day),
        (f"On what date is the {kind}?", day), (f"Which day is the {kind}?", day), (f"Where is the {kind}?", place),
        (f"Who is the {kind} with?", who if form in (0, 1, 6) else ""), (f"When does {who} arrive?", when if form == 4 else ""),
        (f"When is the {kind}?", day if day in text else when), (f"Why was the {kind} moved?", text.split("because ")[-1].rstrip(".") if form == 2 else ""),
    ] if a and a in text]
    return text, asked


def address(m: Maker, _what: str, who: str):
    where, reach, trade = street(m), contact(m), m.pick(BUSINESS)
    name = m.pick([who, f"the {trade}"])
    text = m.pick([f"{name[0].upper() + name[1:]} lives at {where}.", f"{name[0].upper() + name[1:]}, {where}, {reach}",
                   f"{name[0].upper() + name[1:]}: {reach}", f"You can reach {name} at {reach}.", f"The new address of {name} is {where}.",
                   f"{name[0].upper() + name[1:]}'s phone number is {reach}."])
    asked = [(f"Where does {name} live?", where), (f"What is the address of {name}?", where), (f"What is {name}'s address?", where),
             (f"How can I reach {name}?", reach), (f"What is {name}'s phone number?", reach), (f"What is the contact of {name}?", reach)]
    return text, [(q, a) for q, a in asked if a in text]


def table(m: Maker, what: str, who: str):
    heads = m.random.sample(HEADS, m.random.randint(2, 4))
    value = {"planned": amount, "actual": amount, "paid": amount, "offer": amount, "owner": lambda m: m.person(), "due": date,
             "status": lambda m: m.pick(["open", "done", "late", "ordered", "approved"]), "phone": contact, "place": lambda m: m.city()}
    cells = {head: value[head](m) for head in heads}
    name = what.capitalize()
    text = m.pick([f"{name}: " + ", ".join(f"{h} {c}" for h, c in cells.items()), f"{name}: " + ", ".join(f"{h}: {c}" for h, c in cells.items()),
                   f"{name} | " + " | ".join(f"{h} {c}" for h, c in cells.items()), f"{name} - " + "; ".join(f"{h}: {c}" for h, c in cells.items())])
    asked = []
    for head, cell in cells.items():
        asked += {"owner": [(f"Who owns the {what}?", cell), (f"Who is the owner of {what}?", cell), (f"Who is responsible for the {what}?", cell)],
                  "due": [(f"When is the {what} due?", cell), (f"What is the due date of {what}?", cell)],
                  "status": [(f"What is the status of the {what}?", cell)], "phone": [(f"What is the phone for {what}?", cell)],
                  "place": [(f"Where is the {what}?", cell)]}.get(
                      head, [(f"What was the {head} cost of the {what}?", cell), (f"How much was {head} for {what}?", cell), (f"What is the {head} amount for {what}?", cell)])
    return text, asked


def thing(m: Maker, what: str, who: str):
    made, colour, count, place = m.pick(MATERIALS), m.pick(COLORS), str(m.random.randint(2, 400)), m.pick([f"the {m.pick(ROOMS)}", m.city()])
    reason, job = m.pick(REASONS), m.pick(JOBS)
    return m.pick([
        lambda: (f"The {what} is made of {made}.", [(f"What is the {what} made of?", made)]),
        lambda: (f"{who} chose the {colour} {what} for {place}.", [(f"Who chose the {what}?", who), (f"What colour is the {what}?", colour), (f"Where does the {what} go?", place)]),
        lambda: (f"{who} ordered {count} {what}s on {(d := date(m))}.", [(f"How many {what}s did {who} order?", count), (f"When were the {what}s ordered?", d), (f"Who ordered the {what}s?", who)]),
        lambda: (f"{who} sent the {what} back because {reason}.", [(f"Why did {who} send the {what} back?", reason), (f"Who sent the {what} back?", who), (f"What did {who} send back?", what)]),
        lambda: (f"{who} will fix the {what} by {(d := date(m))}.", [(f"Who will fix the {what}?", who), (f"When will the {what} be fixed?", d), (f"By when will {who} fix the {what}?", d)]),
        lambda: (f"{who}, a {job} from {(c := m.city())}, brought the {what}.", [(f"What does {who} do?", job), (f"Where is {who} from?", c), (f"Who brought the {what}?", who)]),
        lambda: (f"The {what} is {count} {(u := m.pick(['cm', 'metres', 'kg', 'years']))} {'old' if u == 'years' else 'in all'}.", [(f"How {'old' if u == 'years' else 'big'} is the {what}?", f"{count} {u}")]),
        lambda: (f"{who} brought {(l := listed(m))} for the {what}.", [(f"What did {who} bring for the {what}?", l), (f"What did {who} bring?", l)]),
        lambda: (f"For the {what} we need {(l := listed(m))}.", [(f"What do we need for the {what}?", l), (f"What is needed for the {what}?", l)]),
        lambda: (f"The {what} is {colour}, not {m.pick(COLORS)}.", [(f"What colour is the {what}?", colour)]),
        lambda: (f"Not {m.person()} but {who} keeps the {what}.", [(f"Who keeps the {what}?", who), (f"Who has the {what}?", who)]),
        lambda: (f"The password for the {what} is {(c := m.code())}.", [(f"What is the password for the {what}?", c)]),
    ])()


def minutes(m: Maker, what: str, who: str):
    """A line of the minutes of a meeting, or of a plan made in one."""
    trade, day, other, (first, second) = m.pick(BUSINESS), date(m), m.person(), (amount(m), amount(m))
    return m.pick([
        lambda: (f"{m.pick(['Decision', 'Agreed', 'Decided'])}: {who} orders the {what} by {day}.",
                 [(f"Who orders the {what}?", who), (f"By when is the {what} ordered?", day), (f"What does {who} order?", what)]),
        lambda: (f"{m.pick(['Action', 'To do', 'Task'])}: {who} to call the {trade} about the {what} before {day}",
                 [(f"Who has to call the {trade}?", who), (f"By when must {who} call the {trade}?", day), (f"Who should {who} call about the {what}?", trade)]),
        lambda: (f"{who} reported that the {what} came on {day} and cost {first}.",
                 [(f"When did the {what} come?", day), (f"How much did the {what} cost?", first), (f"Who reported on the {what}?", who)]),
        lambda: (f"Budget for the {what}: {first} approved, {second} spent so far",
                 [(f"How much was approved for the {what}?", first), (f"How much was spent on the {what}?", second)]),
        lambda: (f"The {trade} wants {first} for the {what}; {other} offers it for {second}.",
                 [(f"How much does the {trade} want for the {what}?", first), (f"For how much does {other} offer the {what}?", second), (f"Who offers the {what} for {second}?", other)]),
        lambda: (f"{who} will be away from {day} to {(end := date(m))}, {other} takes over the {what}.",
                 [(f"Who takes over the {what}?", other), (f"From when will {who} be away?", day), (f"Until when is {who} away?", end), (f"Who will be away?", who)]),
        lambda: (f"Paid {first} to {who} on {day}, {second} still open for the {what}.",
                 [(f"How much was paid to {who}?", first), (f"When was {who} paid?", day), (f"How much is still open for the {what}?", second)]),
    ])()


KINDS = (price, price, event, event, address, table, table, thing, thing, minutes, minutes)


def page(m: Maker, lines: int) -> list[tuple[str, list[tuple[str, str]]]]:
    """Notes of one subject: lines that share things and people, so that a question must find the right one."""
    things = m.random.sample(THINGS_OF_NOTES, max(2, lines // 2))
    people = [m.person() for _ in range(3)]
    made = []
    for _ in range(lines):
        if m.chance(0.15):
            fact = m.fact()
            made.append((fact.sentence, list(fact.questions)))
        else:
            made.append(m.pick(KINDS)(m, m.pick(things), m.pick(people)))
    return made
