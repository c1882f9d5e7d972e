/** @file The library worker: the service on this browser's database. */

import { deadlineOver } from "../src/rpc/deadline.ts";
import { serve } from "../src/rpc/serve.ts";
import type { Port } from "../src/rpc/wire.ts";
import { createLibraryService } from "../src/service/library/libraryService.ts";
import { databaseOnDemand } from "../src/store/database.ts";

const port = globalThis as unknown as Port;

serve(
  port,
  createLibraryService({
    deadline: deadlineOver(port),
    database: databaseOnDemand(),
    date: () => new Date().toISOString(),
    app: __APP_VERSION__,
  }),
);
