/** Requests for the documented statuses of renames and merges of sites (see `openapi-answers.ts`). Not every host has them. */
import { SITE_MOVES_WAITING_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import { DEMO_SITE } from "../../src/runtime/base/config/names.ts";
import { CLOSED, createKey, logIn, postJson, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { record, type RequestHeaders, wireEvent } from "../support/requests.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";
import { afterTheLimit, broken, never, pastTheCrowd, UNVERIFIED } from "./openapi-auth-answers.ts";

const [SITE, OTHER] = ["answers.test", "other.test"];

interface Move {
  readonly name: "rename" | "merge";
  readonly body: object;
}

const MOVES: readonly Move[] = [
  { name: "rename", body: { to: "new.test" } },
  { name: "merge", body: { into: OTHER } },
];

const NAMES = { id: "GET /api/site-names", path: "/api/site-names" };

const idOf = ({ name }: Move): string => `POST /api/sites/{site_id}/${name}`;

const pathOf = ({ name }: Move, site = SITE): string => `/api/sites/${site}/${name}`;

const owned = (move: Move, status: number, body: unknown, site?: string): Provoked => ({
  id: idOf(move),
  status,
  environment: CLOSED,
  send: async (target) => postJson(target, pathOf(move, site), body, await logIn(target)),
});

const limitedKey = async (target: Parameters<Provoked["send"]>[0]): Promise<RequestHeaders> =>
  withKey((await createKey(target, await logIn(target), "ReadOnly")).key);

/** What every host answers, whether it renames sites or not. */
export const SITE_MOVES_PROVOKED: readonly Provoked[] = [
  ...MOVES.flatMap((move): Provoked[] => [
    owned(move, 400, move.body, "a%20b"),
    owned(move, 409, move.body, DEMO_SITE),
    owned(move, 413, "x".repeat(65_537)),
    owned(move, 422, {}),
    { id: idOf(move), status: 401, environment: CLOSED, send: (target) => postJson(target, pathOf(move), move.body) },
    {
      id: idOf(move),
      status: 403,
      environment: CLOSED,
      send: async (target) => postJson(target, pathOf(move), move.body, await limitedKey(target)),
    },
    {
      id: idOf(move),
      status: 403,
      way: "under an unknown host name",
      send: (target) => target.fetch(pathOf(move), { ...UNVERIFIED, method: "POST", body: JSON.stringify(move.body) }),
    },
  ]),
  { id: NAMES.id, status: 401, environment: CLOSED, send: (target) => target.fetch(NAMES.path) },
  {
    id: NAMES.id,
    status: 403,
    environment: CLOSED,
    send: async (target) => target.fetch(NAMES.path, { headers: await limitedKey(target) }),
  },
  { id: NAMES.id, status: 403, way: "under an unknown host name", send: (target) => target.fetch(NAMES.path, UNVERIFIED) },
];

interface Prepared {
  readonly target: InProcessTarget;
  readonly headers: RequestHeaders;
  readonly objects: ReturnType<typeof createMemoryObjectStore>;
  readonly records: ReturnType<typeof createMemoryRecordStore>;
}

/** A service with two sites, whose events are in files. */
async function prepared(): Promise<Prepared> {
  const [objects, records] = [createMemoryObjectStore(), createMemoryRecordStore()];
  const target = await createInProcessTarget(CLOSED, { objects, records });
  for (const site of [SITE, OTHER]) await record(target, wireEvent(site));
  await target.flush();
  return { target, headers: await logIn(target), objects, records };
}

const answering = (move: Move, status: number, provoke: (prepared: Prepared) => Promise<Response>): Failing => ({
  id: idOf(move),
  status,
  provoke: async () => provoke(await prepared()),
});

/** A request whose record is written by a part that hangs or fails. */
async function striking(
  move: Move,
  work: () => Promise<never>,
): Promise<[InProcessTarget, (target: InProcessTarget) => Promise<Response>]> {
  const { target, headers, records } = await prepared();
  Object.assign(records, { write: work, remove: work });
  return [target, (asked) => postJson(asked, pathOf(move), move.body, headers)];
}

export const SITE_MOVES_FAILING: readonly Failing[] = [
  ...MOVES.flatMap((move): Failing[] => [
    answering(move, 200, ({ target, headers }) => postJson(target, pathOf(move), move.body, headers)),
    answering(move, 202, async ({ target, headers, objects }) => {
      Object.assign(objects, { put: broken });
      return postJson(target, pathOf(move), move.body, headers);
    }),
    answering(move, 404, ({ target, headers }) => postJson(target, pathOf(move, "nothing.test"), move.body, headers)),
    { id: idOf(move), status: 408, provoke: async () => afterTheLimit(...(await striking(move, never))) },
    {
      id: idOf(move),
      status: 429,
      async provoke() {
        const [target, send] = await striking(move, never);
        return pastTheCrowd(target, SITE_MOVES_WAITING_MAX, send);
      },
    },
    {
      id: idOf(move),
      status: 503,
      async provoke() {
        const [target, send] = await striking(move, broken);
        return send(target);
      },
    },
  ]),
  {
    id: "POST /api/sites/{site_id}/delete",
    status: 409,
    async provoke() {
      const { target, headers } = await prepared();
      await (await postJson(target, `/api/sites/${SITE}/rename`, { to: "new.test" }, headers)).arrayBuffer();
      return postJson(target, `/api/sites/${SITE}/delete`, { confirm: SITE }, headers);
    },
  },
  {
    id: NAMES.id,
    status: 200,
    async provoke() {
      const { target, headers } = await prepared();
      for (const move of MOVES.toReversed()) {
        const site = move.name === "rename" ? OTHER : SITE;
        await (await postJson(target, pathOf(move, site), move.body, headers)).arrayBuffer();
      }
      return target.fetch(NAMES.path, { headers });
    },
  },
];
