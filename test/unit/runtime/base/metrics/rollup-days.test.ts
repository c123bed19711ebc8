/** Days of rollups, over all sites. */
import { expect, it } from "vitest";
import { RollupDays } from "../../../../../src/runtime/base/metrics/rollup-days.ts";
import { siteId } from "../../../../support/stored-event.ts";

const [A, B] = [siteId("a.test"), siteId("b.test")];

it("days of rollups are the sums over all sites of what was last noted about each", () => {
  const days = new RollupDays();
  expect(days.total).toEqual({ stored: 0, stale: 0, missing: 0 });
  days.note(A, { stored: 1, stale: 2, missing: 30 });
  days.note(B, { stored: 5, stale: 0, missing: 1 });
  days.note(A, { stored: 33, stale: 0, missing: 0 });
  expect(days.total).toEqual({ stored: 38, stale: 0, missing: 1 });
  days.note(A, { stored: 0, stale: 0, missing: 0 });
  expect(days.total).toEqual({ stored: 5, stale: 0, missing: 1 });
});
