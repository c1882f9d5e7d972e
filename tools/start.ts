/** @file `npm start`: builds the app and serves it, with the headers it needs, on a fixed port of this machine. */

import { build, preview } from "vite";

const PORT = 4173;

await build({ logLevel: "error" });
const server = await preview({ preview: { port: PORT, strictPort: true, host: "localhost" } });
console.log(`
Palimpsest is at http://localhost:${PORT}/ until you press Ctrl C.
`);
server.bindCLIShortcuts({ print: false });
