/** Which source file imports which, and how packages are tied by that. Type-only imports count. */
import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";

export interface Import {
  readonly from: string;
  readonly to: string;
}

/** `import … from`, `export … from`, `import("…")` as a call or a type, and `import "…"` alone. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

/** The imports among these files. */
export function importsAmong(sources: readonly SourceFile[]): Import[] {
  const paths = new Set(sources.map(({ path }) => path));
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(SPECIFIER)]
      .map(([, specifier = ""]) => ({ from: path, to: posix.join(posix.dirname(path), specifier) }))
      .filter(({ to }) => paths.has(to)),
  );
}

/** One cycle for each import that closes one, as the nodes along it, found by a depth-first search. */
export function cyclesIn(all: readonly Import[]): string[] {
  const importsOf = new Map<string, string[]>();
  for (const { from, to } of all) importsOf.set(from, [...(importsOf.get(from) ?? []), to]);
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, way: readonly string[]): void => {
    const start = way.indexOf(node);
    if (start !== -1) cycles.push([...way.slice(start), node].join(" → "));
    if (start !== -1 || finished.has(node)) return;
    for (const imported of importsOf.get(node) ?? []) visit(imported, [...way, node]);
    finished.add(node);
  };
  for (const node of importsOf.keys()) visit(node, []);
  return cycles;
}

/** A folder of src/runtime, or one of the layers around it; null for the browser's code, which imports none of them. */
export function packageOf(path: string): string | null {
  const [, layer = null, folder] = /^(src\/\w+|adapters)\/(?:(\w+)\/)?/.exec(path) ?? [];
  return layer === "src/runtime" ? (folder ?? layer) : layer;
}

/** Each pair of packages of which one imports from the other, once. */
export function packageTies(imports: readonly Import[]): Import[] {
  const ties = new Map<string, Import>();
  for (const { from, to } of imports) {
    const [importing, imported] = [packageOf(from), packageOf(to)];
    if (importing && imported && importing !== imported) ties.set(`${importing} → ${imported}`, { from: importing, to: imported });
  }
  return [...ties.values()];
}
