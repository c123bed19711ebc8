/**
 * Ingestion, queries, flushes and merges without a pause, and each minute an erasure and API keys that are created, used and revoked.
 * In the first third of the time the program is killed or stopped repeatedly, and each start finds old data for retention to delete.
 * Then it runs without restarts; every two minutes the sites are verified, erased and replaced, and memory is sampled. Exits with
 * code 1 if an event is lost or counted twice, anything fails, or memory grows.
 *
 *   node test/bench/soak.mjs [minutes]
 */
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";
import { USER_AGENT, WatchedLoad } from "./watched-load.mjs";

const MINUTES = Number(process.argv[2] ?? 60);
const SITES = 20;
const LOOK_MS = 10_000;
const CHORES_MS = 60_000;
const ENDS = 6;

/** How often the last run verifies, erases and replaces the sites: memory depends on the number of events of a day. */
const RENEWAL_MS = 120_000;

/** The maximum growth of mean memory from the third quarter of the last run to the fourth: more than measurements vary. */
const GROWTH_MAX = 0.15;

const PASSWORD = "a long password of the soak";

const ENVIRONMENT = {
  SVC_ADMIN_PASSWORD: PASSWORD,
  // Small enough to fill soon, so that later growth of memory is not the cache.
  SVC_ENGINE_MEMORY_MB: "128",
  SVC_FLUSH_EVENT_COUNT: "2000",
  SVC_FLUSH_INTERVAL_SECS: "2",
  SVC_COMPACT_AFTER_FILES: "8",
  SVC_RETENTION_DAYS: "400",
  SVC_TRUST_PROXY: "1",
  SVC_QUERY_QUEUE_MS: "60000",
  SVC_REQUEST_TIMEOUT_SECS: "120",
};

/** @type {string[]} */
const wrong = [];
let [erasures, keys, retained, renewals] = [0, 0, 0, 0];

const dateIn = (/** @type {number} */ days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

/** @param {string} what @param {unknown} found @param {unknown} wanted */
function expectSame(what, found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    wrong.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

/** @param {string} origin @param {string} path @param {Record<string, string>} headers @param {RequestInit} [init] @returns {Promise<any>} */
async function call(origin, path, headers, init = {}) {
  const response = await fetch(`${origin}${path}`, { ...init, headers });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith("{") ? JSON.parse(text) : text,
    cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "",
  };
}

/** @param {string} origin */
async function logIn(origin) {
  const { cookie } = await call(origin, "/api/auth/login", {}, { method: "POST", body: JSON.stringify({ password: PASSWORD }) });
  return { cookie, origin };
}

/** A site of its own is recorded and erased; a key is made, used and revoked. @param {string} origin @param {Record<string, string>} session */
async function chores(origin, session) {
  const site = `erased-${++erasures}.test`;
  for (let n = 0; n < 20; n++) {
    expectSame(
      "an event",
      (
        await call(
          origin,
          "/api/event",
          { "user-agent": USER_AGENT },
          { method: "POST", body: JSON.stringify({ d: site, n: "pageview", u: `/${n}` }) },
        )
      ).status,
      202,
    );
  }
  const total = async (/** @type {Record<string, string>} */ headers) =>
    (await call(origin, `/api/stats/main?site_id=${site}&period=7d`, headers)).body.total_events;
  const created = await call(origin, "/api/keys", session, { method: "POST", body: JSON.stringify({ name: site, scope: "Admin" }) });
  expectSame("a key", created.status, 201);
  keys++;
  const withKey = { "x-api-key": String(created.body.key) };
  expectSame(`${site} by key`, await total(withKey), 20);
  const erased = await call(origin, `/api/gdpr/erase?site_id=${site}&start_date=${dateIn(-1)}&end_date=${dateIn(1)}`, withKey, {
    method: "DELETE",
  });
  expectSame(`erased of ${site}`, [erased.status, erased.body.db_records_deleted], [200, 20]);
  expectSame(`${site} erased`, await total(withKey), 0);
  expectSame("a revocation", (await call(origin, `/api/keys/${created.body.key_hash}`, session, { method: "DELETE" })).status, 200);
  expectSame("a revoked key", (await call(origin, `/api/stats/main?site_id=${site}`, withKey)).status, 401);
}

/** Puts a file where retention must take it away at the next start. @param {string} folder */
async function plantOldFile(folder) {
  const events = join(folder, "events", "site_id=site-0.test");
  const [file] = (await readdir(events, { recursive: true })).filter((name) => name.endsWith(".parquet"));
  if (file === undefined) return;
  const old = join(folder, "events", "site_id=old.test", "date=2020-01-01");
  await mkdir(old, { recursive: true });
  await cp(join(events, file), join(old, "1-1.parquet"));
}

/** @param {string} folder */
async function expectOldFileGone(folder) {
  for (let attempt = 0; attempt < 300; attempt++) {
    const sites = await readdir(join(folder, "events"));
    if (!sites.includes("site_id=old.test")) {
      retained++;
      return;
    }
    await sleep(200);
  }
  wrong.push("retention has left a file of 2020");
}

/** Compares and erases what the load has sent, and gives it other sites. @param {string} origin @param {Record<string, string>} session @param {WatchedLoad} load */
async function renew(origin, session, load) {
  await load.stop();
  const { found, wrong: differing } = await load.compare(origin);
  wrong.push(...differing);
  const dates = `start_date=${dateIn(-1)}&end_date=${dateIn(1)}`;
  for (const site of load.sites.keys()) {
    const { status } = await call(origin, `/api/gdpr/erase?site_id=${site}&${dates}`, session, { method: "DELETE" });
    expectSame(`erasing ${site}`, status, 200);
    expectSame(`${site} erased`, (await call(origin, `/api/stats/main?site_id=${site}&period=7d`, session)).body.total_events, 0);
  }
  load.renew(SITES, `renewed-${++renewals}`);
  load.start(origin);
  return found;
}

const mean = (/** @type {readonly number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const load = new WatchedLoad(SITES);
  const beganMs = performance.now();
  const endMs = beganMs + MINUTES * 60_000;
  let server = await startProgram(folder, ENVIRONMENT);
  let session = await logIn(server.origin);
  const made = await call(server.origin, "/api/keys", session, {
    method: "POST",
    body: JSON.stringify({ name: "soak", scope: "ReadOnly" }),
  });
  load.authenticate(made.body.key);
  let [peak, withoutResponse, foundBefore] = [0, 0, 0];

  /** @type {{ minute: number, rss: number, heap: number, engine: number }[]} */
  let samples = [];
  /** Runs the load and the chores until `untilMs`. @param {number} untilMs @param {boolean} [renews] */
  async function live(untilMs, renews = false) {
    load.start(server.origin);
    samples = [];
    let choresAtMs = performance.now();
    let renewalAtMs = choresAtMs;
    while (performance.now() < untilMs) {
      await sleep(Math.min(LOOK_MS, untilMs - performance.now()));
      const { rss, peakRss } = await server.memory();
      const { body: metrics } = await call(server.origin, "/metrics", {});
      const metric = (/** @type {string} */ name) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
      samples.push({
        minute: (performance.now() - beganMs) / 60_000,
        rss,
        heap: metric("process_heap_bytes"),
        engine: metric("svc_engine_memory_bytes"),
      });
      peak = Math.max(peak, peakRss);
      progress(`${whole(load.total("acknowledged"))} events acknowledged, ${whole(load.queries)} queries, ${mebibytes(rss)} resident`);
      if (renews && performance.now() >= renewalAtMs) {
        foundBefore += await renew(server.origin, session, load);
        renewalAtMs = performance.now() + RENEWAL_MS;
      }
      if (performance.now() < choresAtMs) continue;
      choresAtMs = performance.now() + CHORES_MS;
      await chores(server.origin, session);
    }
  }

  for (let end = 1; end <= ENDS; end++) {
    await live(beganMs + (end * MINUTES * 60_000) / (3 * ENDS));
    if (end % 2 === 1) {
      await server.kill9();
      await load.stop();
    } else {
      await load.stop();
      await server.stop();
    }
    withoutResponse += load.total("withoutResponse");
    await plantOldFile(folder);
    server = await startProgram(folder, ENVIRONMENT);
    await expectOldFileGone(folder);
    session = await logIn(server.origin);
    wrong.push(...(await load.compare(server.origin)).wrong);
  }
  await live(Math.max(endMs, performance.now() + (MINUTES * 60_000) / 2), true);
  await load.stop();
  const running = await load.compare(server.origin);
  await server.stop();
  server = await startProgram(folder, ENVIRONMENT);
  const restarted = await load.compare(server.origin);
  await server.stop();
  wrong.push(...running.wrong, ...restarted.wrong);

  const [third, fourth] = [samples.slice(samples.length / 2, (samples.length * 3) / 4), samples.slice((samples.length * 3) / 4)].map(
    (part) => mean(part.map(({ rss }) => rss)),
  );
  const growth = (fourth ?? 0) / (third ?? 1) - 1;
  if (growth > GROWTH_MAX) wrong.push(`memory grew by ${twoDecimals(growth * 100)} % from the third quarter of the last run to the fourth`);
  if (load.failedQueries > 0) wrong.push(`${load.failedQueries} queries failed`);
  if (load.total("refused") > 0) wrong.push(`${load.total("refused")} events were refused`);
  const step = Math.max(1, Math.floor(samples.length / 12));
  printTable(
    "memory in the last run, by minutes since the start",
    ["minute", "resident", "heap", "engine memory"],
    samples
      .filter((_, i) => i % step === 0)
      .map(({ minute, rss, heap, engine }) => [minute.toFixed(1), mebibytes(rss), mebibytes(heap), mebibytes(engine)]),
  );
  printTable(
    `${MINUTES} minutes, ${SITES} sites, ${ENDS} kills and stops`,
    [
      "sent",
      "without response",
      "found",
      "found after a restart",
      "queries",
      "failed",
      "erasures",
      "keys",
      "old days removed",
      "peak resident",
      "growth at the end",
    ],
    [
      [
        ...[
          load.total("sent"),
          withoutResponse,
          foundBefore + running.found,
          foundBefore + restarted.found,
          load.queries,
          load.failedQueries,
          erasures + renewals * SITES,
          keys,
          retained,
        ].map(whole),
        mebibytes(peak),
        `${twoDecimals(growth * 100)} %`,
      ],
    ],
  );
  for (const line of wrong.slice(0, 50)) console.log(line);
  if (wrong.length > 0) process.exitCode = 1;
});
