/** JSON: an array with one object per row, one row per line. */
import type { ExportFormat } from "./export-format.ts";

export const jsonFormat: ExportFormat = {
  extension: "json",
  contentType: "application/json",
  opening: () => "[",
  frame: (columns) => [...columns.map((name, i) => `${i === 0 ? "{" : ","}${JSON.stringify(name)}:`), "}"],
  separator: ",\n",
  closing: "]",
  unrecorded: "null",
  text: (value) => JSON.stringify(value),
  number: (digits) => digits,
  json: (value) => value,
};
