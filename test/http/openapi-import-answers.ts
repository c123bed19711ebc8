/** Requests for the documented statuses of imports (see `openapi-answers.ts`). Not every host has imports, so most need the app in process. */
import { IMPORT_CHANGES_WAITING_MAX, IMPORT_PARTS_AT_ONCE } from "../../src/runtime/base/config/limits.ts";
import { CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import type { RequestHeaders } from "../support/requests.ts";
import type { Target } from "../support/target.ts";
import { askImports, beginUpload, confirm, logLine, upload } from "../support/uploads.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";
import { afterTheLimit, broken, never, pastTheCrowd, UNVERIFIED } from "./openapi-auth-answers.ts";
import { FOLLOWED_LINES_BYTES_MAX, IMPORT_PART_BYTES_MAX } from "../../src/shared/limits.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";
type State = "none" | "following" | "receiving" | "ready" | "shown" | "hidden";

interface Route {
  readonly method: Method;
  /** In the document, behind `/api/imports`. */
  readonly path: string;
  /** As it is asked for. */
  readonly asked: string;
  readonly body?: string | Uint8Array;
  /** The state of import 1 in which the request succeeds, and with which status. */
  readonly from: State;
  readonly status: 200 | 201;
}

const FILE = logLine("2026-01-01T00:00:00", "/a");
const BEGIN = JSON.stringify({ site_id: "answers.test", files: [{ name: "access.log", bytes: FILE.length }] });

const LIST: Route = { method: "GET", path: "", asked: "", from: "ready", status: 200 };
const POST: Route = { method: "POST", path: "", asked: "", body: BEGIN, from: "none", status: 201 };
const READ: Route = { method: "GET", path: "/{import_id}", asked: "/1", from: "shown", status: 200 };
const PART: Route = {
  method: "PUT",
  path: "/{import_id}/files/{file}",
  asked: "/1/files/0?offset=0",
  body: new TextEncoder().encode(FILE),
  from: "receiving",
  status: 200,
};
const change = (name: string, from: State): Route => ({
  ...{ method: "POST", path: `/{import_id}/${name}`, asked: `/1/${name}`, from, status: 200 },
});
const [CONFIRM, HIDE, SHOW] = [change("confirm", "ready"), change("hide", "shown"), change("show", "hidden")];
const DELETE: Route = { method: "DELETE", path: "/{import_id}", asked: "/1", from: "hidden", status: 200 };

const LINES: Route = {
  method: "PUT",
  path: "/{import_id}/lines",
  asked: "/1/lines?offset=0",
  body: new TextEncoder().encode(FILE),
  from: "following",
  status: 200,
};

const ROUTES = [LIST, POST, READ, PART, LINES, CONFIRM, HIDE, SHOW, DELETE];

const idOf = ({ method, path }: Route): string => `${method} /api/imports${path}`;

const ask = (target: Target, headers: RequestHeaders, { method, asked }: Route, body?: string | Uint8Array): Promise<Response> =>
  askImports(target, headers, asked, { method, ...(body !== undefined && { body }) });

const owned = (route: Route, status: number, body: string | Uint8Array | undefined = route.body, asked = route.asked): Provoked => ({
  id: idOf(route),
  status,
  environment: CLOSED,
  send: async (target) => ask(target, await logIn(target), { ...route, asked }, body),
});

/** What every host answers, whether it has imports or not. */
export const IMPORT_PROVOKED: readonly Provoked[] = [
  ...ROUTES.flatMap((route): Provoked[] => [
    { id: idOf(route), status: 401, environment: CLOSED, send: (target) => ask(target, {}, route, route.body) },
    {
      id: idOf(route),
      status: 403,
      environment: CLOSED,
      send: async (target) => ask(target, withKey((await createKey(target, await logIn(target), "ReadOnly")).key), route, route.body),
    },
    {
      id: idOf(route),
      status: 403,
      way: "under an unknown host name",
      send: (target) => target.fetch(`/api/imports${route.asked}`, { ...UNVERIFIED, method: route.method }),
    },
  ]),
  ...[READ, PART, LINES, CONFIRM, HIDE, SHOW, DELETE].map((route) => owned(route, 404, route.body, route.asked.replace("/1", "/999999"))),
  owned(POST, 400, "{"),
  owned(POST, 413, "x".repeat(300_000)),
  owned(POST, 422, "{}"),
];

interface Prepared {
  readonly target: InProcessTarget;
  readonly headers: RequestHeaders;
  readonly objects: ReturnType<typeof createMemoryObjectStore>;
  readonly records: ReturnType<typeof createMemoryRecordStore>;
}

/** A service with an import in this state. */
async function prepared(state: State): Promise<Prepared> {
  const [objects, records] = [createMemoryObjectStore(), createMemoryRecordStore()];
  const target = await createInProcessTarget(CLOSED, { objects, records });
  const headers = await logIn(target);
  const files = { "access.log": `${FILE}nonsense\n${logLine("2026-01-02T00:00:00", "/", { userAgent: "Googlebot/2.1" })}` };
  if (state === "following") {
    const body = JSON.stringify({ site_id: "answers.test", follow: "access.log" });
    await (await askImports(target, headers, "", { method: "POST", body })).arrayBuffer();
  } else if (state === "receiving") await beginUpload(target, headers, "answers.test", { "access.log": FILE });
  else if (state !== "none") await upload(target, headers, "answers.test", files);
  if (state === "shown" || state === "hidden") await confirm(target, headers, 1);
  if (state === "hidden") await (await askImports(target, headers, "/1/hide", { method: "POST" })).arrayBuffer();
  return { target, headers, objects, records };
}

const answering = (route: Route, status: number, provoke: (prepared: Prepared) => Promise<Response>, from = route.from): Failing => ({
  id: idOf(route),
  status,
  provoke: async () => provoke(await prepared(from)),
});

/** With storage that hangs or fails from then on. */
const failures = (route: Route): Failing[] => {
  const send =
    ({ headers }: Prepared) =>
    (target: Target) =>
      ask(target, headers, route, route.body);
  const strike = ({ records, objects }: Prepared, work: () => Promise<never>) =>
    route.method === "GET"
      ? Object.assign(records, { read: work })
      : Object.assign(route === PART ? objects : records, { write: work, put: work });
  return [
    answering(route, 408, async (all) => {
      strike(all, never);
      return afterTheLimit(all.target, send(all));
    }),
    answering(route, 503, async (all) => {
      strike(all, broken);
      return send(all)(all.target);
    }),
  ];
};

const crowded = (route: Route, waitingMax: number): Failing =>
  answering(route, 429, async ({ target, headers, records, objects }) => {
    Object.assign(route === PART ? objects : records, { write: never, put: never });
    return pastTheCrowd(target, waitingMax, (asked) => ask(asked, headers, route, route.body));
  });

export const IMPORT_FAILING: readonly Failing[] = [
  ...ROUTES.map((route) => answering(route, route.status, ({ target, headers }) => ask(target, headers, route, route.body))),
  ...[POST, READ, PART, LINES, CONFIRM, HIDE, SHOW, DELETE].flatMap(failures),
  ...[POST, LINES, CONFIRM, HIDE, SHOW, DELETE].map((route) => crowded(route, IMPORT_CHANGES_WAITING_MAX)),
  crowded(PART, IMPORT_PARTS_AT_ONCE - 1),
  ...[CONFIRM, HIDE, SHOW, PART].map((route) =>
    answering(route, 409, ({ target, headers }) => ask(target, headers, route, route.body), route === HIDE ? "hidden" : "shown"),
  ),
  answering(POST, 409, async ({ target, headers }) => {
    for (let i = 0; i < 10; i++) await (await ask(target, headers, POST, BEGIN)).arrayBuffer();
    return ask(target, headers, POST, BEGIN);
  }),
  answering(POST, 404, ({ target, headers }) => {
    // As on a host without imports.
    Object.defineProperty(target.services, "imports", { value: null });
    return ask(target, headers, POST, BEGIN);
  }),
  answering(LINES, 400, ({ target, headers }) => ask(target, headers, LINES, "no line feed")),
  answering(LINES, 409, ({ target, headers }) => ask(target, headers, { ...LINES, asked: "/1/lines?offset=7" }, FILE)),
  answering(LINES, 413, ({ target, headers }) => ask(target, headers, LINES, new Uint8Array(FOLLOWED_LINES_BYTES_MAX + 1))),
  answering(PART, 400, ({ target, headers }) => ask(target, headers, PART, "")),
  answering(PART, 413, ({ target, headers }) => ask(target, headers, PART, new Uint8Array(IMPORT_PART_BYTES_MAX + 1))),
];
