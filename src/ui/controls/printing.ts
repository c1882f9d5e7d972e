/** @file Whether what is drawn is for paper: nothing can be pressed then, and nothing is left for a second look. */

import { createContext, useContext } from "react";

export const PrintingContext = createContext(false);

export const usePrinting = (): boolean => useContext(PrintingContext);
