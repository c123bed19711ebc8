/** The admission of one site by another instance, and what it says when that asks. */
import { beforeEach, describe, expect, it } from "vitest";
import { AdmittedSite } from "../../../../src/runtime/ingest/admission.ts";
import type { Log } from "../../../../src/runtime/base/metrics/log.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";

const SITE = "one.test" as SiteId;
const DAY = "2026-03-15" as LocalDate;

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

describe("an admitted site", () => {
  let asked: string[];
  let days: LocalDate[];
  let site: AdmittedSite;
  beforeEach(() => {
    asked = [];
    days = [];
    const ask = (call: string) => async () => void asked.push(call);
    site = new AdmittedSite({
      siteId: SITE,
      registry: { admit: ask("admit"), announce: ask("announce") },
      isStored: async () => days.length > 0,
      isJournaled: () => days.length > 0,
      log,
    });
  });

  const store = async (): Promise<void> => void days.push(DAY);

  it("is registered before its first event is stored, and not again before later ones", async () => {
    await site.storing(SITE, async () => {
      expect(asked).toEqual(["admit"]);
      await store();
    });
    await site.storing(SITE, store);
    expect(asked).toEqual(["admit"]);
    expect(site.has(SITE)).toBe(true);
    expect(site.has("two.test" as SiteId)).toBe(false);
  });

  it("is registered again by the next event after it has reported that it has none", async () => {
    await site.check();
    expect(await site.hasEvents()).toBe(false);
    await site.storing(SITE, store);
    expect(asked).toEqual(["admit", "admit"]);
    expect(await site.hasEvents()).toBe(true);
  });

  it("has events as soon as one is being stored", async () => {
    let release = () => {};
    const stored = site.storing(SITE, () => new Promise<void>((resolve) => (release = resolve)));
    expect(await site.hasEvents()).toBe(true);
    release();
    await stored;
  });

  it("is registered without a limit if it gets files without an event", async () => {
    await site.add();
    await site.add();
    expect(asked).toEqual(["announce"]);
  });

  it("is unknown again once its last file was deleted, unless events are in the journal", async () => {
    await site.storing(SITE, store);
    site.forgetUnlessJournaled();
    expect(site.has(SITE)).toBe(true);
    days = [];
    site.forgetUnlessJournaled();
    expect(site.has(SITE)).toBe(false);
  });
});
