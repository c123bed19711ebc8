/** The map has a place for every country that an event can have. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { encodeCountryRanges } from "../../../../adapters/workerd/encode-country-ranges.mjs";
import fc from "fast-check";
import { drawCountries, textOfNumbers } from "../../../../dashboard/map/draw-countries.mjs";
import { numbersOf, shapesOf, type WorldFile, type WorldShapes } from "../../../../dashboard/map/world-shapes.ts";

const require = createRequire(import.meta.url);

const GZIPPED_BYTES_MAX = 14 * 1024;

/** All codes of the built-in database: the packed one begins with two numbers, its time and the length of the codes, and the codes. */
function databaseCodes(): string[] {
  const packed = encodeCountryRanges(
    readFileSync(require.resolve("@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb")),
  );
  const numberEnd = (from: number): number => packed.findIndex((byte, i) => i >= from && byte < 0x80) + 1;
  const [lengthAt, codesAt] = [numberEnd(0), numberEnd(numberEnd(0))];
  const length = packed.subarray(lengthAt, codesAt).reduce((sum, byte, i) => sum + (byte & 0x7f) * 128 ** i, 0);
  return new TextDecoder().decode(packed.subarray(codesAt, codesAt + length)).match(/[A-Z]{2}/g) ?? [];
}

describe("the world map", () => {
  let file: WorldFile;
  let map: WorldShapes;
  beforeAll(async () => {
    file = await drawCountries();
    map = shapesOf(file);
  });

  const isVisible = (code: string): boolean => map.countries[code] !== undefined || map.dots.includes(code);

  it("every country of the address database has a shape or a dot, and a point within the map to label it", () => {
    const codes = databaseCodes();
    expect(codes.length).toBeGreaterThan(245);
    expect(codes.filter((code) => !isVisible(code))).toEqual([]);
    const isWithin = (code: string) => {
      const [x, y] = map.points[code] ?? [-1, -1];
      return x > 0 && x < map.width && y > 0 && y < map.height;
    };
    expect(codes.filter((code) => !isWithin(code))).toEqual([]);
  });

  it("every ISO 3166 code has a shape or a dot", () => {
    const iso = require("i18n-iso-countries/codes.json") as readonly (readonly [alpha2: string])[];
    expect(iso.length).toBeGreaterThan(245);
    expect(iso.map(([code]) => code).filter((code) => !isVisible(code))).toEqual([]);
  });

  it("countries that are too small to see are dots, and only those", () => {
    for (const code of ["SG", "MT", "MC", "HK", "LI", "BH", "MV", "LU", "XK", "GI"])
      expect([code, map.dots.includes(code)]).toEqual([code, true]);
    for (const code of ["DE", "ES", "FR", "US", "CH", "GF", "SJ"]) expect([code, map.dots.includes(code)]).toEqual([code, false]);
  });

  it("a country is labelled on its largest part", () => {
    const [[franceX, franceY], [guianaX, guianaY]] = [map.points["FR"] ?? [0, 0], map.points["GF"] ?? [0, 0]];
    expect(franceX - guianaX).toBeGreaterThan(map.width / 10);
    expect(guianaY - franceY).toBeGreaterThan(map.height / 5);
  });

  /** Corners of each ring, in units of the map. */
  function ringsOf(path: string): (readonly [number, number])[][] {
    let [startX, startY] = [0, 0];
    return path.split("z").flatMap((ring) => {
      const [dx, dy, ...steps] = (ring.match(/-?\d+/g) ?? []).map(Number);
      if (dx === undefined || dy === undefined) return [];
      [startX, startY] = [startX + dx, startY + dy];
      const corners: (readonly [number, number])[] = [[startX, startY]];
      for (let i = 0; i < steps.length; i += 2) {
        const [x, y] = corners.at(-1) ?? [0, 0];
        corners.push([x + (steps[i] ?? 0), y + (steps[i + 1] ?? 0)]);
      }
      return [corners];
    });
  }

  it("the ring of a country ends where it begins, and lies within the map", () => {
    for (const [code, path] of Object.entries(map.countries)) {
      const rings = ringsOf(path);
      expect(rings.length, code).toBeGreaterThan(0);
      for (const corners of rings) {
        expect({ code, end: corners.at(-1) }).toEqual({ code, end: corners[0] });
        const isWithin = corners.every(([x, y]) => x >= 0 && x <= map.width && y >= 0 && y <= map.height);
        expect({ code, isWithin }).toEqual({ code, isWithin: true });
      }
    }
  });

  it("neighbors share the corners of their border", () => {
    const cornersOf = (code: string) =>
      ringsOf(map.countries[code] ?? "")
        .flat()
        .map(String);
    const german = new Set(cornersOf("DE"));
    for (const code of ["FR", "PL", "AT", "CH", "CZ", "NL"])
      expect([code, cornersOf(code).filter((corner) => german.has(corner)).length]).toEqual([code, expect.toSatisfy((n: number) => n > 2)]);
  });

  it("numbers are read as they were written", () => {
    const integer = fc.integer({ min: -1_000_000, max: 1_000_000 });
    fc.assert(
      fc.property(fc.array(integer), (numbers) => {
        const next = numbersOf(textOfNumbers(numbers));
        expect(numbers.map(next)).toEqual(numbers);
      }),
    );
  });

  it("the drawn world map is small", () => {
    expect(gzipSync(JSON.stringify(file)).length).toBeLessThan(GZIPPED_BYTES_MAX);
  });
});
