/** Prometheus's linter has no complaint about the metrics: by its rules, and by the linter itself where it is installed. */
import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { createInProcessTarget } from "../../../../support/in-process-target.ts";
import { faultsOf } from "../../../../support/metric-lint.ts";
import { parseMetrics } from "../../../../support/metrics.ts";
import { record, wireEvent } from "../../../../support/requests.ts";
import { skippedFor } from "../../../../support/skipped.ts";

const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;

/** Metrics that break one rule each, in the text format. */
const FAULTY = [
  ["# HELP svc_days A unit.\n# TYPE svc_days gauge\nsvc_days 1\n", "use seconds, not days"],
  ["# HELP svc_wait_ms A unit.\n# TYPE svc_wait_ms gauge\nsvc_wait_ms 1\n", "an abbreviated unit"],
  ["# HELP svc_events Events.\n# TYPE svc_events counter\nsvc_events 1\n", `"_total" ends the names of counters, and of nothing else`],
  ["# HELP svc_all_total All.\n# TYPE svc_all_total gauge\nsvc_all_total 1\n", `"_total" ends the names of counters, and of nothing else`],
  ["# HELP svc_gauge It.\n# TYPE svc_gauge gauge\nsvc_gauge 1\n", `the type "gauge" in its name`],
  ["# HELP svc_count It.\n# TYPE svc_count gauge\nsvc_count 1\n", "the suffix of a series of a histogram"],
  ["# HELP svcIt It.\n# TYPE svcIt gauge\nsvcIt 1\n", "not in snake_case"],
  ['# HELP svc_it It.\n# TYPE svc_it gauge\nsvc_it{theLabel="1"} 1\n', "not in snake_case"],
] as const;

describe("the names of metrics", () => {
  let text = "";
  beforeAll(async () => {
    const target = await createInProcessTarget({});
    await record(target, wireEvent("names.test"));
    text = await (await target.fetch("/metrics")).text();
    await target.close();
  });

  it("the names of metrics follow the rules of Prometheus's linter", () => {
    const families = parseMetrics(text);
    expect(families.map(({ name }) => name)).toContain("svc_events_ingested_total");
    expect(families.flatMap(faultsOf)).toEqual([]);
  });

  it("each of the faulty examples breaks exactly one rule", () => {
    for (const [faulty, fault] of FAULTY)
      expect([faulty, parseMetrics(faulty).flatMap(faultsOf)]).toEqual([faulty, [expect.stringContaining(fault)]]);
  });

  it("the names of metrics pass `promtool check metrics`", skippedFor(hasPromtool ? null : "no promtool on this machine"), () => {
    const { status, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
