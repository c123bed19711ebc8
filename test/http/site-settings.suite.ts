/** Settings of sites: set, read, replaced, deleted, exported and imported (docs/http-api.md, "Site settings"). */
import { describe, expect, it, onTestFinished } from "vitest";
import { COLLECTIONS } from "../../src/runtime/sites/collection.ts";
import { bodyOf, CLOSED, logIn, ofItsOwn } from "../support/auth-requests.ts";
import { addItem, listItems } from "../support/collections.ts";
import { expectError, getSites, post, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import type { Environment, MakeTarget, Target } from "../support/target.ts";

interface Settings {
  readonly site_id: string;
  readonly name: string | null;
  readonly excluded_addresses: readonly string[];
  readonly created_at: string | null;
  readonly time_zone: string | null;
  readonly time_zone_in_force: string;
  readonly time_zone_changes: readonly { readonly first_date: string; readonly time_zone: string }[];
}

/** The options that count without a setting. The platform of workerd knows networks. */
const ofOptions = ({ name }: Target) => ({ default_time_zone: "UTC", default_retention_days: 0, asn_db_loaded: name === "workerd" });

const DEFAULTS = {
  name: null,
  time_zone: null,
  week_start: "monday",
  public: false,
  public_raw_export: true,
  excluded_paths: [],
  excluded_addresses: [],
  excluded_countries: [],
  excluded_networks: [],
  excluded_hosts: [],
  allowed_hosts: [],
  excluded_referrers: [],
  hidden_cards: [],
  own_hosts: [],
  ignored_referrers: [],
  source_parameters: [],
  channel_rules: [],
  page_parameters: [],
  merge_slashes: false,
  app_pages: false,
  aliases: [],
  retention_days: null,
};

const ALL = {
  name: "Größe 😀",
  time_zone: "America/St_Johns",
  week_start: "sunday",
  public: true,
  public_raw_export: false,
  excluded_paths: ["/admin", "/*/draft"],
  excluded_addresses: ["192.0.2.7", "2001:db8::/32"],
  excluded_countries: ["DE", "AT"],
  excluded_networks: ["AS64496"],
  excluded_hosts: ["staging.shop.example"],
  allowed_hosts: ["*.shop.example"],
  excluded_referrers: ["spam.example"],
  hidden_cards: ["revenue", "flow"],
  own_hosts: ["*.shop.example", "brand.example"],
  ignored_referrers: ["pay.example"],
  source_parameters: ["source", "ref"],
  channel_rules: [
    { channel: "Affiliates", source: [], referrer: ["*.partner.example"], utm_source: ["Partner*"], utm_medium: [], click_id: [] },
    { channel: "Display", source: ["Google"], referrer: [], utm_source: [], utm_medium: ["cpm"], click_id: ["gclid"] },
  ],
  page_parameters: ["t", "item[id]"],
  merge_slashes: true,
  app_pages: true,
  aliases: ["umami:0b1b3f5a", "goatcounter:shop", "matomo:1"],
  retention_days: 0,
};

interface Owner {
  readonly target: Target;
  readonly headers: RequestHeaders;
  ask(method: string, path: string, body?: unknown): Promise<Response>;
  put(siteId: string, settings: unknown): Promise<Settings>;
  get(siteId: string): Promise<Settings>;
}

async function ownerOf(target: Target): Promise<Owner> {
  const headers = await logIn(target);
  const ask: Owner["ask"] = (method, path, body) =>
    target.fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return {
    target,
    headers,
    ask,
    put: async (siteId, settings) => bodyOf(await ask("PUT", `/api/sites/${siteId}`, settings)),
    get: async (siteId) => bodyOf(await ask("GET", `/api/sites/${siteId}`)),
  };
}

const deleteOf = async ({ ask }: Owner, siteId: string): Promise<unknown> => bodyOf(await ask("DELETE", `/api/sites/${siteId}`));

/** Owners of instances of their own, which end with the case. */
const ownersOf =
  (makeTarget: MakeTarget) =>
  async (environment: Environment = {}): Promise<Owner> => {
    const target = await makeTarget(ofItsOwn({ ...CLOSED, ...environment }));
    onTestFinished(() => target.close());
    return ownerOf(target);
  };

/** Where settings are held. Each of its cases starts a host of its own, so the rules are `describeSiteSettingsRules`. */
export function describeSiteSettings(makeTarget: MakeTarget): void {
  const owner = ownersOf(makeTarget);

  describe("settings of a site", () => {
    it("are set completely, read back, listed, and deleted", async () => {
      const { target, put, get, ask, ...rest } = await owner();
      const site = "A.shop:8080";
      expect(await get(site)).toEqual({
        site_id: site,
        ...DEFAULTS,
        created_at: null,
        time_zone_in_force: "UTC",
        time_zone_changes: [],
        ...ofOptions(target),
      });
      const created = {
        created_at: new Date(target.nowMs()).toISOString(),
        time_zone_in_force: "America/St_Johns",
        time_zone_changes: [],
        ...ofOptions(target),
      };
      expect(await put(site, ALL)).toEqual({
        site_id: site,
        ...ALL,
        created_at: expect.any(String) as unknown,
        time_zone_in_force: "America/St_Johns",
        time_zone_changes: [],
        ...ofOptions(target),
      });
      const read = await get(site);
      expect(read).toEqual({ site_id: site, ...ALL, ...created, created_at: read.created_at });
      expect(Number.isNaN(Date.parse(read.created_at ?? ""))).toBe(false);
      expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [site] });
      expect(await bodyOf(await ask("GET", "/api/sites?include=settings"))).toEqual({
        sites: [site],
        settings: [
          {
            site_id: site,
            name: ALL.name,
            time_zone: "America/St_Johns",
            today: new Intl.DateTimeFormat("sv-SE", { timeZone: "America/St_Johns" }).format(target.nowMs()),
            week_start: "sunday",
            hidden_cards: ["revenue", "flow"],
            public: true,
          },
        ],
      });
      expect(await put(site, { ...read, name: "Another", excluded_paths: undefined })).toEqual({
        ...read,
        name: "Another",
        excluded_paths: [],
      });
      expect(await deleteOf({ target, put, get, ask, ...rest }, site)).toEqual({ status: "deleted" });
      expect(await get(site)).toMatchObject({ ...DEFAULTS, created_at: null, time_zone_in_force: "UTC" });
      expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [] });
      await expectError(await ask("DELETE", `/api/sites/${site}`), 404, "no settings");
    });
  });
}

export function describeSiteSettingsRules(makeTarget: MakeTarget): void {
  const owner = ownersOf(makeTarget);

  describe("rules of settings of a site", () => {
    it("are deleted with the goals, saved filters, annotations and rules of the site, even if it has nothing else", async () => {
      const { target, headers, ask, put } = await owner();
      const site = "made.test";
      const bodies = {
        goals: { name: "Docs", page: "/docs" },
        segments: { name: "A", filters: "pages==/" },
        annotations: { text: "New" },
        rules: { name: "A wave", filters: "countries==SG" },
      };
      for (const isSet of [true, false]) {
        if (isSet) await put(site, { name: "Made" });
        for (const path of COLLECTIONS) await addItem(target, path, site, headers, bodies[path]);
        await addItem(target, "goals", "other.test", headers, bodies.goals);
        expect(await bodyOf(await ask("DELETE", `/api/sites/${site}`))).toEqual({ status: "deleted" });
        for (const path of COLLECTIONS) expect(await listItems(target, path, site, headers)).toEqual([]);
        expect(await listItems(target, "goals", "other.test", headers)).toHaveLength(1);
        await expectError(await ask("DELETE", `/api/sites/${site}`), 404, "no settings");
        await bodyOf(await ask("DELETE", "/api/sites/other.test"));
      }
    });

    it("are stored in canonical form: addresses and networks, codes in capitals, paths without trailing slashes, each once", async () => {
      const { put } = await owner();
      const settings = await put("forms.test", {
        excluded_paths: ["/a/", "/", "/a", " /b* "],
        excluded_addresses: ["::ffff:192.0.2.1", "192.0.2.1", "10.1.2.3/8", "2001:DB8:0:0::1/48", "::ffff:198.51.100.0/120", "::/0"],
        excluded_countries: ["de", "DE", "xk"],
        excluded_networks: ["as64496", "64496", "AS4294967295"],
        hidden_cards: ["flow", "flow"],
        own_hosts: ["Shop.Example.", "shop.example", "*.Shop.example", "bücher.example", "localhost"],
        ignored_referrers: [" PAY.example ", "192.0.2.1", "com.example.app"],
        channel_rules: [{ channel: "SMS", utm_source: [" Text "] }],
      });
      expect(settings).toMatchObject({
        excluded_paths: ["/a", "/", "/b*"],
        excluded_addresses: ["192.0.2.1", "10.0.0.0/8", "2001:db8::/48", "198.51.100.0/24", "::/0"],
        excluded_countries: ["DE", "XK"],
        excluded_networks: ["AS64496", "AS4294967295"],
        hidden_cards: ["flow"],
        own_hosts: ["shop.example", "*.shop.example", "xn--bcher-kva.example", "localhost"],
        ignored_referrers: ["pay.example", "192.0.2.1", "com.example.app"],
        channel_rules: [{ channel: "SMS", source: [], referrer: [], utm_source: ["Text"], utm_medium: [], click_id: [] }],
      });
    });

    it("are refused with the field, the rule and the value if they break a rule, and change nothing", async () => {
      const { ask, put, get } = await owner();
      const before = await put("rules.test", { name: "Before" });
      const refused = async (body: unknown, status: number, ...patterns: (string | RegExp)[]) =>
        expectError(await ask("PUT", "/api/sites/rules.test", body), status, ...patterns);
      const long = Array.from({ length: 101 }, (_, i) => `/${i}`);
      await refused({ name: "" }, 400, '"name"', "128");
      await refused({ name: "  " }, 400, '"name"');
      await refused({ name: "😀".repeat(129) }, 400, '"name"', "128");
      await refused({ name: 7 }, 422, '"name"');
      await refused({ time_zone: "Europe/Nowhere" }, 400, '"time_zone"', "IANA", "Europe/Nowhere");
      await refused({ time_zone: "+02:00" }, 400, '"time_zone"');
      await refused({ week_start: "friday" }, 400, '"week_start"', "monday, sunday, saturday", "friday");
      await refused({ public: "yes" }, 422, '"public"');
      await refused({ excluded_paths: "/" }, 422, '"excluded_paths"');
      await refused({ excluded_paths: ["admin"] }, 400, '"excluded_paths"', "start with /", "admin");
      await refused({ excluded_paths: ["/a?b"] }, 400, '"excluded_paths"');
      await refused({ excluded_paths: long }, 400, '"excluded_paths"', "100");
      await refused({ excluded_paths: [`/${"x".repeat(512)}`] }, 400, '"excluded_paths"', "512");
      for (const wrong of ["1.2.3", "1.2.3.4/33", "::/129", "1.2.3.4/", "1.2.3.4/8/8", "example.com", "::1%eth0", "01.2.3.4", ""])
        await refused({ excluded_addresses: [wrong] }, 400, '"excluded_addresses"', JSON.stringify(wrong));
      await refused({ excluded_countries: ["DEU"] }, 400, '"excluded_countries"', "DEU");
      for (const wrong of ["AS0", "AS4294967296", "AS 1", "Google", "-1", "1.5", "AS"])
        await refused({ excluded_networks: [wrong] }, 400, '"excluded_networks"', "AS64496", JSON.stringify(wrong));
      await refused({ excluded_networks: [64496] }, 422, '"excluded_networks"');
      for (const field of ["excluded_hosts", "allowed_hosts", "excluded_referrers"]) {
        await refused({ [field]: ["https://a.example"] }, 400, `"${field}"`, "*.shop.example");
        await refused({ [field]: Array.from({ length: 101 }, (_, i) => `${i}.example`) }, 400, `"${field}"`, "100");
      }
      await refused({ hidden_cards: ["weather"] }, 400, '"hidden_cards"', "sources", "weather");
      for (const wrong of ["https://shop.example", "shop.example/path", "*", "*.", "a.*.example", "a b", "", "shop..example"])
        await refused({ own_hosts: [wrong] }, 400, '"own_hosts"', "*.shop.example", JSON.stringify(wrong));
      await refused({ ignored_referrers: ["pay.example:443/x"] }, 400, '"ignored_referrers"', "pay.example:443/x");
      await refused({ source_parameters: ["via"] }, 400, '"source_parameters"', "ref, source", "via");
      const email = { channel: "Email", source: ["Google"] };
      await refused({ channel_rules: {} }, 422, '"channel_rules"');
      await refused({ channel_rules: ["Email"] }, 422, '"channel_rules"');
      await refused({ channel_rules: [{ source: ["Google"] }] }, 422, '"channel_rules[0].channel"');
      await refused({ channel_rules: [email, { ...email, channel: "email" }] }, 400, '"channel_rules[1].channel"', "Organic Search");
      await refused({ channel_rules: [{ channel: "Email" }] }, 400, '"channel_rules[0]"', "condition", "utm_medium");
      await refused({ channel_rules: [{ ...email, medium: ["x"] }] }, 400, '"channel_rules[0].medium"', "utm_medium");
      await refused({ channel_rules: [{ ...email, source: "Google" }] }, 422, '"channel_rules[0].source"');
      await refused({ channel_rules: [{ ...email, source: [" "] }] }, 400, '"channel_rules[0].source"', "512");
      await refused({ channel_rules: Array.from({ length: 51 }, () => email) }, 400, '"channel_rules"', "50", "51");
      await refused(
        { channel_rules: [email, { ...email, source: long }, { ...email, source: long }] },
        400,
        '"channel_rules"',
        "200",
        "203",
      );
      for (const wrong of ["", "a b", "a=b", "é", "utm_source", "gclid", "GCLID", "sccid", "x".repeat(513)])
        await refused({ page_parameters: [wrong] }, 400, '"page_parameters"', "utm_");
      await refused({ page_parameters: Array.from({ length: 11 }, (_, i) => `p${i}`) }, 400, '"page_parameters"', "10", "11");
      await refused({ merge_slashes: "yes" }, 422, '"merge_slashes"');
      await refused({ app_pages: 1 }, 422, '"app_pages"');
      for (const wrong of [-1, 1.5, 36_501]) await refused({ retention_days: wrong }, 400, '"retention_days"', "36500", String(wrong));
      await refused({ retention_days: "7" }, 422, '"retention_days"');
      await refused({ exclude_paths: [] }, 400, "exclude_paths", "excluded_paths");
      await refused({ site_id: "other.test" }, 400, '"site_id"');
      for (const wrong of [[], null, "text", 1]) await refused(wrong, 422, "object");
      await expectError(await ask("PUT", "/api/sites/a%20b", {}), 400, '"site_id"');
      await expectError(await ask("PUT", "/api/sites/a%", {}), 400, '"site_id"');
      expect(await get("rules.test")).toEqual(before);
    });

    it("let parameters of links count as the campaign's source, from the change on", async () => {
      const { target, headers, put } = await owner();
      const site = "tagged.test";
      const view = (path: string) => record(target, wireEvent(site, { u: `https://tagged.test${path}` }));
      await view("/?ref=before");
      await put(site, { source_parameters: ["ref"] });
      for (const path of ["/?ref=after", "/?source=after", "/?ref=a&utm_source=campaign"]) await view(path);
      const rows = await bodyOf<{ value: string }[]>(await target.fetch(`/api/stats/breakdown/utm-sources?site_id=${site}`, { headers }));
      expect(rows.map(({ value }) => value).sort()).toEqual(["(unknown)", "after", "campaign"]);
    });

    it("create a site that counts towards max_sites, and whose events are then accepted", async () => {
      const { target, put, ask } = await owner({ SVC_MAX_SITES: "2" });
      await put("made.test", {});
      await record(target, wireEvent("sent.test"));
      await expectError(await post(target, wireEvent("third.test")), 403, "max_sites");
      await expectError(await ask("PUT", "/api/sites/third.test", {}), 400, "max_sites");
      await put("sent.test", { name: "It exists" });
      await record(target, wireEvent("made.test"));
      expect((await bodyOf<{ sites: string[] }>(await ask("GET", "/api/sites"))).sites).toEqual(["made.test", "sent.test"]);
    });

    it("change the calendar of a site with events at the end of a day, and keep its history when they are deleted", async () => {
      const { target, put, get, ask, ...rest } = await owner();
      await record(target, wireEvent("moved.test"));
      const { time_zone_in_force: inForce, time_zone_changes: changes } = await put("moved.test", { time_zone: "Asia/Tokyo" });
      expect(inForce).toBe("UTC");
      expect(changes).toEqual([{ first_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as unknown, time_zone: "Asia/Tokyo" }]);
      await put("still.test", { time_zone: "Asia/Tokyo" });
      expect(await get("still.test")).toMatchObject({ time_zone_in_force: "Asia/Tokyo", time_zone_changes: [] });
      await deleteOf({ target, put, get, ask, ...rest }, "moved.test");
      expect(await get("moved.test")).toMatchObject({ ...DEFAULTS, time_zone_in_force: "UTC", time_zone_changes: [] });
    });

    it("set the first day of the week in time series, even in cached ones", async () => {
      const { target, put, ask } = await owner({ SVC_CACHE_TTL_SECS: "86400" });
      const site = "weeks.test";
      await record(target, wireEvent(site));
      const weeks = async (report: string): Promise<string[]> => {
        // From a Friday on.
        const query = new URLSearchParams({ site_id: site, start_date: "2026-03-13", end_date: "2026-03-24", interval: "week" });
        const points = await bodyOf<{ date: string }[]>(await ask("GET", `/api/stats/${report}?${query.toString()}`));
        return points.map(({ date }) => date);
      };
      for (const [settings, first, ...others] of [
        [{}, "2026-03-13", "2026-03-16", "2026-03-23"],
        [{ week_start: "sunday" }, "2026-03-13", "2026-03-15", "2026-03-22"],
        [{ week_start: "saturday" }, "2026-03-13", "2026-03-14", "2026-03-21"],
        [{ week_start: "monday" }, "2026-03-13", "2026-03-16", "2026-03-23"],
      ] as const) {
        await put(site, settings);
        for (const report of ["timeseries", "session-timeseries"]) expect(await weeks(report)).toEqual([first, ...others]);
      }
    });

    it("of all sites are one file, which another instance imports, and which changes nothing if any entry is refused", async () => {
      const [from, to] = [await owner(), await owner()];
      await from.put("b.test", ALL);
      await from.put("a.test", { name: "A" });
      const file = await bodyOf<{ version: 1; sites: Record<string, unknown>[] }>(await from.ask("GET", "/api/settings"));
      expect(file).toEqual({
        version: 1,
        sites: [
          { site_id: "a.test", ...DEFAULTS, name: "A" },
          { site_id: "b.test", ...ALL },
        ],
      });
      await to.put("own.test", { name: "Own" });
      expect(await bodyOf(await to.ask("PUT", "/api/settings", file))).toEqual({ status: "imported", sites: 2 });
      const own = { site_id: "own.test", ...DEFAULTS, name: "Own" };
      const after = { version: 1, sites: [...file.sites, own] };
      expect(await bodyOf(await to.ask("GET", "/api/settings"))).toEqual(after);
      const refused = async (changed: unknown, status: number, ...patterns: string[]) =>
        expectError(await to.ask("PUT", "/api/settings", changed), status, ...patterns);
      await refused({ ...file, version: 2 }, 400, '"version"');
      await refused({ version: 1 }, 422, '"sites"');
      await refused(
        {
          version: 1,
          sites: [
            { site_id: "a.test", name: "New" },
            { site_id: "x.test", week_start: "" },
          ],
        },
        400,
        "Entry 2",
        '"week_start"',
      );
      await refused({ version: 1, sites: [{ name: "New" }] }, 422, "Entry 1", '"site_id"');
      await refused({ version: 1, sites: [{ site_id: "a.test" }, { site_id: "a.test" }] }, 400, "Entry 2", "twice");
      for (const name of [".", ".."])
        await refused({ version: 1, sites: [{ site_id: name }] }, 400, "Entry 1", `"${name}" cannot have settings`);
      await refused({ version: 1, sites: [{ site_id: "a.test" }, 7] }, 422, "Entry 2");
      expect(await bodyOf(await to.ask("GET", "/api/settings"))).toEqual(after);
    });

    it("do not include goals, saved filters, annotations and rules, which another instance imports from their lists", async () => {
      const [from, to] = [await owner(), await owner()];
      const site = "moved.test";
      const byBrowser = ({ headers }: Owner) => ({ ...headers, "x-owner": "a-browser-of-22-letters" });
      const bodies = {
        goals: [
          { name: "Second", page: "/docs/*" },
          { name: "First", event: "signup", property: { key: "plan", value: "pro" }, revenue: true, position: 1 },
        ],
        segments: [
          { name: "A", filters: "pages==/" },
          { name: "Joins", kind: "funnel", steps: "page:/,event:signup", window: "2 days", scope: "oneself" },
        ],
        annotations: [{ text: "New" }, { text: "Campaign", date: "2026-03-01", hour: 7, scope: "oneself" }],
        rules: [
          { name: "A wave", filters: "countries==SG" },
          { name: "March", filters: "pages==/", last_date: "2026-03-31", is_applied: false },
        ],
      };
      for (const path of COLLECTIONS) {
        for (const body of bodies[path]) await addItem(from.target, path, site, byBrowser(from), body);
        const listed = await listItems<object>(from.target, path, site, byBrowser(from));
        for (const entry of listed) await addItem(to.target, path, site, byBrowser(to), entry);
        const isNew = { id: expect.any(String) as string, created_at: expect.any(String) as string };
        const isChanged = path === "rules" && { changed_at: expect.any(String) as string };
        const moved = await listItems(to.target, path, site, byBrowser(to));
        expect(moved).toEqual(listed.map((entry) => ({ ...entry, ...isNew, ...isChanged })));
      }
      expect(await bodyOf(await from.ask("GET", "/api/settings"))).toEqual({ version: 1, sites: [] });
    });

    it("are optional: a list of sites without settings is unchanged", async () => {
      const target = await makeTarget(ofItsOwn());
      onTestFinished(() => target.close());
      await record(target, wireEvent("plain.test"));
      expect(await getSites(target)).toEqual(["plain.test"]);
    });
  });
}
