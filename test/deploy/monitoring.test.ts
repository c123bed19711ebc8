/** Alerts and the dashboard of `deploy/` ask for metrics and labels that the service has (docs/operations.md, "Monitoring"). */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { METRIC_PREFIX } from "../../src/runtime/base/config/names.ts";
import { readPage, ROOT } from "../docs/pages.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { record, wireEvent } from "../support/requests.ts";
import { skippedFor } from "../support/skipped.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const RULES_PATH = join(ROOT, "deploy/prometheus/sandpiper.rules.yml");

const RULES = (
  parse(readFileSync(RULES_PATH, "utf8")) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
).groups.flatMap(({ rules }) => rules);

const DASHBOARD = JSON.parse(readFileSync(join(ROOT, "deploy/grafana/sandpiper.json"), "utf8")) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
};

/** Labels that Prometheus adds. */
const ADDED = ["instance", "job", "le"];

const OF_PROCESS = ["process_resident_memory_bytes"];

/** The name of a series, with its matchers. */
const SERIES = new RegExp(`\\b(?:${METRIC_PREFIX}|process_)\\w+(?:\\{([^}]*)\\})?`, "g");

/** Every name of a metric in an expression, with the labels that the expression asks of it. */
const askedIn = (expr: string): readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[] =>
  [...expr.matchAll(SERIES)].map(([whole, matchers = ""]) => ({
    name: /^\w+/.exec(whole)?.[0] ?? "",
    labels: Object.fromEntries([...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, label = "", value = ""]) => [label, value])),
  }));

const groupedBy = (expr: string): string[] => [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) => labels.split(/, */));

const EXPRESSIONS: readonly (readonly [title: string, expr: string, shown: string])[] = [
  ...RULES.map(({ alert, expr, annotations: { summary } }) => [alert, expr, summary] as const),
  ...DASHBOARD.panels.flatMap(({ title, targets }) => targets.map(({ expr, legendFormat }) => [title, expr, legendFormat] as const)),
  ...DASHBOARD.templating.list.flatMap(({ name, definition }) => (definition === undefined ? [] : [[name, definition, ""] as const])),
];

describe("alerts and dashboard", () => {
  let target: InProcessTarget;
  let types: ReadonlyMap<string, string>;
  /** The labels of each series, such as those of `svc_flush_duration_seconds_bucket`. */
  const labelsOf = new Map<string, Set<string>>();
  beforeAll(async () => {
    target = await createInProcessTarget();
    await record(target, wireEvent("monitored.test"));
    await target.flush();
    const text = await (await target.fetch("/metrics")).text();
    types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type] as const));
    for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const known = labelsOf.get(name) ?? new Set();
      for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
      labelsOf.set(name, known);
    }
    // Node tells the usage of its process, which `test/http/operations.suite.ts` checks.
    for (const name of OF_PROCESS) labelsOf.set(name, new Set());
  });
  afterAll(() => target.close());

  it.each(EXPRESSIONS)("%s asks for metrics and labels that exist: %s", (_title, expr, shown) => {
    const asked = askedIn(expr);
    expect(asked.length).toBeGreaterThan(0);
    const known = new Set(ADDED);
    for (const { name, labels } of asked) {
      const ofSeries = labelsOf.get(name);
      expect(ofSeries, `/metrics has no ${name}`).toBeDefined();
      if (/\b(?:rate|increase)\($/.test(expr.slice(0, expr.indexOf(name)))) expect(types.get(name), name).not.toBe("gauge");
      for (const label of ofSeries ?? []) known.add(label);
      expect(Object.keys(labels).filter((label) => !known.has(label))).toEqual([]);
      if (labels["status"] !== undefined) expect(labels["status"]).toMatch(/^[1-5]xx$/);
    }
    const named = [...shown.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(([, label = ""]) => label);
    expect([...groupedBy(expr), ...named].filter((label) => !known.has(label))).toEqual([]);
  });

  it("has an alert for every row of the documented table, and no other", () => {
    const [, table = ""] = /\n### Alerts\n([^]*?)\n### /.exec(readPage("docs/operations.md").text) ?? [];
    const documented = [...table.matchAll(/^\| [^|]*\b(svc_\w+)/gm)].map(([, name = ""]) => name);
    expect(RULES.map(({ expr }) => askedIn(expr)[0]?.name).sort()).toEqual(documented.sort());
    expect(RULES.every(({ labels }) => ["critical", "warning", "info"].includes(labels.severity))).toBe(true);
  });

  it("has panels with ids of their own that do not cover each other", () => {
    const { panels } = DASHBOARD;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;

  it("passes `promtool check rules`", skippedFor(hasPromtool ? null : "no promtool on this machine"), () => {
    const { status, stdout, stderr } = spawnSync("promtool", ["check", "rules", RULES_PATH], { encoding: "utf8" });
    expect([stdout + stderr, status]).toEqual([expect.stringContaining("SUCCESS"), 0]);
  });
});
