/** @file The engine worker: wiring only. */

import { serve } from "../src/rpc/serve.ts";
import type { Port } from "../src/rpc/wire.ts";
import { browserHost } from "../src/service/engineBrowser.ts";
import { createEngineService } from "../src/service/engineService.ts";

serve(globalThis as unknown as Port, createEngineService(browserHost()));
