/** The folders of the dashboard import one way, and no file imports itself through others; type-only imports count. */
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { sourcesBelow } from "../../support/source-files.ts";

/** A folder imports from itself and from those before it: what it knows, the page's vocabulary, its parts, and the pages. */
const FOLDERS = [
  ...["words", "api", "state", "format", "kit"],
  ...["changes", "charts", "filters", "map", "cards", "explore", "bots", "realtime", "setup", "imports", "settings"],
  ...["page", "sites", "guest"],
];

interface Import {
  readonly from: string;
  readonly to: string;
}

/** `import … from`, `export … from`, `import("…")`, and `import "…"` alone. */
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

const importsBelow = (folder: string): readonly Import[] =>
  sourcesBelow(folder).flatMap(({ path, text }) =>
    [...text.matchAll(SPECIFIER)].map(([, name = ""]) => ({ from: path, to: posix.join(posix.dirname(path), name) })),
  );

/** The first cycle found, as a path that ends where it begins; null without one. */
function findCycle(imports: readonly Import[]): readonly string[] | null {
  const importedBy = new Map<string, string[]>();
  for (const { from, to } of imports) importedBy.set(from, [...(importedBy.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const to of importedBy.get(path) ?? []) {
      const cycle = visit(to, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return null;
  };
  for (const path of importedBy.keys()) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return null;
}

const dashboard = importsBelow("dashboard");

/** The folder of a file; undefined for `main.ts` and its neighbors, and for files outside the dashboard. */
const folderOf = (path: string): string | undefined => /^dashboard\/([^/]+)\//.exec(path)?.[1];

describe("imports", () => {
  it.each(["dashboard", "tracker"])("%s: no file imports itself through others", (folder) => {
    const imports = importsBelow(folder);
    expect(imports.length).toBeGreaterThan(10);
    expect(findCycle(imports)).toBeNull();
  });

  it("dashboard: the order of the folders names each of them", () => {
    const folders = new Set(dashboard.flatMap(({ from }) => folderOf(from) ?? []));
    expect([...folders].sort()).toEqual([...FOLDERS].sort());
  });

  it("dashboard: folders import only from folders before them; move what an earlier one needs down to it", () => {
    const rank = (path: string): number => FOLDERS.indexOf(folderOf(path) ?? "");
    const upward = dashboard.filter(
      ({ from, to }) => folderOf(from) !== undefined && (rank(to) > rank(from) || to.startsWith("dashboard/main")),
    );
    expect(upward.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("the search finds a cycle behind other files", () => {
    const chain = [
      ["a", "b"],
      ["b", "c"],
      ["c", "b"],
    ].map(([from = "", to = ""]) => ({ from, to }));
    expect(findCycle(chain)).toEqual(["b", "c", "b"]);
  });
});
