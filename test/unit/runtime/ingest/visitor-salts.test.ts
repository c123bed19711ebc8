/**
 * The secrets of several time zones on a clock of the test's own: each ends at its zone's midnight, and when no site is in the zone any
 * more. The store is a real one over records in memory.
 */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SALT_RETRY_MS, UNUSED_SALTS_CHECK_MS } from "../../../../src/runtime/base/config/limits.ts";
import { Secret } from "../../../../src/runtime/base/config/option-kinds.ts";
import {
  createHmacSha256,
  formatPeriodSecret,
  parsePeriodSecret,
  saltPeriodAt,
  secretNameOf,
} from "../../../../src/runtime/ingest/visitor-salt.ts";
import { VisitorSalts } from "../../../../src/runtime/ingest/visitors.ts";
import { calendarFrom } from "../../../../src/runtime/sites/site-calendar.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import { createRecordSecretStore, importSecretName } from "../../../../src/storage/secret-store.ts";
import { TimeZone } from "../../../../src/storage/time-zone.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.parse("2026-03-04T12:00:00Z");
const MIDNIGHT = NOON + DAY / 2;
const KATHMANDU = "Asia/Kathmandu";
/** When March 5 begins there. */
const KATHMANDU_MIDNIGHT = Date.parse("2026-03-04T18:15:00Z");

const hmac = await createHmacSha256();

const dateIn = (timeZone: string, ms: number): LocalDate => calendarFrom({ timeZone, changes: [] }).dateOf(ms);

/** One store over several starts, the clock, and the zones that sites are in. */
function world() {
  const records = createMemoryRecordStore();
  const changes: string[] = [];
  let failing: "erase" | "write" | null = null;
  const store = createRecordSecretStore({
    ...records,
    async write(name, bytes) {
      changes.push(`write ${name}`);
      if (failing === "write") throw new Error("ENOSPC: no space left on device");
      await records.write(name, bytes);
    },
    async remove(name) {
      changes.push(`erase ${name}`);
      if (failing === "erase") throw new Error("EIO: i/o error");
      await records.remove(name);
    },
  });
  const log = createRecordingLog();
  const state = { nowMs: NOON, zones: ["UTC", KATHMANDU] };
  const options = { store, rotationDays: 1, hmac, randomBytes, log, now: () => state.nowMs, zonesAt: () => state.zones };
  return {
    state,
    store,
    log,
    options,
    changed: () => changes.splice(0),
    fail(next: typeof failing) {
      failing = next;
    },
    open: (more: Partial<Parameters<typeof VisitorSalts.open>[0]> = {}) => VisitorSalts.open({ ...options, configured: null, ...more }),
  };
}

/** On the date that the zone has then, or on another. */
const codeOf = (salts: VisitorSalts, timeZone: string, ms: number, date = dateIn(timeZone, ms)): string | null => {
  const key = salts.keyAt(timeZone, ms, date);
  return key && Buffer.from(hmac.digest(key, "x")).toString("hex");
};

describe("the secrets of several time zones", () => {
  it("exist once they are needed: the default zone's from the start, others from the first event", async () => {
    const { open, changed, store } = world();
    const salts = await open();
    expect(changed()).toEqual(["erase secret.json", "write secret.json"]);
    expect(salts.isReadyAt(KATHMANDU, NOON)).toBe(false);
    await Promise.all(Array.from({ length: 50 }, () => salts.renew(KATHMANDU)));
    expect(changed()).toEqual(["erase secrets/asia-kathmandu.json", "write secrets/asia-kathmandu.json"]);
    expect(codeOf(salts, KATHMANDU, NOON)).not.toBe(codeOf(salts, "UTC", NOON));
    expect(await store.names()).toEqual(["asia-kathmandu", "utc"]);
  });

  it("are found again by the next start, and none is shared", async () => {
    const { open, changed, store } = world();
    const first = await open();
    await first.renew(KATHMANDU);
    changed();
    const next = await open();
    expect(changed()).toEqual([]);
    for (const zone of ["UTC", KATHMANDU]) expect(codeOf(next, zone, NOON)).toBe(codeOf(first, zone, NOON));
    const texts = await Promise.all(["utc", "asia-kathmandu"].map(async (name) => (await store.secret(name).read()) ?? ""));
    expect(texts.map((text) => parsePeriodSecret(text, ""))).toEqual([
      { secret: expect.any(String), period: { firstDay: "2026-03-04", days: 1 } },
      { secret: expect.any(String), period: { firstDay: "2026-03-04", days: 1 }, timeZone: KATHMANDU },
    ]);
    expect(new Set(texts.map((text) => parsePeriodSecret(text, "").secret)).size).toBe(2);
  });

  it("leave the salt of a running import alone, whether a secret is configured or not", async () => {
    const { open, store } = world();
    const ofImport = store.secret(importSecretName(1));
    await ofImport.write("ab".repeat(32));
    await open();
    await open({ configured: new Secret("configured secret of a test") });
    expect(await store.names()).toContain(importSecretName(1));
    expect(await ofImport.read()).toBe("ab".repeat(32));
  });

  it("end at the midnight of each zone, by the tick, without an event", async () => {
    const { open, state, changed } = world();
    const salts = await open();
    await salts.renew(KATHMANDU);
    const [utc, kathmandu] = [codeOf(salts, "UTC", NOON), codeOf(salts, KATHMANDU, NOON)];
    expect(salts.msUntilDue(NOON)).toBe(KATHMANDU_MIDNIGHT - NOON);
    changed();
    const tick = async (nowMs: number) => {
      state.nowMs = nowMs;
      salts.renewIfDue(nowMs);
      await salts.settled();
      return changed();
    };
    expect(await tick(KATHMANDU_MIDNIGHT - 1)).toEqual([]);
    expect(await tick(KATHMANDU_MIDNIGHT)).toEqual(["erase secrets/asia-kathmandu.json", "write secrets/asia-kathmandu.json"]);
    expect(codeOf(salts, KATHMANDU, KATHMANDU_MIDNIGHT)).not.toBe(kathmandu);
    expect(codeOf(salts, "UTC", KATHMANDU_MIDNIGHT)).toBe(utc);
    expect(salts.msUntilDue(KATHMANDU_MIDNIGHT)).toBe(MIDNIGHT - KATHMANDU_MIDNIGHT);
    expect(await tick(MIDNIGHT)).toEqual(["erase secret.json", "write secret.json"]);
    expect(codeOf(salts, "UTC", MIDNIGHT)).not.toBe(utc);
  });

  it("end within a minute, or at the start, once no site is in the zone, and the salt is overwritten", async () => {
    const { open, state, store, changed } = world();
    const salts = await open();
    await salts.renew(KATHMANDU);
    const key = salts.keyAt(KATHMANDU, NOON, dateIn(KATHMANDU, NOON));
    salts.renewIfDue(NOON);
    state.zones = ["UTC"];
    changed();
    salts.renewIfDue(NOON + UNUSED_SALTS_CHECK_MS - 1);
    await salts.settled();
    expect(changed()).toEqual([]);
    salts.renewIfDue(NOON + UNUSED_SALTS_CHECK_MS);
    await salts.settled();
    expect(changed()).toEqual(["erase secrets/asia-kathmandu.json"]);
    expect([...(key?.inner ?? [1]), ...(key?.outer ?? [1])].every((byte) => byte === 0)).toBe(true);
    expect(await store.names()).toEqual(["utc"]);
    // Nothing replaces it at midnight, and it is not due.
    state.nowMs = KATHMANDU_MIDNIGHT;
    salts.renewIfDue(state.nowMs);
    await salts.settled();
    expect([changed(), salts.msUntilDue(state.nowMs)]).toEqual([[], MIDNIGHT - KATHMANDU_MIDNIGHT]);
    // A site that comes back to the zone gets a new one.
    await salts.renew(KATHMANDU);
    state.zones = [KATHMANDU];
    await open();
    expect(await store.names()).toEqual(["asia-kathmandu"]);
  });

  it("are reported if they cannot be deleted, and deleted later", async () => {
    const { open, state, store, log, fail } = world();
    await (await open()).renew(KATHMANDU);
    state.zones = ["UTC"];
    fail("erase");
    const salts = await open();
    expect(log.lines).toMatchObject([
      {
        level: "error",
        message: "a secret of visitor ids that is no longer used could not be deleted",
        fields: { secret: "the record secrets/asia-kathmandu.json", reason: "EIO: i/o error" },
      },
    ]);
    expect(salts.isReadyAt(KATHMANDU, NOON)).toBe(false);
    fail(null);
    salts.renewIfDue(NOON);
    await salts.settled();
    expect(await store.names()).toEqual(["utc"]);
  });

  it("fail independently: a zone whose secret cannot be stored yields no ids, the others do, and the tick retries it", async () => {
    const { open, state, fail, changed } = world();
    const salts = await open();
    await salts.renew(KATHMANDU);
    state.nowMs = KATHMANDU_MIDNIGHT;
    fail("write");
    salts.renewIfDue(state.nowMs);
    await salts.settled();
    expect(salts.isReadyAt(KATHMANDU, state.nowMs)).toBe(false);
    expect(salts.isReadyAt("UTC", state.nowMs)).toBe(true);
    expect(salts.msUntilDue(state.nowMs)).toBe(0);
    fail(null);
    changed();
    state.nowMs += SALT_RETRY_MS;
    salts.renewIfDue(state.nowMs);
    await salts.settled();
    expect(changed()).toEqual(["erase secrets/asia-kathmandu.json", "write secrets/asia-kathmandu.json"]);
    expect(salts.isReadyAt(KATHMANDU, state.nowMs)).toBe(true);
  });

  it("from the past are replaced at the start, in each zone by its own date", async () => {
    const { open, state, changed } = world();
    await (await open()).renew(KATHMANDU);
    changed();
    state.nowMs = KATHMANDU_MIDNIGHT;
    await open();
    expect(changed()).toEqual(["erase secrets/asia-kathmandu.json", "write secrets/asia-kathmandu.json"]);
  });

  it.each(["?", "", `{"secret":"${"5".repeat(64)}","firstDay":"2026-03-04","days":1}`, `{"secret":"${"5".repeat(64)}"}`])(
    "stop the start with a message that names them and does not quote them if damaged or of another zone (%j)",
    async (text) => {
      const { open, store } = world();
      await store.secret("asia-kathmandu").write(text);
      const failure = await open().catch((error: unknown) => String(error));
      expect(failure).toMatch(/^Error: the record secrets\/asia-kathmandu\.json does not hold the secret that was stored there; remove it/);
      expect(failure).not.toContain("555");
    },
  );

  it("are deleted at the start if the host does not know their zone", async () => {
    const { open, store } = world();
    await store
      .secret("europe-atlantis")
      .write(`{"secret":"${"5".repeat(64)}","firstDay":"2026-03-04","days":1,"timeZone":"Europe/Atlantis"}`);
    await open();
    expect(await store.names()).toEqual(["utc"]);
  });

  it("are all deleted when a secret is configured, which gives each date its salt, whatever the zone and the time are", async () => {
    const { open, store } = world();
    await (await open()).renew(KATHMANDU);
    const salts = await open({ configured: new Secret("a secret of sixteen characters") });
    expect(await store.names()).toEqual([]);
    const instants = [KATHMANDU_MIDNIGHT - 1, KATHMANDU_MIDNIGHT, MIDNIGHT - 1, MIDNIGHT];
    const codesOn = (date: string) =>
      ["UTC", KATHMANDU].flatMap((zone) => instants.map((ms) => codeOf(salts, zone, ms, date as LocalDate)));
    const [today, tomorrow] = [new Set(codesOn("2026-03-04")), new Set(codesOn("2026-03-05"))];
    expect([today.size, tomorrow.size, new Set([...today, ...tomorrow]).size]).toEqual([1, 1, 2]);
    expect(salts.msUntilDue(NOON)).toBe(Number.POSITIVE_INFINITY);
  });

  it("give two dates different salts even if a long day of a site ends in the next period of its zone", async () => {
    const salts = await world().open();
    const [today, tomorrow] = ["2026-03-04", "2026-03-05"].map((date) => codeOf(salts, "UTC", NOON, date as LocalDate));
    expect(today).not.toBe(tomorrow);
    expect(codeOf(salts, "UTC", NOON)).toBe(today);
  });

  it("are shared by two spellings of an alias, and neither spelling's sites erase them", async () => {
    const [alias, misspelt] = ["US/Pacific", "US/PACIFIC"];
    const { open, state, store, changed } = world();
    state.zones = ["UTC", alias, misspelt];
    const salts = await open();
    await salts.renew(alias);
    expect(codeOf(salts, misspelt, NOON)).toBe(codeOf(salts, alias, NOON));
    changed();
    state.zones = ["UTC", misspelt];
    salts.renewIfDue(NOON);
    await salts.settled();
    expect(codeOf(await open(), alias, NOON)).toBe(codeOf(salts, alias, NOON));
    expect([changed(), await store.names()]).toEqual([[], ["us-pacific", "utc"]]);
  });

  it("of another owner are requested by zone, and are kept in memory only", async () => {
    const { open, state, store, changed } = world();
    const asked: string[] = [];
    const foreign = async (timeZone: string) => {
      asked.push(timeZone);
      const period = saltPeriodAt(state.nowMs, 1, calendarFrom({ timeZone, changes: [] }));
      return parsePeriodSecret(formatPeriodSecret("5".repeat(64), period, timeZone), "");
    };
    const salts = await open({ foreign });
    for (const zone of ["UTC", KATHMANDU]) expect(salts.isReadyAt(zone, NOON)).toBe(false);
    await Promise.all(["UTC", KATHMANDU, KATHMANDU].map((zone) => salts.renew(zone)));
    for (const zone of ["UTC", KATHMANDU]) expect(salts.isReadyAt(zone, NOON)).toBe(true);
    salts.renewIfDue(KATHMANDU_MIDNIGHT);
    expect(salts.isReadyAt(KATHMANDU, NOON)).toBe(false);
    state.zones = [KATHMANDU];
    salts.renewIfDue(NOON);
    await salts.settled();
    expect(salts.isReadyAt("UTC", NOON)).toBe(false);
    expect([asked, changed(), await store.names()]).toEqual([["UTC", KATHMANDU], [], []]);
  });

  it("do not exist for unknown zones", async () => {
    const salts = await world().open();
    expect(() => salts.isReadyAt("Europe/Atlantis", NOON)).toThrow('does not know the time zone "Europe/Atlantis"');
  });
});

describe("the name of a zone's secret", () => {
  it.each([
    ["UTC", "utc"],
    ["Etc/UTC", "etc-utc"],
    ["Europe/Berlin", "europe-berlin"],
    ["America/Port_of_Spain", "america-port-of-spain"],
    ["Etc/GMT+5", "etc-gmt-plus-5"],
    ["Etc/GMT-5", "etc-gmt-5"],
  ])("for %s is %s", (zone, name) => {
    expect(secretNameOf(zone)).toBe(name);
  });

  it("is different for each zone of the host", () => {
    const offsets = Array.from({ length: 12 }, (_, i) => [`Etc/GMT+${i + 1}`, `Etc/GMT-${i + 1}`]).flat();
    const zones = [...Intl.supportedValuesOf("timeZone"), ...offsets].filter((name) => TimeZone.named(name));
    expect(new Set(zones.map(secretNameOf)).size).toBe(new Set(zones).size);
  });
});

describe("a salt period of a zone", () => {
  it.each([
    [1, "2026-03-28T23:00:00Z", "2026-03-29", 23],
    [7, "2026-03-25T23:00:00Z", "2026-03-26", 7 * 24 - 1],
    [1, "2026-10-24T22:00:00Z", "2026-10-25", 25],
  ])("of %i days that contains a change of the clock begins at %s, midnight in Berlin", (days, start, firstDay, hours) => {
    const calendar = calendarFrom({ timeZone: "Europe/Berlin", changes: [] });
    const startMs = Date.parse(start);
    for (const ms of [startMs, startMs + hours * HOUR - 1])
      expect(saltPeriodAt(ms, days, calendar)).toMatchObject({ firstDay, days, startMs, endMs: startMs + hours * HOUR });
    expect(saltPeriodAt(startMs - 1, days, calendar).endMs).toBe(startMs);
  });
});
