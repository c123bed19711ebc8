/** What `promtool check metrics` asks of names and help texts (https://prometheus.io/docs/practices/naming/). */
import type { ParsedFamily } from "./metrics.ts";

/** Units that are not base units, with the base unit to use. */
const BASE_UNIT_OF: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["milliseconds", "microseconds", "nanoseconds", "minutes", "hours", "days", "weeks"].map((unit) => [unit, "seconds"]),
  ),
  ...Object.fromEntries(["bits", "kilobytes", "megabytes", "gigabytes", "kibibytes", "mebibytes"].map((unit) => [unit, "bytes"])),
};

const ABBREVIATED_UNITS = new Set(["s", "ms", "us", "ns", "sec", "secs", "b", "kb", "mb", "gb", "tb", "m", "h", "d"]);

/** What is wrong with a family, one sentence for each fault. */
export function faultsOf({ name, help, type, metrics }: ParsedFamily): string[] {
  const words = name.split("_");
  const labels = metrics.flatMap((sample) => Object.keys(sample.labels ?? {}));
  const found: (string | false | undefined)[] = [
    help === "" && "no help text",
    name.includes(":") && "a colon, which is for recording rules",
    [name, ...labels].some((text) => /[A-Z]/.test(text)) && "not in snake_case",
    words.includes(type.toLowerCase()) && `the type "${type.toLowerCase()}" in its name`,
    (type === "COUNTER") !== name.endsWith("_total") && `"_total" ends the names of counters, and of nothing else`,
    type !== "HISTOGRAM" && /_(?:count|sum|bucket)$/.test(name) && "the suffix of a series of a histogram",
    type !== "HISTOGRAM" && labels.includes("le") && "the label of a bucket",
    words.some((word) => ABBREVIATED_UNITS.has(word)) && "an abbreviated unit",
    ...words.map((word) => BASE_UNIT_OF[word] && `use ${BASE_UNIT_OF[word]}, not ${word}`),
  ];
  return found.flatMap((fault) => (fault ? [`${name}: ${fault}`] : []));
}
