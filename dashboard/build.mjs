/** Builds the dashboard's files: page, scripts, styles, font, sprites, icon and map. All names but the page's contain a content hash. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import subsetFont from "subset-font";
import { packAsset, versionOf } from "../adapters/pack-asset.mjs";
import { drawSprites } from "./kit/draw-sprites.mjs";
import { drawCountries } from "./map/draw-countries.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Where the service serves the files, relative to the page: it may be below a path of its host (`base_path`). */
const PUBLIC_PATH = "./assets";

/** Those of `words/language.ts`; the page names the files with their words. */
const LANGUAGES = ["en", "de", "fr", "es"];

const CONTENT_TYPES = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

const contentTypeOf = (name) => CONTENT_TYPES[name.slice(name.lastIndexOf(".") + 1)];

const hashedName = (stem, extension, text) => `${stem}-${versionOf(text)}.${extension}`;

/**
 * uPlot creates a number format for `navigator.language` when it is loaded, and throws if that is not a valid language tag, as in
 * browsers that take it from the system's `C.UTF-8`. The dashboard formats all numbers itself (`format/locale.ts`).
 */
const UPLOT_LANGUAGE = /\bnav\.language\b/;

const uplotPlugin = {
  name: "uplot-language",
  setup({ onLoad }) {
    onLoad({ filter: /uPlot\.esm\.js$/ }, async ({ path }) => {
      const contents = await readFile(path, "utf8");
      if (!UPLOT_LANGUAGE.test(contents)) throw new Error("uPlot no longer reads navigator.language: remove this plugin");
      return { contents: contents.replace(UPLOT_LANGUAGE, '"en"'), loader: "js" };
    });
  },
};

/** ASCII, and the letters and signs of the page's languages. Others come from the reader's fonts. */
const FONT_TEXT = `${Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("")}\u00a0\u202f
ÀÂÄÇÈÉÊËÎÏÑÓÔÖÙÚÛÜßàáâäçèéêëíîïñóôöùúûüœŒ¿¡«»€£–—‘’“”„…·−×→`;

/** Its figures are all of the same width without features of the font. Kerning would nearly double it. */
const fontPlugin = {
  name: "font-subset",
  setup({ onLoad }) {
    onLoad({ filter: /\.woff2$/ }, async ({ path }) => ({
      contents: await subsetFont(await readFile(path), FONT_TEXT, { targetFormat: "woff2", keepFeatures: [] }),
      loader: "file",
    }));
  },
};

/** A style that is not part of the page's own, but loaded with what needs it. */
async function styleOf(entry) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

/**
 * Scripts and styles as [name, text], the output name of an entry point, and the names of the app's script and of those that it
 * imports, so that the browser requests them with the page's script and not after it. `names` are those of other files, by the constants that hold them.
 */
async function bundle(names, plugins) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: ["main.ts", "before-paint.ts", "styles/main.css"],
    outdir: "out",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    assetNames: "[name]-[hash]",
    plugins: [uplotPlugin, fontPlugin, ...plugins],
    write: false,
    metafile: true,
    format: "esm",
    target: ["es2022", "chrome110", "firefox115", "safari16"],
    minify: true,
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: Object.fromEntries(Object.entries(names).map(([constant, name]) => [constant, JSON.stringify(name)])),
    tsconfigRaw: {},
    logLevel: "warning",
  });
  // Files that are imported dynamically are entry points, too.
  const entries = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) => (entryPoint ? [[entryPoint, path]] : []));
  const outputOf = Object.fromEntries(entries);
  return {
    files: outputFiles.map(({ path, text, contents }) => [basename(path), path.endsWith(".woff2") ? contents : text]),
    font: outputFiles.map(({ path }) => basename(path)).find((name) => name.endsWith(".woff2")),
    nameOf: (entry) => basename(outputOf[entry]),
    preloads: [
      basename(outputOf["app.tsx"]),
      ...metafile.outputs[outputOf["app.tsx"]].imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => basename(path)),
    ],
  };
}

/** `plugins` are further ones of esbuild. @returns the files by name; the page is index.html */
export async function buildDashboard(plugins = []) {
  const icon = await readFile(`${here}icon.svg`, "utf8");
  const map = JSON.stringify(await drawCountries());
  const [settings, explore] = await Promise.all([styleOf("styles/settings.css"), styleOf("styles/explore.css")]);
  const [iconName, mapName] = [hashedName("icon", "svg", icon), hashedName("countries", "json", map)];
  const [settingsName, exploreName] = [hashedName("settings", "css", settings), hashedName("explore", "css", explore)];
  const sprites = Object.entries(await drawSprites()).map(([kind, { svg, ids }]) => [
    kind,
    hashedName(kind, "svg", svg),
    svg,
    ids.join(" "),
  ]);
  const { files, nameOf, preloads, font } = await bundle(
    {
      COUNTRY_MAP_NAME: mapName,
      SETTINGS_STYLE_NAME: settingsName,
      EXPLORE_STYLE_NAME: exploreName,
      ...Object.fromEntries(sprites.map(([kind, name]) => [`${kind.toUpperCase()}_SPRITE_NAME`, name])),
      ...Object.fromEntries(sprites.map(([kind, , , ids]) => [`${kind.toUpperCase()}_SPRITE_IDS`, ids])),
    },
    plugins,
  );
  const names = {
    font,
    icon: iconName,
    beforePaint: nameOf("before-paint.ts"),
    style: nameOf("styles/main.css"),
    script: nameOf("main.ts"),
  };
  const words = LANGUAGES.map((language) => `${language}=${PUBLIC_PATH}/${nameOf(`words/${language}.ts`)}`).join(" ");
  const template = await readFile(`${here}index.html`, "utf8");
  const page = template
    .replace("%words%", words)
    .replace(/%(\w+)%/g, (_, name) => `${PUBLIC_PATH}/${names[name]}`)
    .replace("</head>", `${preloads.map((name) => `<link rel="modulepreload" href="${PUBLIC_PATH}/${name}" />`).join("")}</head>`);
  return Object.fromEntries(
    [
      ...files,
      ...sprites.map(([, name, svg]) => [name, svg]),
      ...[
        [iconName, icon],
        [mapName, map],
        [settingsName, settings],
        [exploreName, explore],
        ["index.html", page],
      ],
    ].map(([name, text]) => [name, packAsset(contentTypeOf(name), text)]),
  );
}
