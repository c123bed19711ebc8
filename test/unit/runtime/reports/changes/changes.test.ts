/** Classic cases of what changed and why, on made-up sites with planted causes. */
import { describe, expect, it } from "vitest";
import { changesOf } from "../../../../../src/runtime/reports/changes/changes.ts";
import { drillNeeded, withDrill } from "../../../../../src/runtime/reports/changes/drill.ts";
import type { ChangesInput, Tally, ValueTally } from "../../../../../src/runtime/reports/changes/input.ts";
import type { Amount, ChangesResult } from "../../../../../src/runtime/reports/changes/result.ts";
import { ENGLISH_CHANGE_WORDS } from "../../../../../src/shared/change-words.ts";
import { ChangingSite, FIRST_DAY } from "../../../../support/changing-site.ts";

/** A week after nine weeks of history, and a Thursday in it. */
const [FIRST, LAST, DAY] = [63, 69, 66];
const WEEK = [63, 64, 65, 66, 67, 68, 69];
const DATE = "2026-03-12";

/** Of the visits of a made-up day. */
const SHARE_UNTIL_NOON = 0.3;

const siteOf = (level = 1000, seed = 5) => new ChangingSite({ seed, level, days: 80, roughness: 0.05 });

const weekOf = (site: ChangingSite, more: Partial<ChangesInput> = {}) => changesOf(site.input("visits", FIRST, LAST, more));

const faces = ({ findings: [first] }: ChangesResult) =>
  first && [first, ...first.also].map(({ dimension, value }) => `${dimension} ${value}`);

const number = (amount: Amount | null | undefined): number =>
  typeof amount === "object" && amount ? Number(amount.digits) : Number(amount);

function spikeOf(visits = 1200, day = DAY): ChangingSite {
  const site = siteOf();
  site.add(day, { visits, values: { "visit-sources": "Hacker News", "entry-pages": "/post/7", "visit-utm-campaigns": "(unknown)" } });
  return site;
}

function botsIn(): ChangingSite {
  const site = siteOf();
  site.add(DAY, { visits: 900, values: { countries: "SE", browsers: "Chrome", "screen-sizes": "800x600" }, bounceRate: 1 });
  return site;
}

const outage = (): ChangingSite => {
  const site = siteOf();
  site.lose(DAY * 24 + 9, DAY * 24 + 15);
  return site;
};

const holiday = (): ChangingSite => {
  const site = siteOf();
  for (const day of WEEK) site.thin(day, 0.55);
  return site;
};

describe("a count", () => {
  it("an ordinary week is ordinary, with its range", () => {
    const result = weekOf(siteOf());
    expect(result).toMatchObject({ verdict: "ordinary", findings: [], days: [], caveats: [] });
    expect(result.sentence).toMatch(/^[\d,]+ visits \(Mar 9 – 15\), within the usual [\d,]+ to [\d,]+\.$/);
  });

  it("a spike of one source is named with its page, on its date, and the week without it is ordinary", () => {
    const result = weekOf(spikeOf());
    expect(result.verdict).toBe("explained");
    expect(faces(result)).toEqual(["visit-sources Hacker News", "entry-pages /post/7"]);
    expect(result.findings).toMatchObject([{ dates: [DATE], filters: "visit-sources==Hacker News", without_value: { ordinary: true } }]);
    expect(result.days).toMatchObject([{ date: DATE, finding: 0 }]);
    expect(result.sentence).toMatch(/Hacker News \(\/post\/7\)/);
  });

  it("halved search is named, and so is its loss", () => {
    const site = siteOf();
    for (const day of WEEK) site.thin(day, 0.5, { dimension: "visit-sources", value: "Google" });
    const result = weekOf(site);
    expect(faces(result)).toEqual(["visit-sources Google"]);
    expect(number(result.findings[0]?.delta)).toBeLessThan(0);
  });

  it("a holiday is broad: no value is named for being the largest", () => {
    const result = weekOf(holiday());
    expect(result).toMatchObject({ verdict: "broad", findings: [] });
    expect(result.sentence).toMatch(/across the board: no source, page or country stands apart\.$/);
  });

  it("a holiday among the reference days does not make later weeks look restless", () => {
    const site = siteOf();
    for (const day of [35, 36, 37, 38, 39]) site.thin(day, 0.5);
    const { noise, typical } = weekOf(site);
    const plain = weekOf(siteOf());
    expect(noise.dispersion).toBeLessThan(1.5 * Number(plain.noise.dispersion));
    expect(number(typical?.expected)).toBeGreaterThan(0.95 * number(plain.typical?.expected));
  });

  it("a value that takes the place of another is a shift of an ordinary total", () => {
    const site = siteOf();
    for (const day of WEEK) {
      site.thin(day, 0.4, { dimension: "visit-sources", value: "Google" });
      site.add(day, { visits: 200, values: { "visit-sources": "Bing" } });
    }
    const result = weekOf(site);
    expect(result.verdict).toBe("shifted");
    expect(result.findings.map(({ value }) => value).sort()).toEqual(["Bing", "Google"]);
    expect(result.sentence).toMatch(/Only (Bing|Google) stands apart/);
  });

  it("a new site is too new, and its sums are shown", () => {
    const result = changesOf(siteOf().input("visits", 7, 13));
    expect(result).toMatchObject({ verdict: "too_new", reason: "too_new", typical: null, findings: [] });
    expect(result.dimensions[0]?.rows.length).toBeGreaterThan(0);
  });

  it("an outage is incomplete, with its hours, and names nothing", () => {
    const result = weekOf(outage());
    expect(result).toMatchObject({
      verdict: "incomplete",
      findings: [],
      caveats: [{ code: "tracking_gap", from: `${DATE} 09:00`, to: `${DATE} 15:00` }],
    });
    expect(result.sentence).toMatch(
      /^Nothing was counted on Mar 12, 9:00 AM – 3:00 PM\. [\d,]+ visits on the other days, within the usual /,
    );
  });

  it("growth in line with its trend is ordinary, and said", () => {
    const site = new ChangingSite({ seed: 5, level: 1000, days: 80, roughness: 0.03, growth: 0.04 });
    const result = weekOf(site);
    expect(result.verdict).toBe("ordinary");
    expect(result.typical?.trend_per_week).toBeGreaterThan(0.02);
    expect(result.sentence).toMatch(/in line with growth of \d% a week\.$/);
  });

  it("small numbers have no percentages", () => {
    const site = siteOf(2);
    site.add(DAY, { visits: 40, values: { "visit-sources": "Hacker News" } });
    const result = weekOf(site);
    expect(result).toMatchObject({ verdict: "explained", total: { change: null } });
    expect(result.sentence).toMatch(/visits \(Mar 9 – 15\), compared with a typical \d+\./);
  });

  it("visits of bots stay a finding that looks automated", () => {
    const result = weekOf(botsIn());
    expect(result.caveats.map(({ code }) => code)).toEqual(["bot_like"]);
    expect(result.sentence).toMatch(/SE: .*; looks automated\.$/);
  });

  it("a comparison with an unusual week gives the findings of that week", () => {
    const site = spikeOf(1200, DAY - 7);
    const result = weekOf(site, { compare: "previous_period", compared: site.window("visits", FIRST - 7, LAST - 7) });
    expect(result.verdict).toBe("unusual_comparison");
    expect(faces(result)).toContain("visit-sources Hacker News");
    expect(result.findings[0]?.dates).toEqual(["2026-03-05"]);
    expect(result.sentence).toMatch(/, down \d+% from Mar 2 – 8; .* Mar 2 – 8 was unusual: Hacker News/);
  });

  it("a value that does this often is recurring", () => {
    const site = siteOf();
    for (const week of [0, 2, 4, 7]) {
      site.add(DAY - 7 * week, { visits: week === 0 ? 1500 : 500, values: { "visit-sources": "Newsletter" } });
    }
    const result = weekOf(site);
    expect(faces(result)).toContain("visit-sources Newsletter");
    expect(result.findings[0]?.recurring).toBe(true);
    expect(weekOf(spikeOf()).findings[0]?.recurring).toBe(false);
  });

  it("today is compared until now, and has no verdict while little is typical", () => {
    const site = siteOf();
    const today = FIRST_DAY + DAY;
    const cut = <Row extends Tally & { readonly day: number }>(rows: readonly Row[]): Row[] =>
      rows.map((row) => (row.day === today ? { ...row, count: Math.round(row.count * SHARE_UNTIL_NOON) } : row));
    const untilNoon = (input: ChangesInput): ChangesInput => ({
      ...input,
      now: { day: today, hour: 12 },
      period: {
        ...input.period,
        days: cut(input.period.days),
        hours: input.period.hours.filter(({ day, hour }) => day < today || hour < 12),
        dimensions: input.period.dimensions.map((tallies) => ({ ...tallies, byDay: cut(tallies.byDay) })),
      },
    });
    const result = changesOf(untilNoon(site.input("visits", DAY, DAY)));
    expect(result.verdict).toBe("ordinary");
    expect(number(result.typical?.expected)).toBeLessThan(0.6 * site.visitsOn(DAY));
    expect(changesOf(untilNoon(siteOf(20).input("visits", DAY, DAY)))).toMatchObject({
      verdict: "compared",
      reason: "too_early",
      typical: null,
    });
  });
});

describe("a drill-down", () => {
  const byDay = (site: ChangingSite, dimension: string, value: string, of: string, is: string) => {
    const tallies = site.input("visits", FIRST, LAST).period.dimensions.find((found) => found.dimension === of);
    return [{ dimension, byDay: (tallies?.byDay ?? []).filter((row) => row.value === is).map((row) => ({ ...row, value })) }];
  };

  it("names a source and its page as a pair", () => {
    const site = spikeOf();
    const input = site.input("visits", FIRST, LAST);
    const result = changesOf(input);
    expect(drillNeeded(input, result)).toEqual({
      filters: "visit-sources==Hacker News",
      dimensions: ["entry-pages"],
      firstDay: FIRST_DAY + FIRST - 56,
      lastDay: FIRST_DAY + LAST,
    });
    const drilled = withDrill(input, result, byDay(site, "entry-pages", "/post/7", "visit-sources", "Hacker News"));
    expect(drilled.findings[0]?.drill).toMatchObject({ dimension: "entry-pages", value: "/post/7" });
    expect(drilled.sentence).toMatch(/Hacker News → \/post\/7/);
    expect(drillNeeded(input, weekOf(siteOf()))).toBeNull();
  });

  it("is not asked for a path that is longer than the values of filters", () => {
    const drillOf = (chars: number) => {
      const site = siteOf();
      site.add(DAY, { visits: 1200, values: { "entry-pages": `/${"x".repeat(chars - 1)}` } });
      const input = site.input("visits", FIRST, LAST);
      const result = changesOf(input);
      expect(result.findings[0]?.dimension).toBe("entry-pages");
      return drillNeeded(input, result);
    };
    expect([drillOf(512), drillOf(513)]).toEqual([expect.anything(), null]);
  });

  it("finds bots by their screens if the days of these are not known before", () => {
    const site = botsIn();
    const all = site.input("visits", FIRST, LAST);
    const dimensions = all.period.dimensions.map((found) => (found.dimension === "screen-sizes" ? { ...found, byDay: [] } : found));
    const input = { ...all, period: { ...all.period, dimensions } };
    const result = changesOf(input);
    expect(result.caveats).toEqual([]);
    expect(drillNeeded(input, result)?.dimensions).toContain("screen-sizes");
    const drilled = withDrill(input, result, [
      { dimension: "screen-sizes", byDay: [{ day: FIRST_DAY + DAY, value: "800x600", count: 900, part: 900 }] },
    ]);
    expect(drilled.caveats.map(({ code }) => code)).toEqual(["bot_like"]);
  });
});

describe("contributions", () => {
  const sumOf = (
    rows: readonly { readonly before: Amount; readonly after: Amount; readonly delta: Amount }[],
    side: "before" | "after" | "delta",
  ) => rows.reduce((sum, row) => sum + number(row[side]), 0);

  it("rows and rest add up to the total exactly, in each dimension", () => {
    for (const more of [{}, { limit: 1 }, { limit: 100 }]) {
      const { dimensions, total } = weekOf(spikeOf(), more);
      for (const { rows, rest } of dimensions) {
        for (const side of ["before", "after", "delta"] as const) expect(sumOf([...rows, rest], side)).toBe(total[side]);
      }
    }
  });

  it("without_value is the total without the value", () => {
    const { dimensions, total, findings } = weekOf(spikeOf());
    const row = dimensions.find(({ dimension }) => dimension === "visit-sources")?.rows[0];
    expect(row?.value).toBe("Hacker News");
    expect(number(row?.without_value.after)).toBe(number(total.after) - number(row?.after));
    expect(Math.abs(row?.without_value.change ?? 1)).toBeLessThan(0.1);
    expect(findings[0]?.without_value.after).toBe(row?.without_value.after);
  });

  it("shares of nearly nothing are null", () => {
    const [row] = weekOf(siteOf()).dimensions[0]?.rows ?? [];
    expect(row?.share).toBeNull();
  });
});

describe("a rate", () => {
  it("a checkout that is broken in one browser is named by its browser, not for its size", () => {
    const site = siteOf(2000);
    for (const day of WEEK) site.loseConversions(day, "browsers", "Safari", 0.05);
    const result = changesOf(site.input("conversion_rate", FIRST, LAST, { goal: "Purchase" }));
    expect(faces(result)).toEqual(["browsers Safari"]);
    expect(result.sentence).toMatch(/conversion rate for Purchase \(Mar 9 – 15\), .*Safari/);
  });

  /** Each source keeps its rate; one with a low rate sends more visits. */
  function simpson(): ChangesInput {
    const RATES = { Google: 0.1, Social: 0.01 };
    const tally = (source: keyof typeof RATES, visits: number): Tally => ({ count: visits, part: Math.round(visits * RATES[source]) });
    const visitsOn = (source: keyof typeof RATES, day: number): number =>
      (source === "Google" ? 500 : day >= FIRST ? 500 : 100) + ((day * 37) % 7) * 3;
    const days = Array.from({ length: LAST - 6 }, (_, i) => i + 7);
    const sources = ["Google", "Social"] as const;
    const byDay = sources.flatMap((value) => days.map((day) => ({ day: FIRST_DAY + day, value, ...tally(value, visitsOn(value, day)) })));
    const sum = (rows: readonly Tally[]): Tally => ({
      count: rows.reduce((all, row) => all + row.count, 0),
      part: rows.reduce((all, row) => all + (row.part ?? 0), 0),
    });
    const ofWeek = byDay.filter(({ day }) => day >= FIRST_DAY + FIRST);
    return {
      ...siteOf().input("conversion_rate", FIRST, LAST, { goal: "Signup" }),
      period: {
        firstDay: FIRST_DAY + FIRST,
        lastDay: FIRST_DAY + LAST,
        total: sum(ofWeek),
        days: days.map((day) => ({ day: FIRST_DAY + day, ...sum(byDay.filter((row) => row.day === FIRST_DAY + day)) })),
        hours: [],
        dimensions: [
          {
            dimension: "visit-sources",
            sums: sources.map((value): ValueTally => ({ value, ...sum(ofWeek.filter((row) => row.value === value)) })),
            byDay,
          },
        ],
      },
    };
  }

  it("a paradox of Simpson names the mix, and no value for its rate", () => {
    const result = changesOf(simpson());
    expect(result).toMatchObject({
      verdict: "explained",
      findings: [],
      mix: { dimension: "visit-sources", value: "Social", more: true, higher: false, filters: "visit-sources==Social" },
    });
    expect(result.sentence).toMatch(/Social, where the rate is lower, had more of the visits\.$/);
  });

  it("mix and rate add up to the change", () => {
    const { dimensions, total } = changesOf(simpson());
    const parts = dimensions.flatMap(({ rows, rest }) => [...rows, rest]).map(({ mix, rate }) => number(mix) + number(rate));
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(number(total.delta), 12);
  });
});

describe("revenue", () => {
  /** Payments of 20.00 on each day, and one more of an amount. */
  function shop(extra: bigint): ChangesInput {
    const paid = (count: number): Tally => ({ count, cents: 2000n * BigInt(count) });
    const days = Array.from({ length: LAST - 6 }, (_, i) => i + 7);
    const countOn = (day: number): number => 10 + ((day * 31) % 5);
    const last = { day: FIRST_DAY + DAY, count: 1, cents: extra };
    const byDay = [...days.map((day) => ({ day: FIRST_DAY + day, value: "Google", ...paid(countOn(day)) })), { ...last, value: "Bing" }];
    const ofWeek = days.filter((day) => day >= FIRST).reduce((sum, day) => sum + countOn(day), 0);
    return {
      ...siteOf().input("revenue", FIRST, LAST, { currency: "EUR" }),
      period: {
        firstDay: FIRST_DAY + FIRST,
        lastDay: FIRST_DAY + LAST,
        total: { count: ofWeek + 1, cents: 2000n * BigInt(ofWeek) + extra },
        days: byDay,
        hours: [],
        largestPayment: { day: last.day, cents: extra },
        dimensions: [
          {
            dimension: "visit-sources",
            sums: [
              { value: "Google", ...paid(ofWeek) },
              { value: "Bing", count: 1, cents: extra },
            ],
            byDay,
          },
        ],
      },
    };
  }

  it("one large payment is named as one payment, no more", () => {
    const result = changesOf(shop(90_000_00n));
    expect(result).toMatchObject({ verdict: "ordinary", findings: [], caveats: [{ code: "one_payment", from: DATE }] });
    expect(result.sentence).toMatch(/A single payment of €90,000\.00 on Mar 12, 2026 is more than half of the change\.$/);
  });

  it("the change splits into payments and their mean amount, and adds up beyond what a double holds", () => {
    const { dimensions, total } = changesOf(shop(90_071_992_547_409_931n));
    const cents = (amount: Amount | null | undefined): bigint => {
      const [whole = "0", fraction = ""] = (amount as { readonly digits: string }).digits.split(".");
      return BigInt(`${whole}${fraction.padEnd(2, "0")}`);
    };
    for (const { rows, rest } of dimensions) {
      const all = [...rows, rest];
      expect(all.reduce((sum, { delta }) => sum + cents(delta), 0n)).toBe(cents(total.delta));
      expect(all.reduce((sum, { mix, rate }) => sum + cents(mix) + cents(rate), 0n)).toBe(cents(total.delta));
      expect(all.reduce((sum, { after }) => sum + cents(after), 0n)).toBe(cents(total.after));
    }
  });
});

describe("a long period", () => {
  it("names only what stands far apart, and judges nothing as ordinary", () => {
    const site = new ChangingSite({ seed: 5, level: 500, days: 140, roughness: 0.05 });
    const windows = () => ({ compare: "previous_period" as const, compared: site.window("visits", 0, 69) });
    const quiet = changesOf(site.input("visits", 70, 139, windows()));
    expect(quiet).toMatchObject({ verdict: "compared", reason: "long_period", typical: null, findings: [] });
    for (let day = 70; day < 140; day++) site.add(day, { visits: 300, values: { "visit-sources": "Reddit" } });
    const result = changesOf(site.input("visits", 70, 139, windows()));
    expect(result.verdict).toBe("explained");
    expect(faces(result)).toEqual(["visit-sources Reddit"]);
  });

  it("its days stand out against their neighbors", () => {
    const site = new ChangingSite({ seed: 5, level: 500, days: 140, roughness: 0.05 });
    site.add(100, { visits: 900, values: {} });
    const result = changesOf(site.input("visits", 70, 139, { compare: "previous_period", compared: site.window("visits", 0, 69) }));
    expect(result.days.map(({ date }) => date)).toEqual(["2026-04-15"]);
    expect(result.sentence).toMatch(/ Apr 15 \(1,[\d,]+, typical \d+\) stands out\.$/);
  });

  it("a holiday in it hides no other day, and the sentence has the clearest days in order of time", () => {
    const site = new ChangingSite({ seed: 5, level: 500, days: 160, roughness: 0.05 });
    for (const day of [90, 91, 92, 93, 94]) site.thin(day, 0.45);
    site.add(130, { visits: 900, values: {} });
    const { days, sentence } = changesOf(site.input("visits", 70, 159, { compare: "custom", compared: site.window("visits", 0, 69) }));
    expect(days).toHaveLength(3);
    expect(days[0]?.date).toBe("2026-05-15");
    expect(sentence).toMatch(
      / Apr \d+ \(\d+, typical \d+\), Apr \d+ \(\d+, typical \d+\), and May 15 \([\d,]+, typical \d+\) stand out\.$/,
    );
  });
});

describe("sentences", () => {
  it("claim no cause, in any case, and each is short", () => {
    const results = [siteOf(), spikeOf(), holiday(), outage(), botsIn(), siteOf(3)].map((site) => weekOf(site));
    const sentences = results.flatMap(({ sentence, findings, caveats }) => [
      sentence,
      ...[...findings, ...caveats].map((told) => told.sentence),
    ]);
    const words = [...sentences, JSON.stringify(ENGLISH_CHANGE_WORDS)].join(" ");
    expect(words).not.toMatch(/\b(because|cause[ds]?|due to|driven|thanks to|led to|result of|boost|attribut|explain|massive|sharp)/i);
    expect(Math.max(...sentences.map(({ length }) => length))).toBeLessThanOrEqual(2 * 160 + 1);
  });
});

describe("days of which only sums are known", () => {
  const leftOut = (first: number, last: number) => [
    { code: "imported_days" as const, firstDay: FIRST_DAY + first, lastDay: FIRST_DAY + last },
  ];
  const nothing = {
    verdict: "incomplete",
    typical: null,
    findings: [],
    days: [],
    dimensions: [],
    total: { before: null, delta: null, change: null },
  };

  it("in the period, in its history or in the other window leave nothing to compare, and the sentence says so", () => {
    const site = spikeOf();
    for (const [first, last] of [
      [65, 65],
      [30, 33],
    ] as const) {
      const result = weekOf(site, { facts: leftOut(first, last), band: "day" });
      expect(result).toMatchObject({ ...nothing, caveats: [{ code: "imported_days" }] });
      expect(result).not.toHaveProperty("band");
      expect(result.sentence).toMatch(/^[\d,]+ visits \(Mar 9 – 15\)\. No comparison: only daily totals were imported \([^)]+\)\.$/);
    }
    const compared = site.input("visits", 7, 13).period;
    const result = weekOf(site, { compare: "custom", compared, facts: leftOut(0, 8) });
    expect(result).toMatchObject(nothing);
    expect(result.sentence).toMatch(/ \(Mar 9 – 15\)\. No comparison: only daily totals were imported \(Jan 5 – 13, 2026\)\.$/);
  });

  it("before the first event, and before what is compared, change nothing", () => {
    const site = spikeOf();
    const facts = leftOut(0, 20);
    const of = (more: Partial<ChangesInput>) => weekOf(site, { dataFirstDay: FIRST_DAY + 21, ...more });
    expect(of({ facts })).toEqual(of({}));
    const early = spikeOf();
    expect(weekOf(early, { facts: leftOut(0, 2) })).toEqual(weekOf(early));
  });
});
