/** @file The library service's host in a browser worker. */

import { databaseOnDemand } from "../../store/database.ts";
import type { LibraryHost } from "./libraryService.ts";

export const browserLibrary = (): LibraryHost => ({
  database: databaseOnDemand(),
  date: () => new Date().toISOString(),
  app: __APP_VERSION__,
});
