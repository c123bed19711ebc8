/**
 * Several days of a service, with setup, keys, flushes, merges, erasures and retention, run once for each call to its object
 * store, journal or record store. In each run another call fails, or the process dies there. The next process finds every
 * acknowledged event exactly once, no erased event, the confirmed password, the created keys but not the revoked ones, and
 * `verify` finds no fault.
 */
import { describe, expect, it } from "vitest";
import { verifyData } from "../../src/runtime/upkeep/verification.ts";
import { utcDateOf } from "../../src/storage/event.ts";
import { deleteKey, PASSWORD, postKey, postLogin, postSetup, withBearer, withSession } from "../support/auth-requests.ts";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Strike } from "../support/mortal-stores.ts";
import { siteId } from "../support/stored-event.ts";
import { inProcess, Ledger, wrongIn, type Sent } from "./ledger.ts";
import { isTurnOf } from "./turns.ts";
import { readStores } from "./stored-events.ts";

const DAY_MS = 86_400_000;
/** Each case plays the days many times. */
const TEST_MS_MAX = 120_000;

const RETENTION_DAYS = 1;

/** The second id has characters that file names must escape. */
const [A, B] = [siteId("a.test"), siteId("B:Other.")];

const ENVIRONMENT = { SVC_COMPACT_AFTER_FILES: "2", SVC_RETENTION_DAYS: String(RETENTION_DAYS) };

/** What the service has said about password and keys. */
interface Credentials {
  setupStatus: number;
  /** Handed out, by whether a revocation was confirmed, tried or not asked for. */
  readonly keys: { readonly key: string; revoked: "no" | "perhaps" | "yes" }[];
}

async function setUp(target: InProcessTarget): Promise<Credentials> {
  const setup = await postSetup(target);
  const credentials: Credentials = { setupStatus: setup.status, keys: [] };
  if (setup.status !== 200) return credentials;
  const session = withSession(((await setup.json()) as { token: string }).token);
  for (const toRevoke of [false, true]) {
    const created = await postKey(target, session, { name: "a key", scope: "ReadOnly" });
    if (created.status !== 201) continue;
    const { key, key_hash: hash } = (await created.json()) as { key: string; key_hash: string };
    const entry: Credentials["keys"][number] = { key, revoked: "no" };
    credentials.keys.push(entry);
    if (toRevoke) entry.revoked = (await deleteKey(target, session, hash)).status === 200 ? "yes" : "perhaps";
  }
  return credentials;
}

interface Played {
  readonly sent: readonly Sent[];
  readonly credentials: Credentials;
}

/** Whatever fails, it goes on. */
async function play(target: InProcessTarget): Promise<Played> {
  const { flush: flushJob, compaction } = target.services;
  const ledger = new Ledger(target);
  const flush = () => flushJob.run();
  const merge = () => compaction.run();
  const today = () => utcDateOf(target.nowMs());
  const nextDay = async () => {
    await target.advance(DAY_MS);
    await ledger.retain(RETENTION_DAYS);
    await flushJob.settled();
    await merge();
  };
  const credentials = await setUp(target);
  for (let day = 1; day <= 3; day++) {
    for (let part = 1; part <= 3; part++) {
      await ledger.send(A, 1);
      if (part === 1) await ledger.send(B, 1);
      await flush();
    }
    if (day === 2) {
      await Promise.all([ledger.send(A, 1), flush(), ledger.erase(B, today(), today()), merge()]);
      await ledger.send(B, 1);
    }
    await nextDay();
  }
  await ledger.send(A, 1);
  await ledger.erase(A, utcDateOf(target.nowMs() - DAY_MS), today());
  await ledger.send(A, 1);
  return { sent: ledger.sent, credentials };
}

/** What is wrong with what the next process says about password and keys. */
async function expectCredentials(target: InProcessTarget, { setupStatus, keys }: Credentials, strike: Strike | null): Promise<void> {
  const { isConfigured } = target.services.adminPassword;
  if (setupStatus === 200) expect((await postLogin(target, PASSWORD)).status).toBe(200);
  // Where the process died nobody can tell; else a setup that was refused has left nothing.
  else if (!strike?.deadly) expect(isConfigured).toBe(false);
  for (const { key, revoked } of keys) {
    const { status } = await target.fetch("/api/sites", { headers: withBearer(key) });
    if (revoked === "no") expect(status).toBe(200);
    if (revoked === "yes") expect(status).toBe(401);
  }
}

async function playAndRestart(strike: Strike | null): Promise<Played & { struck: boolean }> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  const played = await inProcess(mortal, play, ENVIRONMENT).catch((error: unknown) => {
    // A process that cannot read its journal or its records does not start. That is all.
    if (!strike?.ofReads) throw error;
    return { sent: [], credentials: { setupStatus: 0, keys: [] } };
  });
  const { sent, credentials } = played;
  expect(wrongIn((await readStores(backing)).pages, sent), "after the crash").toEqual([]);
  expect((await verifyData(backing)).faults, "after the crash").toEqual([]);
  await inProcess(
    backing,
    async (target) => {
      await expectCredentials(target, credentials, strike);
      await target.advance(4 * DAY_MS);
      await target.flush();
      await target.services.compaction.run();
      const { pages, inJournalOnly } = await readStores(backing);
      expect({ wrong: wrongIn(pages, sent), inJournalOnly }, "after the next flush").toEqual({ wrong: [], inJournalOnly: 0 });
      expect(await verifyData(backing), "after the next flush").toMatchObject({ faults: [], events: pages.size, supersededFiles: 0 });
    },
    { ...ENVIRONMENT, SVC_RETENTION_DAYS: "0" },
  );
  return { ...played, struck: mortal.hasStruck() };
}

/** Strikes at every call, one after the other. */
async function strikeAtEach(
  from: number,
  callsMin: number,
  strikeAt: (atChange: number) => Strike,
  isPlayed: (atChange: number) => boolean = () => true,
): Promise<void> {
  for (let atChange = from; ; atChange++) {
    if (!isPlayed(atChange)) continue;
    const { struck } = await playAndRestart(strikeAt(atChange)).catch((error: unknown) => {
      throw new Error(`at call ${atChange}: ${String(error)}`, { cause: error });
    });
    if (!struck) {
      expect(atChange).toBeGreaterThan(callsMin);
      return;
    }
  }
}

describe("a history", { timeout: TEST_MS_MAX }, () => {
  it("the changes of several days survive a restart as confirmed", async () => {
    const { sent, credentials } = await playAndRestart(null);
    expect(sent.every(({ acknowledged }) => acknowledged)).toBe(true);
    expect(sent.filter(({ erased }) => erased === "yes").length).toBeGreaterThan(5);
    expect(sent.filter(({ erased }) => erased === "no").length).toBeGreaterThan(1);
    expect(credentials).toMatchObject({ setupStatus: 200, keys: [{ revoked: "no" }, { revoked: "yes" }] });
  });

  for (const [way, deadly] of [true, false].entries()) {
    for (const [part, when] of (["before", "halfway", "after"] as const).entries()) {
      it(`the changes of several days survive a restart as confirmed ${deadly ? "when the process dies" : "when a failure occurs"} ${when} any change to the stores`, () =>
        // The first change is the journal's, without which there is no process.
        strikeAtEach(
          when === "halfway" ? 1 : 2,
          10,
          (atChange) => ({ atChange, when, deadly }),
          (atChange) => isTurnOf(way * 3 + part, 6, atChange),
        ));
    }
  }

  it("the changes of several days survive a restart as confirmed when any single read fails", () =>
    strikeAtEach(1, 20, (atChange) => ({ atChange, when: "before", deadly: false, ofReads: true })));
});
