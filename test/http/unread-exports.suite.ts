/** Exports whose client reads nothing or disconnects. */
import { afterAll, beforeAll, describe, expect } from "vitest";
import { RESPONSE_STALL_MS } from "../../src/runtime/base/config/limits.ts";
import { EXPORT_ROWS_MAX } from "../../src/shared/limits.ts";
import { post, wireEvent } from "../support/requests.ts";
import { able, itNeeds, type MakeTarget, type Target } from "../support/target.ts";

export const UNREAD_SITE = "unread.test";

/**
 * Long properties, of which this many make a file that no connection holds on its way: Linux lets the two ends of one that was read
 * fast before hold 36 MiB since 6.16 (`tcp_rmem` and `tcp_wmem` in its networking/ip-sysctl).
 */
const UNREAD_TEXT = "\u6f22".repeat(4_000);
export const UNREAD_EVENTS = 4_000;
const UNREAD_BYTES = UNREAD_EVENTS * Buffer.byteLength(UNREAD_TEXT);

export const UNREAD_EXPORT = `/api/stats/export?site_id=${UNREAD_SITE}&kind=raw&limit=${EXPORT_ROWS_MAX}`;

export async function recordForExport(target: Target, siteId = UNREAD_SITE): Promise<void> {
  const event = wireEvent(siteId, { p: JSON.stringify({ text: UNREAD_TEXT }) });
  for (let sent = 0; sent < UNREAD_EVENTS; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(target, event)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  }
}

const linesOf = (csv: string): number => csv.split("\n").length - 1;

/** Read within the time of a stall: more than buffers between service and client hold, so that the service has to write on. */
const READ_BYTES_PER_STALL = 8 * 1024 * 1024;
const READ_BYTES_PER_LOOK = 1024 * 1024;

export function describeUnreadExports(makeTarget: MakeTarget): void {
  describe("unread exports", () => {
    let target: Target;
    beforeAll(async () => {
      target = await makeTarget({ SVC_MAX_CONCURRENT_QUERIES: "2", SVC_REQUEST_TIMEOUT_SECS: "600" });
      if (target.advance) await recordForExport(target);
    });
    afterAll(() => target.close());

    const ask = (init?: RequestInit): Promise<Response> => target.fetch(UNREAD_EXPORT, init);

    async function expectTooMany(): Promise<void> {
      const refused = await ask();
      expect({ status: refused.status, retryAfter: refused.headers.get("retry-after") }).toEqual({ status: 429, retryAfter: "1" });
      await refused.text();
    }

    const twoRead = async (): Promise<number[]> =>
      (await Promise.all([ask(), ask()].map(async (asked) => (await asked).text()))).map(linesOf);

    const BOTH = [UNREAD_EVENTS + 1, UNREAD_EVENTS + 1];

    const expectBothFree = async (): Promise<void> => expect(await twoRead()).toEqual(BOTH);

    itNeeds(makeTarget, "advance", "an export holds its slot until it is read; further ones give 429 at once", async () => {
      const [first, second] = [await ask(), await ask()];
      await expectTooMany();
      expect(linesOf(await first.text())).toBe(UNREAD_EVENTS + 1);
      const third = await ask();
      expect(third.status).toBe(200);
      await expectTooMany();
      await Promise.all([second.text(), third.text()]);
      await expectBothFree();
    });

    itNeeds(makeTarget, "advance", "an export of which nothing is read for 30 seconds is aborted, and its slot is free", async () => {
      const unread = [await ask(), await ask()];
      await expectTooMany();
      // Time in which a part is being written is not the client's, so the first step may come too early for one of them.
      const afterStall = async () => {
        await able(target, "advance")(RESPONSE_STALL_MS + 1_000);
        return twoRead();
      };
      await expect.poll(afterStall).toEqual(BOTH);
      // workerd ends an incomplete response as it ends a whole one; others break it off.
      for (const response of unread) expect(await response.text().then(linesOf, () => 0)).toBeLessThan(UNREAD_EVENTS);
    });

    itNeeds(makeTarget, "advance", "an export that is read slowly is not aborted", async () => {
      const reader = (await ask()).body?.getReader();
      let [bytes, bytesThen] = [0, 0];
      for (;;) {
        const next = await reader?.read();
        if (!next || next.done) break;
        bytes += next.value.length;
        if (bytes - bytesThen < READ_BYTES_PER_LOOK) continue;
        await able(target, "advance")(RESPONSE_STALL_MS * ((bytes - bytesThen) / READ_BYTES_PER_STALL));
        bytesThen = bytes;
      }
      expect(bytes).toBeGreaterThan(UNREAD_BYTES);
    });

    itNeeds(makeTarget, "advance", "clients that disconnect release their slots, whether or not they have read anything", async () => {
      for (const parts of [0, 1]) {
        for (let i = 0; i < 2; i++) {
          const client = new AbortController();
          const reader = (await ask({ signal: client.signal })).body?.getReader();
          if (parts > 0) await reader?.read();
          client.abort();
          await reader?.cancel().catch(() => {});
        }
        // workerd does not hear of it while it waits to send; there they count as standing still.
        const statuses = async () => {
          await able(target, "advance")(RESPONSE_STALL_MS / 3);
          const answers = await Promise.all([ask(), ask()]);
          await Promise.all(answers.map((answer) => answer.text()));
          return answers.map(({ status }) => status);
        };
        await expect.poll(statuses).toEqual([200, 200]);
      }
    });

    itNeeds(makeTarget, "advance", "HEAD of an export releases its slot with the response", async () => {
      for (let i = 0; i < 5; i++) expect((await ask({ method: "HEAD" })).status).toBe(200);
      await expectBothFree();
    });
  });
}
