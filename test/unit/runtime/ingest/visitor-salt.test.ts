/**
 * The life of a generated secret on a clock of the test's own: which period it is of, what is stored and when, what a failing store
 * leaves, and who waits for whom. The store is a real one over records in memory; what fails is what its records are told to fail.
 */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  createHmacSha256,
  formatPeriodSecret,
  parsePeriodSecret,
  saltPeriodAt,
  VisitorSalt,
} from "../../../../src/runtime/ingest/visitor-salt.ts";
import { parseSiteId } from "../../../../src/runtime/base/config/names.ts";
import { createVisitorIds } from "../../../../src/runtime/ingest/visitors.ts";
import { SALT_RETRY_MS } from "../../../../src/runtime/base/config/limits.ts";
import { Secret } from "../../../../src/runtime/base/config/option-kinds.ts";
import { utcCalendar } from "../../../../src/storage/calendar.ts";
import { utcDateOf } from "../../../../src/storage/event.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import { createRecordSecretStore, UTC_SECRET } from "../../../../src/storage/secret-store.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

const DAY = 86_400_000;
const NOON = Date.parse("2026-03-04T12:00:00Z");
const MIDNIGHT = NOON + DAY / 2;

const hmac = await createHmacSha256();

const VISIT = { siteId: parseSiteId("example.com", "d"), clientAddress: "192.0.2.7", userAgent: "Firefox", timeZone: "UTC" };

/** One store over several starts, and the clock. */
function world() {
  const records = createMemoryRecordStore();
  let failing: "erase" | "write" | null = null;
  const changes: string[] = [];
  const secrets = createRecordSecretStore({
    ...records,
    async write(name, bytes) {
      changes.push("write");
      if (failing === "write") throw new Error("ENOSPC: no space left on device");
      await records.write(name, bytes);
    },
    async remove(name) {
      changes.push("erase");
      if (failing === "erase") throw new Error("EIO: i/o error");
      await records.remove(name);
    },
  });
  const store = secrets.secret(UTC_SECRET);
  const log = createRecordingLog();
  const clock = { nowMs: NOON };
  return {
    clock,
    store,
    log,
    /** The order of changes since the last look. */
    changed: () => changes.splice(0),
    fail(next: typeof failing) {
      failing = next;
    },
    async open({ rotationDays = 1, configured = null as string | null } = {}) {
      const zone = { timeZone: "UTC", calendar: utcCalendar };
      const options = { ...zone, store, rotationDays, hmac, randomBytes, log, now: () => clock.nowMs };
      const salt = await VisitorSalt.open({ ...options, configured: configured === null ? null : new Secret(configured) });
      const ids = createVisitorIds({ hmac, salts: { keyAt: (_timeZone, timestampMs, date) => salt.keyAt(timestampMs, date) } });
      return { salt, idAt: (timestampMs: number) => ids.visitorIdOf({ ...VISIT, timestampMs, date: utcDateOf(timestampMs) }) };
    },
  };
}

describe("a generated secret", () => {
  it.each([1, 7])(
    "belongs to one salt period of %i days: a start within it finds it again, and the next period gets another",
    async (rotationDays) => {
      const { clock, open, store, changed } = world();
      const { idAt } = await open({ rotationDays });
      expect(changed()).toEqual(["erase", "write"]);
      const [id, text] = [idAt(NOON), await store.read()];
      const { endMs } = saltPeriodAt(NOON, rotationDays, utcCalendar);

      clock.nowMs = endMs - 1;
      const again = await open({ rotationDays });
      expect(again.idAt(endMs - 1)).toBe(id);
      expect(changed()).toEqual([]);
      expect(again.salt.isReadyAt(endMs)).toBe(false);

      clock.nowMs = endMs;
      const next = await open({ rotationDays });
      expect(changed()).toEqual(["erase", "write"]);
      expect(next.idAt(endMs)).not.toBe(id);
      expect(await store.read()).not.toContain(parsePeriodSecret(text ?? "", "").secret);
    },
  );

  it("is replaced before the first id of a new period, once for all concurrent callers", async () => {
    const { clock, open, changed } = world();
    const { salt, idAt } = await open();
    const id = idAt(MIDNIGHT - 1);
    changed();
    clock.nowMs = MIDNIGHT;
    expect(salt.isReadyAt(MIDNIGHT)).toBe(false);
    await Promise.all(Array.from({ length: 100 }, () => salt.renew()));
    expect(changed()).toEqual(["erase", "write"]);
    expect(idAt(MIDNIGHT)).not.toBe(id);
    // The salt of the period that has ended cannot be had any more, not even for an instant of that period.
    expect(salt.isReadyAt(MIDNIGHT - 1)).toBe(false);
  });

  it("leaves no salt of a closed period in memory: its bytes are overwritten when the replacement starts", async () => {
    const { clock, open } = world();
    const { salt } = await open();
    const key = salt.keyAt(NOON, utcDateOf(NOON));
    clock.nowMs = MIDNIGHT;
    const renewing = salt.renew();
    expect([...(key?.inner ?? [1]), ...(key?.outer ?? [1])].every((byte) => byte === 0)).toBe(true);
    expect(salt.isReadyAt(NOON)).toBe(false);
    await renewing;
  });

  it("is replaced by the maintenance tick without an event, and not before its period ends", async () => {
    const { clock, open, changed } = world();
    const { salt } = await open();
    changed();
    salt.renewIfDue(MIDNIGHT - 1);
    await salt.settled();
    expect(changed()).toEqual([]);
    expect(salt.msUntilDue(MIDNIGHT - 1)).toBe(1);
    clock.nowMs = MIDNIGHT;
    expect(salt.msUntilDue(MIDNIGHT)).toBe(0);
    salt.renewIfDue(MIDNIGHT);
    await salt.settled();
    expect(changed()).toEqual(["erase", "write"]);
    expect(salt.msUntilDue(MIDNIGHT)).toBe(DAY);
  });

  it("is not restored when the clock is set back over midnight", async () => {
    const { clock, open } = world();
    const { salt, idAt } = await open();
    const seen = [idAt(MIDNIGHT - 1)];
    for (const nowMs of [MIDNIGHT, MIDNIGHT - 1, MIDNIGHT]) {
      clock.nowMs = nowMs;
      await salt.renew();
      seen.push(idAt(nowMs));
    }
    expect(new Set(seen).size).toBe(4);
  });

  it("is replaced when visitor_salt_rotation_days has changed, because the periods change with it", async () => {
    const { open, changed } = world();
    const daily = await open();
    const weekly = await open({ rotationDays: 7 });
    expect(weekly.idAt(NOON)).not.toBe(daily.idAt(NOON));
    changed();
    expect((await open({ rotationDays: 7 })).idAt(NOON)).toBe(weekly.idAt(NOON));
    expect(changed()).toEqual([]);
  });

  it.each(["erase", "write"] as const)(
    "produces no ids if it cannot be replaced (%s fails), and neither the old nor an unstored secret is used",
    async (failure) => {
      const { clock, open, fail, store, log } = world();
      const { salt, idAt } = await open();
      const [id, text] = [idAt(NOON), await store.read()];
      clock.nowMs = MIDNIGHT;
      fail(failure);
      await expect(salt.renew()).rejects.toThrow(/ENOSPC|EIO/);
      for (const instant of [MIDNIGHT - 1, MIDNIGHT]) expect(salt.isReadyAt(instant)).toBe(false);
      expect(() => idAt(MIDNIGHT)).toThrow("is missing");
      // What could be erased is gone although nothing could be stored in its place.
      expect(await store.read()).toBe(failure === "erase" ? text : null);

      // A start in this state goes on, says so, and makes no ids either.
      const next = await open();
      expect(next.salt.isReadyAt(MIDNIGHT)).toBe(false);
      expect(log.lines.map(({ level }) => level)).toEqual(["error"]);
      fail(null);
      await next.salt.renew();
      expect(next.idAt(MIDNIGHT)).not.toBe(id);
    },
  );

  it("is retried by the tick after a pause and by every event if it could not be replaced, even when the clock is set back", async () => {
    const { clock, open, fail, changed, log } = world();
    const { salt } = await open();
    fail("write");
    const tick = async (nowMs: number) => {
      clock.nowMs = nowMs;
      changed();
      salt.renewIfDue(nowMs);
      await salt.settled();
      return changed().length > 0;
    };
    expect(await tick(MIDNIGHT)).toBe(true);
    expect(await tick(MIDNIGHT + SALT_RETRY_MS - 1)).toBe(false);
    expect(await tick(MIDNIGHT + SALT_RETRY_MS)).toBe(true);
    expect(await tick(MIDNIGHT - DAY)).toBe(true);
    expect(log.lines.map(({ level, fields }) => `${level} ${String(fields["reason"])}`)).toEqual(
      Array(3).fill("error ENOSPC: no space left on device"),
    );
    fail(null);
    await salt.renew();
    expect(salt.isReadyAt(MIDNIGHT - DAY)).toBe(true);
  });

  it("of an older version is used until the end of the current period, and no longer", async () => {
    const old = "5".repeat(64);
    for (const text of [`${old}\n`, JSON.stringify({ secret: old })]) {
      const { clock, open, store } = world();
      await store.write(text);
      const configured = await world().open({ configured: old });
      const { idAt } = await open();
      expect(idAt(NOON)).toBe(configured.idAt(NOON));
      expect(parsePeriodSecret((await store.read()) ?? "", "")).toEqual({ secret: old, period: { firstDay: "2026-03-04", days: 1 } });
      clock.nowMs = MIDNIGHT;
      const next = await open();
      expect(next.idAt(MIDNIGHT)).not.toBe(configured.idAt(MIDNIGHT));
      expect(await store.read()).not.toContain(old);
    }
  });

  it("is deleted when a secret is configured, and does not come back when the option is removed", async () => {
    const { open, store, changed } = world();
    const generated = await open();
    changed();
    const { salt, idAt } = await open({ configured: "a secret of sixteen characters" });
    expect(changed()).toEqual(["erase"]);
    expect(await store.read()).toBeNull();
    salt.renewIfDue(MIDNIGHT);
    expect(changed()).toEqual([]);
    expect([idAt(NOON), (await open()).idAt(NOON)]).not.toContain(generated.idAt(NOON));
  });

  it.each([
    "?",
    "{}",
    "null",
    "[1]",
    '{"secret":"5"}',
    `{"secret":"${"5".repeat(64)}","firstDay":4,"days":"x"}`,
    "5".repeat(63),
    `${"5".repeat(64)} 2026-03-04`,
  ])("stops the start with a message that does not quote it if it is damaged (%j)", async (text) => {
    const { open, store } = world();
    await store.write(text);
    const failure = await open().catch((error: unknown) => String(error));
    expect(failure).toMatch(
      /^Error: the record secret\.json does not hold the secret that was stored there; remove it to start with a new one/,
    );
    expect(failure).not.toContain("555");
  });

  it("is stored as text that names its period", () => {
    const text = formatPeriodSecret("5".repeat(64), saltPeriodAt(NOON, 7, utcCalendar), "UTC");
    expect(text).toBe(`{"secret":"${"5".repeat(64)}","firstDay":"2026-02-26","days":7}\n`);
    expect(parsePeriodSecret(text, "")).toEqual({ secret: "5".repeat(64), period: { firstDay: "2026-02-26", days: 7 } });
  });
});
