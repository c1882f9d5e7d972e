/** @file The library service's host in a browser worker. */

import type { Deadline } from "../../rpc/deadline.ts";
import { databaseOnDemand } from "../../store/database.ts";
import type { LibraryHost } from "./libraryService.ts";

export const browserLibrary = (deadline: Deadline): LibraryHost => ({
  deadline,
  database: databaseOnDemand(),
  date: () => new Date().toISOString(),
  app: __APP_VERSION__,
});
