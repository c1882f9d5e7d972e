/** @file The run that is named once for a whole section, so that its figures need not each repeat it. */

import { createContext } from "react";

/** As sourceText has it; empty where every figure names its own. */
export const ProvenanceContext = createContext("");
