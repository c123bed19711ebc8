/** What a reader who waits for the first event is told. */
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Installation } from "../../../../dashboard/api/types.ts";

const { arrivingNames, thingsToCheck } = await import("../../../../dashboard/setup/checks.ts");
afterAll(() => vi.unstubAllGlobals());

const SCRIPT = "https://stats.example.com/svc.js";

type Counted = Installation["events"][number];

const counted = (name: string, outcome: Counted["outcome"] = "accepted"): Counted => ({
  name,
  outcome,
  count: 1,
  latest_at: "2026-03-15T12:01:00.000Z",
});

const arriving = (others: readonly Counted[], sites: readonly string[], isLate = false): string[] => {
  const state = {
    since: "2026-03-15T12:00:00.000Z",
    is_allowed: true,
    has_events: false,
    first_event_date: null,
    files_left_out: 0,
    rollups: { days_made: 0, days_due: 0 },
    last_event_date: null,
    proxy: null,
    events: [],
    unknown_aliases: [],
  };
  return arrivingNames("example.com", { ...state, other_events: [...others] }, sites, isLate);
};

describe("the names that events arrive for", () => {
  it("events arrive for new sites, and for names that are probably the same site", () => {
    const others = [counted("new.org"), counted("other.org"), counted("www.example.com"), counted("Example.com")];
    expect(arriving(others, ["other.org", "www.example.com"])).toEqual(["new.org", "www.example.com", "Example.com"]);
  });

  it("other sites are named once the first event is late, at most three", () => {
    expect(arriving([counted("other.org")], ["other.org"])).toEqual([]);
    expect(
      arriving(
        ["a.org", "b.org", "c.org", "d.org"].map((name) => counted(name)),
        [],
        true,
      ),
    ).toEqual(["a.org", "b.org", "c.org"]);
  });

  it("only names of accepted events are shown, each once", () => {
    expect(arriving([counted("a.org"), counted("a.org", "bot"), counted("b.org", "site_not_allowed")], [])).toEqual(["a.org"]);
  });
});

describe("what to check", () => {
  it("the advice begins with the page, and includes the attribute of local pages for a public site", () => {
    expect(thingsToCheck("example.com", SCRIPT)).toEqual([
      'The page is published, and its source has `svc.js` and `data-domain="example.com"`.',
      "No ad blocker stops it. Try a private window or another browser.",
      "You visit the public page. On `localhost`, the tag needs `data-include-local`.",
    ]);
    expect(thingsToCheck("localhost:3000", SCRIPT)).toHaveLength(2);
  });

  it("the advice names an address of the script that visitors cannot reach", () => {
    const local = "http://localhost:8000/svc.js";
    expect(thingsToCheck("example.com", local)[1]).toMatch(/^The script's address is public, not `localhost:8000`\. Open/);
    expect(thingsToCheck("localhost:3000", local)).toHaveLength(2);
  });
});
