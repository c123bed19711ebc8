/** Decides how the countries of the world are drawn: one SVG path each, in a projection that shows sizes fairly. Owner of d3-geo, topojson-client, world-atlas and i18n-iso-countries. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { geoEqualEarth, geoPath } from "d3-geo";
import { feature } from "topojson-client";

const require = createRequire(import.meta.url);

/** In units of the drawing, which scales to any size. */
const WIDTH = 960;
const HEIGHT = 440;

/** Nobody lives there, and it takes a fifth of the drawing. */
const ANTARCTICA = "010";

/** @returns {Promise<{ width: number, height: number, countries: Record<string, string> }>} paths by ISO 3166 alpha-2 code */
export async function drawCountries() {
  const { numericToAlpha2 } = require("i18n-iso-countries");
  const world = JSON.parse(await readFile(require.resolve("world-atlas/countries-110m.json"), "utf8"));
  const { features } = feature(world, world.objects.countries);
  const drawn = { type: "FeatureCollection", features: features.filter(({ id }) => id !== ANTARCTICA) };
  const path = geoPath(geoEqualEarth().rotate([-11, 0]).fitSize([WIDTH, HEIGHT], drawn)).digits(1);
  // A few areas have no code of their own: they are part of the picture, and no visitor is counted there.
  const named = drawn.features.map((country, i) => [(country.id && numericToAlpha2(country.id)) || `-${i}`, path(country)]);
  return { width: WIDTH, height: HEIGHT, countries: Object.fromEntries(named) };
}
