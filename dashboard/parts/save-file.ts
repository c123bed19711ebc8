/** Hands a file to the reader's downloads. */

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A spreadsheet takes such values for formulas. */
const FORMULA = /^[=+\-@\t\r]/;

const cell = (value: string | number): string => {
  const text = String(value);
  return `"${(typeof value === "string" && FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
};

export const csvOf = (rows: readonly (readonly (string | number)[])[]): Blob =>
  new Blob([rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")], { type: "text/csv" });
