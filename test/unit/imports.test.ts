/** Files and packages import each other without circles. Type-only imports count. */
import { describe, expect, it } from "vitest";
import { productSources } from "../support/source-files.ts";
import { cyclesIn, importsAmong, packageTies } from "../support/source-imports.ts";

const imports = importsAmong(productSources());
const ties = packageTies(imports);

describe("imports", () => {
  it("imports between files form no circle; move what both need into a file of its own", () => {
    expect(cyclesIn(imports)).toEqual([]);
  });

  it("imports between packages form no circle, however long; move what both need into the lower one", () => {
    expect(cyclesIn(ties)).toEqual([]);
  });

  it("every file of src/runtime belongs to a package, and base imports none of the others", () => {
    const names = new Set(ties.flatMap(({ from, to }) => [from, to]));
    expect(names.has("src/runtime")).toBe(false);
    expect(ties.flatMap(({ from, to }) => (from === "base" ? [to] : [])).sort()).toEqual(["src/shared", "src/storage"]);
  });

  it("only the wiring and the adapters import the other backend", () => {
    expect(ties.flatMap(({ from, to }) => (to === "clickhouse" ? [from] : [])).sort()).toEqual(["adapters", "service"]);
  });

  it("src/shared imports nothing of the rest, and dashboard and tracker nothing of src but src/shared", () => {
    const layer = (path: string): string => /^(?:src\/)?\w+/.exec(path)?.[0] ?? path;
    const isForeign = ({ from, to }: (typeof imports)[number]): boolean =>
      layer(from) !== layer(to) &&
      (layer(from) === "src/shared" || (["dashboard", "tracker"].includes(layer(from)) && layer(to) !== "src/shared"));
    expect(imports.filter(isForeign)).toEqual([]);
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
