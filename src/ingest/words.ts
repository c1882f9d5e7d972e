/** @file Word lists of the candidate filter. All lower case. */

import { wordSet } from "../lib/format.ts";

/** Words that often stand capitalised at a start (or shouted) and are no name. */
export const NOT_A_NAME = wordSet(
  "a an the this that these those such what which whose who whom whoever whatever whichever where when whenever",
  "why how however wherever i you he she it we they me him her us them my your his its our their mine yours hers",
  "ours theirs myself yourself himself herself itself ourselves themselves thou thee thy thine ye one ones other",
  "others another each every either neither both all any some none no not nobody nothing nowhere everybody",
  "everything everyone somebody something someone anybody anything anyone many much more most few fewer little",
  "less least several enough only even just also too very quite rather almost nearly still yet already always",
  "never ever often sometimes seldom soon again once twice then there here now today tonight tomorrow yesterday",
  "later afterwards afterward before after since till until while whilst as because if unless though although",
  "lest whereas whereupon and but or nor so for of in on at to from by with without within into upon onto over",
  "under above below between among amongst through throughout during about against along across around round",
  "behind beside besides beyond near off out up down toward towards except like unlike despite concerning",
  "according owing instead am is are was were be been being do does did done doing have has had having can cannot",
  "could may might must shall should will would ought need dare let yes aye nay oh o ah ha eh hum hush alas well",
  "why indeed perhaps maybe possibly certainly surely clearly really truly actually exactly precisely finally",
  "suddenly presently immediately instantly meanwhile moreover furthermore nevertheless otherwise therefore thus",
  "hence accordingly consequently fortunately unfortunately happily apparently evidently probably naturally",
  "come go going gone see look say says said tell ask think believe suppose know take give get put make keep hold",
  "stay stop wait listen hear speak talk try help leave leaving seeing having hearing being looking taking",
  "turning coming speaking thinking standing sitting walking thank thanks please pray excuse pardon forgive",
  "remember consider imagine depend god good great old young new poor dear true false first second third last next",
  "half part time times day days night morning evening man men woman women people things thing two three four",
  "better best worse worst long short high low full far same own don doesn didn isn aren wasn weren won wouldn",
  "couldn shouldn can hasn haven hadn ain ll ve re mayn mustn needn shan tis twas twere tisn nonsense goodbye bye",
  "hallo hello hullo farewell damn bless curse confound ay lo behold whereby wherefore whither whence thence",
  "hither thither yonder notwithstanding albeit altogether anyhow anyway besides somehow somewhere elsewhere",
  "beneath inside outside upstairs downstairs amid midst including regarding given granted provided considering",
  "chapter note",
);

/** Forms of address that name nobody when they stand alone. */
export const ADDRESS = wordSet(
  "sir sirs madam ma'am maam mamma mama papa mother father mr mrs ms miss master mistress dr doctor lord lady",
  "lords gentlemen ladies gentleman majesty highness lordship ladyship heaven heavens lawks sire monsieur madame",
);

/** Finite verbs that -ed and -s do not give away. */
export const FINITE = wordSet(
  "is was were has had have will would can could may might shall should must did does do went came took got gave",
  "said made saw knew thought found told left felt put kept let began brought bought built caught chose cut drank",
  "drew drove ate fell flew fought forgot forgave grew held heard hid hit hung hurt laid lay led lent lit lost",
  "meant met paid ran rang read rode rose sang sank sat sent set shone shook shot shut sang slept slid sold sought",
  "spent spoke spread sprang stole stood struck strove swam swore swung taught threw understood woke won wore wove",
  "wrote bade became broke bent bore bound bred burst clung crept dealt dug fed fled froze lept leapt leant learnt",
  "dwelt burnt knelt rebuilt withdrew overtook undertook ain't isn't wasn't didn't doesn't hadn't won't cannot",
  "can't couldn't wouldn't shouldn't don't haven't hasn't weren't aren't",
);

/** "one", "first" and "second" are left out: in running text they hardly ever count anything. */
export const NUMBER_WORDS = wordSet(
  "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
  "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands",
  "million millions billion trillion dozen dozens twice thrice third fourth fifth sixth seventh eighth ninth tenth",
  "eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
);
