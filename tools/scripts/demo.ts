/**
 * @file `npm run tool -- demo`: the method on the command line. A sample text with hidden facts goes in, the text is
 * thrown away, questions are answered from memory, and one fact is deleted with proof.
 */

import { recallCommand, recallUsage } from "../recall.ts";
import { BUNDLED_MODEL, runCommand } from "../cli.ts";

const SAMPLE = "public/samples/the-lamp-at-harrow-point.txt";

console.log(`Palimpsest reads ${SAMPLE}, stores its facts as residual vectors of ${BUNDLED_MODEL}, and forgets the text.
This is what follows typed out: npm run recall -- --model ${BUNDLED_MODEL} --text ${SAMPLE} …
`);
await runCommand(
  () =>
    recallCommand([
      ...["--model", BUNDLED_MODEL, "--text", SAMPLE],
      ...["--forget", "Peter (1)"],
      ...["--ask", "Where is Mary?"],
      ...["--ask", "Where is Sandra?"],
      ...["--ask", "What is the code of Project Beacon?"],
      ...["--ask", "What is Peter's passport?"],
    ]),
  recallUsage,
);
