/** @file `npm start [-- --port 4180]`: builds the app and serves it, with the headers it needs, on this machine. */

import { parseArgs } from "node:util";
import { build, preview } from "vite";

// One and the same: what a browser keeps, it keeps by address.
const { values } = parseArgs({ options: { port: { type: "string", default: "4173" } } });
const PORT = Number(values.port);

await build({ logLevel: "error" });
const server = await preview({ preview: { port: PORT, strictPort: true, host: "localhost" } });
console.log(`
Palimpsest is at http://localhost:${PORT}/ until you press Ctrl C.
`);
server.bindCLIShortcuts({ print: false });
