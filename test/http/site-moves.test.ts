/** Renames and merges of sites (docs/http-api.md, "Names of sites"), in process: not every host has them. */
import { describe, expect, it, onTestFinished } from "vitest";
import { DEMO_SITE } from "../../src/runtime/base/config/names.ts";
import { bodyOf, CLOSED, createKey, createShare, logIn, postKey, withKey, withShare, type CreatedKey } from "../support/auth-requests.ts";
import { addItem } from "../support/collections.ts";
import { createInProcessTarget, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { browserHeaders, expectError, post, record, type RequestHeaders, wireEvent } from "../support/requests.ts";
import type { Environment } from "../support/target.ts";
import { confirm, logLine, upload } from "../support/uploads.ts";

const [OLD, NEW, OTHER] = ["Old.test", "new.test", "other.test"];

const DAY_MS = 86_400_000;

interface Owned {
  readonly target: InProcessTarget;
  readonly headers: RequestHeaders;
  ask(method: string, path: string, body?: unknown): Promise<Response>;
  /** The answers of reports that see all dates, as text. */
  reports(site: string, headers?: RequestHeaders): Promise<string[]>;
}

async function owned(environment: Environment = CLOSED, parts: InProcessParts = {}): Promise<Owned> {
  const target = await createInProcessTarget({ SVC_TRUST_PROXY: "1", ...environment }, parts);
  onTestFinished(() => target.close());
  // Sessions end with the process.
  const headers = withKey((await createKey(target, await logIn(target), "Admin")).key);
  return {
    target,
    headers,
    ask: (method, path, body) => target.fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }),
    async reports(site, asHeaders = headers) {
      const paths = ["main", "timeseries", "breakdown/pages", "breakdown/visit-sources", "sessions", "goals"];
      const answers: string[] = [];
      for (const path of paths) {
        const response = await target.fetch(`/api/stats/${path}?site_id=${site}&period=all`, { headers: asHeaders });
        answers.push(await response.text());
        expect(response.status, answers.at(-1)).toBe(200);
      }
      return answers;
    },
  };
}

const from = (address: string): RequestHeaders => ({ "x-forwarded-for": address });

const visit = (target: InProcessTarget, site: string, page: string, address = "198.51.100.1"): Promise<void> =>
  record(target, wireEvent(site, { u: `https://old.test${page}`, r: "https://old.test/before" }), from(address));

/** Two days of visits, the second one in the journal. */
async function twoDays(target: InProcessTarget, site: string): Promise<void> {
  for (const address of ["198.51.100.1", "198.51.100.2"]) await visit(target, site, "/a", address);
  await target.flush();
  await target.advance(DAY_MS);
  await visit(target, site, "/b");
}

const names = async ({ ask }: Owned) => (await bodyOf<{ names: object[] }>(await ask("GET", "/api/site-names"))).names;

describe("a rename", () => {
  it("changes no answer of reports, and what belongs to the site follows", async () => {
    const all = await owned();
    const { target, headers, ask, reports } = all;
    await twoDays(target, OLD);
    await upload(target, headers, OLD, { "access.log": logLine("2026-01-01T00:00:00", "/imported") });
    await confirm(target, headers, 1);
    await addItem(target, "goals", OLD, headers, { name: "a goal", page: "/a" });
    await addItem(target, "annotations", OLD, headers, { text: "a mark", date: "2026-03-15" });
    const everything = await reports(OLD);
    await addItem(target, "rules", OLD, headers, { name: "a rule", filters: "pages==/b", spares_people: false });
    expect((await ask("PUT", `/api/sites/${OLD}`, { name: "A site" })).status).toBe(200);
    const share = await createShare(target, headers, { site_id: OLD });
    const key = await bodyOf<CreatedKey>(await postKey(target, headers, { name: "a key", scope: "ReadOnly", sites: [OLD, OTHER] }), 201);
    const before = await reports(OLD);
    expect(before, "without what the rule leaves out").not.toEqual(everything);
    const preview = async (name: string) =>
      bodyOf<object>(await ask("POST", `/api/stats/rule-preview?site_id=${name}`, { filters: "pages==/a" }));
    const previewed = await preview(OLD);

    expect(await bodyOf(await ask("POST", `/api/sites/${OLD}/rename`, { to: NEW }))).toEqual({
      name: OLD,
      site_id: NEW,
      reason: "renamed",
      import_id: null,
      complete: true,
      since: expect.stringMatching(/^2026-03-16T12:00/) as unknown,
      until: expect.stringMatching(/^2026-06-14T12:00/) as unknown,
    });
    expect(await reports(NEW)).toEqual(before);
    expect(await reports(OLD), "by the earlier name").toEqual(before);
    for (const name of [OLD, NEW]) expect(await preview(name)).toEqual({ ...previewed, site_id: NEW });
    expect(await reports(NEW, withKey(key.key))).toEqual(before);
    expect(await reports(OLD, withKey(key.key))).toEqual(before);
    expect(await reports(NEW, withShare(share.token))).toHaveLength(before.length);
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [NEW] });
    expect(await bodyOf(await ask("GET", `/api/sites/${NEW}`))).toMatchObject({ site_id: NEW, name: "A site", own_hosts: ["old.test"] });
    for (const path of ["goals", "annotations", "rules"])
      expect(await bodyOf(await ask("GET", `/api/${path}?site_id=${NEW}`)), path).toHaveLength(1);
    expect(await bodyOf(await ask("GET", "/api/imports"))).toMatchObject([{ site_id: NEW, events: 1 }]);
    await target.restart();
    expect(await reports(NEW)).toEqual(before);
    // What was imported can still be taken back.
    expect((await ask("POST", "/api/imports/1/hide")).status).toBe(200);
    expect(await reports(NEW)).not.toEqual(before);
  });

  it("keeps the ids that the site has in other products' tags", async () => {
    const { target, ask } = await owned();
    await ask("PUT", `/api/sites/${OLD}`, { aliases: ["matomo:7"] });
    const sendTag = async () => (await target.fetch("/matomo.php?idsite=7&url=/", { headers: browserHeaders() })).status;
    expect(await sendTag()).toBe(200);
    await bodyOf(await ask("POST", `/api/sites/${OLD}/rename`, { to: NEW }));
    expect(await sendTag()).toBe(200);
    expect(await bodyOf(await ask("GET", `/api/stats/main?site_id=${NEW}`))).toMatchObject({ total_pageviews: 2 });
    expect(await bodyOf(await ask("PUT", `/api/sites/${NEW}`, { aliases: ["matomo:7"] }))).toMatchObject({ aliases: ["matomo:7"] });
  });

  it("lets nobody count twice on its day, and lets the earlier name end after 90 days", async () => {
    const all = await owned();
    const { target, ask } = all;
    await visit(target, OLD, "/a");
    await bodyOf(await ask("POST", `/api/sites/${OLD}/rename`, { to: NEW }));
    await visit(target, OLD, "/b");
    await visit(target, NEW, "/c");
    const main = async () => bodyOf(await ask("GET", `/api/stats/main?site_id=${NEW}&period=all`));
    expect(await main()).toMatchObject({ unique_visitors: 1, total_pageviews: 3 });
    expect(await names(all)).toHaveLength(1);
    await target.advance(90 * DAY_MS);
    await target.services.siteMoves?.job.settled();
    expect(await names(all)).toEqual([]);
    await visit(target, OLD, "/d");
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [OLD, NEW] });
  });

  it("is refused for names that are taken, and leads back", async () => {
    const all = await owned();
    const { target, ask } = all;
    for (const site of [OLD, OTHER]) await visit(target, site, "/a");
    const rename = (site: string, to: string) => ask("POST", `/api/sites/${site}/rename`, { to });
    await expectError(await rename(OLD, OTHER), 409, `There is a site "${OTHER}"`);
    await expectError(await rename(OLD, OLD), 400, "same site");
    await expectError(await rename(OLD, DEMO_SITE), 409, "demo site");
    await expectError(await rename("nothing.test", NEW), 404, "nothing.test");
    await expectError(await rename(OLD, "a b"), 400, '"to"');
    await bodyOf(await rename(OLD, NEW));
    // Who may not read the site does not learn its name.
    const { key } = await bodyOf<CreatedKey>(await postKey(target, all.headers, { name: "a key", scope: "Admin", sites: [OTHER] }), 201);
    for (const path of [`/api/stats/main?site_id=${OLD}`, `/api/sites/${OLD}`]) {
      const refusal = await target.fetch(path, { headers: withKey(key) });
      expect({ status: refusal.status, names: (await refusal.text()).includes(NEW) }, path).toEqual({ status: 403, names: false });
    }
    await expectError(await rename(OTHER, OLD), 409, `"${OLD}" is another name of the site "${NEW}"`);
    await expectError(await rename(OLD, "third.test"), 409, `"${OLD}" is another name of the site "${NEW}"`);
    await bodyOf(await rename(NEW, OLD));
    for (const name of [OLD, NEW]) await visit(target, name, "/b");
    await target.services.siteMoves?.job.run();
    expect(await names(all)).toMatchObject([{ name: NEW, site_id: OLD }]);
    expect(await bodyOf(await ask("GET", `/api/stats/main?site_id=${OLD}&period=all`))).toMatchObject({
      unique_visitors: 1,
      total_pageviews: 3,
    });
    await target.restart();
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [OLD, OTHER] });
  });

  it("leaves the site as it is if one of its files is damaged", async () => {
    const objects = createMemoryObjectStore();
    const all = await owned(CLOSED, { objects });
    const { target, ask, reports } = all;
    await twoDays(target, OLD);
    await target.flush();
    const [{ key } = { key: "" }, ...others] = await objects.list("events");
    expect(others).toHaveLength(1);
    await objects.put(key, ((await objects.get(key)) ?? new Uint8Array()).slice(0, -9));
    const before = await reports(OLD);
    for (const [path, body] of [
      ["rename", { to: NEW }],
      ["merge", { into: OTHER }],
    ] as const) {
      if (path === "merge") await visit(target, OTHER, "/a");
      await expectError(await ask("POST", `/api/sites/${OLD}/${path}`, body), 409, `${key} cannot be read`);
      expect(await reports(OLD)).toEqual(before);
    }
    expect(await names(all)).toEqual([]);
    expect((await objects.list("events")).map((object) => object.key)).toEqual([key, ...others.map((object) => object.key)]);
    await visit(target, NEW, "/a");
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [OLD, NEW, OTHER] });
  });

  it("keeps events of a name on the allowlist", async () => {
    const { target, ask } = await owned({ ...CLOSED, SVC_SITE_IDS: `${OLD},old.test` });
    await visit(target, OLD, "/a");
    await bodyOf(await ask("POST", `/api/sites/${OLD}/rename`, { to: NEW }));
    await visit(target, OLD, "/b");
    expect((await post(target, wireEvent(NEW))).status, "the operator has to add it").toBe(403);
    expect(await bodyOf(await ask("GET", `/api/stats/main?site_id=${NEW}&period=all`))).toMatchObject({ total_pageviews: 2 });
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [NEW, "old.test"] });
  });
});

describe("a merge", () => {
  const merge = ({ ask }: Owned, site = OLD) => ask("POST", `/api/sites/${site}/merge`, { into: OTHER });

  it("is undone byte for byte", async () => {
    const all = await owned();
    const { target, headers, ask, reports } = all;
    for (const site of [OLD, OTHER]) await visit(target, site, "/a");
    await target.flush();
    await twoDays(target, OLD);
    await visit(target, OTHER, "/c");
    const share = await createShare(target, headers, { site_id: OLD });
    const key = await bodyOf<CreatedKey>(await postKey(target, headers, { name: "a key", scope: "ReadOnly", sites: [OLD] }), 201);
    const [before, ofOther] = [await reports(OLD), await reports(OTHER)];

    expect(await bodyOf(await merge(all))).toMatchObject({ name: OLD, site_id: OTHER, reason: "merged", import_id: 1, complete: true });
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [OTHER] });
    const merged = await reports(OTHER);
    expect(merged).not.toEqual(ofOther);
    expect(await reports(OLD), "the name stands for the other site").toEqual(merged);
    expect(await bodyOf(await ask("GET", `/api/stats/main?site_id=${OTHER}&period=all`))).toMatchObject({ total_pageviews: 6 });
    // Who could read the one may not read the other.
    expect((await target.fetch(`/api/stats/main?site_id=${OLD}`, { headers: withKey(key.key) })).status).toBe(200);
    expect(await bodyOf(await target.fetch(`/api/stats/main?site_id=${OLD}&period=all`, { headers: withKey(key.key) }))).toMatchObject({
      total_pageviews: 0,
    });
    expect((await target.fetch("/api/share", { headers: withShare(share.token) })).status).toBe(404);
    await expectError(await ask("POST", "/api/imports/1/hide"), 409, "delete it to undo the merge");
    await target.restart();
    expect(await reports(OTHER)).toEqual(merged);
    await bodyOf(await ask("DELETE", "/api/imports/1"));
    expect(await reports(OLD)).toEqual(before);
    expect(await reports(OTHER)).toEqual(ofOther);
    expect((await target.fetch("/api/share", { headers: withShare(share.token) })).status).toBe(200);
    await target.restart();
    expect(await reports(OLD)).toEqual(before);
    expect(await names(all)).toEqual([]);
  });

  it("is final after 90 days, and the name is free again", async () => {
    const all = await owned();
    const { target, ask } = all;
    for (const site of [OLD, OTHER]) await visit(target, site, "/a");
    await bodyOf(await merge(all));
    const main = () => ask("GET", `/api/stats/main?site_id=${OTHER}&period=all`).then(bodyOf);
    const merged = await main();
    await target.advance(90 * DAY_MS);
    await target.services.siteMoves?.job.settled();
    expect(await names(all)).toEqual([]);
    expect(await main()).toEqual(merged);
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [OTHER] });
    expect(await bodyOf(await ask("GET", `/api/stats/main?site_id=${OLD}&period=all`))).toMatchObject({ total_pageviews: 0 });
    await visit(target, OLD, "/b");
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [OLD, OTHER] });
  });

  it("brings nothing back that was erased or deleted with the other site", async () => {
    const all = await owned();
    const { target, ask } = all;
    for (const site of [OLD, OTHER]) await visit(target, site, "/a");
    await bodyOf(await merge(all));
    await bodyOf(await ask("DELETE", `/api/gdpr/erase?site_id=${OTHER}&start_date=2026-03-15&end_date=2026-03-15`));
    await bodyOf(await ask("DELETE", "/api/imports/1"));
    expect(await bodyOf(await ask("GET", `/api/stats/main?site_id=${OLD}&period=all`))).toMatchObject({ total_pageviews: 0 });

    for (const site of [OLD, OTHER]) await visit(target, site, "/a");
    await bodyOf(await merge(all));
    await expectError(await ask("POST", `/api/sites/${OLD}/delete`, { confirm: OLD }), 409, OTHER);
    await bodyOf(await ask("POST", `/api/sites/${OTHER}/delete`, { confirm: OTHER }));
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [] });
    await target.restart();
    expect(await bodyOf(await ask("GET", "/api/sites"))).toEqual({ sites: [] });
  });

  it("follows renames of the other site", async () => {
    const all = await owned();
    const { target, ask, reports } = all;
    for (const site of [OLD, OTHER]) await visit(target, site, "/a");
    const before = await reports(OLD);
    await bodyOf(await merge(all));
    await bodyOf(await ask("POST", `/api/sites/${OTHER}/rename`, { to: NEW }));
    for (const name of [OLD, OTHER, NEW]) await visit(target, name, "/b");
    expect(await bodyOf(await ask("GET", `/api/stats/main?site_id=${OLD}&period=all`))).toMatchObject({ total_pageviews: 5 });
    await expectError(await ask("POST", `/api/sites/${NEW}/merge`, { into: "nothing.test" }), 404, "nothing.test");
    await target.restart();
    await bodyOf(await ask("DELETE", "/api/imports/1"));
    expect(await reports(OLD)).toEqual(before);
  });
});
