/** Requests for the documented statuses of data deletion and operations (see `openapi-answers.ts`). */
import { eventText, type SiteId, utcDateOf } from "../../src/storage/event.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { CLOSED, createKey, logIn, ofItsOwn, postJson, withKey } from "../support/auth-requests.ts";
import { deleteEvents } from "../support/erasure-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { anEvent } from "../support/stored-event.ts";
import { SHORT_DEMO, type Environment, type Target, type TargetRequest } from "../support/target.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";

const ERASE = "DELETE /api/gdpr/erase";
const METRICS = "GET /metrics";

/** It is refused without any request. */
const PAGE_OF_THIS_MACHINE = { site_id: "127.0.0.1", url: "http://127.0.0.1/", script_url: "https://stats.example.com/svc.js" };

/** A host name that may be an attacker's. */
const UNVERIFIED: TargetRequest = { host: "rebind.attacker.example" };

/** A site of its own: the others' events are still needed. */
const SITE = "openapi-erased.test";

const INSTALLATION = "GET /api/installation";

const PAGE_CHECK = "POST /api/installation/page";

const checkPage = (target: Target, headers: RequestHeaders, fields: object = {}): Promise<Response> =>
  postJson(target, "/api/installation/page", { ...PAGE_OF_THIS_MACHINE, ...fields }, headers);

const checking = (status: number, environment: Environment, send: Provoked["send"]): Provoked => ({
  id: PAGE_CHECK,
  status,
  environment,
  send,
});

const DATES = { start_date: "2026-01-01", end_date: "2026-12-31" } as const;

const ask = (target: Target, headers: RequestHeaders, parameters: Readonly<Record<string, string>> = { site_id: SITE, ...DATES }) =>
  deleteEvents(target, headers, parameters);

/** One site alone may send events, its metrics take a token, and a proxy is trusted. */
export const GUARDED: Environment = { SVC_SITE_IDS: "listed.test", SVC_METRICS_TOKEN: "a-token", SVC_TRUST_PROXY: "1" };

const erasing = (status: number, send: Provoked["send"]): Provoked => ({ id: ERASE, status, environment: CLOSED, send });

const demo = (target: Target, method: "POST" | "DELETE", init: TargetRequest = {}): Promise<Response> =>
  target.fetch("/api/demo", { ...init, method });

const WITH_DEMO = ofItsOwn(SHORT_DEMO);

/** Other events have the name of the demo site. */
const TAKEN = ofItsOwn();

const demoAnswers = (method: "POST" | "DELETE"): Provoked[] => {
  const id = `${method} /api/demo`;
  return [
    { id, status: 200, environment: WITH_DEMO, send: (target) => demo(target, method) },
    { id, status: 401, environment: CLOSED, send: (target) => demo(target, method) },
    { id, status: 403, environment: WITH_DEMO, send: (target) => demo(target, method, { headers: { origin: "https://foreign.test" } }) },
    { id, status: 403, way: "under an unknown host name", send: (target) => demo(target, method, UNVERIFIED) },
  ];
};

export const SERVICE_PROVOKED: readonly Provoked[] = [
  ...demoAnswers("POST"),
  ...demoAnswers("DELETE"),
  {
    id: "POST /api/demo",
    status: 409,
    environment: TAKEN,
    async send(target) {
      await record(target, wireEvent("demo.example"));
      return demo(target, "POST");
    },
  },
  erasing(200, async (target) => {
    await record(target, wireEvent(SITE));
    return ask(target, await logIn(target));
  }),
  erasing(400, async (target) => ask(target, await logIn(target), { site_id: SITE })),
  erasing(401, (target) => ask(target, {})),
  erasing(403, async (target) => ask(target, withKey((await createKey(target, await logIn(target), "ReadOnly")).key))),
  {
    id: INSTALLATION,
    status: 200,
    async send(target, siteId) {
      await record(target, wireEvent("openapi-other.test"));
      await (await target.fetch("/matomo.php?idsite=nobody")).arrayBuffer();
      return target.fetch(`/api/installation?site_id=${siteId}`);
    },
  },
  { id: INSTALLATION, status: 400, send: (target) => target.fetch("/api/installation") },
  { id: INSTALLATION, status: 401, environment: CLOSED, send: (target) => target.fetch("/api/installation?site_id=a") },
  { id: INSTALLATION, status: 403, send: (target) => target.fetch("/api/installation?site_id=a", UNVERIFIED) },
  checking(200, ofItsOwn(CLOSED), async (target) => checkPage(target, await logIn(target))),
  checking(400, CLOSED, async (target) => checkPage(target, await logIn(target), { url: "https://elsewhere.test/" })),
  checking(401, CLOSED, (target) => checkPage(target, {})),
  checking(403, CLOSED, async (target) => checkPage(target, withKey((await createKey(target, await logIn(target), "ReadOnly")).key))),
  checking(413, CLOSED, async (target) => checkPage(target, await logIn(target), { url: "x".repeat(65_536) })),
  checking(422, CLOSED, async (target) => checkPage(target, await logIn(target), { url: null })),
  checking(429, ofItsOwn(CLOSED), async (target) => {
    const session = await logIn(target);
    await (await checkPage(target, session)).arrayBuffer();
    return checkPage(target, session);
  }),
  { id: METRICS, status: 401, environment: GUARDED, send: (target) => target.fetch("/metrics") },
  {
    id: "GET /health",
    status: 200,
    way: "over https",
    environment: GUARDED,
    send: (target) => target.fetch("/health", { headers: { "x-forwarded-proto": "https" } }),
  },
  ...["/health/detailed", "/metrics", "/robots.txt", "/.well-known/security.txt"].map((path): Provoked => ({
    id: `GET ${path}`,
    status: 200,
    send: (target) => target.fetch(path),
  })),
];

/** An erasure whose files are listed by a part that hangs or fails. */
const erasureThat = (status: 408 | 503, list: () => Promise<never>): Failing => ({
  id: ERASE,
  status,
  async provoke() {
    const target = await createInProcessTarget(CLOSED, { objects: { ...createMemoryObjectStore(), list } });
    const answer = ask(target, await logIn(target));
    await new Promise((resolve) => setTimeout(resolve, 0));
    await target.advance(target.services.config.requestTimeoutSecs * 1000);
    return answer;
  },
});

/** A page that does not answer. */
const hangingPage: Failing = {
  id: PAGE_CHECK,
  status: 408,
  async provoke() {
    const target = await createInProcessTarget(CLOSED, { fetchPage: () => new Promise(() => {}) });
    const answer = checkPage(target, await logIn(target), { site_id: "example.com", url: "https://example.com/" });
    await new Promise((resolve) => setTimeout(resolve, 0));
    await target.advance(target.services.config.requestTimeoutSecs * 1000);
    return answer;
  },
};

/** A demo site whose files are listed by a part that hangs or fails. */
const demoThat = (method: "POST" | "DELETE", status: 408 | 503, list: () => Promise<never>): Failing => ({
  id: `${method} /api/demo`,
  status,
  async provoke() {
    const target = await createInProcessTarget({}, { objects: { ...createMemoryObjectStore(), list } });
    const answer = demo(target, method);
    await new Promise((resolve) => setTimeout(resolve, 0));
    await target.advance(target.services.config.requestTimeoutSecs * 1000);
    return answer;
  },
});

/** A file of other events that somebody has put beside those of the demo site. */
const mixedDemo: Failing = {
  id: "DELETE /api/demo",
  status: 409,
  async provoke() {
    const target = await createInProcessTarget({ SVC_RETENTION_DAYS: "2" });
    await (await demo(target, "POST")).arrayBuffer();
    const siteId = "demo.example" as SiteId;
    const date = utcDateOf(target.nowMs());
    const event = anEvent({ siteId, date, timestampMs: target.nowMs() });
    await target.services.eventStore.addFile(siteId, { day: date, first: target.nowMs(), last: target.nowMs() }, [eventText(event)]);
    return demo(target, "DELETE");
  },
};

export const SERVICE_FAILING: readonly Failing[] = [
  mixedDemo,
  ...(["POST", "DELETE"] as const).flatMap((method) => [
    demoThat(method, 408, () => new Promise(() => {})),
    demoThat(method, 503, () => Promise.reject(new Error("broken"))),
  ]),
  hangingPage,
  erasureThat(408, () => new Promise(() => {})),
  erasureThat(503, () => Promise.reject(new Error("broken"))),
];
