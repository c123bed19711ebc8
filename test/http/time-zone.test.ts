/** The option `time_zone` in process: which date events get, over starts with other zones. */
import { expect, it, onTestFinished } from "vitest";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { createMemorySegmentLog } from "../support/memory-segment-log.ts";
import { parseSiteId } from "../../src/runtime/base/config/names.ts";
import { createRecordSecretStore } from "../../src/storage/secret-store.ts";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { expectAccepted, post, wireEvent } from "../support/requests.ts";

const SITE = parseSiteId("zoned.test", "d");

/** Starts of one installation, of which each ends with the test or before the next. */
function installation() {
  const [objects, records, segmentLog] = [createMemoryObjectStore(), createMemoryRecordStore(), createMemorySegmentLog()];
  const secrets = createRecordSecretStore(createMemoryRecordStore());
  return async (timeZone: string, startTime: string) => {
    const environment = { SVC_TIME_ZONE: timeZone };
    const target = await createInProcessTarget(environment, { objects, records, segmentLog, secrets, startMs: Date.parse(startTime) });
    onTestFinished(() => target.close());
    return {
      send: async () => expectAccepted(await post(target, wireEvent(SITE))),
      advance: (ms: number) => target.advance(ms),
      days: () => target.services.daysOf(SITE),
      stop: () => target.close(),
    };
  };
}

it("time_zone: events get the date of the zone, and before and after its midnight two", async () => {
  const start = installation();
  const { send, advance, days } = await start("America/St_Johns", "2026-03-15T02:29:59Z");
  await send();
  expect(await days()).toEqual(["2026-03-14"]);
  await advance(1000);
  await send();
  expect(await days()).toEqual(["2026-03-14", "2026-03-15"]);
});

it("time_zone: a change takes effect with the first date that begins in the new zone, even if the restart is days before", async () => {
  const start = installation();
  const utc = await start("UTC", "2026-03-15T12:00:00Z");
  await utc.send();
  await utc.stop();
  const tokyo = await start("Asia/Tokyo", "2026-03-15T14:00:00Z");
  await tokyo.send();
  expect(await tokyo.days()).toEqual(["2026-03-15"]);
  await tokyo.advance(3_600_000);
  await tokyo.send();
  expect(await tokyo.days()).toEqual(["2026-03-15", "2026-03-16"]);
  await tokyo.stop();
  // It is already March 17 there, so that the next date is the one after it.
  const kiritimati = await start("Pacific/Kiritimati", "2026-03-16T10:30:00Z");
  await kiritimati.advance(4.5 * 3_600_000);
  await kiritimati.send();
  expect(await kiritimati.days()).toEqual(["2026-03-15", "2026-03-16", "2026-03-17"]);
  await kiritimati.advance(19 * 3_600_000);
  await kiritimati.send();
  expect(await kiritimati.days()).toEqual(["2026-03-15", "2026-03-16", "2026-03-17", "2026-03-18"]);
});

it("time_zone: a site's current date stays that of its long day before a zone further west, whatever the clock of the old zone shows", async () => {
  const target = await createInProcessTarget(CLOSED, { startMs: Date.parse("2026-03-15T12:00:00Z") });
  onTestFinished(() => target.close());
  const headers = await logIn(target);
  await expectAccepted(await post(target, wireEvent(SITE)));
  await target.fetch(`/api/sites/${SITE}`, { method: "PUT", headers, body: JSON.stringify({ time_zone: "Pacific/Pago_Pago" }) });
  const shown = async () => (await (await target.fetch("/api/sites?include=settings", { headers })).json()) as { settings: unknown };
  await target.advance(17 * 3_600_000);
  expect(await shown()).toMatchObject({ settings: [{ time_zone: "UTC", today: "2026-03-15" }] });
  await target.advance(6 * 3_600_000);
  expect(await shown()).toMatchObject({ settings: [{ time_zone: "Pacific/Pago_Pago", today: "2026-03-16" }] });
});
