/** Files and packages import each other without circles. Type-only imports count. */
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { productSources } from "../support/source-files.ts";

interface Import {
  readonly from: string;
  readonly to: string;
}

/** `import … from`, `export … from`, `import("…")` as a call or a type, and `import "…"` alone. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

const sources = productSources();
const paths = new Set(sources.map(({ path }) => path));

const imports: readonly Import[] = sources.flatMap(({ path, text }) =>
  [...text.matchAll(SPECIFIER)]
    .map(([, specifier = ""]) => ({ from: path, to: posix.join(posix.dirname(path), specifier) }))
    .filter(({ to }) => paths.has(to)),
);

/** One cycle for each import that closes one, as the files on the way; found by a search in depth. */
function cyclesIn(all: readonly Import[]): string[] {
  const importsOf = new Map<string, string[]>();
  for (const { from, to } of all) importsOf.set(from, [...(importsOf.get(from) ?? []), to]);
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start !== -1) cycles.push([...way.slice(start), file].join(" → "));
    if (start !== -1 || finished.has(file)) return;
    for (const imported of importsOf.get(file) ?? []) visit(imported, [...way, file]);
    finished.add(file);
  };
  for (const file of importsOf.keys()) visit(file, []);
  return cycles;
}

/** A folder of src/runtime, or one of the layers around it; null for the browser's code, which imports none of them. */
function packageOf(path: string): string | null {
  const [, layer = null, folder] = /^(src\/\w+|adapters)\/(?:(\w+)\/)?/.exec(path) ?? [];
  return layer === "src/runtime" ? (folder ?? layer) : layer;
}

/** Imports from one package into another, by `from → to`. */
const ties = new Map<string, Import>();
for (const { from, to } of imports) {
  const [importing, imported] = [packageOf(from), packageOf(to)];
  if (importing && imported && importing !== imported) ties.set(`${importing} → ${imported}`, { from: importing, to: imported });
}

describe("imports", () => {
  it("imports between files form no circle; move what both need into a file of its own", () => {
    expect(cyclesIn(imports)).toEqual([]);
  });

  it("imports between packages form no circle, however long; move what both need into the lower one", () => {
    expect(cyclesIn([...ties.values()])).toEqual([]);
  });

  it("all of src/runtime is in packages, and base imports none of the others", () => {
    const names = new Set([...ties.values()].flatMap(({ from, to }) => [from, to]));
    expect(names.has("src/runtime")).toBe(false);
    expect([...ties.values()].filter(({ from }) => from === "base").map(({ to }) => to)).toEqual(["src/storage"]);
  });

  it("the check finds a circle through several files", () => {
    const chain = [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
      ["c", "d"],
    ].map(([from = "", to = ""]) => ({ from, to }));
    expect(cyclesIn(chain)).toEqual(["a → b → c → a"]);
  });
});
