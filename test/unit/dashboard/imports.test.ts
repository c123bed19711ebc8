/** No file of the dashboard or the tracker imports itself through others; type-only imports count. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The imported files of each file, by path. */
function importsBelow(folder: string): Map<string, readonly string[]> {
  const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter((path) => /\.(tsx?|mjs)$/.test(path));
  return new Map(
    paths.map((path) => {
      const imported = readFileSync(join(ROOT, folder, path), "utf8").matchAll(/(?:from|import) "(\.[^"]+)"/g);
      return [path, [...imported].map(([, name = ""]) => normalize(join(dirname(path), name)))];
    }),
  );
}

/** The first cycle found, as a path that ends where it begins; null without one. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const imported of imports.get(path) ?? []) {
      const cycle = visit(imported, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return null;
  };
  for (const path of imports.keys()) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return null;
}

it.each(["dashboard", "tracker"])("%s has no import cycle", (folder) => {
  const imports = importsBelow(folder);
  expect([...imports.values()].flat().length).toBeGreaterThan(10);
  expect(findCycle(imports)).toBeNull();
});

it("the search finds a cycle behind other files", () => {
  const imports = new Map([
    ["a.ts", ["b.ts"]],
    ["b.ts", ["c.ts"]],
    ["c.ts", ["b.ts"]],
  ]);
  expect(findCycle(imports)).toEqual(["b.ts", "c.ts", "b.ts"]);
});
