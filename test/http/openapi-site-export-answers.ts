/** Requests for the documented statuses of archives of sites (see `openapi-answers.ts`). Not every host makes them. */
import { openStores } from "../../adapters/node/data-dir/data-dir.ts";
import { nodeFileSystem } from "../../adapters/node/files/file-system.ts";
import type { ArchiveMaker } from "../../src/runtime/exports/site-exports.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { archiveMakerIn } from "../support/archive-maker.ts";
import { bodyOf, CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { record, type RequestHeaders, wireEvent } from "../support/requests.ts";
import type { Target } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";
import { afterTheLimit, broken, never, UNVERIFIED } from "./openapi-auth-answers.ts";

interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** In the document, behind `/api/exports`. */
  readonly path: string;
  readonly body?: string;
}

const SITE = "answers.test";
const LIST: Route = { method: "GET", path: "" };
const POST: Route = { method: "POST", path: "", body: JSON.stringify({ site_id: SITE, format: "csv" }) };
const READ: Route = { method: "GET", path: "/{export_id}" };
const FILE: Route = { method: "GET", path: "/{export_id}/file" };
const DELETE: Route = { method: "DELETE", path: "/{export_id}" };
const ROUTES = [LIST, POST, READ, FILE, DELETE];
const OF_ONE = [READ, FILE, DELETE];

const idOf = ({ method, path }: Route): string => `${method} /api/exports${path}`;

const ask = (target: Target, headers: RequestHeaders, { method, path, body }: Route, id = "0".repeat(32)): Promise<Response> =>
  target.fetch(`/api/exports${path.replace("{export_id}", id)}`, { method, headers, ...(body !== undefined && { body }) });

const owned = (route: Route, status: number, body = route.body): Provoked => ({
  id: idOf(route),
  status,
  environment: CLOSED,
  send: async (target) => ask(target, await logIn(target), { ...route, ...(body !== undefined && { body }) }),
});

export const SITE_EXPORT_PROVOKED: readonly Provoked[] = [
  ...ROUTES.flatMap((route): Provoked[] => [
    { id: idOf(route), status: 401, environment: CLOSED, send: (target) => ask(target, {}, route) },
    {
      id: idOf(route),
      status: 403,
      environment: CLOSED,
      send: async (target) => ask(target, withKey((await createKey(target, await logIn(target), "ReadOnly")).key), route),
    },
    {
      id: idOf(route),
      status: 403,
      way: "under an unknown host name",
      send: (target) => target.fetch(`/api/exports${route.path}`, { ...UNVERIFIED, method: route.method }),
    },
  ]),
  ...OF_ONE.map((route) => owned(route, 404)),
  owned(POST, 400, "{"),
  owned(POST, 413, "x".repeat(70_000)),
  owned(POST, 422, "{}"),
];

interface Prepared {
  readonly target: InProcessTarget;
  readonly headers: RequestHeaders;
  readonly maker: ArchiveMaker;
  readonly objects: ObjectStore;
}

/** A service on a data folder with an event. */
async function prepared(): Promise<Prepared> {
  const folder = await tempFolder();
  const { objects, records, segmentLog } = await openStores(folder, "off", nodeFileSystem);
  const maker = { ...(await archiveMakerIn(folder)) };
  const target = await createInProcessTarget(CLOSED, { objects, records, segmentLog, archiveMaker: maker });
  await record(target, wireEvent(SITE));
  await target.flush();
  return { target, headers: await logIn(target), maker, objects };
}

async function begin({ target, headers }: Prepared): Promise<string> {
  const { export_id: id } = await bodyOf<{ export_id: string }>(await ask(target, headers, POST), 201);
  return id;
}

const answering = (route: Route, status: number, provoke: (all: Prepared) => Promise<Response>): Failing => ({
  id: idOf(route),
  status,
  provoke: async () => provoke(await prepared()),
});

export const SITE_EXPORT_FAILING: readonly Failing[] = [
  answering(POST, 201, async ({ target, headers }) => {
    const response = await ask(target, headers, POST);
    // The archive is written into the folder that goes with the case.
    await target.services.siteExports?.settled();
    return response;
  }),
  ...[LIST, ...OF_ONE].map((route) =>
    answering(route, 200, async (all) => {
      const id = await begin(all);
      await all.target.services.siteExports?.settled();
      return ask(all.target, all.headers, route, id);
    }),
  ),
  answering(FILE, 409, async (all) => {
    Object.assign(all.maker, { make: never });
    return ask(all.target, all.headers, FILE, await begin(all));
  }),
  answering(POST, 409, async (all) => {
    Object.assign(all.maker, { make: never });
    await begin(all);
    return ask(all.target, all.headers, POST);
  }),
  ...(
    [
      [408, never],
      [503, broken],
    ] as const
  ).flatMap(([status, work]) => [
    answering(DELETE, status, async (all) => {
      const id = await begin(all);
      await all.target.services.siteExports?.settled();
      Object.assign(all.maker, { remove: work });
      const send = (target: Target) => ask(target, all.headers, DELETE, id);
      return status === 408 ? afterTheLimit(all.target, send) : send(all.target);
    }),
    answering(POST, status, async (all) => {
      Object.assign(all.objects, { list: work });
      const body = JSON.stringify({ site_id: "never-listed.test", format: "csv" });
      const send = (target: Target) => ask(target, all.headers, { ...POST, body });
      return status === 408 ? afterTheLimit(all.target, send) : send(all.target);
    }),
  ]),
];
