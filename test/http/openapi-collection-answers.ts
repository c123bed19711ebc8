/** Requests for the documented statuses of goals, segments, annotations and rules (see `openapi-answers.ts`). */
import { GUEST_REQUESTS_AT_ONCE, COLLECTION_CHANGES_WAITING_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { CLOSED, createKey, logIn, withKey, withShare } from "../support/auth-requests.ts";
import { addItem, askCollection, type CollectionPath, type CollectionRequest } from "../support/collections.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import type { RequestHeaders } from "../support/requests.ts";
import type { Target } from "../support/target.ts";
import { afterTheLimit, broken, LONG, never, pastTheCrowd, UNVERIFIED } from "./openapi-auth-answers.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";
import { recordEvents } from "./openapi-events.ts";

const SITE = "collections.test";
const UNKNOWN_ID = "0".repeat(32);

interface Kind {
  readonly path: CollectionPath;
  /** In the document. */
  readonly idName: string;
  /** Items of each form. */
  readonly bodies: readonly object[];
}

const KINDS: readonly Kind[] = [
  {
    path: "goals",
    idName: "goal_id",
    bodies: [
      { name: "Docs", page: "/docs/*" },
      { name: "Sale", event: "purchase", revenue: true },
      { name: "Pro", event: "signup", property: { key: "plan", value: "pro" } },
    ],
  },
  {
    path: "segments",
    idName: "segment_id",
    bodies: [
      { name: "Germany", filters: "countries==DE" },
      { name: "Joins", kind: "funnel", steps: "page:/,event:signup", window: "2 days", modes: "strict_order" },
      { name: "Twice", kind: "sequence", pattern: "(?1).*(?1)", conditions: "page:/" },
    ],
  },
  {
    path: "annotations",
    idName: "annotation_id",
    bodies: [{ text: "Deployed" }, { text: "Campaign", date: "2026-03-01" }, { text: "Outage", date: "2026-03-01", hour: 7 }],
  },
  {
    path: "rules",
    idName: "rule_id",
    bodies: [
      { name: "A wave", filters: "countries==SG" },
      {
        name: "March",
        filters: "evidence==headless",
        first_date: "2026-03-01",
        last_date: "2026-03-31",
        spares_people: false,
        is_applied: false,
      },
    ],
  },
];

/** A body that no other case has sent: names are unique. */
let sent = 0;
const unlike = (body: object): object => ("name" in body ? { ...body, name: `${String(body.name)} ${++sent}` } : body);

const bodyOfKind = ({ bodies: [first = {}] }: Kind): object => unlike(first);

const asReader = async (target: Target): Promise<RequestHeaders> => withKey((await createKey(target, await logIn(target), "ReadOnly")).key);

function provokedOf(kind: Kind): Provoked[] {
  const { path, idName, bodies } = kind;
  const ask = (target: Target, headers: RequestHeaders, request: CollectionRequest) => askCollection(target, path, SITE, headers, request);
  const all = (method: string) => `${method} /api/${path}`;
  const one = (method: string) => `${method} /api/${path}/{${idName}}`;
  const closed = (id: string, status: number, send: Provoked["send"], way?: string): Provoked => ({
    id,
    status,
    environment: CLOSED,
    send,
    ...(way !== undefined && { way }),
  });
  const owned = (id: string, status: number, request: () => CollectionRequest, way?: string): Provoked =>
    closed(id, status, async (target) => ask(target, await logIn(target), request()), way);
  const existing = async (target: Target, session: RequestHeaders): Promise<string> =>
    (await addItem(target, path, SITE, session, bodyOfKind(kind))).id;
  const refused = (id: string, request: () => CollectionRequest): Provoked[] => [
    closed(id, 401, (target) => ask(target, {}, request())),
    closed(id, 403, async (target) => ask(target, await asReader(target), request())),
  ];
  const changes = (id: string, method: "POST" | "PUT", itemId?: string): Provoked[] => {
    const request = (body: unknown): CollectionRequest => ({ method, body, ...(itemId !== undefined && { id: itemId }) });
    return [
      owned(id, 400, () => request("{")),
      owned(id, 413, () => request(LONG)),
      owned(id, 422, () => request([])),
      ...refused(id, () => request(bodyOfKind(kind))),
    ];
  };
  return [
    ...bodies.map((body, i) => owned(all("POST"), 201, () => ({ method: "POST", body: unlike(body) }), `form ${i + 1}`)),
    ...changes(all("POST"), "POST"),
    closed(all("GET"), 200, async (target) => {
      const session = await logIn(target);
      for (const body of bodies) await addItem(target, path, SITE, session, unlike(body));
      return ask(target, session, {});
    }),
    closed(all("GET"), 400, async (target) => askCollection(target, path, "%20", await logIn(target))),
    closed(all("GET"), 401, (target) => ask(target, {}, {})),
    { id: all("GET"), status: 403, send: (target) => target.fetch(`/api/${path}?site_id=${SITE}`, UNVERIFIED) },
    ...bodies.map((body, i) =>
      closed(
        one("PUT"),
        200,
        async (target) => {
          const session = await logIn(target);
          return ask(target, session, { method: "PUT", id: await existing(target, session), body: unlike(body) });
        },
        `form ${i + 1}`,
      ),
    ),
    ...changes(one("PUT"), "PUT", UNKNOWN_ID),
    owned(one("PUT"), 404, () => ({ method: "PUT", id: UNKNOWN_ID, body: bodyOfKind(kind) })),
    closed(one("DELETE"), 200, async (target) => {
      const session = await logIn(target);
      return ask(target, session, { method: "DELETE", id: await existing(target, session) });
    }),
    closed(one("DELETE"), 400, async (target) =>
      askCollection(target, path, "%20", await logIn(target), { method: "DELETE", id: UNKNOWN_ID }),
    ),
    owned(one("DELETE"), 404, () => ({ method: "DELETE", id: UNKNOWN_ID })),
    ...refused(one("DELETE"), () => ({ method: "DELETE", id: UNKNOWN_ID })),
  ];
}

export const COLLECTION_PROVOKED: readonly Provoked[] = [
  ...KINDS.flatMap(provokedOf),
  {
    id: "GET /api/stats/conversions",
    status: 200,
    environment: CLOSED,
    async send(target, siteId) {
      const session = await logIn(target);
      await recordEvents(target, siteId);
      await addItem(target, "goals", siteId, session, { name: "Sale", event: "purchase", revenue: true });
      await addItem(target, "goals", siteId, session, { name: "Next", page: "/next" });
      return target.fetch(`/api/stats/conversions?site_id=${siteId}`, { headers: session });
    },
  },
];

type Send = (target: InProcessTarget) => Promise<Response>;

/** A change whose record is written by a part that hangs or fails from then on. */
async function changeWith(
  kind: Kind,
  work: () => Promise<never>,
  requestFor: (id: string) => CollectionRequest,
): Promise<[InProcessTarget, Send]> {
  const records = createMemoryRecordStore();
  const target = await createInProcessTarget(CLOSED, { records });
  const session = await logIn(target);
  const { id } = await addItem(target, kind.path, SITE, session, bodyOfKind(kind));
  records.write = work;
  records.remove = work;
  return [target, (asked) => askCollection(asked, kind.path, SITE, session, requestFor(id))];
}

const failuresOf = (kind: Kind, id: string, requestFor: (id: string) => CollectionRequest): Failing[] => [
  { id, status: 408, provoke: async () => afterTheLimit(...(await changeWith(kind, never, requestFor))) },
  {
    id,
    status: 429,
    provoke: async () => {
      const [target, send] = await changeWith(kind, never, requestFor);
      return pastTheCrowd(target, COLLECTION_CHANGES_WAITING_MAX, send);
    },
  },
  {
    id,
    status: 503,
    provoke: async () => {
      const [target, send] = await changeWith(kind, broken, requestFor);
      return send(target);
    },
  },
];

/** The answer to one more request with `X-Share` than an address may send at once. */
async function afterTooMany(path: string): Promise<Response> {
  const target = await createInProcessTarget(CLOSED);
  const ask = () => target.fetch(path, { headers: withShare(`~${"0".repeat(43)}`) });
  for (let i = 0; i < GUEST_REQUESTS_AT_ONCE; i++) await (await ask()).arrayBuffer();
  return ask();
}

export const COLLECTION_FAILING: readonly Failing[] = KINDS.flatMap((kind) => [
  { id: `GET /api/${kind.path}`, status: 429, provoke: () => afterTooMany(`/api/${kind.path}`) },
  ...failuresOf(kind, `POST /api/${kind.path}`, () => ({ method: "POST", body: bodyOfKind(kind) })),
  ...failuresOf(kind, `PUT /api/${kind.path}/{${kind.idName}}`, (id) => ({ method: "PUT", id, body: bodyOfKind(kind) })),
  ...failuresOf(kind, `DELETE /api/${kind.path}/{${kind.idName}}`, (id) => ({ method: "DELETE", id })),
]);
