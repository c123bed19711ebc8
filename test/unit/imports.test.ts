/** How files depend on each other: no import cycles, and the rooms of src/runtime in levels. Type-only imports count. */
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { productSources } from "../support/source-files.ts";

/** Rooms may import from rooms of lower levels, and from others of their own level as long as those do not import back. */
const LEVELS: readonly (readonly string[])[] = [
  ["services"],
  ["jobs"],
  ["reports"],
  ["execution"],
  ["rollups"],
  ["engine"],
  ["query", "installation"],
  ["ingest", "auth", "sites"],
  ["config", "metrics", "assets"],
  ["errors", "names"],
  ["storage"],
];

const ROOMS_MAX = 15;

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

/** A folder or a loose file of src/runtime; all of src/storage is one. Null for files that are in no room. */
function roomOf(path: string): string | null {
  if (path.startsWith("src/storage/")) return "storage";
  return /^src\/runtime\/([^/.]+)/.exec(path)?.[1] ?? null;
}

const levelOf = (room: string): number => LEVELS.findIndex((rooms) => rooms.includes(room));

/** Imports from one room into another, by `from → to`. */
const ties = new Map<string, Import[]>();
for (const found of imports) {
  const [from, to] = [roomOf(found.from), roomOf(found.to)];
  if (from === null || to === null || from === to) continue;
  const tie = `${from} → ${to}`;
  ties.set(tie, [...(ties.get(tie) ?? []), found]);
}

function runsUpward({ from, to }: Import): boolean {
  const [fromRoom, toRoom] = [roomOf(from) ?? "", roomOf(to) ?? ""];
  if (levelOf(fromRoom) !== levelOf(toRoom)) return levelOf(fromRoom) > levelOf(toRoom);
  return ties.has(`${toRoom} → ${fromRoom}`);
}

const rooms = [...new Set([...paths].map(roomOf).filter((room) => room !== null))].sort();

describe("imports", () => {
  it("form no cycle between files; move what both need into a file of its own", () => {
    expect(cyclesIn(imports)).toEqual([]);
  });

  it("find a cycle where there is one, also through several files", () => {
    const chain = [
      ["a", "b"],
      ["b", "c"],
      ["c", "a"],
      ["c", "d"],
    ].map(([from = "", to = ""]) => ({ from, to }));
    expect(cyclesIn(chain)).toEqual(["a → b → c → a"]);
  });

  it("of src/runtime run from higher levels to lower ones; move what a lower room needs down to it", () => {
    const upward = [...ties.values()].flat().filter(runsUpward);
    expect(upward.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("of src/runtime and src/storage never reach up into handlers", () => {
    const upward = imports.filter(({ from, to }) => roomOf(from) !== null && to.startsWith("src/handlers/"));
    expect(upward).toEqual([]);
  });
});

describe("the rooms of src/runtime", () => {
  it(`are ${ROOMS_MAX} at most, each with a level of its own or a shared one`, () => {
    const inRuntime = rooms.filter((room) => room !== "storage");
    expect(inRuntime.filter((room) => levelOf(room) === -1)).toEqual([]);
    expect(inRuntime.length).toBeLessThanOrEqual(ROOMS_MAX);
    process.stdout.write(`${inRuntime.length} rooms, ${ties.size} ties\n`);
    for (const [tie, { length }] of [...ties].sort()) process.stdout.write(`  ${tie}: ${length}\n`);
  });
});
