/** Messages to the MCP server: written by hand, or by the official client. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { RequestHeaders } from "./requests.ts";
import type { Target } from "./target.ts";

export const MCP = "/api/mcp";

export const rpc = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });

export const toolCall = (name: string, args: unknown) => rpc("tools/call", { name, arguments: args });

export const postRpc = (target: Target, body: unknown, headers: RequestHeaders = {}): Promise<Response> =>
  target.fetch(MCP, { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) });

export interface Result {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly _meta: { readonly untrusted: string; readonly time_zone?: string };
}

export interface RpcAnswer {
  readonly id: unknown;
  readonly result?: Result;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly status: number } };
}

/** What a request with an id is answered, whose status is always 200. */
export async function answerTo(target: Target, body: unknown, headers: RequestHeaders): Promise<RpcAnswer> {
  const response = await postRpc(target, body, headers);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as RpcAnswer;
}

/** The official client, connected. */
export async function connect(target: Target, headers: RequestHeaders): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1${MCP}`), {
    requestInit: { headers },
    fetch: (url, init) => target.fetch(new URL(url).pathname, { ...init }),
  });
  // Its types are not written for exact optional properties.
  await client.connect(transport as Transport);
  return client;
}
