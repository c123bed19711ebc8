/** Nodes with one ClickHouse: what is set for sites on one of them holds on all, survives outages, and keeps its latest change. */
import { describe, expect, it, onTestFinished } from "vitest";
import { connectClickhouse } from "../../adapters/clickhouse-connection.ts";
import type { ClickhouseStatement, ConnectClickhouse } from "../../src/runtime/clickhouse/connection.ts";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { type CalendarRecord } from "../../src/storage/calendar.ts";
import type { SiteSettings } from "../../src/runtime/sites/site-settings.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { clickhouseOfFile, ONLY_THE_FRONT } from "../support/clickhouse-server.ts";
import { addItem, askCollection, listItems } from "../support/collections.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores } from "../support/mortal-stores.ts";
import { browserHeaders, expectAccepted, expectError, record, wireEvent } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";

const clickhouse = clickhouseOfFile();

const SITE = "one.test" as SiteId;
const ALONE = "alone.test" as SiteId;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

type Node = InProcessTarget;

type Stores = ReturnType<typeof memoryStores>;

/** Lets it do what is due in a second. */
async function poll(node: Node): Promise<void> {
  await node.advance(1_000);
  await node.services.settled();
}

const set = async (node: Node, settings: object, siteId = SITE): Promise<Response> =>
  node.fetch(`/api/sites/${siteId}`, { method: "PUT", headers: await logIn(node), body: JSON.stringify(settings) });

const remove = async (node: Node): Promise<Response> => node.fetch(`/api/sites/${SITE}`, { method: "DELETE", headers: await logIn(node) });

const settingsOf = ({ services }: Node): SiteSettings => services.sites.settingsOf(SITE);

/** The first date of each later zone. */
const changesOf = (calendar: CalendarRecord | null | undefined): string[] =>
  (calendar?.changes ?? []).map(({ firstDate, timeZone }) => `${firstDate} ${timeZone}`);

const history = ({ services }: Node): string[] => changesOf(services.sites.recordOf(SITE)?.calendar);

const defaultHistory = ({ services }: Node): string[] => changesOf(services.sites.defaultCalendar);

/** Connects as usual, and has what ClickHouse's logs may have: all statements with their parameters. */
function logged(): { readonly statements: ClickhouseStatement[]; readonly connect: ConnectClickhouse } {
  const statements: ClickhouseStatement[] = [];
  const connect: ConnectClickhouse = (options) => {
    const connection = connectClickhouse(options);
    const noted = (statement: ClickhouseStatement): ClickhouseStatement => {
      statements.push(statement);
      return statement;
    };
    return {
      rows: (statement, signal) => connection.rows(noted(statement), signal),
      execute: (statement, signal) => connection.execute(noted(statement), signal),
      insert: (statement, data, signal) => connection.insert(noted(statement), data, signal),
      responds: (timeoutMs) => connection.responds(timeoutMs),
    };
  };
  return { statements, connect };
}

/** Nodes of one deployment, each with a data folder of its own. */
async function deployment() {
  const { url, username, password, database, query } = clickhouse();
  const name = await database();
  const environment = {
    ...CLOSED,
    ...{ SVC_ENGINE: "clickhouse", SVC_CLICKHOUSE_URL: url, SVC_CLICKHOUSE_DATABASE: name, SVC_SECRET: "s".repeat(32) },
    ...{ SVC_CLICKHOUSE_USER: username, ...(password !== "" && { SVC_CLICKHOUSE_PASSWORD: password }) },
  };
  return {
    async node(options: Environment = {}, stores: Stores = memoryStores(), parts: InProcessParts = {}): Promise<Node> {
      const target = await createInProcessTarget({ ...environment, ...options }, { ...stores, ...parts });
      onTestFinished(() => target.close());
      return target;
    },
    query: async (sql: string) => (await query(sql, { database: name })).trim(),
    storedEvents: async () => Number(await query("SELECT count() FROM events_data", { database: name })),
  };
}

const INGEST = { SVC_ROLE: "ingest" };

const sendExcluded = async (node: Node): Promise<void> => {
  const body = JSON.stringify(wireEvent(SITE));
  await expectAccepted(await node.fetch("/api/event", { method: "POST", headers: browserHeaders(), body, from: "198.51.100.7" }));
};

describe("site settings on several nodes", () => {
  it("settings made on the full node keep events from being stored on an ingest node until they are deleted", async () => {
    const { node, storedEvents } = await deployment();
    const [full, ingest] = [await node(), await node(INGEST)];
    const name = 'Größe "\\ \t1';
    expect((await set(full, { name, excluded_addresses: ["198.51.100.0/24"], retention_days: 30 })).status).toBe(200);
    await poll(ingest);
    expect(settingsOf(ingest)).toMatchObject({ name, retentionDays: 30 });
    await sendExcluded(ingest);
    await ingest.flush();
    expect(await storedEvents()).toBe(0);
    expect((await remove(full)).status).toBe(200);
    await poll(ingest);
    await sendExcluded(ingest);
    await ingest.flush();
    expect(await storedEvents()).toBe(1);
  });

  it("a new time zone gives events of both nodes the same dates, from a date that begins after all nodes know it", async () => {
    const { node, query } = await deployment();
    const startMs = Date.parse("2026-03-15T14:58:00Z");
    const [full, ingest] = [await node({}, memoryStores(), { startMs }), await node(INGEST, memoryStores(), { startMs })];
    await full.advance(5_000);
    await full.services.settled();
    // Midnight in Tokyo is in two minutes: too soon for that day.
    await set(full, { time_zone: "Asia/Tokyo" });
    await poll(ingest);
    expect(history(full)).toEqual(["2026-03-17 Asia/Tokyo"]);
    expect(history(ingest)).toEqual(history(full));
    for (const hours of [0, 1, 22, 1, 1]) {
      for (const each of [full, ingest]) {
        each.setClockAhead(hours * HOUR_MS);
        await record(each, wireEvent(SITE));
      }
    }
    await full.flush();
    await ingest.flush();
    const dates = await query(
      "SELECT node, groupArray(toString(toDate(day))) FROM (SELECT * FROM events_data ORDER BY timestamp) GROUP BY node",
    );
    const [first, second] = dates.split("\n").map((line) => line.split("\t")[1]);
    expect(first).toBe(second);
    expect(first).toBe("['2026-03-15','2026-03-15','2026-03-16','2026-03-16','2026-03-17']");
  });

  it("a time zone changes at a coming date if another node may just have accepted the first event, and at once without other nodes", async () => {
    const { node } = await deployment();
    const full = await node();
    await set(full, { time_zone: "Asia/Tokyo" }, ALONE);
    expect(full.services.sites.calendarOf(ALONE).zoneAt(0)).toBe("Asia/Tokyo");
    await node(INGEST);
    await full.advance(5_000);
    await full.services.settled();
    await set(full, { time_zone: "Asia/Tokyo" });
    expect(history(full)).toEqual(["2026-03-16 Asia/Tokyo"]);
  });

  it.skipIf(ONLY_THE_FRONT !== null)("settings stay unchanged while ClickHouse does not respond: changes get a 503", async () => {
    const { node } = await deployment();
    const stores = memoryStores();
    const [full, ingest] = [await node(), await node(INGEST, stores)];
    await set(full, { name: "Before", excluded_addresses: ["198.51.100.0/24"] });
    await poll(ingest);
    await clickhouse().fail({ kind: "refuse", count: 1_000 });
    onTestFinished(() => clickhouse().fail({ kind: "none" }));
    await expectError(await set(full, { name: "After" }), 503, "could not be shared with the other nodes");
    await expectError(await remove(full), 503, "could not be shared with the other nodes");
    await ingest.restart();
    await poll(ingest);
    for (const each of [full, ingest]) {
      expect(settingsOf(each)).toMatchObject({ name: "Before" });
      await sendExcluded(each);
      expect(each.services.eventStore.unflushedEvents).toBe(0);
    }
    await clickhouse().fail({ kind: "none" });
    expect((await set(full, { name: "After" })).status).toBe(200);
    await poll(ingest);
    expect(settingsOf(ingest)).toMatchObject({ name: "After" });
  });

  it("settings reach a node that joins later before it accepts events, and return to a node with an older data folder", async () => {
    const { node } = await deployment();
    const stores = memoryStores();
    const full = await node({}, stores);
    await set(full, { name: "One" });
    const late = await node(INGEST);
    expect(settingsOf(late).name).toBe("One");
    for (const name of await stores.records.list("sites/")) await stores.records.remove(name);
    await full.restart();
    expect(settingsOf(full).name).toBe("One");
  });

  it("settings of a single machine are shared once it becomes a node, and the last change wins, even after the database is lost", async () => {
    const { node, query } = await deployment();
    const [stores, stale] = [memoryStores(), memoryStores()];
    const single = await createInProcessTarget(CLOSED, stores);
    await set(single, { name: "Old" });
    for (const name of await stores.records.list("sites/"))
      await stale.records.write(name, (await stores.records.read(name)) as Uint8Array);
    await single.advance(1);
    await set(single, { name: "New" });
    await single.close();
    const first = await node(INGEST, stale);
    const second = await node({}, stores);
    for (const each of [first, second]) {
      await poll(each);
      expect(settingsOf(each).name).toBe("New");
    }
    await query("TRUNCATE TABLE site_settings");
    await second.restart();
    expect(await query(`SELECT JSONExtractString(record, 'settings', 'name') FROM site_settings FINAL`)).toBe("New");
  });

  it("the last of two changes on two nodes wins, even if its clock is behind", async () => {
    const { node } = await deployment();
    const [first, second] = [await node(), await node()];
    first.setClockAhead(HOUR_MS);
    await set(first, { name: "First" });
    await poll(second);
    await set(second, { name: "Second" });
    await poll(first);
    for (const each of [first, second]) expect(settingsOf(each).name).toBe("Second");
    await remove(first);
    await poll(second);
    await set(second, { name: "Third" });
    await poll(first);
    expect(settingsOf(first).name).toBe("Third");
  });

  it("settings return to their previous values if the changing node cannot store the change itself", async () => {
    const { node } = await deployment();
    const stores = memoryStores();
    let isFull = false;
    const records = {
      ...stores.records,
      write: (...parts: Parameters<typeof stores.records.write>) =>
        isFull ? Promise.reject(new Error("full")) : stores.records.write(...parts),
    };
    const [first, second] = [await node({}, { ...stores, records }), await node(INGEST)];
    await set(first, { name: "Before" });
    isFull = true;
    await expectError(await set(first, { name: "After" }), 503, "could not be stored, and nothing is changed");
    isFull = false;
    for (const each of [first, second]) {
      await poll(each);
      expect(settingsOf(each).name).toBe("Before");
    }
  });

  it("imported settings are one insert, and appear in no statement and no parameter, which ClickHouse logs", async () => {
    const { node } = await deployment();
    const { statements, connect } = logged();
    const [full, ingest] = [await node({}, memoryStores(), { connectClickhouse: connect }), await node(INGEST)];
    statements.length = 0;
    const secret = { name: "Marked name", excluded_paths: ["/marked/*"], excluded_addresses: ["198.51.100.0/24"] };
    const sites = Array.from({ length: 300 }, (_, i) => ({ site_id: `${i}.test`, ...secret }));
    const file = JSON.stringify({ version: 1, sites: [...sites, { site_id: SITE, ...secret }] });
    const imported = await full.fetch("/api/settings", { method: "PUT", headers: await logIn(full), body: file });
    expect(await imported.json()).toEqual({ status: "imported", sites: 301 });
    expect((await remove(full)).status).toBe(200);
    await poll(full);
    expect(statements.filter(({ sql }) => sql.includes("INSERT INTO") && sql.includes("site_settings"))).toHaveLength(2);
    for (const marked of ["Marked", "marked", "198.51.100"]) expect(JSON.stringify(statements)).not.toContain(marked);
    await poll(ingest);
    expect(ingest.services.sites.settingsOf("299.test" as SiteId)).toMatchObject({ name: "Marked name", excludedPaths: ["/marked/*"] });
    expect(ingest.services.sites.has(SITE)).toBe(false);
  });

  it("settings that a node cannot read are logged once and change nothing on that node", async () => {
    const { node, query } = await deployment();
    const [full, ingest] = [await node(), await node(INGEST)];
    await set(full, { name: "Known" });
    await poll(ingest);
    await query(`INSERT INTO site_settings (site_id, record, changed_ms) VALUES ('${SITE}', '{"later": true}', 9000000000000)`);
    await poll(ingest);
    await poll(ingest);
    expect(settingsOf(ingest).name).toBe("Known");
    expect(ingest.log.lines.filter(({ message }) => message === "settings of another node cannot be read")).toHaveLength(1);
  });
});

describe("the option time_zone on several nodes", () => {
  it("has one history on all nodes, made by the node that starts with it first", async () => {
    const { node } = await deployment();
    const [storesA, storesB] = [memoryStores(), memoryStores()];
    const a = await node({}, storesA);
    const b = await node(INGEST, storesB);
    await record(a, wireEvent(SITE));
    await a.flush();
    const changed = await node({ SVC_TIME_ZONE: "Asia/Tokyo" }, storesA, { startMs: a.nowMs() });
    expect(defaultHistory(changed)).toEqual(["2026-03-16 Asia/Tokyo"]);
    await poll(b);
    expect(defaultHistory(b)).toEqual(defaultHistory(changed));
    const later = await node({ ...INGEST, SVC_TIME_ZONE: "Asia/Tokyo" }, storesB, { startMs: b.nowMs() + 3 * DAY_MS });
    expect(defaultHistory(later)).toEqual(defaultHistory(changed));
    const fresh = await node({ ...INGEST, SVC_TIME_ZONE: "Asia/Tokyo" }, memoryStores(), { startMs: b.nowMs() + 3 * DAY_MS });
    expect(defaultHistory(fresh)).toEqual(defaultHistory(changed));
  });

  it("is followed by sites without a zone of their own, with the same history on all nodes", async () => {
    const { node } = await deployment();
    const stores = memoryStores();
    const [full, ingest] = [await node({}, stores), await node(INGEST)];
    await record(full, wireEvent(SITE));
    await set(full, { time_zone: "Asia/Tokyo" });
    full.setClockAhead(3 * DAY_MS);
    await set(full, { name: "Without a zone" });
    const changed = await node({ SVC_TIME_ZONE: "Europe/Berlin" }, stores, { startMs: full.nowMs() });
    await poll(ingest);
    expect(history(changed).at(-1)).toMatch(/ Europe\/Berlin$/);
    expect(history(ingest)).toEqual(history(changed));
  });

  it.skipIf(ONLY_THE_FRONT !== null)("takes effect once ClickHouse responds if it did not at the start", async () => {
    const { node } = await deployment();
    await clickhouse().fail({ kind: "refuse", count: 1_000 });
    onTestFinished(() => clickhouse().fail({ kind: "none" }));
    const full = await node({ SVC_TIME_ZONE: "Asia/Tokyo" });
    expect(full.services.sites.calendarOf(SITE).zoneAt(full.nowMs())).toBe("UTC");
    await record(full, wireEvent(SITE));
    await clickhouse().fail({ kind: "none" });
    await poll(full);
    expect(defaultHistory(full)).toEqual(["2026-03-16 Asia/Tokyo"]);
  });
});

describe("goals of a site on several nodes", () => {
  const names = async (node: Node): Promise<string[]> =>
    (await listItems<{ name: string }>(node, "goals", SITE, await logIn(node))).map(({ name }) => name).sort();

  it("goals are equal on all nodes, whichever node made, changed or removed them and whichever was away", async () => {
    const { node } = await deployment();
    const away = memoryStores();
    const [one, two, three] = [await node(), await node(), await node({}, away)];
    const [atOne, atTwo] = [await logIn(one), await logIn(two)];
    const first = await addItem(one, "goals", SITE, atOne, { name: "one", page: "/1" });
    // Neither undoes the other's, though neither knows it.
    const second = await addItem(two, "goals", SITE, atTwo, { name: "two", page: "/2" });
    for (const each of [one, two, three]) await poll(each);
    for (const each of [one, two, three]) expect(await names(each)).toEqual(["one", "two"]);
    await three.close();
    const put = { method: "PUT", id: first.id, body: { name: "uno", page: "/1" } } as const;
    expect((await askCollection(two, "goals", SITE, atTwo, put)).status).toBe(200);
    expect((await askCollection(one, "goals", SITE, atOne, { method: "DELETE", id: second.id })).status).toBe(200);
    const back = await node({}, away);
    for (const each of [one, two, back]) await poll(each);
    for (const each of [one, two, back]) expect(await names(each)).toEqual(["uno"]);
  });

  it("goals are equal on all nodes when two nodes change one in the same millisecond: the later request wins", async () => {
    const { node } = await deployment();
    const [one, two] = [await node(), await node()];
    const [atOne, atTwo] = [await logIn(one), await logIn(two)];
    const [first, second] = [
      await addItem(one, "goals", SITE, atOne, { name: "first", page: "/1" }),
      await addItem(one, "goals", SITE, atOne, { name: "second", page: "/2" }),
    ];
    for (const each of [one, two]) await poll(each);
    const rename = async ({ id }: typeof first, name: string) =>
      expect((await askCollection(two, "goals", SITE, atTwo, { method: "PUT", id, body: { name, page: "/" } })).status).toBe(200);
    const removeAtOne = async ({ id }: typeof first) =>
      expect((await askCollection(one, "goals", SITE, atOne, { method: "DELETE", id })).status).toBe(200);
    expect(one.nowMs()).toBe(two.nowMs());
    await rename(first, "renamed");
    await removeAtOne(first);
    await removeAtOne(second);
    await rename(second, "kept");
    for (const each of [one, two]) await poll(each);
    for (const each of [one, two]) expect(await names(each)).toEqual(["kept"]);
    expect(one.services.goals.of(SITE)).toEqual(two.services.goals.of(SITE));
  });

  it("goals, segments, annotations and rules are removed together with the site's settings, even those that another node has just changed", async () => {
    const { node, query } = await deployment();
    const [one, two] = [await node(), await node()];
    const atTwo = await logIn(two);
    expect((await set(one, { name: "One" })).status).toBe(200);
    const goal = await addItem(one, "goals", SITE, await logIn(one), { name: "goal", page: "/" });
    await poll(two);
    two.setClockAhead(HOUR_MS);
    const put = { method: "PUT", id: goal.id, body: { name: "changed", page: "/" } } as const;
    expect((await askCollection(two, "goals", SITE, atTwo, put)).status).toBe(200);
    await addItem(two, "segments", SITE, atTwo, { name: "segment", filters: "countries==DE" });
    await addItem(two, "annotations", SITE, atTwo, { text: "annotation" });
    await addItem(two, "rules", SITE, atTwo, { name: "rule", filters: "countries==SG" });
    expect((await remove(one)).status).toBe(200);
    await poll(two);
    for (const { services } of [one, two]) {
      const { goals, segments, annotations, rules, sites } = services;
      expect([goals.of(SITE), segments.of(SITE), annotations.of(SITE), rules.of(SITE), sites.has(SITE)]).toEqual([[], [], [], [], false]);
    }
    expect(await query("SELECT count(), countIf(record = '') FROM site_settings FINAL WHERE site_id LIKE '%/%'")).toBe("4\t4");
  });

  it("goals made before the node joined are shared with the other nodes", async () => {
    const { node } = await deployment();
    const stores = memoryStores();
    const alone = await createInProcessTarget(CLOSED, stores);
    await addItem(alone, "goals", SITE, await logIn(alone), { name: "before", page: "/" });
    await alone.close();
    const [, other] = [await node({}, stores), await node()];
    await poll(other);
    expect(await names(other)).toEqual(["before"]);
  });
});
