/** What viewers of share links and public sites may take of the query slots, with an engine that a test can pause, and when their exports end. */
import { describe, expect, it, onTestFinished } from "vitest";
import { CLOSED, createShare, deleteShare, logIn, withShare } from "../support/auth-requests.ts";
import { createControlledEngine } from "../support/controlled-engine.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { expectError, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";

const SITE = "shown.test";

const TOO_MANY = "Too many statistics queries at the same time. Try again later.";

/** Reports run in the engine, also over days without events. */
const READS_EVENTS: Environment = { ...CLOSED, SVC_ROLLUPS: "false" };

/** A site with one event that is public and has a link, as its owner and its viewers ask for it. */
async function createShown(environment: Environment = {}, expiresInMs = 3_600_000) {
  const control = await createControlledEngine();
  const target = await createInProcessTarget({ ...READS_EVENTS, ...environment }, { engine: control.engine });
  onTestFinished(async () => {
    control.release();
    await target.close();
  });
  const owner = await logIn(target);
  await record(target, wireEvent(SITE));
  const link = await createShare(target, owner, { site_id: SITE, expires_at: new Date(target.nowMs() + expiresInMs).toISOString() });
  const setPublic = async (isPublic: boolean) => {
    const body = JSON.stringify({ public: isPublic });
    expect((await target.fetch(`/api/sites/${SITE}`, { method: "PUT", headers: owner, body })).status).toBe(200);
  };
  await setPublic(true);
  return {
    target,
    control,
    owner,
    ofLink: withShare(link.token),
    ofPublic: withShare(SITE),
    setPublic,
    revoke: async () => expect((await deleteShare(target, owner, link.share_hash)).status).toBe(200),
    /** Reports of different numbers are different. */
    report: (headers: RequestHeaders, number: number) =>
      target.fetch(`/api/stats/main?site_id=${SITE}&filters=${encodeURIComponent(`pages!=/${number}`)}`, { headers }),
    exported: (headers: RequestHeaders) => target.fetch(`/api/stats/export?site_id=${SITE}&kind=raw`, { headers }),
  };
}

async function expectTooMany(asked: Promise<Response>): Promise<void> {
  const refused = await asked;
  expect(refused.headers.get("retry-after")).toBe("1");
  await expectError(refused, 429, TOO_MANY);
}

async function expectAll(asked: readonly Promise<Response>[]): Promise<void> {
  for (const response of await Promise.all(asked)) {
    const text = await response.text();
    expect(response.status, text).toBe(200);
  }
}

describe("reports of viewers", () => {
  it("take at most half of the slots, of links and public sites together; all others are for those with a session", async () => {
    const { control, owner, ofLink, ofPublic, report } = await createShown({ SVC_MAX_CONCURRENT_QUERIES: "4" });
    control.hold();
    const asked = [report(ofLink, 1), report(ofPublic, 2)];
    await control.held(2);
    await expectTooMany(report(ofLink, 3));
    await expectTooMany(report(ofPublic, 3));
    asked.push(report(owner, 4), report(owner, 5));
    await control.held(4);
    control.release();
    await expectAll(asked);
    await expectAll([report(ofLink, 3)]);
  });

  it("that are cached or being computed take no slot", async () => {
    const { control, owner, ofLink, ofPublic, report } = await createShown({ SVC_MAX_CONCURRENT_QUERIES: "2", SVC_CACHE_TTL_SECS: "60" });
    await expectAll([report(owner, 1)]);
    control.hold();
    const asked = [report(ofLink, 2)];
    await control.held(1);
    await expectAll([report(ofLink, 1), report(ofPublic, 1)]);
    await expectTooMany(report(ofPublic, 3));
    asked.push(report(ofPublic, 2));
    control.release();
    await expectAll(asked);
  });

  it("that wait for a slot delay nobody who asks for the same with a session", async () => {
    const { control, owner, ofLink, report } = await createShown({ SVC_MAX_CONCURRENT_QUERIES: "2", SVC_QUERY_QUEUE_MS: "600000" });
    control.hold();
    const asked = [report(ofLink, 1), report(ofLink, 2), report(owner, 2)];
    await control.held(2);
    control.release();
    await expectAll(asked);
  });
});

describe("exports of viewers", () => {
  it("are two at a time, and do not count for those with a session", async () => {
    const { owner, ofLink, ofPublic, exported } = await createShown();
    const [first, second] = [await exported(ofLink), await exported(ofPublic)];
    await expectTooMany(exported(ofLink));
    await expectTooMany(exported(ofPublic));
    await expectAll([exported(owner), exported(owner)]);
    await first.text();
    await expectAll([exported(ofLink)]);
    await second.text();
  });

  it("go on as long as what they export is shared", async () => {
    const { target, ofLink, exported } = await createShown();
    const response = await exported(ofLink);
    for (let i = 0; i < 5; i++) await target.advance(1000);
    expect((await response.text()).split("\n")).toHaveLength(3);
  });

  type Shown = Awaited<ReturnType<typeof createShown>>;

  it.each<[string, keyof Shown & ("ofLink" | "ofPublic"), (shown: Shown) => Promise<void>]>([
    ["the link is revoked", "ofLink", ({ revoke }) => revoke()],
    ["the link expires", "ofLink", ({ target }) => target.advance(20_000)],
    ["the site is not public any more", "ofPublic", ({ setPublic }) => setPublic(false)],
  ])("break off when %s", async (_when, viewer, end) => {
    const shown = await createShown({}, 20_000);
    const response = await shown.exported(shown[viewer]);
    expect({ status: response.status, holdsMemory: shown.target.services.exportMemory.bytes > 0 }).toEqual({
      status: 200,
      holdsMemory: true,
    });
    await end(shown);
    await shown.target.advance(1000);
    await expect.poll(() => shown.target.services.exportMemory.bytes).toBe(0);
    await expect(response.text()).rejects.toThrow("no longer shared");
  });
});
