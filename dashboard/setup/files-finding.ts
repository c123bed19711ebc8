/** Files of events that reports leave out: for the installation check and the notice above the stats. */
import { countOf } from "../format/locale.ts";
import { problem, type Check } from "./check.ts";

export const filesFinding = (count: number): Check =>
  problem(
    `Reports leave out ${countOf(count, "file")} of events: damaged, missing or in the wrong folder`,
    "The log names the files, and `sandpiper verify` says what is wrong with them.",
  );
