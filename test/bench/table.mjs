/** Summarizes and prints the results of a benchmark. */
import { cpus, loadavg } from "node:os";

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = Number.NaN, above = Number.NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? above : (below + above) / 2;
}

/** @param {readonly number[]} values */
export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param {number} value */
export const whole = (value) => Math.round(value).toLocaleString("en-US");

/** @param {number} value */
export const twoDecimals = (value) => value.toFixed(2);

/** @param {number} bytes */
export const mebibytes = (bytes) => `${Math.round(bytes / 1024 / 1024)} MiB`;

/** @param {number} value */
export const milliseconds = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** @param {number} ms */
export const duration = (ms) => (ms < 10_000 ? milliseconds(ms) : `${(ms / 1000).toFixed(1)} s`);

/** A small share as `1/n`. @param {number} share */
export const fraction = (share) => (share > 0.5 ? twoDecimals(share) : `1/${(1 / share).toFixed(share > 0.1 ? 1 : 0)}`);

/**
 * Prints the title with the machine, and the rows as a Markdown table.
 * @param {string} title
 * @param {readonly string[]} heads
 * @param {readonly (readonly string[])[]} rows
 */
export function printTable(title, heads, rows) {
  const all = [heads, ...rows];
  const widths = heads.map((_, i) => Math.max(...all.map((row) => (row[i] ?? "").length)));
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const machine = `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown"}, load ${loadavg()[0]?.toFixed(1)}`;
  process.stdout.write(`\n${title} (${machine})\n\n${[line(heads), rule, ...rows.map(line)].join("\n")}\n`);
}

/** Prints progress to stderr. @param {string} text */
export const progress = (text) => process.stderr.write(`${text}\n`);
