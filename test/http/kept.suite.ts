/** What an owner stores is there after a restart and after a crash. Hosts take long for both, so that all of it shares one of each. */
import { describe, expect, onTestFinished } from "vitest";
import {
  bodyOf,
  changePassword,
  CLOSED,
  createKey,
  createShare,
  deleteKey,
  deleteShare,
  getStatus,
  logIn,
  ofItsOwn,
  postLogin,
  postSetup,
  tokenOf,
  withBearer,
  withKey,
  withSession,
  withShare,
} from "../support/auth-requests.ts";
import { addItem, listItems } from "../support/collections.ts";
import { expectError, type RequestHeaders } from "../support/requests.ts";
import { able, itNeeds, type Environment, type MakeTarget, type Target } from "../support/target.ts";

const SITE = "kept.test";
const NEW_PASSWORD = "another horse battery";
const BLOG = "hostnames==blog.test";
const OWNER = { "x-owner": "a-browser-of-22-letters" };

const SETTINGS = {
  name: "Größe 😀",
  time_zone: "America/St_Johns",
  week_start: "sunday",
  public: true,
  public_raw_export: false,
  excluded_paths: ["/admin", "/*/draft"],
  excluded_addresses: ["192.0.2.7", "2001:db8::/32"],
  excluded_countries: ["DE", "AT"],
  excluded_networks: ["AS64496"],
  excluded_hosts: ["a.kept.test"],
  allowed_hosts: ["*.kept.test"],
  excluded_referrers: ["spam.test"],
  hidden_cards: ["revenue", "flow"],
  own_hosts: ["*.kept.test"],
  ignored_referrers: ["pay.test"],
  source_parameters: ["ref"],
  channel_rules: [{ channel: "Email", source: ["Google"], referrer: [], utm_source: [], utm_medium: ["a*"], click_id: [] }],
  page_parameters: ["t"],
  merge_slashes: true,
  app_pages: true,
  aliases: ["matomo:1"],
  retention_days: 0,
};

const settingsOf = async (target: Target, headers: RequestHeaders): Promise<unknown> =>
  bodyOf(await target.fetch(`/api/sites/${SITE}`, { headers }));

const putSettingsOf = async (target: Target, headers: RequestHeaders): Promise<unknown> =>
  bodyOf(await target.fetch(`/api/sites/${SITE}`, { method: "PUT", headers, body: JSON.stringify(SETTINGS) }));

export function describeKept(makeTarget: MakeTarget): void {
  async function ownTarget(environment: Environment = {}): Promise<Target> {
    const target = await makeTarget(ofItsOwn(environment));
    onTestFinished(() => target.close());
    return target;
  }

  describe("stored records", () => {
    itNeeds(
      makeTarget,
      "restart",
      "after a restart goals, segments, annotations, rules, settings and share links are the same, and revoked links stay revoked",
      async () => {
        const target = await ownTarget(CLOSED);
        const admin = await logIn(target);
        const goal = await addItem(target, "goals", SITE, admin, { name: "Docs", page: "/docs/*" });
        const filters = { name: "A", filters: "pages==/a", scope: "oneself" };
        const segment = await addItem(target, "segments", SITE, { ...admin, ...OWNER }, filters);
        const annotation = await addItem(target, "annotations", SITE, admin, { text: "Deployed" });
        const rule = await addItem(target, "rules", SITE, admin, { name: "A wave", filters: "countries==SG", is_applied: false });
        const settings = await putSettingsOf(target, admin);
        const link = { site_id: SITE, filters: BLOG };
        const [kept, revoked] = [await createShare(target, admin, link), await createShare(target, admin, link)];
        await deleteShare(target, admin, revoked.share_hash);

        await able(target, "restart")();
        const session = { ...(await logIn(target)), ...OWNER };
        expect(await listItems(target, "goals", SITE, session)).toEqual([goal]);
        expect(await listItems(target, "segments", SITE, session)).toEqual([segment]);
        expect(await listItems(target, "annotations", SITE, session)).toEqual([annotation]);
        expect(await listItems(target, "rules", SITE, session)).toEqual([rule]);
        expect(await settingsOf(target, session)).toEqual(settings);
        expect(await bodyOf(await target.fetch("/api/share", { headers: withShare(kept.token) }))).toMatchObject({ filters: BLOG });
        await expectError(await target.fetch("/api/share", { headers: withShare(revoked.token) }), 404);
      },
    );

    itNeeds(
      makeTarget,
      "crash",
      "a setup, keys, a revocation, settings and a new password survive a crash right after their responses",
      async () => {
        const target = await ownTarget();
        const session = withSession(await tokenOf(await postSetup(target)));
        const [kept, revoked] = [await createKey(target, session, "ReadOnly"), await createKey(target, session, "Admin")];
        const [settings, changed] = await Promise.all([
          putSettingsOf(target, session),
          changePassword(target, session, NEW_PASSWORD),
          deleteKey(target, session, revoked.key_hash),
        ]);
        expect(changed.status).toBe(200);

        await able(target, "crash")();
        expect(await getStatus(target)).toEqual({ setup_required: false, authenticated: false });
        await expectError(await postSetup(target, "one more password"), 409);
        expect((await target.fetch("/api/sites", { headers: withBearer(kept.key) })).status).toBe(200);
        await expectError(await target.fetch("/api/keys", { headers: withKey(kept.key) }), 403);
        await expectError(await target.fetch("/api/sites", { headers: withBearer(revoked.key) }), 401);
        await expectError(await postLogin(target), 401);
        expect(await settingsOf(target, await logIn(target, NEW_PASSWORD))).toEqual(settings);
      },
    );
  });
}
