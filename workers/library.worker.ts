/** @file The library worker: wiring only. */

import { deadlineOver } from "../src/rpc/deadline.ts";
import { serve } from "../src/rpc/serve.ts";
import type { Port } from "../src/rpc/wire.ts";
import { browserLibrary } from "../src/service/library/libraryBrowser.ts";
import { createLibraryService } from "../src/service/library/libraryService.ts";

const port = globalThis as unknown as Port;

serve(port, createLibraryService(browserLibrary(deadlineOver(port))));
