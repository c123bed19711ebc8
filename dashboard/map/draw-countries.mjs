/** Draws the world map: one SVG path per country, in an equal-area projection. Owner of d3-geo, topojson-client, world-atlas and i18n-iso-countries. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { geoEqualEarth, geoPath } from "d3-geo";
import { feature } from "topojson-client";

const require = createRequire(import.meta.url);

/** In SVG user units. */
const WIDTH = 960;
const HEIGHT = 440;

/** Uninhabited, and a fifth of the map. */
const ANTARCTICA = "010";

/** @returns {Promise<{ width: number, height: number, countries: Record<string, string> }>} paths by ISO 3166 alpha-2 code */
export async function drawCountries() {
  const { numericToAlpha2 } = require("i18n-iso-countries");
  const world = JSON.parse(await readFile(require.resolve("world-atlas/countries-110m.json"), "utf8"));
  const { features } = feature(world, world.objects.countries);
  const drawn = { type: "FeatureCollection", features: features.filter(({ id }) => id !== ANTARCTICA) };
  const path = geoPath(geoEqualEarth().rotate([-11, 0]).fitSize([WIDTH, HEIGHT], drawn)).digits(1);
  // A few areas have no ISO code: they are drawn, but have no visitors.
  const named = drawn.features.map((country, i) => [(country.id && numericToAlpha2(country.id)) || `-${i}`, path(country)]);
  return { width: WIDTH, height: HEIGHT, countries: Object.fromEntries(named) };
}
