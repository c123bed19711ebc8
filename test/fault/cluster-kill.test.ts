/** The script of docs/scaling.md, with fewer events: two ingest nodes, one of which is killed, and a full node count every event once. */
import { expect, it } from "vitest";
import { MAIN_PATH } from "../support/built.ts";
import { runProcess } from "../support/run-process.ts";

const SCRIPT_MS_MAX = 180_000;

it(
  "every event that two ingest nodes acknowledged is counted once on a full node, although one of them was killed",
  async () => {
    const { code, stdout } = await runProcess([process.execPath, "test/bench/cluster.mjs", "4000", MAIN_PATH]);
    expect(stdout).toContain("every acknowledged event is counted once");
    expect(code).toBe(0);
  },
  SCRIPT_MS_MAX,
);
