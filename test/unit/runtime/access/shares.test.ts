/** Share links are limited in number, of a site and in all: a new one takes the place of the oldest that was revoked. */
import { describe, expect, it } from "vitest";
import { type Share } from "../../../../src/runtime/access/shares.ts";
import { SHARE_FRAME_ANCESTORS_MAX, SHARES_MAX, SHARES_OF_SITE_MAX } from "../../../../src/runtime/base/config/admin-limits.ts";
import { type RecordStore, replaceJsonRecord } from "../../../../src/storage/record-store.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import { START_MS } from "../../../support/in-process-target.ts";
import { listOf, openShares, plainShare } from "../../../support/shares.ts";
import { SHARE_NAME_CHARS_MAX } from "../../../../src/shared/limits.ts";

const { signal } = new AbortController();

const SITES = SHARES_MAX / SHARES_OF_SITE_MAX;

const hashOf = (number: number): string => number.toString(16).padStart(64, "0");

/** Records of links, a second apart: link 0 of site-0.test, link 1 of site-1.test, … */
async function stored(count: number, sites: number): Promise<RecordStore> {
  const records = createMemoryRecordStore();
  for (let i = 0; i < count; i++) {
    const share: Share = {
      ...plainShare(`site-${i % sites}.test`, `link ${i}`),
      shareHash: hashOf(i),
      passwordHash: null,
      createdAt: new Date(START_MS - (count - i) * 1000).toISOString(),
      lastUsedAt: null,
      revoked: false,
    };
    await replaceJsonRecord(records, `shares/${share.shareHash}.json`, share);
  }
  return records;
}

describe("share links", () => {
  it("are limited per site; a new link replaces the site's oldest revoked one, and other sites are not affected", async () => {
    const records = await stored(SHARES_OF_SITE_MAX, 1);
    const shares = await openShares(records);
    const create = (site: string, name: string) => shares.create(plainShare(site, name), null, signal);
    await expect(create("site-0.test", "one more")).rejects.toThrow("There are already 100 share links of this site, the maximum");
    expect(await records.list("")).toHaveLength(SHARES_OF_SITE_MAX);
    const other = await create("other.test", "of another site");
    await shares.revoke(other.shareHash, signal);
    await expect(create("site-0.test", "one more")).rejects.toThrow("Revoke one first");
    for (const number of [70, 30]) await shares.revoke(hashOf(number), signal);
    await create("site-0.test", "one more");
    expect(await records.read(`shares/${hashOf(30)}.json`)).toBeNull();
    const wanted = listOf(shares);
    expect(wanted.filter((name) => name.includes("revoked"))).toEqual(["link 70, revoked", "of another site, revoked"]);
    expect(wanted).toHaveLength(SHARES_OF_SITE_MAX + 1);
    expect(listOf(await openShares(records))).toEqual(wanted);
  });

  it("are limited in total; a new link replaces the oldest revoked one of all sites", async () => {
    const records = await stored(SHARES_MAX, SITES);
    const shares = await openShares(records);
    const create = (name: string) => shares.create(plainShare("new.test", name), null, signal);
    await expect(create("one more")).rejects.toThrow("There are already 1000 share links in all, the maximum");
    for (const number of [500, 3]) await shares.revoke(hashOf(number), signal);
    await create("one more");
    await create("and another");
    await expect(create("a third")).rejects.toThrow("in all");
    expect([3, 500].map((number) => shares.get(hashOf(number)))).toEqual([null, null]);
    expect(listOf(await openShares(records))).toEqual(listOf(shares));
    expect(shares.list()).toHaveLength(SHARES_MAX);
  });

  it("stay unchanged if the revoked one cannot be removed, and the new one does not exist", async () => {
    const records = await stored(SHARES_OF_SITE_MAX, 1);
    const shares = await openShares(records);
    await shares.revoke(hashOf(0), signal);
    const before = listOf(shares);
    const { remove } = records;
    records.remove = async () => {
      throw new Error("disk full");
    };
    await expect(shares.create(plainShare("site-0.test", "one more"), null, signal)).rejects.toThrow(
      "could not be stored and does not work",
    );
    expect(listOf(shares)).toEqual(before);
    records.remove = remove;
    expect(listOf(await openShares(records))).toEqual(before);
  });
});

describe("records of share links at the start", () => {
  const HASH = hashOf(1);

  /** A link's record as it is stored, with some of its fields. */
  async function openWith(fields: Readonly<Record<string, unknown>>): Promise<Share | null> {
    const records = await stored(2, 1);
    const whole = JSON.parse(new TextDecoder().decode((await records.read(`shares/${HASH}.json`)) ?? undefined)) as object;
    await replaceJsonRecord(records, `shares/${HASH}.json`, { ...whole, ...fields });
    return (await openShares(records)).get(HASH);
  }

  it.each<[string, unknown]>([
    ["name", "a name"],
    ["frameAncestors", ["https://www.example.com", "http://[::1]:8080"]],
    ["dates", { firstDay: "2026-01-01", lastDay: "2026-01-01" }],
    ["dates", { period: "30d" }],
    ["expiresAt", "2030-01-01T00:00:00.000Z"],
  ])("are loaded with %s %j", async (field, value) => {
    expect(await openWith({ [field]: value })).toMatchObject({ shareHash: HASH, [field]: value });
  });

  it.each<[string, unknown]>([
    ["frameAncestors", ["x; script-src *"]],
    ["frameAncestors", ["https://www.example.com", "https://example.com/path"]],
    ["frameAncestors", ["*"]],
    ["frameAncestors", [1]],
    ["frameAncestors", Array.from({ length: SHARE_FRAME_ANCESTORS_MAX + 1 }, (_, i) => `https://${i}.test`)],
    ["frameAncestors", "https://www.example.com"],
    ["name", ""],
    ["name", "x".repeat(SHARE_NAME_CHARS_MAX + 1)],
    ["siteId", "no site"],
    ["passwordHash", "$argon2id$v=19$m=0,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw"],
    ["filters", null],
    ["dates", { firstDay: "2026-01-02", lastDay: "2026-01-01" }],
    ["dates", { firstDay: "2026-02-30", lastDay: "2026-03-01" }],
    ["dates", {}],
    ["hasRealtime", "yes"],
    ["hasRawExport", null],
    ["expiresAt", "2030"],
    ["createdAt", "yesterday"],
    ["lastUsedAt", 0],
    ["revoked", undefined],
  ])("stop the start if %s is %j, which no request may set", async (field, value) => {
    await expect(openWith({ [field]: value })).rejects.toThrow(
      `shares/${HASH}.json in the data folder is damaged: its field "${field}" is missing or invalid`,
    );
  });
});
