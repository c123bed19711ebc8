/** Deletion of a whole site (docs/http-api.md, "Deletion of a site"). */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  bodyOf,
  CLOSED,
  createShare,
  listKeys,
  logIn,
  ofItsOwn,
  postKey,
  withKey,
  withShare,
  type CreatedKey,
} from "../support/auth-requests.ts";
import { addItem, listItems } from "../support/collections.ts";
import { expectError, record, wireEvent } from "../support/requests.ts";
import type { MakeTarget } from "../support/target.ts";

const [GONE, KEPT] = ["Gone.test:8080", "kept.test"];

const NOTHING = {
  status: "deleted",
  site_id: GONE,
  events_deleted: 0,
  days_deleted: 0,
  imports_deleted: 0,
  share_links_deleted: 0,
  api_keys_changed: 0,
};

export function describeSiteDeletion(makeTarget: MakeTarget): void {
  describe("deletion of a site", () => {
    it("deletes all that the site has, and nothing of others", async () => {
      const target = await makeTarget(ofItsOwn(CLOSED));
      onTestFinished(() => target.close());
      const headers = await logIn(target);
      const ask = (method: string, path: string, body?: unknown) =>
        target.fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
      const deletion = (confirm: string) => ask("POST", `/api/sites/${GONE}/delete`, { confirm });
      const newKey = async (sites: readonly string[]): Promise<CreatedKey> =>
        bodyOf(await postKey(target, headers, { name: "a key", scope: "ReadOnly", sites }), 201);
      const links = [];
      for (const site of [GONE, KEPT]) {
        for (let i = 0; i < 3; i++) await record(target, wireEvent(site));
        expect((await ask("PUT", `/api/sites/${site}`, { name: "A site", time_zone: "Asia/Tokyo" })).status).toBe(200);
        await addItem(target, "goals", site, headers, { name: "a goal", page: "/" });
        links.push(await createShare(target, headers, { site_id: site }));
      }
      const [onlyGone, both] = [await newKey([GONE]), await newKey([GONE, KEPT])];

      await expectError(await deletion(KEPT), 400, '"confirm"');
      expect(await bodyOf(await deletion(GONE))).toEqual({
        ...NOTHING,
        events_deleted: 3,
        days_deleted: 1,
        share_links_deleted: 1,
        api_keys_changed: 2,
      });

      expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [KEPT] });
      expect(await bodyOf(await ask("GET", `/api/sites/${GONE}`))).toMatchObject({ name: null, created_at: null, time_zone_changes: [] });
      expect(await bodyOf(await ask("GET", `/api/sites/${KEPT}`))).toMatchObject({ name: "A site" });
      expect(await listItems(target, "goals", GONE, headers)).toEqual([]);
      expect(await listItems(target, "goals", KEPT, headers)).toHaveLength(1);
      const statuses = links.map(async ({ token }) => (await target.fetch("/api/share", { headers: withShare(token) })).status);
      expect(await Promise.all(statuses)).toEqual([404, 200]);
      const keys = new Map((await listKeys(target, headers)).map((key) => [key.key_hash, key]));
      expect(keys.get(onlyGone.key_hash)).toMatchObject({ revoked: true });
      expect(keys.get(both.key_hash)).toMatchObject({ revoked: false, sites: [KEPT] });
      const asBoth = (site: string) => target.fetch(`/api/stats/main?site_id=${site}`, { headers: withKey(both.key) });
      expect([(await asBoth(KEPT)).status, (await asBoth(GONE)).status]).toEqual([200, 403]);
      expect(await bodyOf(await deletion(GONE)), "again").toEqual(NOTHING);
    });
  });
}
