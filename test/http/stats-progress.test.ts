/** The progress of reports under way, which only those learn who know the id of a request, with an engine that a test can pause. */
import { expect, it, onTestFinished } from "vitest";
import { CLOSED, createShare, logIn, postKey, bodyOf, withBearer, withShare, type CreatedKey } from "../support/auth-requests.ts";
import { createControlledEngine } from "../support/controlled-engine.ts";
import { createInProcessTarget, START_MS } from "../support/in-process-target.ts";
import { browserHeaders, expectError, record, type RequestHeaders, wireEvent } from "../support/requests.ts";

const SITE = "progress.test";
const DAY_MS = 86_400_000;
const [ID, OTHER_ID] = ["a-random-id-of-a-request", "the-id-of-another-request"];

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Files with the events of three days in a row, an administrator, and an engine that holds its queries. */
async function createWorld() {
  const control = await createControlledEngine();
  const target = await createInProcessTarget(
    { ...CLOSED, SVC_ROLLUPS: "false", SVC_CACHE_TTL_SECS: "0", SVC_REQUEST_TIMEOUT_SECS: "30" },
    { engine: control.engine },
  );
  onTestFinished(async () => {
    control.release();
    await target.close();
  });
  for (let day = 0; day < 3; day++) {
    if (day > 0) await target.advance(DAY_MS);
    await record(target, wireEvent(SITE));
  }
  await target.flush();
  const admin = await logIn(target);
  const read = (headers: RequestHeaders, id: string | null, parameters = "filters=pages!=/nothing") =>
    target.fetch(`/api/stats/main?site_id=${SITE}&period=7d&${parameters}`, {
      headers: { ...headers, ...(id && { "x-progress-id": id }) },
    });
  const ask = (headers: RequestHeaders, ids: string, site = SITE) =>
    target.fetch(`/api/stats/progress?site_id=${site}&ids=${ids}`, { headers });
  control.hold();
  return {
    target,
    control,
    admin,
    read,
    ask,
    async progress(headers: RequestHeaders, ...ids: readonly string[]) {
      return (await bodyOf<{ reports: readonly object[] }>(await ask(headers, ids.join(",")))).reports;
    },
    /** Ends all requests with a report. */
    async end(...responses: readonly Promise<Response>[]) {
      control.release();
      for (const response of responses) expect((await response).status).toBe(200);
    },
  };
}

const TODAY = dateOf(START_MS + 2 * DAY_MS);
/** The days before today are one part; days without events have nothing to read. */
const AT_FIRST = { days: 7, days_read: 4, reading: dateOf(START_MS) };

it("progress: a report under way tells the days that it has read, and nothing once it has ended", async () => {
  const { control, admin, read, progress, end } = await createWorld();
  const report = read(admin, ID);
  await control.held(1);
  expect(await progress(admin, OTHER_ID, ID)).toEqual([{ id: ID, ...AT_FIRST }]);
  await end(report);
  expect(await progress(admin, ID)).toEqual([]);
});

it("progress: a report that is asked again after a 408 begins where it stopped", async () => {
  const { target, control, admin, read, progress, end } = await createWorld();
  const first = read(admin, ID);
  await control.held(1);
  control.release();
  expect((await first).status).toBe(200);
  await record(target, wireEvent(SITE));
  control.hold();
  const late = read(admin, ID);
  await control.held(1);
  const left = { days: 7, days_read: 6, reading: TODAY };
  expect(await progress(admin, ID)).toEqual([{ id: ID, ...left }]);
  await target.advance(30_000);
  expect((await late).status).toBe(408);
  const again = read(admin, ID);
  await control.held(1);
  expect(await progress(admin, ID)).toEqual([{ id: ID, ...left }]);
  await end(again);
});

it("progress: requests that share a computation each tell its progress, whoever began it", async () => {
  const { control, admin, read, progress, end } = await createWorld();
  const reports = [read(admin, null), read(admin, ID), read(admin, OTHER_ID)];
  await control.held(1);
  expect(await progress(admin, ID, OTHER_ID)).toEqual([
    { id: ID, ...AT_FIRST },
    { id: OTHER_ID, ...AT_FIRST },
  ]);
  await end(...reports);
});

it("progress: guests of a link see that of their own report, but not if the link hides events", async () => {
  const { target, control, admin, read, progress, end } = await createWorld();
  const session = { ...admin, ...browserHeaders() };
  const [open, filtered] = [
    await createShare(target, session, { site_id: SITE }),
    await createShare(target, session, { site_id: SITE, filters: "pages!=/hidden" }),
  ];
  const reports = [read(withShare(open.token), ID), read(withShare(filtered.token), OTHER_ID)];
  await control.held(2);
  expect(await progress(withShare(open.token), ID, OTHER_ID)).toEqual([{ id: ID, ...AT_FIRST }]);
  expect(await progress(withShare(filtered.token), ID, OTHER_ID)).toEqual([{ id: ID, ...AT_FIRST }]);
  expect(await progress(admin, OTHER_ID)).toEqual([]);
  await end(...reports);
});

it("progress: a caller who may not read the site learns nothing, with the id or without", async () => {
  const { target, control, admin, read, ask, end } = await createWorld();
  const session = { ...admin, ...browserHeaders() };
  const limited = await bodyOf<CreatedKey>(
    await postKey(target, session, { name: "limited", scope: "ReadOnly", sites: ["other.test"] }),
    201,
  );
  const report = read(admin, ID);
  await control.held(1);
  await expectError(await ask({}, ID), 401, "required");
  await expectError(await ask(withBearer(limited.key), ID), 403, SITE);
  expect(await bodyOf(await ask(withBearer(limited.key), ID, "other.test"))).toEqual({ reports: [] });
  await end(report);
});

it("progress: an id that could be guessed is none, so that the report is as without it", async () => {
  const { control, admin, read, ask, end } = await createWorld();
  const report = read(admin, "short");
  await control.held(1);
  await expectError(await ask(admin, "short"), 400, '"ids"');
  await end(report);
});

it.each(["", "a".repeat(65), Array.from({ length: 21 }, () => ID).join(","), `${ID},`, `${ID} ${SITE}`])(
  "progress: the ids %j are a 400",
  async (ids) => {
    const { admin, ask } = await createWorld();
    await expectError(await ask(admin, encodeURIComponent(ids)), 400, '"ids"');
  },
);

it("progress: nothing stores the answer", async () => {
  const { admin, ask } = await createWorld();
  expect((await ask(admin, ID)).headers.get("cache-control")).toBe("no-store");
});
