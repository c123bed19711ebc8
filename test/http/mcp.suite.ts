/** POST /api/mcp: reports as tools of the Model Context Protocol (docs/agents.md), by the official client and by hand. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MCP_ID_CHARS_MAX } from "../../src/runtime/base/config/limits.ts";
import {
  bodyOf,
  CLOSED,
  createKey,
  deleteKey,
  logIn,
  ofItsOwn,
  postJson,
  postKey,
  postSetup,
  tokenOf,
  withBearer,
  withKey,
  withSession,
  type CreatedKey,
} from "../support/auth-requests.ts";
import { answerTo, connect, MCP, postRpc, rpc, toolCall, type Result } from "../support/mcp.ts";
import { expectError, newAddress, putSettings, record, wireEvent, type RequestHeaders } from "../support/requests.ts";
import { siteNames, type MakeTarget, type Target } from "../support/target.ts";

const siteName = siteNames("mcp");

/** The error of a message, whatever status it has. */
async function failureOf(response: Response): Promise<{ status: number; code: number; message: string }> {
  const { status } = response;
  const text = await response.text();
  const { jsonrpc, error } = JSON.parse(text) as { jsonrpc: string; error: { code: number; message: string } };
  expect(jsonrpc).toBe("2.0");
  expect(text).not.toMatch(/\bat .+:\d+:\d+|\.ts\b|\.js\b/);
  return { status, code: error.code, message: error.message };
}

export function describeMcp(makeTarget: MakeTarget): void {
  describe("the MCP server", () => {
    const [own, other] = [siteName(), siteName()];
    let target: Target;
    let session: RequestHeaders;
    let reader: RequestHeaders;

    const limitedKey = async (...sites: string[]): Promise<RequestHeaders> =>
      withKey((await bodyOf<CreatedKey>(await postKey(target, session, { name: "limited", scope: "ReadOnly", sites }), 201)).key);

    beforeAll(async () => {
      target = await makeTarget({ ...CLOSED, SVC_TRUST_PROXY: "1" });
      session = await logIn(target);
      reader = withBearer((await createKey(target, session, "ReadOnly")).key);
      await record(target, wireEvent(own, { u: "https://page.test/a%20b?utm_source=letter", r: "https://example.org/" }));
      await record(target, wireEvent(own, { n: "Sign\u202Eup\u0007", p: JSON.stringify({ plan: "pro\u{E0041}\u200B" }) }));
      await record(target, wireEvent(other));
    });
    afterAll(() => target.close());

    /** From an address of its own: requests are limited by address. */
    const from = (headers: RequestHeaders): RequestHeaders => ({ ...headers, ...newAddress() });

    const rest = async (path: string, headers: RequestHeaders = reader): Promise<unknown> => bodyOf(await target.fetch(path, { headers }));

    const call = async (name: string, args: object, headers: RequestHeaders = reader): Promise<Result> => {
      const { result, error } = await answerTo(target, toolCall(name, args), from(headers));
      if (!result) throw new Error(`${name}: ${error?.message}`);
      return result;
    };

    it("the official client connects, lists the tools and calls them", async () => {
      const client = await connect(target, from(reader));
      expect(client.getServerVersion()).toMatchObject({ name: "sandpiper" });
      expect(client.getServerCapabilities()).toEqual({ tools: {} });
      expect(client.getInstructions()).toContain("never instructions");
      await client.ping();
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["sites", "main", "breakdown", "funnel", "list_goals"]));
      // It checks results by the schemas of the tools.
      const main = await client.callTool({ name: "main", arguments: { site_id: own, period: "7d" } });
      expect(main.structuredContent).toEqual(await rest(`/api/stats/main?site_id=${own}&period=7d`));
      const sources = await client.callTool({ name: "breakdown", arguments: { site_id: own, dimension: "visit-sources", limit: 3 } });
      expect(sources.structuredContent).toEqual({ rows: await rest(`/api/stats/breakdown/visit-sources?site_id=${own}&limit=3`) });
      await expect(client.callTool({ name: "main", arguments: { site_id: own, period: "7 days" } })).rejects.toMatchObject({
        code: -32602,
      });
      await client.close();
    });

    it.each(["2025-11-25", "2025-06-18", "2024-11-05"])("a client of revision %s is answered with the one that it gets", async (asked) => {
      const initialize = rpc("initialize", { protocolVersion: asked, capabilities: {}, clientInfo: { name: "a", version: "1" } });
      const { result } = await answerTo(target, initialize, from(reader));
      const protocolVersion = asked === "2024-11-05" ? "2025-11-25" : asked;
      expect(result).toMatchObject({ protocolVersion });
      expect((await postRpc(target, rpc("ping"), from({ ...reader, "mcp-protocol-version": protocolVersion }))).status).toBe(200);
    });

    it("a tool answers with the route's JSON, also as text, and says where texts come from", async () => {
      const { content, structuredContent, _meta: meta } = await call("timeseries", { site_id: own });
      expect(structuredContent).toEqual({ rows: await rest(`/api/stats/timeseries?site_id=${own}`) });
      expect(content.map(({ type, text }) => [type, JSON.parse(text) as unknown])).toEqual([["text", structuredContent]]);
      expect(meta).toEqual({ untrusted: expect.stringContaining("visitors") as unknown });
    });

    it("a site that is not in UTC has its time zone beside the answer", async () => {
      const siteId = siteName();
      await bodyOf(await putSettings(target, siteId, { time_zone: "Asia/Tokyo" }, session));
      const { _meta: meta } = await call("main", { site_id: siteId });
      expect(meta.time_zone).toBe("Asia/Tokyo");
    });

    it("texts of visitors lose control, bidirectional and invisible characters; those of the HTTP API stay", async () => {
      const events = (await rest(`/api/stats/breakdown/events?site_id=${own}`)) as { value: string }[];
      expect(events.map(({ value }) => value)).toContain("Sign\u202Eup\u0007");
      const { rows } = (await call("breakdown", { site_id: own, dimension: "events" })).structuredContent;
      expect((rows as { value: string }[]).map(({ value }) => value).toSorted()).toEqual(["Signup", "pageview"]);
      const { rows: plans } = (await call("property_values", { site_id: own, key: "plan" })).structuredContent;
      expect(plans).toEqual([expect.objectContaining({ value: "pro" })]);
    });

    it("goals and segments are those that the key may read", async () => {
      const siteId = siteName();
      await bodyOf(await postJson(target, `/api/goals?site_id=${siteId}`, { name: "Signed up", event: "Signup" }, session), 201);
      await bodyOf(await postJson(target, `/api/segments?site_id=${siteId}`, { name: "Germans", filters: "countries==DE" }, session), 201);
      expect((await call("list_goals", { site_id: siteId })).structuredContent).toEqual({
        rows: await rest(`/api/goals?site_id=${siteId}`),
      });
      const segments = (await rest(`/api/segments?site_id=${siteId}`)) as unknown[];
      expect(segments).toHaveLength(1);
      expect((await call("list_segments", { site_id: siteId })).structuredContent).toEqual({ rows: segments });
    });

    it("a key for some sites lists and reads these only", async () => {
      const limited = await limitedKey(own);
      expect((await call("sites", {}, limited)).structuredContent).toEqual({ sites: [own] });
      expect((await call("main", { site_id: own }, limited)).structuredContent).toEqual(await rest(`/api/stats/main?site_id=${own}`));
      for (const [name, args] of [
        ["main", { site_id: other }],
        ["list_goals", { site_id: other }],
        ["breakdown", { site_id: "never-heard-of.test", dimension: "pages" }],
      ] as const) {
        const { error } = await answerTo(target, toolCall(name, args), from(limited));
        expect(error).toMatchObject({ code: -32000, message: expect.stringContaining("may not") as unknown, data: { status: 403 } });
      }
    });

    it("a key beside a session has its own sites only, and a session alone is no key", async () => {
      const { structuredContent } = await call("sites", {}, { ...session, ...(await limitedKey(own)) });
      expect(structuredContent).toEqual({ sites: [own] });
      await expectError(await postRpc(target, rpc("ping"), from(session)), 401, "API key");
    });

    it("GET and DELETE answer 405: there are no streams and no sessions", async () => {
      for (const method of ["GET", "DELETE"]) {
        const response = await target.fetch(MCP, { method, headers: from({ ...reader, accept: "text/event-stream" }) });
        expect(response.headers.get("allow")).toBe("POST");
        await expectError(response, 405);
      }
    });

    it("a page of another origin is refused, even with a key", async () => {
      await expectError(await postRpc(target, rpc("ping"), from({ ...reader, origin: "https://foreign.test" })), 403, "origin");
    });

    it("notifications are answered with 202 and nothing", async () => {
      for (const method of ["notifications/initialized", "notifications/cancelled", "nothing/known"]) {
        const response = await postRpc(target, { jsonrpc: "2.0", method }, from(reader));
        expect({ status: response.status, body: await response.text() }).toEqual({ status: 202, body: "" });
      }
    });

    const DEEP = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;

    it.each([
      ["no body", "", -32700],
      ["half of a body", '{"jsonrpc":"2.0"', -32700],
      ["a batch", [rpc("ping"), rpc("ping")], -32600],
      ["an empty batch", [], -32600],
      ["a text", '"ping"', -32600],
      ["null", "null", -32600],
      ["a deep array", DEEP, -32600],
      ["no version", { id: 1, method: "ping" }, -32600],
      ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }, -32600],
      ["a response", { jsonrpc: "2.0", id: 1, result: {} }, -32600],
      ["a number for a method", { jsonrpc: "2.0", id: 1, method: 7 }, -32600],
      ["null for an id", rpc("ping", {}, null), -32600],
      ["an object for an id", rpc("ping", {}, { a: 1 }), -32600],
      ["a fraction for an id", rpc("ping", {}, 1.5), -32600],
      ["an infinite id", '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32600],
      ["a long id", rpc("ping", {}, "x".repeat(MCP_ID_CHARS_MAX + 1)), -32600],
    ])("%s is no message", async (_what, body, code) => {
      expect(await failureOf(await postRpc(target, body, from(reader)))).toMatchObject({ status: 400, code });
    });

    it.each([
      ["an unknown method", rpc("resources/list"), -32601],
      ["a method of every object", rpc("constructor"), -32601],
      ["a prototype for a method", rpc("__proto__"), -32601],
      ["a list for parameters", rpc("ping", []), -32602],
      ["a deep list for parameters", `{"jsonrpc":"2.0","id":1,"method":"ping","params":${DEEP}}`, -32602],
      ["no revision", rpc("initialize", {}), -32602],
      ["a cursor", rpc("tools/list", { cursor: "2" }), -32602],
      ["no tool", rpc("tools/call"), -32602],
      ["a deep name of a tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${DEEP}}}`, -32602],
      ["an unknown tool", toolCall("delete_site", {}), -32602],
      ["a tool that is no tool", toolCall("__proto__", {}), -32602],
      ["a list of arguments", toolCall("main", [own]), -32602],
      ["null for arguments", toolCall("main", null), -32602],
      ["a missing argument", toolCall("main", {}), -32602],
      ["an unknown argument", toolCall("main", { site_id: own, token: "x" }), -32602],
      [
        "a prototype for an argument",
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"main","arguments":{"__proto__":{}}}}`,
        -32602,
      ],
      ["a number for a text", toolCall("main", { site_id: 7 }), -32602],
      ["a text for a number", toolCall("breakdown", { site_id: own, dimension: "pages", limit: "5" }), -32602],
      ["a number out of its bounds", toolCall("breakdown", { site_id: own, dimension: "pages", limit: 1e21 }), -32602],
      ["a missing dimension", toolCall("breakdown", { site_id: own }), -32602],
      ["a dimension that leads elsewhere", toolCall("breakdown", { site_id: own, dimension: "../export" }), -32602],
      ["a second parameter in a value", toolCall("main", { site_id: `${own}&site_id=${other}` }), -32602],
      [
        "a deep argument",
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"main","arguments":{"site_id":${DEEP}}}}`,
        -32602,
      ],
      ["a long argument", toolCall("main", { site_id: own, filters: `pages==/${"x".repeat(50_000)}` }), -32602],
      ["a file", toolCall("breakdown", { site_id: own, dimension: "pages", format: "csv" }), -32602],
    ])("%s is refused by JSON-RPC", async (_what, body, code) => {
      expect(await failureOf(await postRpc(target, body, from(reader)))).toMatchObject({ status: 200, code });
    });

    it("a tool says what its route says of wrong parameters", async () => {
      const { error } = await answerTo(target, toolCall("main", { site_id: own, period: "7 days" }), from(reader));
      const response = await target.fetch(`/api/stats/main?site_id=${own}&period=7+days`, { headers: reader });
      expect(error).toMatchObject({ message: ((await response.json()) as { error: string }).error, data: { status: 400 } });
    });

    it("ids are returned as they came", async () => {
      for (const id of [0, -1, 9007199254740991, "", "é☂", "x".repeat(MCP_ID_CHARS_MAX)])
        expect((await answerTo(target, rpc("ping", {}, id), from(reader))).id).toBe(id);
    });

    it("a body of a megabyte is refused by its size", async () => {
      const response = await postRpc(target, rpc("ping", { text: "x".repeat(1_000_000) }), from(reader));
      expect(await failureOf(response)).toMatchObject({ status: 413, message: "The request body must be at most 65536 bytes" });
    });

    it("is off until there is a password and a key", async () => {
      const fresh = await makeTarget(ofItsOwn());
      const unknown = withBearer(`svc_${"0".repeat(64)}`);
      await expectError(await postRpc(fresh, rpc("ping"), unknown), 403, "off until there is one");
      const owner = withSession(await tokenOf(await postSetup(fresh)));
      await expectError(await postRpc(fresh, rpc("ping"), unknown), 403, "create a key");
      const { key, key_hash: hash } = await createKey(fresh, owner, "ReadOnly");
      expect((await postRpc(fresh, rpc("ping"), withKey(key))).status).toBe(200);
      await expectError(await postRpc(fresh, rpc("ping"), unknown), 401, "API key");
      await bodyOf(await deleteKey(fresh, owner, hash));
      await expectError(await postRpc(fresh, rpc("ping"), withKey(key)), 403, "create a key");
      await fresh.close();
    });
  });
}
