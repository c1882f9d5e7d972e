/** @file Word lists of anchor extraction, all lower case. (ingest has its own: the import law separates them.) */

import { wordSet } from "../lib/format.ts";

export const ARTICLES = wordSet("the a an");

export const PRONOUNS = wordSet(
  "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself",
  "yourself himself herself itself ourselves themselves this that these those who whom whose which what one",
  "someone somebody something anyone anybody anything everyone everybody everything nobody nothing none thou",
  "thee thy ye there here",
);

/** Titles before a name; not part of the anchor ("Mr. Elton" -> "Elton"), as the bundled model is trained. */
export const TITLES = wordSet("mr mrs ms miss messrs dr sir madam madame monsieur mme mlle");

export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...ARTICLES,
  ...PRONOUNS,
  ...TITLES,
  ...wordSet(
    "and but or nor so yet if as when while where why how then than though although because since until till unless",
    "whether before after once upon on in at to of for with from by into onto over under above below between among",
    "through during about against along across around behind beside beyond near off out up down toward towards",
    "without within except like not no yes oh o ah alas well is was were are be been being am do did does done have",
    "has had having can could will would shall should may might must let come go see look say says said ever never",
    "always often sometimes still even only just now today yesterday tomorrow later again also too very quite",
    "rather perhaps maybe indeed thus therefore hence however meanwhile all some many most much more few several",
    "each every any such both either neither other another same own two first last next here don didn doesn isn",
    "aren wasn weren won wouldn couldn shouldn hasn haven hadn let's got get went came made make took take know knew",
    "think thought little great good old new long dear poor pray hitherto presently whatever depend thank",
  ),
]);

/** Not an anchor alone: "Four people came.", "Best regards, Anna". */
export const NO_ANCHOR = wordSet(
  "three four five six seven eight nine ten eleven twelve hundred thousand hi hello hey thanks please best kind regards sent",
);

/** Small words that may join the parts of one name: "Duchy of Normandy", "Ludwig van Beethoven". */
export const CONNECTORS = wordSet("of the de la du von van der den di da al el");

export const SUBJECT_VERBS =
  "is|are|was|were|has|have|had|lies|lay|stands|stood|sits|sat|hangs|hung|contains?|contained|holds?|held|belongs?|" +
  "belonged|leads?|led|opens?|opened|faces?|faced|costs?|weighs?|weighed|measures?|measured|remains?|remained|" +
  "becomes?|became|consists?|means?|meant|includes?|included|went|came|fell|died|moved|can|could|will|would|must|" +
  "may|should|does|did|[a-z]{2,}ed";
