/** Overload: the service keeps serving, disconnects clients that hold connections open, and counts the accepted events exactly. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { PARTITION_LISTINGS_MAX } from "../../src/runtime/base/config/limits.ts";
import { NO_CLIENT_HINTS } from "../../src/runtime/ingest/device.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { createNodeTarget, type NodeTarget } from "../support/node-target.ts";
import { connectRaw, type RawConnection } from "../support/raw-connection.ts";
import { expectAccepted, getBreakdown, getMain, getSites, post, wireEvent } from "../support/requests.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

describe("clients that hold connections open", () => {
  const TIMEOUT_SECS = 5;

  let target: NodeTarget;
  beforeAll(async () => {
    target = await createNodeTarget({ SVC_REQUEST_TIMEOUT_SECS: String(TIMEOUT_SECS) });
  });
  afterAll(() => target.close());

  /** Fewer than the system lets wait at a listening socket, whatever it is set to: one that it drops never hears of its end. */
  const AT_ONCE_MAX = 100;

  async function connections(count: number, begin: string): Promise<RawConnection[]> {
    const opened: RawConnection[] = [];
    onTestFinished(() => {
      for (const raw of opened) raw.destroy();
    });
    while (opened.length < count) {
      const next = Array.from({ length: Math.min(AT_ONCE_MAX, count - opened.length) }, () => connectRaw(target.origin()));
      opened.push(...next);
      for (const raw of next) if (begin !== "") raw.write(begin);
      await acceptedUntilNow();
    }
    return opened;
  }

  /** Connections are accepted in the order they came. */
  async function acceptedUntilNow(): Promise<void> {
    const raw = connectRaw(target.origin());
    raw.write("GET /health HTTP/1.1\nHost: held.test\nConnection: close\n\n");
    await raw.closed();
  }

  it("clients that hold connections open are disconnected (2,000 idle, 200 with a partial header, 200 with a partial body) while an event is accepted", async () => {
    const body = JSON.stringify(wireEvent("held.test"));
    const held = [
      ...(await connections(2000, "")),
      ...(await connections(200, `POST /api/event HTTP/1.1\nHost: held.test\nX-Slow: ${"x".repeat(10_000)}`)),
      ...(await connections(
        200,
        `POST /api/event HTTP/1.1\nHost: held.test\nUser-Agent: ${CHROME_WINDOWS}\nContent-Length: ${body.length}\n\n${body.slice(0, 9)}`,
      )),
    ];
    await expectAccepted(await post(target, wireEvent("held.test")));
    expect(await (await target.fetch("/health")).text()).toBe("ok");
    const answers = await Promise.all(held.map((raw) => raw.closed()));
    const told = (from: number, to: number) => new Set(answers.slice(from, to).map((answer) => answer.slice(0, "HTTP/1.1 408".length)));
    expect([...told(0, 2000)].filter((answer) => answer !== "" && answer !== "HTTP/1.1 408")).toEqual([]);
    expect(told(2000, 2200)).toEqual(new Set(["HTTP/1.1 408"]));
    expect(told(2200, 2400)).toEqual(new Set(["HTTP/1.1 408"]));
    await expectAccepted(await post(target, wireEvent("held.test")));
    expect((await getMain(target, "held.test")).total_events).toBe(2);
    expect(target.log()).not.toMatch(/ ERROR /);
  });

  it("clients that hold connections open are all refused when their headers are too long", async () => {
    const tooLong = await connections(50, `GET /health HTTP/1.1\nHost: held.test\nX-Long: ${"x".repeat(70_000)}\n\n`);
    const answers = await Promise.all(tooLong.map((raw) => raw.closed()));
    expect(new Set(answers.map((answer) => answer.slice(0, "HTTP/1.1 431".length)))).toEqual(new Set(["HTTP/1.1 431"]));
    expect(await (await target.fetch("/health")).text()).toBe("ok");
  });
});

describe("high cardinality", () => {
  const AT_ONCE = 1000;

  /** Takes events in behind the HTTP surface, which is not what is looked at here. */
  async function acceptAll(
    { services, nowMs }: InProcessTarget,
    count: number,
    eventOf: (n: number) => { siteId: string; url: string },
  ): Promise<void> {
    const arrival = {
      nowMs: nowMs(),
      beganMs: 0,
      origin: null,
      clientAddress: "127.0.0.1",
      clientPlace: null,
      clientNetwork: null,
      userAgent: CHROME_WINDOWS,
      clientHints: NO_CLIENT_HINTS,
      isSignedAgent: false,
    };
    const nothingElse = {
      eventName: "pageview",
      referrer: null,
      screenWidth: null,
      props: null,
      revenue: null,
      currency: null,
      engagedSeconds: null,
      interactive: null,
      mark: null,
    };
    for (let n = 0; n < count; n += AT_ONCE) {
      const accepting = Array.from({ length: AT_ONCE }, (_, i) =>
        services.acceptEvent({ ...arrival, door: "api", readInput: () => ({ ...nothingElse, ...eventOf(n + i) }) }),
      );
      expect(new Set(await Promise.all(accepting))).toEqual(new Set(["accepted"]));
    }
  }

  it("10,000 sites that send events at the same time are all listed", async () => {
    const target = await createInProcessTarget({ SVC_FLUSH_EVENT_COUNT: "100000" });
    await acceptAll(target, 10_000, (n) => ({ siteId: `site-${n}.test`, url: "/" }));
    const sites = Array.from({ length: 10_000 }, (_, n) => `site-${n}.test`).sort();
    expect(await getSites(target)).toEqual(sites);
    for (const site of [sites[0], sites[5000], sites[9999]]) expect((await getMain(target, site ?? "")).total_events).toBe(1);
  });

  it("the catalog caches no more than its limit of listings when more sites than that are flushed and queried", async () => {
    const target = await createInProcessTarget({ SVC_FLUSH_EVENT_COUNT: "100000" });
    await acceptAll(target, PARTITION_LISTINGS_MAX + AT_ONCE, (n) => ({
      siteId: `site-${n % (PARTITION_LISTINGS_MAX + 5)}.test`,
      url: "/",
    }));
    await target.flush();
    for (const siteId of await target.services.eventStore.sites()) await target.services.eventStore.days(siteId);
    expect(target.services.eventStore.catalog.partitions).toBe(PARTITION_LISTINGS_MAX);
    expect((await getMain(target, "site-7.test")).total_events).toBe(2);
    await target.close();
  });

  it("100,000 different pages on one day are counted exactly", async () => {
    const COUNT = 100_000;
    const target = await createInProcessTarget({ SVC_FLUSH_EVENT_COUNT: "20000" });
    await acceptAll(target, COUNT, (n) => ({ siteId: "pages.test", url: `/article/${n}?from=everywhere` }));
    await target.flush();
    expect(await getMain(target, "pages.test")).toMatchObject({ total_events: COUNT, total_pageviews: COUNT, unique_visitors: 1 });
    const pages = await getBreakdown(target, "pages.test", "pages", { limit: "1000" });
    expect(pages).toHaveLength(1000);
    expect(pages[0]).toEqual({ value: "/article/0", visitors: 1, pageviews: 1, events: 1 });
    const one = await getBreakdown(target, "pages.test", "pages", { filters: "pages==/article/98765" });
    expect(one).toEqual([{ value: "/article/98765", visitors: 1, pageviews: 1, events: 1 }]);
    await target.close();
  });
});
