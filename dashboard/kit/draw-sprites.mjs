/**
 * Draws the sprites of glyphs: SVG files with flags, browsers, systems and sources, each of which a page loads when it shows the first of
 * its symbols. Flags and sources that few sites show are in files of their own. Owner of circle-flags, simple-icons and svgo. Brands
 * without an icon there get a letter (`glyph.tsx`).
 */
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { optimize } from "svgo";

const MODULES = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const FLAGS = `${MODULES}circle-flags/flags/`;
const ICONS = `${MODULES}simple-icons/icons/`;

/** Icons by the names that reports have. A name that an icon file has, too, stands alone. */
const BROWSERS = {
  Chrome: "googlechrome",
  Firefox: "firefoxbrowser",
  ...named("Opera Brave Vivaldi DuckDuckGo LibreWolf"),
  "Tor Browser": "torbrowser",
};

const APPLE = "apple";

const SYSTEMS = {
  ...{ macOS: APPLE, iOS: APPLE, iPadOS: APPLE, "Chrome OS": "googlechrome", ChromeOS: "googlechrome" },
  ...named("Android Linux Ubuntu Debian Fedora FreeBSD HarmonyOS KaiOS"),
};

const SOURCES = {
  "Hacker News": "ycombinator",
  "Y Combinator": "ycombinator",
  "dev.to": "devdotto",
  "Product Hunt": "producthunt",
  "Stack Overflow": "stackoverflow",
  Gemini: "googlegemini",
  ...named("Bluesky Brave Claude Discord DuckDuckGo Ecosia Facebook Feedly Flipboard GitHub GitLab Gmail Google Hashnode Instagram Kagi"),
  ...named("Line Lobsters Mastodon Medium Naver Patreon Perplexity Pinterest Qwant Quora Reddit Startpage Steam Substack Telegram Threads"),
  ...named("TikTok Tumblr Twitch Vimeo VK WhatsApp Wikipedia X YouTube"),
};

/** Countries with most visitors of the web. */
const COMMON_FLAGS =
  "ar at au be br ca ch cl cn co cz de dk es fi fr gb gr hk hu id ie il in it jp kr mx nl no pl pt ro se sg th tr tw ua us vn za";

const COMMON_SOURCES = "direct duckduckgo facebook github google hacker-news instagram reddit x youtube";

/** Drawn here: simple shapes that the packages lack. */
const OWN = {
  browsers: {
    // The icon has 72 strokes, which no glyph shows.
    Safari:
      '<path d="M12 0a12 12 0 1 0 0 24 12 12 0 0 0 0-24zm0 1.6a10.4 10.4 0 1 1 0 20.8 10.4 10.4 0 0 1 0-20.8zm7 3.4-8.4 5.6-5.6 8.4 8.4-5.6z"/>',
  },
  systems: { Windows: '<path d="M2 3.5h9.3v8H2zM12.7 3.5H22v8h-9.3zM2 12.9h9.3v8H2zM12.7 12.9H22v8h-9.3z"/>' },
  sources: { direct: '<path d="M3 11h12.2l-4.6-4.6L12 5l7 7-7 7-1.4-1.4 4.6-4.6H3z"/>' },
};

/** @param {string} names */
function named(names) {
  return Object.fromEntries(names.split(" ").map((name) => [name, name.toLowerCase()]));
}

/** The id of a name's symbol. `glyph.tsx` repeats it. @param {string} name */
const idOf = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** @typedef {readonly [id: string, size: number, content: string]} DrawnSymbol */

/** Digits after the point, by the size of the drawing: glyphs are 16 px large. */
const PRECISION = /** @type {const} */ ({ 24: 1, 512: 0 });

/** @param {DrawnSymbol} symbol */
function symbolOf([id, size, content]) {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">${content}</svg>`;
  const { data } = optimize(drawing, { multipass: true, floatPrecision: PRECISION[/** @type {24 | 512} */ (size)] });
  return `<symbol id="${id}" viewBox="0 0 ${size} ${size}">${data.replace(/^<svg[^>]*>|<\/svg>$/g, "")}</symbol>`;
}

/** @param {readonly DrawnSymbol[]} symbols */
const spriteOf = (symbols) => ({
  svg: `<svg xmlns="http://www.w3.org/2000/svg">${symbols.map(symbolOf).join("")}</svg>`,
  ids: symbols.map(([id]) => id),
});

/** @param {readonly DrawnSymbol[]} symbols @param {string} ids */
function commonOf(symbols, ids) {
  const names = ids.split(" ");
  const common = symbols.filter(([id]) => names.includes(id));
  if (common.length < names.length) throw new Error(`There is no symbol for one of these: ${ids}`);
  return common;
}

/** The mask makes the flag round, which the page's style does as well. @param {string} svg */
function flagIn(svg) {
  const content = /<g mask="url\(#a\)">(.*)<\/g><\/svg>/s.exec(svg)?.[1];
  if (content === undefined || content.includes("url(#")) throw new Error("circle-flags draws flags in another way: adapt this function");
  return content;
}

async function flags() {
  const names = (await readdir(FLAGS)).filter((name) => /^[a-z]{2}\.svg$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => /** @type {const} */ ([name.slice(0, 2), 512, flagIn(await readFile(FLAGS + name, "utf8"))])),
  );
}

/** @param {Readonly<Record<string, string>>} icons @param {Readonly<Record<string, string>>} own */
async function brands(icons, own = {}) {
  const paths = Object.entries(icons).map(async ([name, icon]) => {
    const [path = ""] = /<path [^>]*>/.exec(await readFile(`${ICONS}${icon}.svg`, "utf8")) ?? [];
    return /** @type {const} */ ([idOf(name), 24, path]);
  });
  return [...(await Promise.all(paths)), ...Object.entries(own).map(([name, path]) => /** @type {const} */ ([idOf(name), 24, path]))];
}

/** @returns {ReturnType<typeof import("./draw-sprites.mjs").drawSprites>} */
export async function drawSprites() {
  const [allFlags, allSources] = [await flags(), await brands(SOURCES, OWN.sources)];
  const [commonFlags, commonSources] = [commonOf(allFlags, COMMON_FLAGS), commonOf(allSources, COMMON_SOURCES)];
  return {
    flags: spriteOf(commonFlags),
    "flags-more": spriteOf(allFlags.filter((flag) => !commonFlags.includes(flag))),
    browsers: spriteOf(await brands(BROWSERS, OWN.browsers)),
    systems: spriteOf(await brands(SYSTEMS, OWN.systems)),
    sources: spriteOf(commonSources),
    "sources-more": spriteOf(allSources.filter((source) => !commonSources.includes(source))),
  };
}
