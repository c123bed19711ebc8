/** Files saved to the reader's downloads. */
import { csvOf } from "../format/csv.ts";
import { range } from "../state/period.ts";
import { isFiltered } from "../state/view-filters.ts";
import { site } from "../state/view.ts";

/** How long the browser may take to start reading the file. */
const URL_TTL_MS = 60_000;

/** E.g. `example.com-pages-2026-10-24-to-2026-11-22-filtered.csv`. No system refuses one of its characters. */
export function fileNameOf(report: string, extension: string): string {
  const { start, end } = range.value;
  const parts = [site.value, report, start, ...(end === start ? [] : ["to", end]), ...(isFiltered.value ? ["filtered"] : [])];
  return `${parts.join("-").replaceAll(":", "_")}.${extension}`;
}

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), URL_TTL_MS);
}

export const saveCsv = (name: string, rows: readonly (readonly (string | number)[])[]): void =>
  saveFile(name, new Blob([csvOf(rows)], { type: "text/csv;charset=utf-8" }));
