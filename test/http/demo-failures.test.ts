/** The demo site on storage that fails (docs/http-api.md, "Demo site"). */
import { expect, it, onTestFinished } from "vitest";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import { browserHeaders, expectAccepted, expectError, post, wireEvent } from "../support/requests.ts";
import { MINUTE_MS } from "../../src/storage/event.ts";
import { SHORT_DEMO } from "../support/target.ts";

it("a demo site with only part of its files refuses the events of pages, and can be removed", async () => {
  const objects = createMemoryObjectStore();
  let isFailing = true;
  const failing: typeof objects = {
    ...objects,
    async put(key, bytes) {
      await objects.put(key, bytes);
      if (isFailing) throw new Error("the folder could not be synced");
    },
  };
  const target = await createInProcessTarget({ SVC_RETENTION_DAYS: "3" }, { objects: failing });
  onTestFinished(() => target.close());
  // Not stored, but the name is looked up.
  await expectAccepted(await post(target, wireEvent("demo.example"), browserHeaders({ "user-agent": "Googlebot/2.1" })));
  await expectError(await target.fetch("/api/demo", { method: "POST" }), 503, "made completely");
  await expectError(await post(target, wireEvent("demo.example")), 403, "demo site");
  isFailing = false;
  expect((await target.fetch("/api/demo", { method: "DELETE" })).status).toBe(200);
  await expectAccepted(await post(target, wireEvent("demo.example")));
});

it("an event with the name of the demo site is a 503 while storage cannot say whether there is one", async () => {
  const objects = createMemoryObjectStore();
  let isFailing = true;
  const list: typeof objects.list = (folder) => (isFailing ? Promise.reject(new Error("the bucket is away")) : objects.list(folder));
  const target = await createInProcessTarget({}, { objects: { ...objects, list } });
  onTestFinished(() => target.close());
  const refused = await post(target, wireEvent("demo.example"));
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
  await expectError(refused, 503, "storage");
  isFailing = false;
  await expectAccepted(await post(target, wireEvent("demo.example")));
});

const PAGE = "/api/stats/main?site_id=demo.example&period=7d";

const eventsOf = async (target: InProcessTarget): Promise<number> =>
  ((await (await target.fetch(PAGE)).json()) as { total_events: number }).total_events;

/** A short demo that was made, in a process that adds to it when the clock is set ahead. */
async function aDemo(parts: InProcessParts): Promise<InProcessTarget> {
  const target = await createInProcessTarget(SHORT_DEMO, parts);
  onTestFinished(() => target.close());
  expect((await target.fetch("/api/demo", { method: "POST" })).status).toBe(200);
  return target;
}

const halfAnHourLater = async (target: InProcessTarget): Promise<void> => {
  await target.advance(30 * MINUTE_MS);
  await target.services.settled();
};

it("a demo site does not go on while the service takes no events, and lacks nothing afterwards", async () => {
  const target = await aDemo({ unflushedBytesMax: 1 });
  const before = await eventsOf(target);
  await expectAccepted(await post(target, wireEvent("own.test")));
  await halfAnHourLater(target);
  // This tick added nothing, but flushed the event, so the next one has room.
  const after = await eventsOf(target);
  expect(after).toBe(before);
  await halfAnHourLater(target);
  expect(await eventsOf(target)).toBeGreaterThan(before);
  expect(await (await target.fetch("/api/demo", { method: "POST" })).json()).toMatchObject({ events_added: 0 });
});

it("a demo site that cannot be written goes on later, and events of other sites are taken meanwhile", async () => {
  const objects = createMemoryObjectStore();
  let isFailing = false;
  const put: typeof objects.put = (key, bytes) =>
    isFailing && key.includes("demo.example") ? Promise.reject(new Error("the disk is full")) : objects.put(key, bytes);
  const target = await aDemo({ objects: { ...objects, put } });
  const before = await eventsOf(target);
  isFailing = true;
  await halfAnHourLater(target);
  expect(target.log.lines.map(({ message }) => message)).toContain("the demo site could not be continued; it is tried again");
  await expectAccepted(await post(target, wireEvent("own.test")));
  expect(await eventsOf(target)).toBe(before);
  isFailing = false;
  await halfAnHourLater(target);
  expect(await eventsOf(target)).toBeGreaterThan(before);
  expect(await (await target.fetch("/api/demo", { method: "POST" })).json()).toMatchObject({ events_added: 0 });
});

it("files of a demo site that goes on are merged like those of other sites", async () => {
  const objects = createMemoryObjectStore();
  const target = await aDemo({ objects });
  const files = async () => {
    await target.services.settled();
    return (await objects.list("events/site_id=demo.example/date=2026-03-15")).length;
  };
  let most = 0;
  for (let minute = 0; minute < 120; minute++) {
    await target.advance(MINUTE_MS);
    most = Math.max(most, await files());
  }
  expect(most).toBeGreaterThan(10);
  expect(most).toBeLessThan(25);
  expect(await (await target.fetch("/api/demo", { method: "POST" })).json()).toMatchObject({ events_added: 0 });
});
