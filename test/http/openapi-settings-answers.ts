/** Requests for the documented statuses of the settings of sites (see `openapi-answers.ts`). */
import { SETTINGS_FILE_BYTES_MAX, SITE_CHANGES_WAITING_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { CLOSED, createKey, logIn, ofItsOwn, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import type { Target } from "../support/target.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";
import { afterTheLimit, broken, never, pastTheCrowd, UNVERIFIED } from "./openapi-auth-answers.ts";

const ONE = "/api/sites/{site_id}";
const ALL = "/api/settings";
const PREVIEW = "/api/stats/channel-preview";
const RULE_PREVIEW = "/api/stats/rule-preview";

type Method = "GET" | "PUT" | "POST" | "DELETE";

const ask = (target: Target, method: Method, path: string, body?: unknown, headers: RequestHeaders = {}): Promise<Response> => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return target.fetch(path, { method, headers, ...(body !== undefined && { body: text }) });
};

/** As the owner. */
const owned = (method: Method, route: string, status: number, path: string, body?: unknown): Provoked => ({
  id: `${method} ${route}`,
  status,
  environment: CLOSED,
  send: async (target) => ask(target, method, path, body, await logIn(target)),
});

const refused = (method: Method, route: string, path: string, body?: unknown): Provoked[] => [
  { id: `${method} ${route}`, status: 401, environment: CLOSED, send: (target) => ask(target, method, path, body) },
  {
    id: `${method} ${route}`,
    status: 403,
    environment: CLOSED,
    send: async (target) => ask(target, method, path, body, withKey((await createKey(target, await logIn(target), "ReadOnly")).key)),
  },
  {
    id: `${method} ${route}`,
    status: 403,
    way: "under an unknown host name",
    send: (target) => target.fetch(path, { ...UNVERIFIED, method, ...(body !== undefined && { body: JSON.stringify(body) }) }),
  },
];

/** No list is empty, as in all values that are compared with their descriptions. */
const SET = {
  name: "A site",
  time_zone: "Asia/Tokyo",
  excluded_paths: ["/admin*"],
  excluded_addresses: ["192.0.2.0/24"],
  excluded_countries: ["XK"],
  excluded_networks: ["AS64496"],
  excluded_hosts: ["staging.shop.example"],
  allowed_hosts: ["*.shop.example"],
  excluded_referrers: ["spam.example"],
  hidden_cards: ["flow"],
  own_hosts: ["*.shop.example"],
  ignored_referrers: ["pay.example"],
  source_parameters: ["ref"],
  channel_rules: [
    { channel: "Email", source: ["Google"], referrer: ["a.example"], utm_source: ["b"], utm_medium: ["c*"], click_id: ["gclid"] },
  ],
  page_parameters: ["page_id"],
  aliases: ["matomo:openapi"],
  merge_slashes: true,
  app_pages: true,
  retention_days: 30,
};

const PATH = "/api/sites/answers.test";

const CONFIRMED = { confirm: "answers.test" };

const FILE = { version: 1, sites: [{ site_id: "imported.test", ...SET, aliases: ["matomo:imported"] }] };

/** A site with events whose time zone changed. */
async function setPath(target: Target, session: RequestHeaders): Promise<Response> {
  await record(target, wireEvent("answers.test"));
  return ask(target, "PUT", PATH, SET, session);
}

async function afterSetting(target: Target, method: Method, path: string): Promise<Response> {
  const session = await logIn(target);
  await (await setPath(target, session)).arrayBuffer();
  return ask(target, method, path, undefined, session);
}

export const SETTINGS_PROVOKED: readonly Provoked[] = [
  {
    id: `GET ${ONE}`,
    status: 200,
    environment: CLOSED,
    send: (target) => afterSetting(target, "GET", PATH),
  },
  owned("GET", ONE, 400, "/api/sites/a%20b"),
  ...refused("GET", ONE, PATH),
  owned("GET", `${ONE}/page`, 200, `${PATH}/page?url=https://answers.test/a?b%3D1%26gclid%3D2`),
  owned("GET", `${ONE}/page`, 400, `${PATH}/page`),
  ...refused("GET", `${ONE}/page`, `${PATH}/page?url=/a`),
  { id: `PUT ${ONE}`, status: 200, environment: CLOSED, send: async (target) => setPath(target, await logIn(target)) },
  owned("PUT", ONE, 400, PATH, { name: "" }),
  owned("PUT", ONE, 413, PATH, "x".repeat(65_537)),
  owned("PUT", ONE, 422, PATH, []),
  ...refused("PUT", ONE, PATH, {}),
  {
    id: `DELETE ${ONE}`,
    status: 200,
    environment: CLOSED,
    send: (target) => afterSetting(target, "DELETE", PATH),
  },
  owned("DELETE", ONE, 400, "/api/sites/a%20b"),
  owned("DELETE", ONE, 404, "/api/sites/nothing.test"),
  ...refused("DELETE", ONE, PATH),
  {
    id: `POST ${ONE}/delete`,
    status: 200,
    environment: CLOSED,
    async send(target) {
      const session = await logIn(target);
      await (await setPath(target, session)).arrayBuffer();
      return ask(target, "POST", `${PATH}/delete`, CONFIRMED, session);
    },
  },
  owned("POST", `${ONE}/delete`, 400, `${PATH}/delete`, { confirm: "another.test" }),
  owned("POST", `${ONE}/delete`, 413, `${PATH}/delete`, "x".repeat(65_537)),
  owned("POST", `${ONE}/delete`, 422, `${PATH}/delete`, {}),
  ...refused("POST", `${ONE}/delete`, `${PATH}/delete`, CONFIRMED),
  {
    id: `POST ${PREVIEW}`,
    status: 200,
    environment: ofItsOwn({ ...CLOSED, SVC_TRUST_PROXY: "1" }),
    async send(target) {
      await record(target, wireEvent("preview.test", { u: "/", r: "https://partner.example/" }));
      const rules = { channel_rules: [{ channel: "Affiliates", referrer: ["partner.example"] }] };
      return ask(target, "POST", `${PREVIEW}?site_id=preview.test`, rules, await logIn(target));
    },
  },
  owned("POST", PREVIEW, 400, PREVIEW, {}),
  owned("POST", PREVIEW, 413, `${PREVIEW}?site_id=preview.test`, "x".repeat(65_537)),
  owned("POST", PREVIEW, 422, `${PREVIEW}?site_id=preview.test`, []),
  ...refused("POST", PREVIEW, `${PREVIEW}?site_id=preview.test`, {}),
  {
    id: `POST ${RULE_PREVIEW}`,
    status: 200,
    environment: ofItsOwn({ ...CLOSED, SVC_TRUST_PROXY: "1" }),
    async send(target) {
      await record(target, wireEvent("rules.test", { u: "/bot" }));
      return ask(target, "POST", `${RULE_PREVIEW}?site_id=rules.test`, { filters: "pages==/bot" }, await logIn(target));
    },
  },
  owned("POST", RULE_PREVIEW, 400, RULE_PREVIEW, {}),
  owned("POST", RULE_PREVIEW, 404, `${RULE_PREVIEW}?site_id=rules.test`, { rule_id: "0".repeat(32) }),
  owned("POST", RULE_PREVIEW, 413, `${RULE_PREVIEW}?site_id=rules.test`, "x".repeat(65_537)),
  owned("POST", RULE_PREVIEW, 422, `${RULE_PREVIEW}?site_id=rules.test`, []),
  ...refused("POST", RULE_PREVIEW, `${RULE_PREVIEW}?site_id=rules.test`, {}),
  owned("PUT", ALL, 200, ALL, FILE),
  owned("PUT", ALL, 400, ALL, { version: 2 }),
  // Of so much, a part is still under way when the answer comes.
  { ...owned("PUT", ALL, 413, ALL, "x".repeat(SETTINGS_FILE_BYTES_MAX + 1)), needs: "answersEarly" },
  owned("PUT", ALL, 422, ALL, { version: 1 }),
  ...refused("PUT", ALL, ALL, FILE),
  { id: `GET ${ALL}`, status: 200, environment: CLOSED, send: (target) => afterSetting(target, "GET", ALL) },
  ...refused("GET", ALL, ALL),
  {
    id: "GET /api/sites",
    status: 200,
    way: "with settings",
    environment: ofItsOwn(CLOSED),
    send: (target) => afterSetting(target, "GET", "/api/sites?include=settings"),
  },
  owned("GET", "/api/sites", 400, "/api/sites?include=everything"),
];

type Send = (target: InProcessTarget) => Promise<Response>;

/** A change whose record is written by a part that hangs or fails from then on. */
async function changeWith(work: () => Promise<never>, method: Method, path: string, body?: unknown): Promise<[InProcessTarget, Send]> {
  const records = createMemoryRecordStore();
  const target = await createInProcessTarget(CLOSED, { records });
  const session = await logIn(target);
  await (await ask(target, "PUT", PATH, SET, session)).arrayBuffer();
  records.write = work;
  records.remove = work;
  return [target, (asked) => ask(asked, method, path, body, session)];
}

const failures = (method: Method, route: string, path: string, body?: unknown): Failing[] => [
  { id: `${method} ${route}`, status: 408, provoke: async () => afterTheLimit(...(await changeWith(never, method, path, body))) },
  {
    id: `${method} ${route}`,
    status: 429,
    async provoke() {
      const [target, send] = await changeWith(never, method, path, body);
      return pastTheCrowd(target, SITE_CHANGES_WAITING_MAX, send);
    },
  },
  {
    id: `${method} ${route}`,
    status: 503,
    async provoke() {
      const [target, send] = await changeWith(broken, method, path, body);
      return send(target);
    },
  },
];

export const SETTINGS_FAILING: readonly Failing[] = [
  ...failures("PUT", ONE, PATH, {}),
  ...failures("DELETE", ONE, PATH),
  ...failures("POST", `${ONE}/delete`, `${PATH}/delete`, CONFIRMED),
  ...failures("PUT", ALL, ALL, FILE),
];
