/**
 * Draws the sprites of glyphs: one SVG file each with flags, browsers, systems and sources, which a page loads when it shows the first of
 * them. Owner of circle-flags and simple-icons. Brands without an icon there get a letter (`glyph.tsx`).
 */
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const FLAGS = `${MODULES}circle-flags/flags/`;
const ICONS = `${MODULES}simple-icons/icons/`;

/** Icons by the names that reports have. A name that an icon file has, too, stands alone. */
const BROWSERS = {
  Chrome: "googlechrome",
  Firefox: "firefoxbrowser",
  ...named("Safari Opera Brave Vivaldi DuckDuckGo LibreWolf"),
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

/** Drawn here: simple shapes that the packages lack. */
const OWN = {
  systems: { Windows: '<path d="M2 3.5h9.3v8H2zM12.7 3.5H22v8h-9.3zM2 12.9h9.3v8H2zM12.7 12.9H22v8h-9.3z"/>' },
  sources: { direct: '<path d="M3 11h12.2l-4.6-4.6L12 5l7 7-7 7-1.4-1.4 4.6-4.6H3z"/>' },
};

/** @param {string} names */
function named(names) {
  return Object.fromEntries(names.split(" ").map((name) => [name, name.toLowerCase()]));
}

/** The id of a name's symbol. `glyph.tsx` repeats it. @param {string} name */
const idOf = (name) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** @param {readonly (readonly [id: string, size: number, content: string])[]} symbols */
const spriteOf = (symbols) =>
  `<svg xmlns="http://www.w3.org/2000/svg">${symbols
    .map(([id, size, content]) => `<symbol id="${id}" viewBox="0 0 ${size} ${size}">${content}</symbol>`)
    .join("")}</svg>`;

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

/** @returns {Promise<Record<"flags" | "browsers" | "systems" | "sources", { readonly svg: string, readonly ids: readonly string[] }>>} */
export async function drawSprites() {
  const symbols = {
    flags: await flags(),
    browsers: await brands(BROWSERS),
    systems: await brands(SYSTEMS, OWN.systems),
    sources: await brands(SOURCES, OWN.sources),
  };
  const drawn = Object.entries(symbols).map(([kind, of]) => [kind, { svg: spriteOf(of), ids: of.map(([id]) => id) }]);
  return Object.fromEntries(drawn);
}
