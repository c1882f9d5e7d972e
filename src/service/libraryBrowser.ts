/** @file The library service's host in a browser worker. */

import { openDatabase, type Database } from "../store/database.ts";
import type { LibraryHost } from "./libraryService.ts";

export function browserLibrary(): LibraryHost {
  let opened: Promise<Database> | undefined;
  return {
    database: () =>
      (opened ??= openDatabase().catch((error: unknown) => {
        opened = undefined; // the next call tries again
        throw error;
      })),
    date: () => new Date().toISOString(),
    app: __APP_VERSION__,
  };
}
