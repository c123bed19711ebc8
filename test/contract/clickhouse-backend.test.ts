/** How reports fail when ClickHouse does, and what a real server reads for them. */
import { describe, expect, it } from "vitest";
import { ONLY_THE_FRONT, clickhouseOfFile } from "../support/clickhouse-server.ts";
import { createClickhouseTarget } from "../support/clickhouse-target.ts";
import { expectAccepted, post, wireEvent } from "../support/requests.ts";
import { skippedFor } from "../support/skipped.ts";

const SITE = "backend.test";
const TIMEOUT_SECS = 60;
const REPORT = `/api/stats/breakdown/pages?site_id=${SITE}`;
/** In the statement of every report. */
const MATCH = "totals AS";

const clickhouse = clickhouseOfFile();

/** A service whose server has an event. */
async function targetWithEvent() {
  const target = await createClickhouseTarget(clickhouse(), { SVC_REQUEST_TIMEOUT_SECS: String(TIMEOUT_SECS) });
  await expectAccepted(await post(target, wireEvent(SITE)));
  expect((await target.fetch(REPORT)).status).toBe(200);
  return target;
}

const FAILURES = [
  [{ kind: "error", code: 159 }, 408, `exceeded the limit of ${TIMEOUT_SECS} seconds`],
  [{ kind: "error", code: 241 }, 503, "too little memory"],
  [{ kind: "error", code: 396 }, 400, "takes too much memory"],
  [{ kind: "error", code: 47 }, 503, "has refused a statement"],
  [{ kind: "refuse" }, 503, "cannot be reached"],
  [{ kind: "drop" }, 503, "cannot be reached"],
] as const;

describe("a report whose statement fails", () => {
  it.each(FAILURES)(
    "with %j is a %i with a reason, and the next one succeeds",
    skippedFor(ONLY_THE_FRONT),
    async (failure, status, reason) => {
      const target = await targetWithEvent();
      await clickhouse().fail({ ...failure, match: MATCH });
      const response = await target.fetch(REPORT);
      expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(reason) as string]);
      expect((await target.fetch(REPORT)).status).toBe(200);
      await target.close();
    },
  );

  it("to end in time is a 408 at the deadline, and the next one succeeds", skippedFor(ONLY_THE_FRONT), async () => {
    const target = await targetWithEvent();
    await clickhouse().fail({ kind: "delay", ms: 3_000, match: MATCH });
    const asked = target.fetch(REPORT);
    await new Promise((resolve) => setImmediate(resolve));
    await target.advance?.((TIMEOUT_SECS + 1) * 1000);
    expect((await asked).status).toBe(408);
    expect((await target.fetch(REPORT)).status).toBe(200);
    await target.close();
  });
});
