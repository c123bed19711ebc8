/** How often the dashboard asks how far its reports have come, and what it makes of the answer. */
import { expect, it } from "vitest";
import { type Reading, ReportWatch, ReportWatches, UNTOLD } from "../../../../dashboard/api/progress.ts";
import { createDeferred } from "../../../support/deferred.ts";
import { createManualTimers } from "../../../support/manual-timers.ts";

const REPORT = "/api/stats/main?site_id=a.test&period=12mo";

const readingAt = (daysRead: number): Reading => ({ days: 365, days_read: daysRead, reading: "2025-03-01" });

/** A page whose reports take until the test ends them, and what the service says of them; null for nothing. */
function createPage() {
  const { nowMs, wait, pass } = createManualTimers();
  const world = {
    pass,
    isHidden: false,
    service: null as Reading | "unreachable" | null,
    asked: [] as string[],
    /** Requests a report, which ends with `end`. The request waits in the queue of the page without `isSent`. */
    request(url = REPORT, isSent = true) {
      const ended = createDeferred<null>();
      const readings: Reading[] = [];
      let id: string | undefined;
      const report = watches.watched(
        url,
        (reading) => readings.push(reading),
        (watch) => {
          if (isSent) id = watch?.headers["X-Progress-Id"];
          return ended.promise;
        },
      );
      return { readings, id, end: () => (ended.resolve(null), report) };
    },
  };
  const watches = new ReportWatches({
    ...{ nowMs, wait, isHidden: () => world.isHidden },
    async ask(siteId, ids) {
      world.asked.push(`${siteId} ${ids.join()}`);
      const { service } = world;
      if (service === "unreachable") throw new Error(service);
      return service ? ids.map((id) => ({ id, ...service })) : [];
    },
  });
  return world;
}

it("a report that takes less than a second is told nothing of, and not asked about", async () => {
  const { pass, request, asked } = createPage();
  const { readings, end } = request();
  await pass(900);
  await end();
  await pass(5000);
  expect([asked, readings]).toEqual([[], []]);
});

it("reports that take longer are asked about together, once a second, by the ids of their requests", async () => {
  const page = createPage();
  page.service = readingAt(120);
  const reports = [page.request(), page.request()];
  await page.pass(2500);
  const ids = reports.map(({ id }) => id);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{22,64}$/);
  expect(page.asked).toEqual([1, 2].map(() => `a.test ${ids.join()}`));
  for (const { readings } of reports) expect(readings).toMatchObject([readingAt(120), readingAt(120)]);
  expect(new Set(ids).size).toBe(2);
});

it.each(["unreachable", null] as const)(
  "a report of which the service tells nothing (%s) is known to take its time, once",
  async (service) => {
    const page = createPage();
    page.service = service;
    const { readings } = page.request();
    await page.pass(3500);
    expect(readings).toEqual([UNTOLD]);
  },
);

it("a report that waits in the queue of the page is known to take its time, and not asked about", async () => {
  const { pass, request, asked } = createPage();
  const { readings } = request(REPORT, false);
  await pass(3500);
  expect([asked, readings]).toEqual([[], [UNTOLD]]);
});

it("a hidden page asks nothing, and goes on when it is visible", async () => {
  const page = createPage();
  page.isHidden = true;
  page.request();
  await page.pass(10_000);
  expect(page.asked).toEqual([]);
  page.isHidden = false;
  await page.pass(1000);
  expect(page.asked).toHaveLength(1);
});

it("nothing is asked once all reports have ended, and again about a later one", async () => {
  const page = createPage();
  const { end } = page.request();
  await page.pass(1500);
  await end();
  await page.pass(10_000);
  expect(page.asked).toHaveLength(1);
  page.request();
  await page.pass(1000);
  expect(page.asked).toHaveLength(2);
});

it("a request that is about no site has no id", async () => {
  const { pass, request, asked } = createPage();
  const { id, readings } = request("/api/stats/overview?period=7d");
  await pass(3000);
  expect([id, asked, readings]).toEqual([undefined, [], []]);
});

it("a report is worth another attempt as long as each one comes further than the one before", () => {
  const watch = new ReportWatch("a.test", 0, () => {});
  const worth = [100, 200, 200].map((daysRead) => {
    watch.tell(readingAt(daysRead));
    return watch.nextAttempt();
  });
  expect(worth).toEqual([true, true, false]);
});

it("an attempt of which it is not known how far it came is worth another one", () => {
  const watch = new ReportWatch("a.test", 0, () => {});
  watch.tell(readingAt(100));
  expect(watch.nextAttempt()).toBe(true);
  watch.tell(readingAt(100));
  watch.lose();
  expect(watch.nextAttempt()).toBe(true);
  watch.tell(readingAt(100));
  expect(watch.nextAttempt()).toBe(true);
});
