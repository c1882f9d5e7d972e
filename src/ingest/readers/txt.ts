/** @file Plain text: the characters of the file as they stand. */

import { decodeText } from "../text.ts";
import type { Reader } from "./types.ts";

export const readTxt: Reader = (bytes, name, { encoding }) =>
  Promise.resolve(decodeText(bytes, name, { chosen: encoding }));
