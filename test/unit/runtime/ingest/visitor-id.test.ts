import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHmacSha256 } from "../../../../src/runtime/ingest/visitor-salt.ts";
import { parseSiteId } from "../../../../src/runtime/base/config/names.ts";
import { createVisitorIds, type Visit, type VisitorIds, VisitorSalts } from "../../../../src/runtime/ingest/visitors.ts";
import { Secret } from "../../../../src/runtime/base/config/option-kinds.ts";
import { addDays } from "../../../../src/storage/calendar.ts";
import { utcDateOf } from "../../../../src/storage/event.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import { createRecordSecretStore } from "../../../../src/storage/secret-store.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

/** Any UTF-16 unit, half of a surrogate pair included. */
const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));

const SECRET = "a secret of the instance";
const NOON = Date.parse("2026-03-04T12:00:00Z");
const DAY = 86_400_000;

const hmac = await createHmacSha256();

/** Those of a configured secret, whose salts of all periods can be had. What a generated one adds is in visitor-salt.test.ts. */
async function idsOf(secret: string, rotationDays: number): Promise<VisitorIds> {
  const salts = await VisitorSalts.open({
    configured: new Secret(secret),
    store: createRecordSecretStore(createMemoryRecordStore()),
    rotationDays,
    hmac,
    randomBytes,
    now: () => NOON,
    zonesAt: () => ["UTC"],
    log: createRecordingLog(),
  });
  return createVisitorIds({ hmac, salts });
}

const ids = await idsOf(SECRET, 1);

const aVisit = ({ timestampMs = NOON, ...visit }: Partial<Visit> = {}): Visit => ({
  siteId: parseSiteId("example.com", "d"),
  clientAddress: "192.0.2.7",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0",
  timestampMs,
  date: utcDateOf(timestampMs),
  timeZone: "UTC",
  ...visit,
});

/** A visitor id (docs/http-api.md, "Visitor ids") computed with node:crypto. */
function expectedId(visit: Visit, secret: string, rotationDays: number): bigint {
  const period = Math.floor(Date.parse(visit.date) / DAY / rotationDays);
  const salt = createHmac("sha256", secret).update(`svc visitor salt|${period}`).digest();
  const { siteId, clientAddress, userAgent } = visit;
  return createHmac("sha256", salt).update(`${siteId}|${clientAddress}|${userAgent}`).digest().readBigUInt64BE();
}

describe("visitor ids", () => {
  it("are the first 64 bits of HMAC-SHA256(salt, site|address|User-Agent) with the salt of the date, for any visit, secret and rotation", async () => {
    const secrets = fc.string({ minLength: 1, maxLength: 80 });
    const visits = fc
      .record({
        siteId: fc.constantFrom("a", "example.com", "shop:8080").map((id) => parseSiteId(id, "d")),
        clientAddress: fc.oneof(fc.ipV4(), fc.ipV6()),
        userAgent: fc.string({ unit: anyUnit, maxLength: 300 }),
        timestampMs: fc.integer({ min: 0, max: 4e12 }),
        daysBehind: fc.integer({ min: 0, max: 2 }),
        timeZone: fc.constantFrom("UTC", "Asia/Kathmandu"),
      })
      .map(({ daysBehind, ...visit }) => ({ ...visit, date: addDays(utcDateOf(visit.timestampMs), -daysBehind) }));
    await fc.assert(
      fc.asyncProperty(secrets, fc.integer({ min: 1, max: 30 }), fc.array(visits, { maxLength: 5 }), async (secret, rotationDays, list) => {
        const visitorIds = await idsOf(secret, rotationDays);
        for (const visit of list) expect(visitorIds.visitorIdOf(visit)).toBe(expectedId(visit, secret, rotationDays));
      }),
    );
  });

  it("are unsigned and use all 64 bits", () => {
    const sample = Array.from({ length: 200 }, (_, i) => ids.visitorIdOf(aVisit({ userAgent: `agent ${i}` })));
    expect(sample.every((id) => id >= 0n && id < 2n ** 64n)).toBe(true);
    expect(sample.some((id) => id >= 2n ** 63n)).toBe(true);
    expect(new Set(sample).size).toBe(200);
  });

  it("stay the same within a period, to its last millisecond", () => {
    const dayStart = Date.parse("2026-03-04T00:00:00Z");
    expect(ids.visitorIdOf(aVisit({ timestampMs: dayStart }))).toBe(ids.visitorIdOf(aVisit({ timestampMs: dayStart + DAY - 1 })));
  });

  it("change with the site, the address, the User-Agent, the period and the secret", async () => {
    const others = await idsOf(`${SECRET}.`, 1);
    const all = [
      ids.visitorIdOf(aVisit()),
      ids.visitorIdOf(aVisit({ siteId: parseSiteId("example.org", "d") })),
      ids.visitorIdOf(aVisit({ clientAddress: "192.0.2.8" })),
      ids.visitorIdOf(aVisit({ userAgent: "another" })),
      ids.visitorIdOf(aVisit({ timestampMs: NOON + DAY })),
      others.visitorIdOf(aVisit()),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it("stay the same for all days of a longer period, counted from the Unix epoch", async () => {
    const weekly = await idsOf(SECRET, 7);
    const periodStart = Math.floor(NOON / (7 * DAY)) * 7 * DAY;
    const idOn = (timestampMs: number) => weekly.visitorIdOf(aVisit({ timestampMs }));
    expect(idOn(periodStart)).toBe(idOn(periodStart + 7 * DAY - 1));
    expect(idOn(periodStart)).not.toBe(idOn(periodStart - 1));
    expect(idOn(periodStart)).not.toBe(idOn(periodStart + 7 * DAY));
  });

  it("are the same again if the clock is set back over midnight, with a configured secret", () => {
    const [today, tomorrow] = [ids.visitorIdOf(aVisit()), ids.visitorIdOf(aVisit({ timestampMs: NOON + DAY }))];
    expect(ids.visitorIdOf(aVisit())).toBe(today);
    expect(ids.visitorIdOf(aVisit({ timestampMs: NOON + DAY }))).toBe(tomorrow);
  });

  it("depend on the whole User-Agent", () => {
    const long = "x".repeat(16_000);
    expect(ids.visitorIdOf(aVisit({ userAgent: `${long}a` }))).not.toBe(ids.visitorIdOf(aVisit({ userAgent: `${long}b` })));
  });
});
