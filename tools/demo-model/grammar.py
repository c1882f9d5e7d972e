"""Just enough English to turn a clause into a question: past forms with their bases, prepositions, nouns of place, time
and people."""

# past form: base form; regular verbs are found by their ending
PAST = dict(pair.split(":") for pair in """became:become began:begin bent:bend bit:bite blew:blow bore:bear bought:buy
bound:bind broke:break brought:bring built:build burst:burst came:come caught:catch chose:choose clung:cling crept:creep
cut:cut dealt:deal did:do drank:drink drew:draw drove:drive dug:dig ate:eat fed:feed fell:fall felt:feel fled:flee
flew:fly flung:fling forgot:forget fought:fight found:find froze:freeze gave:give got:get grew:grow heard:hear held:hold
hid:hide hit:hit hung:hang hurt:hurt kept:keep knelt:kneel knew:know laid:lay lay:lie leant:lean leapt:leap led:lead
left:leave lent:lend let:let lit:light lost:lose made:make met:meet paid:pay put:put ran:run rang:ring read:read rode:ride
rose:rise sang:sing sank:sink sat:sit saw:see sent:send set:set shook:shake shone:shine shot:shoot showed:show shut:shut
slept:sleep slid:slide smelt:smell sold:sell spent:spend spoke:speak sprang:spring stole:steal stood:stand struck:strike
stuck:stick swam:swim swept:sweep swore:swear swung:swing taught:teach thought:think threw:throw told:tell took:take
arose:arise awoke:awake beat:beat beheld:behold cast:cast sought:seek spread:spread
strode:stride thrust:thrust withdrew:withdraw tore:tear understood:understand went:go wept:weep woke:wake won:win wore:wear wound:wind wrote:write""".split())
# participles that are no past forms, and their bases; the others are spelt like the past
PARTICIPLES = dict(pair.split(":") for pair in """become:become begun:begin bitten:bite blown:blow broken:break come:come chosen:choose
done:do drunk:drink drawn:draw driven:drive eaten:eat fallen:fall flown:fly forgotten:forget frozen:freeze given:give gone:go
grown:grow hidden:hide known:know lain:lie ridden:ride risen:rise run:run rung:ring seen:see shaken:shake shown:show
spoken:speak stolen:steal sunk:sink sung:sing sworn:swear swum:swim taken:take thrown:throw torn:tear woken:wake worn:wear
written:write arisen:arise beaten:beat withdrawn:withdraw""".split())
BE = set("was were is are am".split())
HAVE = set("had has have".split())
MODALS = set("will would shall should can could may might must".split())
THERE_VERBS = "lay|stood|sat|hung|was|were|is|are|came|rose|grew|ran|appeared|rested"  # between a place and what is there
COLOURS = "red|white|black|blue|green|yellow|grey|gray|brown|purple|scarlet|crimson|golden|silver|pink|orange"
NO_PLACES = set("""contrary account point part way occasion condition whole subject matter question verge mind mood
cause word idea sort kind air voice tone manner thought side hand look time moment eve morning day evening night""".split())
NO_VERBS = set("""tired red bed indeed need speed seed shed hundred kindred sacred beloved wicked naked ragged wretched
supposed united aged rugged crooked learned feed bleed breed weed greed deed heed exceed proceed succeed hatred""".split())
PREPOSITIONS = """in into on upon at to under behind near beside through from over across toward towards round around
against along down up by with without about between beneath above among off of out for after before""".split()
PLACE_PREPOSITIONS = """in into on upon at to under behind near beside through from over across toward towards round
against along beneath above among""".split()
PLACING = "under behind near beside beneath above upon on across against into".split()  # what follows is mostly a place
NAMING_PLACES = set("in into through over across near round around along under beneath above".split())  # no person follows
MEALS = set("breakfast dinner supper".split())
WHEN = set("in on at by during after before until towards about".split())  # what stands before a time
MEASURES = set("miles yards feet paces inches times moments steps".split())
DENIALS = set("hardly scarcely barely nearly".split())
PLACES = set("""room house garden table chair door window river road street wood woods forest hill mountain sea shore ship
boat cabin deck castle church town city village island inn tavern kitchen bed bench sofa corner wall floor ground fire
hearth lawn gate yard field fields meadow path lane bridge tower hall stairs staircase passage parlour library office shop
market school station train carriage coach cart wagon cave rock rocks beach sand lake pond stream well valley desert tree
trees bush bushes branch grass roof attic cellar stable barn farm prison court palace throne pocket box drawer cupboard
shelf desk basket bag bottle cup plate pot sky air water snow ice sun shadow darkness light distance world earth country
land north south east west home side end edge top bottom middle centre back front head hand hands arms lap shoulder knees
feet face neck breast theatre hotel club museum hospital chapel grave tomb cottage hut tent camp fort harbour port dock
pier platform square park avenue lodge mill ditch hedge fence doorway threshold verandah terrace balcony pavement table-cloth
London Paris England France Rome America Boston York Edinburgh Dublin Germany Italy Spain Russia India China Africa""".split())
TIMES = set("""morning evening afternoon night day week month year noon midnight dawn sunset sunrise spring summer autumn
winter Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
October November December o'clock hour moment Christmas Easter twilight dusk breakfast dinner supper minutes
hours days nights weeks months years""".split())
PEOPLE = set("""man woman boy girl king queen prince princess captain sailor soldier doctor teacher priest minister servant maid
landlord farmer master mistress lady gentleman child mother father brother sister son daughter uncle aunt wife husband
stranger judge lawyer policeman officer colonel general old-man fellow lad traveller guide hunter thief beggar merchant
professor chief nurse cook driver host guest visitor giant witch fairy people men women children boys girls""".split())
PRONOUNS = set("""i he she it they we you him her them us me himself herself themselves itself myself who whom which that this
these those there""".split())
NUMBERS = set("two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred".split())
FUNCTION = PRONOUNS | set(PREPOSITIONS) | set("""the a an and but or nor so as if then than when while where his their its my
your our was were had has have is are been be did do not no very too more most much many some any all both each every one
only just never ever again also still yet now here what how why whose would could should will can may might must""".split())
