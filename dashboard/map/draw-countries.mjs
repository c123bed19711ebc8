/**
 * Draws the world map in an equal-area projection: a path per country, and the point where it is labelled. Owner of d3-geo,
 * topojson-client, world-atlas and i18n-iso-countries.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { geoArea, geoContains, geoEqualEarth, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import { PLACES } from "./places.mjs";

const require = createRequire(import.meta.url);
const { numericToAlpha2 } = require("i18n-iso-countries");

/** Size in SVG user units. Whole units are as fine as the coarse atlas. */
const WIDTH = 1920;
const HEIGHT = 880;

/** Distance of a dot from the edge of the map. */
const MARGIN = 8;

/** Smaller countries are hard to click, so they get a dot as well. In square units; Luxembourg has about 8. */
const AREA_MIN = 40;

/** Uninhabited, and a fifth of the map. */
const ANTARCTICA = "AQ";

/** The atlas has no number for it, and it has no ISO code, but databases of addresses use this one. */
const CODES_BY_NAME = { Kosovo: "XK" };

/** The largest of these shapes belongs to the country, whatever small place lies within it: Gibraltar is a dot on Spain. */
const largestOf = (polygons) => polygons.toSorted((a, b) => geoArea(b) - geoArea(a))[0];

const readAtlas = async (/** @type {string} */ file) => JSON.parse(await readFile(file, "utf8"));

/**
 * The polygons of the atlas, each with the numbers of the lines that surround it, and with the code of its country: that of a place within
 * it, if the atlas counts the place to another.
 */
function polygonsOf(world) {
  return feature(world, world.objects.countries).features.flatMap(({ id, properties, geometry }, i) => {
    const { type, arcs } = world.objects.countries.geometries[i];
    // A few areas have no code: they are drawn, but have no visitors.
    const country = (id && numericToAlpha2(id)) || CODES_BY_NAME[properties.name] || `-${i}`;
    const parts = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
    const polygons = parts.map((coordinates) => ({ type: "Polygon", coordinates }));
    const mainland = largestOf(polygons);
    const placeIn = (polygon) => Object.keys(PLACES).find((code) => geoContains(polygon, PLACES[code]));
    return polygons.map((polygon, part) => ({
      code: (polygon !== mainland && placeIn(polygon)) || country,
      polygon,
      rings: type === "Polygon" ? arcs : arcs[part],
    }));
  });
}

/** The polygons by code. */
function byCode(polygons) {
  const groups = new Map();
  for (const { code, polygon } of polygons) groups.set(code, [...(groups.get(code) ?? []), polygon]);
  return groups;
}

/** The lines of the atlas as points of the map, without those that fall on the point before. */
function linesOf({ arcs, transform: { scale, translate } }, projection) {
  return arcs.map((arc) => {
    let [x, y] = [0, 0];
    const points = arc.map(([dx, dy]) => {
      [x, y] = [x + dx, y + dy];
      return projection([x * scale[0] + translate[0], y * scale[1] + translate[1]]).map(Math.round);
    });
    return points.filter((point, i) => i === 0 || String(point) !== String(points[i - 1]));
  });
}

/**
 * The numbers from which `world-shapes.ts` reads the outlines: the number of rings of each country, and for each ring where it begins, and
 * its lines. A line is 0, the number of its steps, and its steps; or how many lines ago it stood as the border of a neighbor, negative if
 * both follow it in the same direction. So borders are stored once.
 */
function outlinesOf(ringsOfCountries, lines) {
  const stored = new Map();
  const stepsOf = (points) => points.slice(1).flatMap(([x, y], i) => [x - points[i][0], y - points[i][1]]);
  function lineOf(arc) {
    const index = arc < 0 ? ~arc : arc;
    const known = stored.get(index);
    if (known) return [(known.arc === arc ? -1 : 1) * (stored.size - known.place)];
    stored.set(index, { arc, place: stored.size });
    const steps = stepsOf(arc < 0 ? lines[index].toReversed() : lines[index]);
    return [0, steps.length / 2, ...steps];
  }
  const startOf = (arc) => (arc < 0 ? lines[~arc].at(-1) : lines[arc][0]);
  return ringsOfCountries.flatMap((rings) => {
    // A ring begins at its distance from the ring before.
    const starts = [[0, 0], ...rings.map(([first]) => startOf(first))];
    const distances = stepsOf(starts);
    return [rings.length, ...rings.flatMap((arcs, i) => [...distances.slice(2 * i, 2 * i + 2), arcs.length, ...arcs.flatMap(lineOf)])];
  });
}

/** Digits of 46: the first 46 characters end a number, the others continue it. Those that JSON escapes are replaced. */
const DIGITS = Array.from({ length: 92 }, (_, i) => String.fromCharCode(35 + i).replace("\\", "!"));

/** Numbers as text in which most take one character. `world-shapes.ts` reads it. */
export function textOfNumbers(/** @type {readonly number[]} */ numbers) {
  return numbers
    .map((number) => {
      let [text, rest] = ["", number < 0 ? -2 * number - 1 : 2 * number];
      while (rest >= 46) [text, rest] = [text + DIGITS[46 + (rest % 46)], Math.floor(rest / 46)];
      return text + DIGITS[rest];
    })
    .join("");
}

const within = (number, size) => Math.round(Math.min(Math.max(number, MARGIN), size - MARGIN));

/**
 * Shapes are those of the coarse atlas; places that it lacks are found in the finer one.
 * @returns {Promise<import("./world-shapes.ts").WorldFile>}
 */
export async function drawCountries() {
  const [coarse, fine] = await Promise.all([
    readAtlas(require.resolve("world-atlas/countries-110m.json")),
    readAtlas(require.resolve("world-atlas/countries-50m.json")),
  ]);
  const polygons = polygonsOf(coarse).filter(({ code }) => code !== ANTARCTICA);
  const shapes = byCode(polygons);
  const drawn = { type: "GeometryCollection", geometries: [...shapes.values()].flat() };
  const projection = geoEqualEarth().rotate([-11, 0]).fitSize([WIDTH, HEIGHT], drawn);
  const path = geoPath(projection);
  const middleOf = (parts) => path.centroid(parts.toSorted((a, b) => path.area(b) - path.area(a))[0]);
  const placed = ([x, y]) => [within(x, WIDTH), within(y, HEIGHT)];

  const points = new Map(Object.entries(PLACES).map(([code, place]) => [code, placed(projection(place))]));
  for (const [code, parts] of [...byCode(polygonsOf(fine)), ...shapes]) {
    if (!code.startsWith("-")) points.set(code, placed(middleOf(parts)));
  }
  const areaOf = (code) => (shapes.get(code) ?? []).reduce((sum, part) => sum + path.area(part), 0);
  const codes = [...shapes.keys()];
  const ringsOf = (/** @type {string} */ code) => polygons.flatMap((polygon) => (polygon.code === code ? polygon.rings : []));
  return {
    width: WIDTH,
    height: HEIGHT,
    codes,
    outlines: textOfNumbers(outlinesOf(codes.map(ringsOf), linesOf(coarse, projection))),
    points: Object.fromEntries(points),
    dots: [...points.keys()].filter((code) => areaOf(code) < AREA_MIN),
  };
}
