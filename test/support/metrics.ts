/** Parses /metrics with an independent library. */
import parsePrometheus from "parse-prometheus-text-format";
import { expect } from "vitest";
import type { RequestHeaders } from "./requests.ts";
import type { Target } from "./target.ts";

export interface ParsedSample {
  readonly value?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly buckets?: Readonly<Record<string, string>>;
  readonly count?: string;
  readonly sum?: string;
}

export interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "COUNTER" | "GAUGE" | "HISTOGRAM";
  readonly metrics: readonly ParsedSample[];
}

export const parseMetrics = (text: string): readonly ParsedFamily[] => parsePrometheus(text) as readonly ParsedFamily[];

export async function getMetricFamilies(target: Target, headers: RequestHeaders = {}): Promise<readonly ParsedFamily[]> {
  const response = await target.fetch("/metrics", { headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return parseMetrics(text);
}

/** The values of all metrics without labels. */
export async function getMetrics(target: Target): Promise<Readonly<Record<string, number>>> {
  const values: Record<string, number> = {};
  for (const { name, metrics } of await getMetricFamilies(target)) {
    for (const { value, labels } of metrics) if (value !== undefined && !labels) values[name] = Number(value);
  }
  return values;
}
