/** Rewrites the table of options in `docs/configuration.md`, below the current folder. */

import { readFileSync, writeFileSync } from "node:fs";
import { replaceOptionsTable } from "../src/runtime/base/config/options.ts";

const CONFIGURATION = "docs/configuration.md";

writeFileSync(CONFIGURATION, replaceOptionsTable(readFileSync(CONFIGURATION, "utf8")));
