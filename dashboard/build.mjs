/** Builds the dashboard's files: page, scripts, styles, fonts, sprites, icon and map. All names but the page's contain a content hash. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import subsetFont from "subset-font";
import { packAsset, versionOf } from "../adapters/pack-asset.mjs";
import { drawSprites } from "./kit/draw-sprites.mjs";
import { drawCountries } from "./map/draw-countries.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Where the service serves the files, relative to the page: it may be below a path of its host (`base_path`). */
const PUBLIC_PATH = "./assets";

/** The languages of `words/language.ts`. The page lists the files of their words. */
const LANGUAGES = ["en", "de", "fr", "es"];

const CONTENT_TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** What the page and its style load. Scripts load other files by their names without the hash (`kit/later-files.ts`). */
const PAGE_FILES = ["icon", "main", "display", "display-more", "tracks"];

const contentTypeOf = (name) => CONTENT_TYPES[name.slice(name.lastIndexOf(".") + 1)];

/**
 * Removes a quarter of uPlot that the dashboard does not use: scales other than linear ones of numbers, upright and scatter charts, the
 * legend, and the focus on a series. uPlot also creates a number format for `navigator.language`, and throws if that is not a valid language
 * tag, as in browsers that take it from the system's `C.UTF-8`. The dashboard formats all numbers itself (`format/locale.ts`).
 */
const UPLOT_EDITS = /** @type {const} */ ([
  [/\bnav\.language\b/g, '"en"'],
  [/\b(?:\w+\.)?(?:xScaleDistr|distr) (?:==|>=) (?:2|3|4|100)\b/g, "false"],
  [/let isTime = .*/g, "const isTime = false;"],
  [/const (?:\[ timeIncrs|_timeAxisSplits|_timeAxisVals|_timeSeriesVal|_tzDate|_fmtDate).*/g, ""],
  [/\b(?:mode == 2|scaleX\.ori == 1)\b/g, "false"],
  [/\b(?:mode == 1|scaleX\.ori == 0)\b/g, "true"],
  [/const cursorFocus = .*/g, "const cursorFocus = false;"],
  [/const showLegend = legend\.show;/g, "const showLegend = false;"],
  [/uPlot\.(?:join|fmtDate|tzDate|rangeLog|rangeAsinh|addGap|clipGaps) *= \w+;/g, ""],
  [/\(paths\.(?:linear|stepped|spline) *= \w+\);/g, ""],
]);

const uplotPlugin = {
  name: "uplot-parts",
  transform: {
    filter: { id: /uPlot\.esm\.js$/ },
    handler: (/** @type {string} */ code) =>
      UPLOT_EDITS.reduce((text, [part, replacement]) => {
        if (text.search(part) < 0) throw new Error(`uPlot no longer contains ${part}: adapt UPLOT_EDITS`);
        return text.replace(part, replacement);
      }, code),
  },
};

/**
 * The files of the display face: what English sentences and numbers consist of, and further letters and signs, which `styles/base.css` loads
 * when a text has one. Other characters come from the reader's fonts.
 */
const FONT_TEXTS = {
  "display.woff2": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 !\"$%&'()+,-./:;?\u00a0\u202f–—‘’“”…−×€£",
  "display-more.woff2": "ÀÂÄÇÈÉÊËÎÏÑÓÔÖÙÚÛÜßàáâäçèéêëíîïñóôöùúûüœŒ¿¡«»„·→#*<=>@[\\]^_`{|}~",
};

const FONT_FILE = fileURLToPath(new URL("../node_modules/@fontsource/newsreader/files/newsreader-latin-500-normal.woff2", import.meta.url));

/** Its figures are all of the same width without features of the font. Kerning would nearly double it. */
const fontPlugin = {
  name: "font-subsets",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^display.*\.woff2$/ }, ({ path }) => ({ path, namespace: "font" }));
    onLoad({ filter: /.*/, namespace: "font" }, async ({ path }) => ({
      contents: await subsetFont(await readFile(FONT_FILE), FONT_TEXTS[path], { targetFormat: "woff2", keepFeatures: [] }),
      loader: "file",
    }));
  },
};

const TARGET = ["es2022", "chrome110", "firefox115", "safari16"];

/** Styles and fonts as [name, content]. */
async function bundleStyles(plugins) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: ["styles/main.css", "styles/later.css"],
    outdir: "out",
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".svg": "file" },
    bundle: true,
    minify: true,
    write: false,
    target: TARGET,
    plugins: [fontPlugin, ...plugins],
    logLevel: "warning",
  });
  return outputFiles.map(({ path, text, contents }) => [basename(path), path.endsWith(".woff2") ? contents : text]);
}

/**
 * Scripts as [name, text], the output name of an entry point, and the names of the app's script and of those that it imports, so that the
 * browser requests them with the page's script and not after it. The code of the first view is one file, which compresses better than the
 * parts that later code imports from it. `main.ts`, which loads the words, comes before.
 */
async function bundleScripts(constants, plugins) {
  const bundle = await rolldown({
    cwd: here,
    input: ["main.ts", "before-paint.ts"],
    platform: "browser",
    tsconfig: false,
    plugins: [uplotPlugin, ...plugins],
    transform: {
      target: TARGET,
      jsx: { runtime: "automatic", importSource: "preact" },
      define: Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)])),
    },
  });
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    comments: { legal: false },
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: [
        { name: "main", test: /dashboard.main\.ts$/, priority: 2 },
        { name: "app", test: /dashboard.app\.tsx$/, priority: 1 },
        { name: "map", test: /dashboard.map.country-map\.tsx$/ },
      ],
    },
  });
  await bundle.close();
  const outputOf = (/** @type {string} */ entry) => output.find(({ moduleIds }) => moduleIds.includes(here + entry));
  return {
    scripts: output.map(({ fileName, code }) => [fileName, code]),
    nameOf: (/** @type {string} */ entry) => outputOf(entry).fileName,
    preloads: [outputOf("app.tsx").fileName, ...outputOf("app.tsx").imports],
  };
}

/** Icon, map and sprites as [name, text], and the ids of the sprites' symbols. */
async function draw() {
  const sprites = await drawSprites();
  return {
    drawings: [
      ["icon", "svg", await readFile(`${here}icon.svg`, "utf8")],
      ["countries", "json", JSON.stringify(await drawCountries())],
      ...Object.entries(sprites).map(([name, { svg }]) => [name, "svg", svg]),
    ].map(([stem, extension, text]) => [`${stem}-${versionOf(text)}.${extension}`, text]),
    // Rare flags are not listed: every country code has a flag.
    spriteIds: Object.fromEntries(
      Object.entries(sprites).flatMap(([name, { ids }]) => (name === "flags-more" ? [] : [[name, ids.join(" ")]])),
    ),
  };
}

const stemOf = (/** @type {string} */ name) => name.slice(0, name.lastIndexOf("-"));

/** @param {import("../adapters/licenses.mjs").BundledLicenses} [licenses] @returns the files by name; the page is index.html */
export async function buildDashboard(licenses) {
  const [styles, { drawings, spriteIds }] = await Promise.all([bundleStyles(licenses ? [licenses.plugin] : []), draw()]);
  const names = Object.fromEntries([...styles, ...drawings].map(([name]) => [stemOf(name), name]));
  const laterFiles = Object.fromEntries(Object.entries(names).filter(([stem]) => !PAGE_FILES.includes(stem)));
  const { scripts, nameOf, preloads } = await bundleScripts(
    { LATER_FILES: laterFiles, SPRITE_IDS: spriteIds },
    licenses ? [licenses.scriptsPlugin] : [],
  );
  const inPage = {
    font: names.display,
    icon: names.icon,
    style: names.main,
    beforePaint: nameOf("before-paint.ts"),
    script: nameOf("main.ts"),
  };
  const words = LANGUAGES.map((language) => `${language}=${nameOf(`words/${language}.ts`)}`).join(" ");
  const template = await readFile(`${here}index.html`, "utf8");
  const page = template
    .replace("%words%", words)
    .replace(/%(\w+)%/g, (_match, name) => `${PUBLIC_PATH}/${inPage[name]}`)
    .replace("</head>", `${preloads.map((name) => `<link rel="modulepreload" href="${PUBLIC_PATH}/${name}" />`).join("")}</head>`);
  const files = [...scripts, ...styles, ...drawings, ["index.html", page]];
  return Object.fromEntries(files.map(([name, content]) => [name, packAsset(contentTypeOf(name), content)]));
}
