/** Downloads. */
import { BOM } from "../../src/shared/csv.ts";
import { csvOf } from "../format/csv.ts";
import { range } from "../state/period.ts";
import { isFiltered } from "../state/view-filters.ts";
import { site } from "../state/view.ts";

/** The browser starts reading the file within this time. */
const URL_TTL_MS = 60_000;

/** `example.com-pages-2026-10-24-to-2026-11-22-filtered.csv`, in characters that every system allows. */
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
  saveFile(name, new Blob([BOM, csvOf(rows)], { type: "text/csv;charset=utf-8" }));
