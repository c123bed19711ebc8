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

/** Size in SVG user units, of which whole numbers are fine enough. */
const WIDTH = 9600;
const HEIGHT = 4400;

/** Distance of a dot from the edge of the map. */
const MARGIN = 40;

/** A country with a smaller shape is hard to hit, so it is drawn as a dot, too. In square units; Luxembourg has about 200. */
const AREA_MIN = 1000;

/** Uninhabited, and a fifth of the map. */
const ANTARCTICA = "AQ";

/** The atlas has no number for it, and it has no ISO code, but databases of addresses use this one. */
const CODES_BY_NAME = { Kosovo: "XK" };

/** The largest of these shapes belongs to the country, whatever small place lies within it: Gibraltar is a dot on Spain. */
const largestOf = (polygons) => polygons.toSorted((a, b) => geoArea(b) - geoArea(a))[0];

/** The polygons of the atlas, each with the code of its country: that of a place within it, if the atlas counts the place to another. */
async function polygonsOf(/** @type {string} */ file) {
  const world = JSON.parse(await readFile(file, "utf8"));
  return feature(world, world.objects.countries).features.flatMap(({ id, properties, geometry }, i) => {
    // A few areas have no code: they are drawn, but have no visitors.
    const country = (id && numericToAlpha2(id)) || CODES_BY_NAME[properties.name] || `-${i}`;
    const parts = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
    const polygons = parts.map((coordinates) => ({ type: "Polygon", coordinates }));
    const mainland = largestOf(polygons);
    const placeIn = (polygon) => Object.keys(PLACES).find((code) => geoContains(polygon, PLACES[code]));
    return polygons.map((polygon) => ({ code: (polygon !== mainland && placeIn(polygon)) || country, polygon }));
  });
}

/** The polygons by code. */
function byCode(polygons) {
  const groups = new Map();
  for (const { code, polygon } of polygons) groups.set(code, [...(groups.get(code) ?? []), polygon]);
  return groups;
}

const within = (number, size) => Math.round(Math.min(Math.max(number, MARGIN), size - MARGIN));

/** A path of whole numbers with lines relative to the point before: two thirds of the size once compressed. */
function relative(path) {
  let [x, y] = [0, 0];
  const shortened = path.replace(/([ML])(-?\d+),(-?\d+)/g, (_, command, nextX, nextY) => {
    const [dx, dy] = [nextX - x, nextY - y];
    [x, y] = [Number(nextX), Number(nextY)];
    return command === "M" ? `M${x} ${y}` : `l${dx} ${dy}`;
  });
  return shortened.replaceAll(" -", "-");
}

/**
 * Shapes are those of the coarse atlas; places that it lacks are found in the finer one.
 * @returns {Promise<import("./world-shapes.ts").WorldShapes>}
 */
export async function drawCountries() {
  const shapes = byCode((await polygonsOf(require.resolve("world-atlas/countries-110m.json"))).filter(({ code }) => code !== ANTARCTICA));
  const drawn = { type: "GeometryCollection", geometries: [...shapes.values()].flat() };
  const projection = geoEqualEarth().rotate([-11, 0]).fitSize([WIDTH, HEIGHT], drawn);
  const path = geoPath(projection).digits(0);
  const pathOf = (parts) => relative(path({ type: "GeometryCollection", geometries: parts }));
  const middleOf = (parts) => path.centroid(parts.toSorted((a, b) => path.area(b) - path.area(a))[0]);
  const placed = ([x, y]) => [within(x, WIDTH), within(y, HEIGHT)];

  const finer = byCode(await polygonsOf(require.resolve("world-atlas/countries-50m.json")));
  const points = new Map(Object.entries(PLACES).map(([code, place]) => [code, placed(projection(place))]));
  for (const [code, parts] of [...finer, ...shapes]) {
    if (!code.startsWith("-")) points.set(code, placed(middleOf(parts)));
  }
  const areaOf = (code) => (shapes.get(code) ?? []).reduce((sum, part) => sum + path.area(part), 0);
  return {
    width: WIDTH,
    height: HEIGHT,
    countries: Object.fromEntries([...shapes].map(([code, parts]) => [code, pathOf(parts)])),
    points: Object.fromEntries(points),
    dots: [...points.keys()].filter((code) => areaOf(code) < AREA_MIN),
  };
}
