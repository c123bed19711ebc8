/** Files saved to the reader's downloads. */
import { csvOf } from "../format/csv.ts";

/** How long the browser may take to start reading the file. */
const URL_TTL_MS = 60_000;

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
