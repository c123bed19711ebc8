/**
 * Deletion of a site under failures: it runs once for each change to the disk, which fails there, or at which the process dies. What was
 * confirmed must be gone after a restart; otherwise repeating it must delete the rest, and never anything of another site.
 */
import { describe, expect, it } from "vitest";
import { bodyOf, CLOSED, createShare, listKeys, logIn, postJson, postKey } from "../support/auth-requests.ts";
import { addItem } from "../support/collections.ts";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { inProcess } from "./ledger.ts";
import { readStores } from "./stored-events.ts";
import { isTurnOf } from "./turns.ts";

const [GONE, KEPT] = ["gone.test", "kept.test"];

const FOLDERS = ["sites", "goals", "shares"];

async function prepare(target: InProcessTarget): Promise<void> {
  const headers = await logIn(target);
  for (const site of [GONE, KEPT]) {
    await record(target, wireEvent(site, { u: "https://page.test/flushed" }));
    await addItem(target, "goals", site, headers, { name: "a goal", page: "/" });
    await createShare(target, headers, { site_id: site });
    const settings = { method: "PUT", headers, body: JSON.stringify({ name: "A site" }) };
    expect((await target.fetch(`/api/sites/${site}`, settings)).status).toBe(200);
  }
  await bodyOf(await postKey(target, headers, { name: "a key", scope: "ReadOnly", sites: [GONE] }), 201);
  await target.services.flush.run();
  await record(target, wireEvent(GONE, { u: "https://page.test/journaled" }));
}

const deletion = (target: InProcessTarget, headers: RequestHeaders): Promise<Response> =>
  postJson(target, `/api/sites/${GONE}/delete`, { confirm: GONE }, headers);

/** How many events and records each of the sites has. */
async function leftOf({ objects, segmentLog, records }: Stores): Promise<Readonly<Record<string, number>>> {
  const texts = [...(await readStores({ objects, segmentLog })).pages.keys()];
  for (const folder of FOLDERS)
    for (const name of await records.list(`${folder}/`)) texts.push(new TextDecoder().decode((await records.read(name)) ?? undefined));
  const naming = (site: string) => texts.filter((text) => text.includes(site)).length;
  return { [GONE]: naming(GONE), [KEPT]: naming(KEPT) };
}

const DELETED = { [GONE]: 0, [KEPT]: 1 + FOLDERS.length };

async function deleteAndRestart(strike: Strike | null): Promise<{ readonly struck: boolean; readonly changes: number }> {
  const backing = memoryStores();
  await inProcess(backing, prepare, CLOSED);
  const mortal = mortalStores(backing, strike);
  const isConfirmed = await inProcess(mortal, async (target) => (await deletion(target, await logIn(target))).status === 200, CLOSED).catch(
    () => false,
  );
  if (isConfirmed) expect(await leftOf(backing), "once confirmed").toEqual(DELETED);
  await inProcess(
    backing,
    async (target) => {
      const headers = await logIn(target);
      expect(await bodyOf(await deletion(target, headers))).toMatchObject({ status: "deleted", ...(isConfirmed && { events_deleted: 0 }) });
      expect((await listKeys(target, headers)).map(({ revoked }) => revoked)).toEqual([true]);
    },
    CLOSED,
  );
  expect(await leftOf(backing), "after it is repeated").toEqual(DELETED);
  return { struck: mortal.hasStruck(), changes: mortal.changes() };
}

describe("deletion of a site", () => {
  it("leaves nothing of the site, and all of another", async () => {
    expect((await deleteAndRestart(null)).changes).toBeGreaterThan(6);
  });

  for (const [way, deadly] of [true, false].entries()) {
    for (const [part, when] of (["before", "after"] as const).entries()) {
      it(`can be repeated when ${deadly ? "the process dies" : "a failure occurs"} ${when} any change to the disk`, async () => {
        for (let atChange = 1; ; atChange++) {
          if (!isTurnOf(way * 2 + part, 4, atChange)) continue;
          const { struck } = await deleteAndRestart({ atChange, when, deadly }).catch((error: unknown) => {
            throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
          });
          if (!struck) return;
        }
      });
    }
  }
});
