/**
 * Renames and merges of sites under failures: once for each change to storage, which fails, or at which the process dies. Events are sent
 * before, during and after, under both names. What was accepted counts once, under one name, then and after a restart, which brings the move
 * to its end or leaves everything as it was; what belongs to the site follows.
 */
import { describe, expect, it } from "vitest";
import { type EventText, eventOf, type LocalDate, TEXT_COLUMNS } from "../../src/storage/event.ts";
import { decodeEventsOf } from "../../src/storage/parquet-events.ts";
import { bodyOf, CLOSED, createShare, listKeys, logIn, postJson, postKey, withShare } from "../support/auth-requests.ts";
import { addItem, listItems } from "../support/collections.ts";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { post, record, type RequestHeaders, wireEvent } from "../support/requests.ts";
import { inProcess } from "./ledger.ts";
import { isTurnOf } from "./turns.ts";

const [OLD, NEW, OTHER] = ["old.test", "new.test", "other.test"];

const [FIRST_DAY, LAST_DAY] = ["0001-01-01" as LocalDate, "9999-12-31" as LocalDate];

const PATHNAME = TEXT_COLUMNS.find(({ name }) => name === "pathname");

/** The pages of every site that counts, once for each of their events. */
async function pagesOf({ services: { eventStore } }: InProcessTarget): Promise<Readonly<Record<string, readonly string[]>>> {
  if (!PATHNAME) throw new Error("events have no pathname");
  const bySite: Record<string, string[]> = {};
  for (const siteId of [...(await eventStore.sites())].sort()) {
    const pages = await eventStore.withSnapshot(siteId, FIRST_DAY, LAST_DAY, async (partitions) => {
      const found: string[] = [];
      for (const { files, journaled } of partitions) {
        for (const file of files) {
          for (const part of decodeEventsOf(siteId, (await eventStore.read(file)) ?? new Uint8Array())) {
            const { texts, places } = part.text(PATHNAME);
            for (const place of places) found.push(texts[place] ?? "");
          }
        }
        const texts = journaled.flatMap(({ events, inFiles }): readonly EventText[] => (inFiles ? [] : events));
        found.push(...texts.map((text) => eventOf(text).pathname));
      }
      return found.sort();
    });
    if (pages.length > 0) bySite[siteId] = pages;
  }
  return bySite;
}

const urlOf = (page: string) => ({ u: `https://page.test${page}` });

/** Sends an event; returns whether it was accepted. */
const sent = async (target: InProcessTarget, site: string, page: string): Promise<boolean> =>
  (await post(target, wireEvent(site, urlOf(page)))).status === 202;

interface Prepared {
  readonly shareToken: string;
}

async function prepare(target: InProcessTarget): Promise<Prepared> {
  for (const day of [1, 2]) {
    for (const site of [OLD, OTHER]) await record(target, wireEvent(site, urlOf(`/day-${day}`)));
    await target.flush();
    await target.advance(86_400_000);
  }
  const headers = await logIn(target);
  await addItem(target, "goals", OLD, headers, { name: "a goal", page: "/" });
  const { token } = await createShare(target, headers, { site_id: OLD });
  const settings = { method: "PUT", headers, body: JSON.stringify({ name: "A site", time_zone: "Asia/Tokyo" }) };
  expect((await target.fetch(`/api/sites/${OLD}`, settings)).status).toBe(200);
  await bodyOf(await postKey(target, headers, { name: "a key", scope: "ReadOnly", sites: [OLD] }), 201);
  for (const site of [OLD, OTHER]) await record(target, wireEvent(site, urlOf("/journaled")));
  return { shareToken: token };
}

const BEFORE = ["/day-1", "/day-2", "/journaled"];

/** What belongs to a site, as the API shows it. */
async function belongingsOf(target: InProcessTarget, site: string, headers: RequestHeaders) {
  const settings = await bodyOf<{ name: string | null; time_zone: string | null }>(await target.fetch(`/api/sites/${site}`, { headers }));
  const shares = await bodyOf<unknown[]>(await target.fetch(`/api/shares?site_id=${site}`, { headers }));
  const keys = (await listKeys(target, headers)).filter((key) => (key as { sites?: string[] }).sites?.includes(site));
  const goals = await listItems(target, "goals", site, headers);
  return { name: settings.name, zone: settings.time_zone, shares: shares.length, keys: keys.length, goals: goals.length };
}

const ALL = { name: "A site", zone: "Asia/Tokyo", shares: 1, keys: 1, goals: 1 };
const NONE = { name: null, zone: null, shares: 0, keys: 0, goals: 0 };

/** Works until no site moves. */
async function settle(target: InProcessTarget): Promise<void> {
  const { siteMoves } = target.services;
  if (siteMoves === null) throw new Error("sites can be renamed in process");
  for (let runs = 0; runs < 20; runs++) {
    const ok = await siteMoves.job.run();
    if (ok && siteMoves.otherNames.every(({ isComplete }) => isComplete)) return;
  }
  throw new Error(`it does not end: ${JSON.stringify(siteMoves.otherNames)}`);
}

interface Outcome {
  readonly struck: boolean;
  readonly changes: number;
}

/** Runs a move with a strike, while events are sent; returns the pages that were accepted besides those before. */
async function play(
  target: InProcessTarget,
  path: string,
  body: object,
  names: readonly string[],
  isDead: () => boolean,
): Promise<string[]> {
  const headers = await logIn(target);
  const accepted: string[] = [];
  const send = async (name: string, page: string) => {
    // In a dead process, events of a site that is being switched would wait to no end.
    if (!isDead() && (await sent(target, name, page))) accepted.push(page);
  };
  const moving = postJson(target, path, body, headers).catch(() => null);
  // Some come while the files are copied, some while the name is switched.
  for (let i = 0; i < 12; i++) await Promise.all(names.map((name) => send(name, `/during-${name}-${i}`)));
  await moving;
  await target.services.siteMoves?.job.run();
  for (const name of names) await send(name, `/after-${name}`);
  return accepted;
}

/** Clocks are those of the last event, after two days. */
const START_MS = Date.parse("2026-03-17T12:00:00.000Z");

/** Accepted events are there, each once, and of the others some may be. */
function expectOnce(pages: readonly string[], accepted: readonly string[]): void {
  const counts = new Map<string, number>();
  for (const page of pages) counts.set(page, (counts.get(page) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
  expect(accepted.filter((page) => !counts.has(page))).toEqual([]);
}

async function renameAndRestart(strike: Strike | null): Promise<Outcome> {
  const backing = memoryStores();
  const { shareToken } = await inProcess(backing, prepare, CLOSED);
  const mortal = mortalStores(backing, strike);
  const isDead = () => strike?.deadly === true && mortal.hasStruck();
  let accepted = BEFORE;
  const parts = (stores: Stores) => ({ ...stores, startMs: START_MS });
  await inProcess(
    parts(mortal),
    async (target) => {
      accepted = [...BEFORE, ...(await play(target, `/api/sites/${OLD}/rename`, { to: NEW }, [OLD, NEW], isDead))];
    },
    CLOSED,
  ).catch((error: unknown) => {
    if (strike === null) throw error;
  });
  await inProcess(
    parts(backing),
    async (target) => {
      const headers = await logIn(target);
      const [whole, both] = [await pagesOf(target), [OLD, NEW]];
      const named = both.filter((site) => site in whole);
      const began = target.services.siteMoves?.otherNames.length === 1;
      if (began) {
        expect(named, "one name counts").toHaveLength(1);
        expectOnce(whole[named[0] ?? ""] ?? [], accepted);
        await settle(target);
      } else {
        // It did not begin: an event of the new name made a site of that name.
        expectOnce(
          both.flatMap((site) => whole[site] ?? []),
          accepted,
        );
        if (NEW in whole) return;
        expect((await postJson(target, `/api/sites/${OLD}/rename`, { to: NEW }, headers)).status).toBe(200);
      }
      const after = await pagesOf(target);
      expect(Object.keys(after)).toEqual([NEW, OTHER]);
      expectOnce(after[NEW] ?? [], accepted);
      expect(after[OTHER]).toEqual(BEFORE);
      expect(await belongingsOf(target, NEW, headers)).toEqual(ALL);
      // The earlier name stands for the site.
      expect(await belongingsOf(target, OLD, headers)).toMatchObject({ name: "A site", goals: 1 });
      expect(await bodyOf(await target.fetch("/api/share", { headers: withShare(shareToken) }))).toMatchObject({ site_id: NEW });
      expect((await backing.objects.list(`events/site_id=${OLD}`)).length).toBe(0);
      expect(await sent(target, OLD, "/by-the-old-name")).toBe(true);
      expect((await pagesOf(target))[NEW]).toContain("/by-the-old-name");
    },
    CLOSED,
  );
  return { struck: mortal.hasStruck(), changes: mortal.changes() };
}

async function mergeAndRestart(strike: Strike | null): Promise<Outcome> {
  const backing = memoryStores();
  await inProcess(backing, prepare, CLOSED);
  const mortal = mortalStores(backing, strike);
  const isDead = () => strike?.deadly === true && mortal.hasStruck();
  let accepted = BEFORE;
  const parts = (stores: Stores) => ({ ...stores, startMs: START_MS });
  await inProcess(
    parts(mortal),
    async (target) => {
      accepted = [...BEFORE, ...(await play(target, `/api/sites/${OLD}/merge`, { into: OTHER }, [OLD], isDead))];
    },
    CLOSED,
  ).catch((error: unknown) => {
    if (strike === null) throw error;
  });
  const withoutOthers = (pages: readonly string[]) => {
    const left = [...BEFORE];
    return pages.filter((page) => {
      const at = left.indexOf(page);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  await inProcess(
    parts(backing),
    async (target) => {
      const headers = await logIn(target);
      const before = await pagesOf(target);
      expectOnce([...(before[OLD] ?? []), ...withoutOthers(before[OTHER] ?? [])], accepted);
      if (target.services.siteMoves?.otherNames.length === 1) await settle(target);
      else expect((await postJson(target, `/api/sites/${OLD}/merge`, { into: OTHER }, headers)).status).toBe(200);
      const merged = await pagesOf(target);
      expect(Object.keys(merged)).toEqual([OTHER]);
      expectOnce(withoutOthers(merged[OTHER] ?? []), accepted);
      // What belongs to the merged site does not count, and comes back.
      expect(await bodyOf(await target.fetch("/api/sites", { headers }))).toEqual({ sites: [OTHER] });
      const [{ number } = { number: 0 }] = target.services.imports?.all ?? [];
      expect((await target.fetch(`/api/imports/${number}`, { method: "DELETE", headers })).status).toBe(200);
      const undone = await pagesOf(target);
      expect(Object.keys(undone)).toEqual([OLD, OTHER]);
      expectOnce([...(undone[OLD] ?? []), ...withoutOthers(undone[OTHER] ?? [])], accepted);
      expect(await belongingsOf(target, OLD, headers)).toEqual(ALL);
      expect(await belongingsOf(target, OTHER, headers)).toEqual(NONE);
    },
    CLOSED,
  );
  return { struck: mortal.hasStruck(), changes: mortal.changes() };
}

const MOVES = { "a rename": renameAndRestart, "a merge": mergeAndRestart };

for (const [what, moveAndRestart] of Object.entries(MOVES)) {
  describe(what, () => {
    it("gives all events another site, each once", async () => {
      expect((await moveAndRestart(null)).changes).toBeGreaterThan(10);
    });

    for (const [way, deadly] of [true, false].entries()) {
      for (const [part, when] of (["before", "after"] as const).entries()) {
        it(`is whole, and ends, when ${deadly ? "the process dies" : "a failure occurs"} ${when} any change to storage`, async () => {
          for (let atChange = 1; ; atChange++) {
            if (!isTurnOf(way * 2 + part, 4, atChange)) continue;
            const { struck } = await moveAndRestart({ atChange, when, deadly }).catch((error: unknown) => {
              throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
            });
            if (!struck) return;
          }
        });
      }
    }
  });
}
