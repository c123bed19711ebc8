/** Requests for the documented statuses of what crawlers read (see `openapi-answers.ts`). */
import { CRAWL_BATCHES_OF_SITE_MAX, CRAWL_BODY_BYTES_MAX } from "../../src/runtime/base/config/limits.ts";
import { COUNT_REPORTS_WAITING_MAX } from "../../src/runtime/base/config/report-limits.ts";
import { EngineFullError } from "../../src/runtime/duckdb/engine.ts";
import { CLOSED, createKey, logIn, postJson, withKey } from "../support/auth-requests.ts";
import { createEngineShare } from "../support/shared-engine.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { post, type RequestHeaders, wireEvent } from "../support/requests.ts";
import type { Target, TargetRequest } from "../support/target.ts";
import { FULL_BATCH } from "./crawls.suite.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";
import { afterTheLimit, broken, never, pastTheCrowd, UNVERIFIED } from "./openapi-auth-answers.ts";

const SITE = "failing.test";

const [POST, GET] = ["POST /api/crawls", "GET /api/stats/crawls"];

const send = (target: Target, siteId: string, body: unknown, headers: RequestHeaders = {}): Promise<Response> =>
  postJson(target, `/api/crawls?site_id=${siteId}`, body, headers);

const ask = (target: Target, siteId: string, init: TargetRequest = {}): Promise<Response> =>
  target.fetch(`/api/stats/crawls?site_id=${siteId}`, init);

const owned = (status: number, body: (target: Target) => unknown): Provoked => ({
  ...{ id: POST, status, environment: CLOSED },
  send: async (target, siteId) => send(target, siteId, body(target), await logIn(target)),
});

export const CRAWLS_PROVOKED: readonly Provoked[] = [
  owned(200, FULL_BATCH),
  owned(400, () => ({ requests: [] })),
  owned(413, () => ({ requests: [{ path: "x".repeat(CRAWL_BODY_BYTES_MAX) }] })),
  owned(422, () => ({ requests: "all" })),
  { id: POST, status: 401, environment: CLOSED, send: (target, siteId) => send(target, siteId, {}) },
  {
    ...{ id: POST, status: 403, environment: CLOSED },
    send: async (target, siteId) => send(target, siteId, {}, withKey((await createKey(target, await logIn(target), "ReadOnly")).key)),
  },
  {
    ...{ id: POST, status: 403, way: "under an unknown host name" },
    send: (target, siteId) => target.fetch(`/api/crawls?site_id=${siteId}`, { ...UNVERIFIED, method: "POST", body: "{}" }),
  },
  {
    ...{ id: GET, status: 200, environment: CLOSED },
    async send(target, siteId) {
      const headers = await logIn(target);
      await send(target, siteId, FULL_BATCH(target), headers);
      return ask(target, siteId, { headers });
    },
  },
  { id: GET, status: 400, send: (target) => ask(target, "") },
  { id: GET, status: 401, environment: CLOSED, send: (target, siteId) => ask(target, siteId) },
  { id: GET, status: 403, send: (target, siteId) => ask(target, siteId, UNVERIFIED) },
];

/** A service whose files of counts cannot be listed. */
const listing = (list: () => Promise<never>): Promise<InProcessTarget> => {
  const objects = createMemoryObjectStore();
  return createInProcessTarget(
    {},
    { objects: { ...objects, list: (folder) => (folder.startsWith("crawls/") ? list() : objects.list(folder)) } },
  );
};

/** A service that cannot write them, and how its owner sends a batch. */
async function writing(put: () => Promise<never>): Promise<[InProcessTarget, (target: InProcessTarget) => Promise<Response>]> {
  const target = await createInProcessTarget(CLOSED, { objects: { ...createMemoryObjectStore(), put } });
  const headers = await logIn(target);
  return [target, (asked) => send(asked, SITE, FULL_BATCH(asked), headers)];
}

export const CRAWLS_FAILING: readonly Failing[] = [
  { id: POST, status: 408, provoke: async () => afterTheLimit(...(await writing(never))) },
  {
    ...{ id: POST, status: 429 },
    async provoke() {
      const [target, sending] = await writing(never);
      return pastTheCrowd(target, CRAWL_BATCHES_OF_SITE_MAX, sending);
    },
  },
  {
    ...{ id: POST, status: 503 },
    async provoke() {
      const [target, sending] = await writing(broken);
      return sending(target);
    },
  },
  { id: GET, status: 408, provoke: async () => afterTheLimit(await listing(never), (target) => ask(target, SITE)) },
  {
    ...{ id: GET, status: 429 },
    provoke: async () => pastTheCrowd(await listing(never), COUNT_REPORTS_WAITING_MAX, (target) => ask(target, SITE)),
  },
  { id: GET, status: 500, provoke: async () => ask(await listing(broken), SITE) },
  {
    ...{ id: GET, status: 503 },
    async provoke() {
      const query = async () => {
        throw new EngineFullError("full");
      };
      const engine = { ...(await createEngineShare()), query, queryColumns: query };
      const target = await createInProcessTarget({ SVC_ROLLUPS: "false" }, { engine });
      await post(target, wireEvent(SITE));
      return ask(target, SITE);
    },
  },
];
