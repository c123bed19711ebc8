/** Each tool of the MCP server answers what its route answers, over random histories, scopes and parameters. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOOLS } from "../../src/handlers/mcp/tools.ts";
import { createKey, postSetup, tokenOf, withKey, withSession } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { answerTo, toolCall } from "../support/mcp.ts";
import { newAddress, type RequestHeaders } from "../support/requests.ts";
import { reportsOf, type Asked, type Parameters } from "./asked-reports.ts";
import { history } from "./histories.ts";
import { playHistory } from "./played-history.ts";
import { parametersOf, question } from "./questions.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

/** Fewer, because each run asks every report twice. */
const RUNS = Math.ceil(PROPERTY_RUNS / 8);

const played = history.chain((past) => fc.record({ past: fc.constant(past), scope: question, asked: reportsOf(past) }));

/** Ranges of code points that nobody sees, or that make others read otherwise. */
const HIDDEN: readonly (readonly [first: number, last: number])[] = [
  [0, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
];

const isSeen = (char: string): boolean =>
  !HIDDEN.some(([first, last]) => (char.codePointAt(0) ?? 0) >= first && (char.codePointAt(0) ?? 0) <= last);

const seen = (json: string): unknown =>
  JSON.parse(json, (_name, value: unknown) => (typeof value === "string" ? [...value].filter(isSeen).join("") : value));

/** What the route answers, in the form in which the tool answers. */
async function byRoute(target: InProcessTarget, path: string, headers: RequestHeaders): Promise<unknown> {
  const response = await target.fetch(path, { headers });
  const body = await response.text();
  if (response.status !== 200) return { status: response.status, message: (JSON.parse(body) as { error: string }).error };
  const answered = seen(body);
  return Array.isArray(answered) ? { rows: answered } : answered;
}

function argumentsOf(tool: string, parameters: Parameters): object {
  const declared = TOOLS.get(tool)?.parameters;
  const isNumber = (name: string) => declared?.get(name)?.schema.type === "integer";
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, isNumber(name) ? Number(value) : value]));
}

async function byTool(target: InProcessTarget, tool: string, args: object, headers: RequestHeaders): Promise<unknown> {
  const { result, error } = await answerTo(target, toolCall(tool, args), { ...headers, ...newAddress() });
  if (!result) return { status: error?.data?.status, message: error?.message };
  expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(result.structuredContent);
  return result.structuredContent;
}

/** The endpoint's tool, and the parameters of its path and of its query. */
function toolOf([endpoint, own]: Asked, { filters, site_id = "", ...dates }: Parameters) {
  const [name = "", dimension] = endpoint.split("/");
  const scope = { site_id, ...(filters !== undefined && { filters }), ...(name !== "realtime" && dates) };
  const tool = name.replaceAll("-", "_");
  return { tool, query: { ...scope, ...own }, path: dimension === undefined ? {} : { dimension } };
}

describe("the tools of the MCP server", () => {
  it(
    "the tools of the MCP server answer what their routes answer to the same parameters",
    async () => {
      const holds = fc.asyncProperty(played, async ({ past, scope, asked }) => {
        const { target, close } = await playHistory(createInProcessTarget, past, { SVC_TRUST_PROXY: "1" });
        const session = withSession(await tokenOf(await postSetup(target)));
        const headers = withKey((await createKey(target, session, "ReadOnly")).key);
        for (const one of asked.filter(([endpoint]) => endpoint !== "export")) {
          const { tool, query, path } = toolOf(one, parametersOf(scope, past.nowMs));
          const url = `/api/stats/${one[0]}?${new URLSearchParams(query).toString()}`;
          const answered = await byTool(target, tool, argumentsOf(tool, { ...query, ...path }), headers);
          expect({ url, answered }).toEqual({ url, answered: await byRoute(target, url, headers) });
        }
        await close();
      });
      await fc.assert(holds, { numRuns: RUNS });
    },
    PROPERTY_TIMEOUT_MS,
  );
});
