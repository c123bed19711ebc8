/** The sprites of glyphs: a symbol for each country, and nothing that a browser would load or run. */
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { drawSprites } from "../../../../dashboard/kit/draw-sprites.mjs";

const countries = createRequire(import.meta.url)("i18n-iso-countries") as { getAlpha2Codes(): Record<string, string> };

const sprites = Object.entries(await drawSprites());

const GZIPPED_BYTES_MAX = 5000;
const isSmall = (sizes: Readonly<Record<string, number>>): boolean => Object.values(sizes).every((size) => size < GZIPPED_BYTES_MAX);

describe("sprites", () => {
  it("have a flag for each country's code", () => {
    const flags = new Set(sprites.filter(([name]) => name.startsWith("flags")).flatMap(([, { ids }]) => ids));
    expect(Object.keys(countries.getAlpha2Codes()).filter((code) => !flags.has(code.toLowerCase()))).toEqual([]);
  });

  it("have no symbol twice, and what most sites show in small files", () => {
    const [flags = [], more = []] = ["flags", "flags-more"].map((name) => sprites.find(([sprite]) => sprite === name)?.[1].ids);
    expect(flags.filter((id) => more.includes(id))).toEqual([]);
    const sizes = Object.fromEntries(sprites.map(([name, { svg }]) => [name, gzipSync(svg).length]));
    for (const name of ["flags", "browsers", "systems", "sources"]) expect({ [name]: sizes[name] ?? Infinity }).toSatisfy(isSmall);
  });

  it.each(sprites)("%s: ids are unique, and each symbol draws something", (_kind, { svg, ids }) => {
    expect(new Set(ids).size).toBe(ids.length);
    const symbols = [...svg.matchAll(/<symbol id="([^"]+)"[^>]*>(.*?)<\/symbol>/gs)];
    expect(symbols.map(([, id]) => id)).toEqual(ids);
    for (const [, id, content = ""] of symbols) expect(content, id).toMatch(/<(?:path|g|circle)/);
  });

  it.each(sprites)("%s: nothing in it refers to another file or runs", (_kind, { svg }) => {
    expect(svg.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:|url\(|href|<script|<style|\son\w+=/);
  });
});
