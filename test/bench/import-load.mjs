/** Server logs, and their import over HTTP, for benchmarks. */
import { open, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { numbersFrom } from "../support/seeded-numbers.mjs";

const DAYS = 90;
export const SITE = "imported.test";
export const PASSWORD = "a long password of the benchmark";

const PART_BYTES = 8 * 1024 * 1024;
const LOOK_MS = 200;

const FIRST_MS = Date.parse("2026-03-01T00:00:00Z");
const DAY_MS = 86_400_000;
const PAGES = 3_000;
const VISITORS = 100_000;

/** A hundred requests: 30 for pages, 60 for what they consist of, and 10 that are left out for other reasons. */
const PAGE_SHARE = 0.3;
const FILE_SHARE = 0.9;

const BROWSERS = 2_000;

/** User-Agents as logs have them: many versions of few browsers. @param {number} n */
const userAgentOf = (n) =>
  n % 3 === 0
    ? `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${90 + (n % 50)}.0.${n}.0 Safari/537.36`
    : n % 3 === 1
      ? `Mozilla/5.0 (iPhone; CPU iPhone OS 17_${n % 7} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.${n} Mobile/15E148 Safari/604.1`
      : `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + (n % 40)}.0) Gecko/20100101 Firefox/${100 + (n % 40)}.${n}`;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @param {number} atMs */
function timeOf(atMs) {
  const at = new Date(atMs).toISOString();
  return `${at.slice(8, 10)}/${MONTHS[Number(at.slice(5, 7)) - 1]}/${at.slice(0, 4)}:${at.slice(11, 19)} +0000`;
}

/** @param {number} i @param {() => number} random @param {number} distinct */
function lineOf(i, random, distinct) {
  const visitor = Math.floor(VISITORS * random());
  const address = `203.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
  const kind = random();
  const path =
    kind < PAGE_SHARE
      ? `/articles/${Math.floor(PAGES * random() ** 3)}/a-title-of-usual-length${random() < 0.1 ? "?utm_source=newsletter&utm_medium=email" : ""}`
      : `/assets/${Math.floor(200 * random())}/main.${kind < FILE_SHARE ? "js" : "html"}`;
  const [method, status] = kind < FILE_SHARE ? ["GET", 200] : kind < 0.95 ? ["POST", 200] : ["GET", 404];
  const referrer = random() < 0.3 ? `https://www.source-${Math.floor(50 * random() ** 3)}.example/search` : "-";
  const atMs = FIRST_MS + Math.floor((i / distinct) * DAYS * DAY_MS);
  return `${address} - - [${timeOf(atMs)}] "${method} ${path} HTTP/1.1" ${status} ${Math.floor(50_000 * random())} "${referrer}" "${userAgentOf(visitor % BROWSERS)}"\n`;
}

/** @param {string} path @param {number} lines @param {number} [distinct] lines that are repeated if they are fewer */
export async function writeLog(path, lines, distinct = lines) {
  const file = await open(path, "w");
  for (let written = 0; written < lines;) {
    // All repetitions have the same lines.
    const random = numbersFrom(7);
    for (let from = 0; from < distinct && written < lines; from += 10_000) {
      const count = Math.min(10_000, distinct - from, lines - written);
      await file.write(Array.from({ length: count }, (_, i) => lineOf(from + i, random, distinct)).join(""));
      written += count;
    }
  }
  await file.close();
}

/** The session of the only caller. @type {Record<string, string>} */
const headers = {};

/** @param {string} origin */
export async function logIn(origin) {
  const { token } = await ask(`${origin}/api/auth/login`, "POST", JSON.stringify({ password: PASSWORD }));
  Object.assign(headers, { cookie: `svc_session=${token}`, origin });
}

/** @param {string} url @param {string} [method] @param {Uint8Array | string} [body] */
export async function ask(url, method = "GET", body) {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** @param {string} imports @param {string} path @returns {Promise<string>} where the import is */
export async function upload(imports, path) {
  const { size } = await stat(path);
  const { import_id: id } = await ask(imports, "POST", JSON.stringify({ site_id: SITE, files: [{ name: "access.log", bytes: size }] }));
  const file = await open(path, "r");
  const part = Buffer.alloc(PART_BYTES);
  for (let offset = 0; offset < size; offset += PART_BYTES) {
    const { bytesRead } = await file.read(part, 0, PART_BYTES, offset);
    await ask(`${imports}/${id}/files/0?offset=${offset}`, "PUT", part.subarray(0, bytesRead));
  }
  await file.close();
  return `${imports}/${id}`;
}

/** @param {string} url @param {string} state */
export async function until(url, state) {
  for (;;) {
    const found = await ask(url);
    if (found.state === state) return found;
    if (found.state === "failed") throw new Error(found.failure);
    await setTimeout(LOOK_MS);
  }
}
