/** What viewers of share links and public sites may take of the query slots, with an engine that a test can pause, and when their exports end. */
import { describe, expect, it, onTestFinished } from "vitest";
import { CLOSED, createKey, createShare, deleteShare, logIn, withKey, withShare } from "../support/auth-requests.ts";
import { createControlledEngine } from "../support/controlled-engine.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { postRpc, toolCall, type RpcAnswer } from "../support/mcp.ts";
import { expectError, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { visitor } from "../support/stats-requests.ts";
import type { Environment } from "../support/target.ts";
import { recordForExport } from "./unread-exports.suite.ts";

const SITE = "shown.test";

const MIB = 1024 * 1024;

const TOO_MANY = "Too many statistics queries at the same time. Try again later.";

/** Reports run in the engine, also over days without events. */
const READS_EVENTS: Environment = { ...CLOSED, SVC_ROLLUPS: "false", SVC_TRUST_PROXY: "1" };

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
  const other = await createShare(target, owner, { site_id: SITE });
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
    otherLink: withShare(other.token),
    ofPublic: withShare(SITE),
    setPublic,
    revoke: async () => expect((await deleteShare(target, owner, link.share_hash)).status).toBe(200),
    /** Reports of different numbers are different. */
    report: (headers: RequestHeaders, number: number) =>
      target.fetch(`/api/stats/main?site_id=${SITE}&filters=${encodeURIComponent(`pages!=/${number}`)}`, { headers }),
    /** Asks for the same report as an agent. */
    tool: (headers: RequestHeaders, number: number) =>
      postRpc(target, toolCall("main", { site_id: SITE, filters: `pages!=/${number}` }), headers),
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

describe("tools of agents", () => {
  it("have the slots of guests, together with them; all others are for sessions and other requests with keys", async () => {
    const { target, control, owner, ofLink, report, tool } = await createShown({ SVC_MAX_CONCURRENT_QUERIES: "4" });
    const ofKey = withKey((await createKey(target, owner, "Admin")).key);
    control.hold();
    const asked = [tool(ofKey, 1), report(ofLink, 2)];
    await control.held(2);
    const refused = (await (await tool(ofKey, 3)).json()) as RpcAnswer;
    expect(refused.error).toEqual({ code: -32000, message: TOO_MANY, data: { status: 429, retry_after_secs: 1 } });
    asked.push(report(owner, 4), report(ofKey, 5));
    await control.held(4);
    control.release();
    await expectAll(asked);
    await expectAll([tool(ofKey, 3)]);
  });
});

describe("reports of guests", () => {
  it("take at most half of the slots, for links and public sites together; all others are for sessions", async () => {
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

  it("take no slot if they are cached or being computed", async () => {
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

  it("that wait for a slot do not delay the same report with a session", async () => {
    const { control, owner, ofLink, report } = await createShown({ SVC_MAX_CONCURRENT_QUERIES: "2", SVC_QUERY_QUEUE_MS: "600000" });
    control.hold();
    const asked = [report(ofLink, 1), report(ofLink, 2), report(owner, 2)];
    await control.held(2);
    control.release();
    await expectAll(asked);
  });
});

describe("patterns of guests", () => {
  it("are refused with the reason if they take too many steps on the texts of the range, and are answered for the owner", async () => {
    const { target, owner, ofLink, ofPublic } = await createShown();
    for (let i = 0; i < 60; i++) await record(target, wireEvent(SITE, { u: `https://${SITE}/${"a".repeat(1_990)}${i}` }));
    const filters = ["b", "c", "d", "e", "f"].map((letter) => `pages=!matches=z.{230}${letter}`);
    const main = (headers: RequestHeaders, conditions: readonly string[]) =>
      target.fetch(`/api/stats/main?site_id=${SITE}&filters=${encodeURIComponent(conditions.join(";"))}`, { headers });
    for (const viewer of [ofLink, ofPublic]) {
      await expectError(await main(viewer, filters), 400, "more than 100 million steps on the texts of this range");
      await expectAll([main(viewer, filters.slice(1, 2))]);
    }
    await expectAll([main(owner, filters)]);
  });

  it("read only shared texts and properties: others take no steps, and so no time", async () => {
    const { target, owner } = await createShown();
    for (let i = 0; i < 60; i++) {
      const long = `${"a".repeat(1_900)}${i}`;
      await record(target, wireEvent(SITE, { u: `https://hidden.test/${long}`, p: JSON.stringify({ plan: long }) }));
    }
    await record(target, wireEvent(SITE, { u: "https://page.test/a", p: JSON.stringify({ plan: "a" }) }));
    const link = withShare((await createShare(target, owner, { site_id: SITE, filters: "hostnames==page.test" })).token);
    const all = withShare((await createShare(target, owner, { site_id: SITE })).token);
    for (const dimension of ["pages", "entry-page", "props:plan"]) {
      const filters = ["b", "c", "d", "e", "f"].map((letter) => `${dimension}=!matches=z.{230}${letter}`).join(";");
      for (const report of ["main", "breakdown/pages", "timeseries", "export"]) {
        const query = `site_id=${SITE}&kind=raw&filters=${encodeURIComponent(filters)}`;
        await expectAll([target.fetch(`/api/stats/${report}?${query}`, { headers: link })]);
        await expectError(await target.fetch(`/api/stats/${report}?${query}`, { headers: all }), 400, "million steps");
      }
    }
  });
});

describe("exports of guests", () => {
  it("run two at a time, and do not count for sessions", async () => {
    const { owner, ofLink, ofPublic, otherLink, exported } = await createShown();
    const [first, second] = [await exported({ ...ofLink, ...visitor(1) }), await exported({ ...ofPublic, ...visitor(2) })];
    await expectTooMany(exported({ ...otherLink, ...visitor(3) }));
    await expectAll([exported(owner), exported(owner)]);
    await first.text();
    await expectAll([exported({ ...otherLink, ...visitor(3) })]);
    await second.text();
  });

  it("run one at a time for each link or public site, and for each address", async () => {
    const { ofLink, ofPublic, exported } = await createShown();
    const first = await exported({ ...ofLink, ...visitor(1) });
    for (const again of [
      { ...ofLink, ...visitor(1) },
      { ...ofLink, ...visitor(2) },
      { ...ofPublic, ...visitor(1) },
    ]) {
      const refused = await exported(again);
      expect(refused.headers.get("retry-after")).toBe("10");
      await expectError(refused, 429, "may have one export at a time");
    }
    await expectAll([exported({ ...ofPublic, ...visitor(2) })]);
    await first.text();
    await expectAll([exported({ ...ofPublic, ...visitor(1) })]);
  });

  /** Takes a mebibyte every eight seconds, as long as it is given any. */
  function readSlowly(response: Response, seconds: () => number) {
    const reader = response.body?.getReader();
    const state = { bytes: 0, reason: "" };
    return {
      state,
      async read(): Promise<void> {
        while (state.reason === "" && state.bytes < (seconds() / 8) * MIB) {
          const next = await reader?.read().catch((error: Error) => error);
          if (next instanceof Error) state.reason = next.message;
          else if (!next || next.done) state.reason = "complete";
          else state.bytes += next.value.length;
        }
      },
    };
  }

  it("give way if they are read slowly and another guest requests an export again, and continue if nobody waits", async () => {
    const { target, ofLink, ofPublic, otherLink, exported } = await createShown();
    await recordForExport(target, SITE);
    const beganMs = target.nowMs();
    const seconds = () => (target.nowMs() - beganMs) / 1000;
    const slow = [
      readSlowly(await exported({ ...ofLink, ...visitor(1) }), seconds),
      readSlowly(await exported({ ...ofPublic, ...visitor(2) }), seconds),
    ];
    const pass = async (secs: number) => {
      for (let i = 0; i < secs; i++) {
        await target.advance(1000);
        for (const { read } of slow) await read();
      }
    };
    const refused = () => expectTooMany(exported({ ...otherLink, ...visitor(3) }));
    await pass(15);
    await refused();
    await pass(30);
    expect(slow.map(({ state }) => state.reason)).toEqual(["", ""]);
    for (let i = 0; i < 4; i++) {
      await refused();
      await pass(11);
    }
    expect(slow.map(({ state }) => state.reason).sort()).toEqual(["", "The client has taken less than 512 KiB per second"]);
    await expectAll([exported({ ...otherLink, ...visitor(3) })]);
  });

  it("continue as long as what they export is shared", async () => {
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
  ])("are cut off when %s", async (_when, viewer, end) => {
    const shown = await createShown({}, 20_000);
    const response = await shown.exported(shown[viewer]);
    expect({ status: response.status, holdsMemory: shown.target.exportMemory.bytes > 0 }).toEqual({
      status: 200,
      holdsMemory: true,
    });
    await end(shown);
    await shown.target.advance(1000);
    await expect.poll(() => shown.target.exportMemory.bytes).toBe(0);
    await expect(response.text()).rejects.toThrow("no longer shared");
  });
});
