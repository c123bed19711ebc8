/** Rewrites the table of options in the README of the current folder. */

import { readFileSync, writeFileSync } from "node:fs";
import { replaceOptionsTable } from "../src/runtime/config/options-table.ts";

const README = "README.md";

writeFileSync(README, replaceOptionsTable(readFileSync(README, "utf8")));
