/** What becomes of counts of dropped events when days and sites are deleted, renamed, merged, restarted and copied. In process. */
import { describe, expect, it, onTestFinished } from "vitest";
import { backUp } from "../../src/runtime/upkeep/backup.ts";
import { verifyData } from "../../src/runtime/upkeep/verification.ts";
import { bodyOf, CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, type Stores } from "../support/mortal-stores.ts";
import { record, wireEvent } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";
import { GOOGLEBOT } from "../support/user-agents.ts";

const [SITE, OTHER] = ["one.test", "other.test"];

const DAY_MS = 86_400_000;

interface World {
  readonly target: InProcessTarget;
  readonly stores: Stores;
  ask(method: string, path: string, body?: unknown): Promise<Response>;
  /** Counts by date, of all dates with some. */
  dropped(site: string): Promise<Readonly<Record<string, number>>>;
}

async function world(environment: Environment = {}): Promise<World> {
  const stores = memoryStores();
  const target = await createInProcessTarget({ ...CLOSED, ...environment }, stores);
  onTestFinished(() => target.close());
  const headers = withKey((await createKey(target, await logIn(target), "Admin")).key);
  const ask: World["ask"] = (method, path, body) =>
    target.fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return {
    ...{ target, stores, ask },
    async dropped(site) {
      const path = `/api/stats/dropped?site_id=${site}&start_date=2026-01-01&end_date=2026-12-31`;
      const { days } = await bodyOf<{ days: { date: string; dropped: number }[] }>(await ask("GET", path));
      return Object.fromEntries(days.filter((day) => day.dropped > 0).map((day) => [day.date, day.dropped]));
    },
  };
}

/** An event, and one of a bot. */
async function visit(target: InProcessTarget, site: string): Promise<void> {
  await record(target, wireEvent(site));
  await record(target, wireEvent(site), { "user-agent": GOOGLEBOT });
}

/** Two days, the first one in files. */
async function twoDays({ target }: World, site: string): Promise<void> {
  await visit(target, site);
  await target.services.droppedEvents?.run();
  await target.flush();
  await target.advance(DAY_MS);
  await target.services.droppedEvents?.settled();
  await visit(target, site);
}

const TWO = { "2026-03-15": 1, "2026-03-16": 1 };

describe("counts of dropped events", () => {
  it("are written when the service stops, and a tick writes them before", async () => {
    const all = await world();
    await twoDays(all, SITE);
    await all.target.restart();
    expect(await all.dropped(SITE)).toEqual(TWO);
    await visit(all.target, SITE);
    await all.target.advance(60_000);
    await all.target.services.droppedEvents?.settled();
    await all.target.crash();
    expect(await all.dropped(SITE)).toEqual({ "2026-03-15": 1, "2026-03-16": 2 });
  });

  it("are not counted of sites that nobody knows", async () => {
    const all = await world();
    await record(all.target, wireEvent(SITE), { "user-agent": GOOGLEBOT });
    await record(all.target, wireEvent(SITE));
    expect(await all.dropped(SITE)).toEqual({});
  });

  it("are erased with the days of their site, and with the site", async () => {
    const all = await world();
    const { ask, dropped } = all;
    for (const site of [SITE, OTHER]) await twoDays(all, site);
    const before = await dropped(OTHER);
    await bodyOf(await ask("DELETE", `/api/gdpr/erase?site_id=${SITE}&start_date=2026-03-15&end_date=2026-03-15`));
    expect(await dropped(SITE)).toEqual({ "2026-03-16": 1 });
    await bodyOf(await ask("POST", `/api/sites/${SITE}/delete`, { confirm: SITE }));
    expect(await dropped(SITE)).toEqual({});
    expect(await dropped(OTHER)).toEqual(before);
    expect(await all.target.services.droppedEvents?.sites()).toEqual([OTHER]);
  });

  it("end with the retention of the site, also after its last event", async () => {
    const all = await world({ SVC_RETENTION_DAYS: "1" });
    const { target, dropped } = all;
    await twoDays(all, SITE);
    await target.advance(DAY_MS);
    await target.services.retention.run();
    expect(await dropped(SITE)).toEqual({ "2026-03-16": 1 });
    // There are counts of a later day than that of the last event.
    await record(target, wireEvent(SITE), { "user-agent": GOOGLEBOT });
    await target.services.droppedEvents?.run();
    await target.advance(DAY_MS);
    await target.services.retention.run();
    expect(await dropped(SITE)).toEqual({ "2026-03-17": 1 });
    await target.advance(DAY_MS);
    await target.services.retention.run();
    expect(await dropped(SITE)).toEqual({});
    expect((await all.stores.objects.list("dropped")).map(({ key }) => key)).toEqual([]);
  });

  it("follow a renamed site, there and back", async () => {
    const all = await world();
    const { ask, dropped, target } = all;
    await twoDays(all, SITE);
    await bodyOf(await ask("POST", `/api/sites/${SITE}/rename`, { to: OTHER }));
    expect(await dropped(OTHER)).toEqual(TWO);
    // The earlier name still leads to it.
    await record(target, wireEvent(SITE), { "user-agent": GOOGLEBOT });
    await target.advance(1);
    await bodyOf(await ask("POST", `/api/sites/${OTHER}/rename`, { to: SITE }));
    await target.advance(1);
    await bodyOf(await ask("POST", `/api/sites/${SITE}/rename`, { to: OTHER }));
    expect(await dropped(OTHER)).toEqual({ "2026-03-15": 1, "2026-03-16": 2 });
  });

  it("of a merged site are in both sites until that is final, and stay", async () => {
    const all = await world();
    const { ask, dropped, target } = all;
    await twoDays(all, SITE);
    await visit(target, OTHER);
    await bodyOf(await ask("POST", `/api/sites/${SITE}/merge`, { into: OTHER }));
    expect(await dropped(OTHER)).toEqual({ "2026-03-15": 1, "2026-03-16": 2 });
    await bodyOf(await ask("DELETE", "/api/imports/1"));
    expect(await dropped(OTHER)).toEqual({ "2026-03-16": 1 });
    expect(await dropped(SITE)).toEqual(TWO);
    await bodyOf(await ask("POST", `/api/sites/${SITE}/merge`, { into: OTHER }));
    await target.advance(90 * DAY_MS);
    await target.services.siteMoves?.job.run();
    expect(await dropped(OTHER)).toEqual({ "2026-03-15": 1, "2026-03-16": 2 });
    expect(await target.services.droppedEvents?.sites()).toEqual([OTHER]);
  });

  it("are in a backup, and their damage is found", async () => {
    const all = await world();
    await twoDays(all, SITE);
    await all.target.restart();
    const copy = memoryStores();
    await backUp(all.stores, {
      ...copy,
      async copyObject(key) {
        const bytes = await all.stores.objects.get(key);
        if (bytes !== null) await copy.objects.put(key, bytes);
        return bytes !== null;
      },
    });
    const files = (await copy.objects.list("dropped")).map(({ key }) => key);
    expect(files).toEqual(["15", "16"].map((day) => `dropped/site_id=one.test/2026-03-${day}_0.ndjson.gz`));
    expect((await verifyData(copy)).faults).toEqual([]);
    await copy.objects.put(files[0] ?? "", new Uint8Array(40));
    await copy.objects.put("dropped/stray", new Uint8Array());
    expect((await verifyData(copy)).faults).toEqual([
      { file: files[0], reason: expect.stringContaining("it cannot be read") as unknown },
      { file: "dropped/stray", reason: "it is not a file of counts, and is ignored" },
    ]);
  });
});
