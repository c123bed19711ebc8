/** The pages of an overview as one. */
import { describe, expect, it } from "vitest";
import { allPages } from "../../../../dashboard/api/reports.ts";
import type { Reports } from "../../../../dashboard/api/types.ts";

type AllSites = Reports["overview"];

const idOf = (number: number): string => `site-${String(number).padStart(4, "0")}`;

const rowOf = (id: string): AllSites["sites"][number] => ({
  site_id: id,
  name: null,
  time_zone: "UTC",
  start_date: "2026-03-09",
  end_date: "2026-03-15",
  current_visitors: 0,
  visitors: 0,
  previous_visitors: 0,
  series: [],
});

/** An installation with so many sites, which answers with `pageSites` at a time. */
function installation(total: number, pageSites: number) {
  const ids = Array.from({ length: total }, (_, i) => idOf(i));
  const asked: (string | null)[] = [];
  const pageAfter = (after: string | null): Promise<AllSites> => {
    asked.push(after);
    const page = ids.filter((id) => after === null || id > after).slice(0, pageSites);
    return Promise.resolve({ total, sites: page.map(rowOf) });
  };
  return { ids, asked, pageAfter };
}

describe("the pages of an overview", () => {
  it("pages of an overview are requested until all sites are there", async () => {
    const { ids, asked, pageAfter } = installation(5, 2);
    const { total, sites } = await allPages(pageAfter);
    expect(total).toBe(5);
    expect(sites.map(({ site_id }) => site_id)).toEqual(ids);
    expect(asked).toEqual([null, idOf(1), idOf(3)]);
  });

  it("an overview with all sites, or none, is one page", async () => {
    for (const total of [0, 1, 2]) {
      const { asked, pageAfter } = installation(total, 2);
      expect((await allPages(pageAfter)).sites).toHaveLength(total);
      expect(asked).toEqual([null]);
    }
  });

  it("an overview has at most ten pages, and the total says that there are more", async () => {
    const { asked, pageAfter } = installation(30, 2);
    const { total, sites } = await allPages(pageAfter);
    expect([total, sites.length, asked.length]).toEqual([30, 20, 10]);
  });

  it("the pages of an overview end when sites were deleted meanwhile", async () => {
    const { asked, pageAfter } = installation(2, 2);
    const { sites } = await allPages(async (after) => ({ ...(await pageAfter(after)), total: 3 }));
    expect([sites.length, asked.length]).toEqual([2, 2]);
  });
});
