"""Word lists the made facts draw from. Names are common; any likeness to a person is chance."""

FIRST = """Mary John Sandra Daniel Miguel Alice Bob Clara David Emma Frank Grace Henry Irene Jack Karen Leo Maria Nina
Oscar Paul Quinn Rosa Simon Tara Umar Vera Walter Xenia Yusuf Zoe Anna Ben Carl Diana Erik Fiona George Hannah Ivan
Julia Kevin Laura Martin Nora Olga Peter Rachel Samuel Teresa Victor Wendy Aisha Boris Chen Dmitri Elena Farid Gita
Hugo Ingrid Jamal Keiko Lars Mei Noah Omar Priya Rafael Sofia Tomas Uma Viktor Yara Amir Bella Cyrus Delia Edgar Felix
Gwen Harold Isla Jonas Kira Luca Mira Nadia Otto Petra Rolf Selma Tariq Ursula Vikram Willa Ximena Yvonne Zane Fred
Bill Julie Jeff Antoine Sumit Yann Jason Lily Brian Bernhard Winona Gertrude""".split()
BABI_CAST = "Mary John Sandra Daniel Fred Bill Jeff Julie".split()
LAST = """Smith Turner Alvarez Novak Tanaka Okafor Petrov Larsen Moreau Costa Weber Haddad Kim Ryu Park Singh Rossi
Mendez Fischer Cohen Dubois Lindgren Ivanova Marsh Harper Blake Quincy Stone Vance Wolfe Archer Bishop Carver Dalton
Ellis Fox Gray Hale Ives Jarvis Keane Locke Munro Nash Oakes Pryce Reed Shaw Thorne Udall Voss Webb York""".split()
BABI_ROOMS = "garden kitchen bathroom bedroom hallway office".split()
ROOMS = BABI_ROOMS + """park cinema school library museum station market garage cellar attic balcony laboratory hospital
theatre workshop stable harbor chapel tower courtyard warehouse bakery lounge nursery pantry greenhouse clinic studio
archive arena dock vault""".split()
CITIES = """Paris Lisbon Osaka Nairobi Oslo Lima Dublin Cairo Prague Seoul Quito Hanoi Vienna Athens Boston Denver
Madrid Milan Geneva Warsaw Kyoto Bergen Tunis Accra Dakar Havana Riga Sofia Zagreb Tallinn Ghent Porto Malaga Turin
Leeds Bristol Cork Basel Lyon Bonn""".split()
BABI_THINGS = "football milk apple".split()
THINGS = BABI_THINGS + """lantern key ledger map compass violin basket hammer letter telescope ring coin knife bottle
book umbrella candle rope blanket mirror clock camera drum flute hat scarf shield""".split()
COLORS = """red blue green yellow black white silver golden purple orange brown grey crimson scarlet violet
amber""".split()
JOBS = """doctor teacher baker pilot engineer painter lawyer farmer sailor writer nurse chemist carpenter singer judge
tailor blacksmith gardener clerk captain astronomer plumber surgeon librarian""".split()
ANIMALS = """lion wolf swan frog rhino mouse cat sheep horse parrot otter falcon rabbit tortoise fox donkey goat owl
heron badger""".split()
FOODS = """bread cheese soup rice honey salmon pasta olives mushrooms lentils cherries pancakes porridge beans mangoes
figs""".split()
SUBJECTS = """chemistry history music geometry botany astronomy grammar physics law medicine painting economics geology
logic""".split()
MONTHS = """January February March April May June July August September October November December""".split()
ORGANS = """Institute Museum Council Company Society University Library Observatory Foundation Bureau Academy Guild
Bank Railway Hospital Theatre""".split()
ORGAN_TITLES = """Northern Southern Royal Central National Harbor River Valley Coastal Eastern Western Imperial Grand
Old New Summit Lakeside Hillside""".split()
PROJECTS = """Falcon Orchid Granite Meridian Cobalt Juniper Horizon Ember Lattice Beacon Tundra Saffron Quartz Willow
Aurora Cinder Delta Nimbus Sable Zephyr""".split()
SYLLABLES = """ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te
ti to va ve vi vo za zo shi cha tor mar lin van der gal wen bro sto pel""".split()
