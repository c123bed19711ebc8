/** Site ids, days and segments as file keys: every site id has its own folder on every file system and can be decoded from it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSiteId } from "../../../src/runtime/base/config/names.ts";
import type { LocalDate, SiteId } from "../../../src/storage/event.ts";
import { isContinued, parsePartitionKey, partitionKey, siteFolder, siteOfFolders } from "../../../src/storage/partitions.ts";
import { anySiteId, siteId } from "../../support/stored-event.ts";

const DAY = "2026-03-15" as LocalDate;

/** The names below `events`. */
const namesOf = (id: SiteId): string[] => siteFolder(id).split("/").slice(1);

const STRANGE = [
  "a",
  "A",
  ".",
  "..",
  "...",
  "a.",
  ".a",
  "-",
  "_",
  ":",
  "a:80",
  "%41".replace("%", "-"),
  "CON",
  "nul",
  "aux.txt",
  "__proto__",
  "site_id",
  "date",
  "x".repeat(256),
  "X".repeat(256),
  ".".repeat(256),
  ":".repeat(256),
  `${"x".repeat(231)}..`,
  `${"x".repeat(232)}.`,
  `${"x".repeat(233)}.${"x".repeat(22)}`,
].map(siteId);

describe("siteFolder", () => {
  it.each([
    ["site.test", "events/site_id=site.test"],
    ["Site.Test", "events/site_id=%53ite.%54est"],
    ["a:8080", "events/site_id=a%3A8080"],
    [".", "events/site_id=%2E"],
    ["..", "events/site_id=.%2E"],
    ["trailing.", "events/site_id=trailing%2E"],
    ["__proto__", "events/site_id=__proto__"],
  ])("encodes %s as %s", (id, folder) => {
    expect(siteFolder(siteId(id))).toBe(folder);
  });

  it("continues an id too long for one file name in a subfolder", () => {
    const [first = "", second = "", ...rest] = namesOf(siteId("x".repeat(256)));
    expect([first.length, first.at(-1), rest]).toEqual([241, "~", []]);
    expect(second).toBe("x".repeat(24));
    expect([isContinued(first), isContinued(second)]).toEqual([true, false]);
  });

  it("never splits an escape between two names", () => {
    for (let ahead = 0; ahead < 6; ahead++) {
      const id = siteId(`${"x".repeat(ahead)}${"A".repeat(250)}`);
      for (const name of namesOf(id)) expect(name.replaceAll("%41", "")).not.toContain("%");
    }
  });

  it.each(STRANGE)("encodes %s so that siteOfFolders decodes it", (id) => {
    expect(siteOfFolders(namesOf(id), isSiteId)).toBe(id);
  });

  it("encodes any id so that siteOfFolders decodes it", () => {
    fc.assert(
      fc.property(anySiteId, (id) => {
        expect(siteOfFolders(namesOf(id), isSiteId)).toBe(id);
      }),
      { numRuns: 500 },
    );
  });

  it("uses only names that are valid on every file system", () => {
    const check = (id: SiteId): void => {
      for (const name of namesOf(id)) {
        // At most 255 bytes, plain characters, no dots that mean a folder or that some systems drop.
        expect(name).toMatch(/^[a-z0-9._=%A-Z~-]{1,255}$/);
        expect(name.replaceAll(/%[0-9A-F]{2}/g, "")).not.toMatch(/[A-Z]/);
        expect(name).not.toMatch(/^\.{1,2}$|\.$/);
      }
    };
    for (const id of STRANGE) check(id);
    fc.assert(fc.property(anySiteId, check), { numRuns: 500 });
  });

  /** Ids that have every chance to end in the same folder. */
  const alike = fc.oneof(
    fc.tuple(anySiteId, anySiteId),
    anySiteId.chain((id) =>
      fc.tuple(
        fc.constant(id),
        fc
          .constantFrom(
            id.toLowerCase(),
            id.toUpperCase(),
            `${id}.`.slice(-256),
            id.replaceAll(":", "%3A").replaceAll("%", ""),
            id.replaceAll(".", ""),
            id.slice(0, -1) || "a",
            [...id].reverse().join(""),
          )
          .map(siteId),
      ),
    ),
  );

  it("gives different ids different folders, even if case is ignored, and never one inside another", () => {
    fc.assert(
      fc.property(alike, ([first, second]) => {
        if (first === second) return;
        const [a, b] = [siteFolder(first).toLowerCase(), siteFolder(second).toLowerCase()];
        expect(a).not.toBe(b);
        expect(`${a}/`.startsWith(`${b}/`)).toBe(false);
        expect(`${b}/`.startsWith(`${a}/`)).toBe(false);
      }),
      { numRuns: 1000 },
    );
    const folded = STRANGE.map((id) => siteFolder(id).toLowerCase());
    expect(new Set(folded).size).toBe(STRANGE.length);
  });
});

describe("siteOfFolders", () => {
  it.each([
    ["nothing", []],
    ["another kind of folder", ["date=2026-03-15"]],
    ["no id", ["site_id="]],
    ["a capital that is not escaped", ["site_id=A"]],
    ["an escape that is not needed", ["site_id=%61"]],
    ["an escape in small letters", ["site_id=%3a"]],
    ["half an escape", ["site_id=%4"]],
    ["an escape of what no id has", ["site_id=%2F"]],
    ["a space", ["site_id=a b"]],
    ["a trailing dot", ["site_id=a."]],
    ["the beginning of a long id", [`site_id=${"x".repeat(232)}~`]],
    ["a short name that goes on", ["site_id=a~", "b"]],
    ["a name that ends and goes on", ["site_id=a", "b"]],
    ["an id of 257 characters", [`site_id=${"x".repeat(232)}~`, "x".repeat(25)]],
  ])("finds no site in %s", (_name, names) => {
    expect(siteOfFolders(names, isSiteId)).toBeNull();
  });
});

describe("partitionKey", () => {
  it("contains site, day and segments", () => {
    expect(partitionKey(siteId("Site"), DAY, 7, 12)).toBe("events/site_id=%53ite/date=2026-03-15/7-12.parquet");
  });

  it("is decoded by parsePartitionKey for any site", () => {
    const segments = fc.tuple(fc.nat(1e12), fc.nat(1e12)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
    fc.assert(
      fc.property(anySiteId, segments, (id, [first, last]) => {
        const key = partitionKey(id, DAY, first, last);
        expect(parsePartitionKey(id, key, 99)).toEqual({ day: DAY, first, last, key, sizeBytes: 99 });
      }),
    );
  });

  it.each([
    "date=2026-03-15/7-12.parquet.tmp",
    "date=2026-03-15/7.parquet",
    "date=2026-03-15/12-7.parquet",
    "date=2026-03-15/a-b.parquet",
    "date=2026-03-15/-7-12.parquet",
    "date=2026-03-15/7-12.csv",
    "date=2026-02-30/7-12.parquet",
    "date=20260315/7-12.parquet",
    "day=2026-03-15/7-12.parquet",
    "date=2026-03-15/more/7-12.parquet",
    "date=2026-03-15/1234567890123456-1234567890123456.parquet",
    "7-12.parquet",
    "",
  ])("is the only accepted form: parsePartitionKey refuses %j", (rest) => {
    const id = siteId("site.test");
    expect(parsePartitionKey(id, `${siteFolder(id)}/${rest}`, 1)).toBeNull();
  });
});
