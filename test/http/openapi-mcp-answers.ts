/** Requests for the documented statuses of the MCP server (see `openapi-answers.ts`). */
import { GUEST_REQUESTS_AT_ONCE } from "../../src/runtime/base/config/admin-limits.ts";
import { CLOSED, createKey, logIn, ofItsOwn, withBearer, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { postRpc, rpc, toolCall } from "../support/mcp.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import type { RequestHeaders } from "../support/requests.ts";
import type { Target } from "../support/target.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";
import { afterTheLimit, never } from "./openapi-auth-answers.ts";

const ID = "POST /api/mcp";

const PING = rpc("ping");

const keyOf = async (target: Target): Promise<RequestHeaders> => withKey((await createKey(target, await logIn(target), "ReadOnly")).key);

const withAKey = (status: number, body: unknown, way?: string, headers: RequestHeaders = {}): Provoked => ({
  id: ID,
  status,
  ...(way !== undefined && { way }),
  environment: CLOSED,
  send: async (target) => postRpc(target, body, { ...(await keyOf(target)), ...headers }),
});

export const MCP_PROVOKED: readonly Provoked[] = [
  withAKey(200, PING),
  withAKey(200, toolCall("main", { site_id: "a b" }), "an error of a tool"),
  withAKey(200, rpc("resources/list"), "an unknown method"),
  withAKey(202, { jsonrpc: "2.0", method: "notifications/initialized" }),
  withAKey(400, "{", "not JSON"),
  withAKey(400, [PING], "a batch"),
  withAKey(400, PING, "another revision", { "mcp-protocol-version": "2024-11-05" }),
  {
    id: ID,
    status: 401,
    environment: CLOSED,
    send: async (target) => {
      await keyOf(target);
      return postRpc(target, PING, withBearer(`svc_${"0".repeat(64)}`));
    },
  },
  { id: ID, status: 403, way: "without a password", send: (target) => postRpc(target, PING) },
  { id: ID, status: 403, way: "without a key", environment: ofItsOwn(CLOSED), send: (target) => postRpc(target, PING) },
  withAKey(403, PING, "from a foreign page", { origin: "https://foreign.test" }),
  withAKey(413, rpc("ping", { text: "x".repeat(65_536) })),
];

export const MCP_FAILING: readonly Failing[] = [
  {
    id: ID,
    status: 408,
    async provoke() {
      const target = await createInProcessTarget(CLOSED, { objects: { ...createMemoryObjectStore(), folders: never } });
      const headers = await keyOf(target);
      return afterTheLimit(target, (asked) => postRpc(asked, toolCall("sites", {}), headers));
    },
  },
  {
    id: ID,
    status: 429,
    async provoke() {
      const target = await createInProcessTarget(CLOSED);
      for (let i = 0; i < GUEST_REQUESTS_AT_ONCE; i++) await (await postRpc(target, PING)).arrayBuffer();
      return postRpc(target, PING);
    },
  },
];
