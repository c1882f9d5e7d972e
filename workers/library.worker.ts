/** @file The library worker: wiring only. */

import { serve } from "../src/rpc/serve.ts";
import type { Port } from "../src/rpc/wire.ts";
import { browserLibrary } from "../src/service/library/libraryBrowser.ts";
import { createLibraryService } from "../src/service/library/libraryService.ts";

serve(globalThis as unknown as Port, createLibraryService(browserLibrary()));
