/** docs/agents.md: its table has the tools of the program, and its messages are answered. */
import { describe, expect, it } from "vitest";
import { TOOLS } from "../../src/handlers/mcp/tools.ts";
import { CLOSED, createKey, logIn, withKey } from "../support/auth-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { answerTo } from "../support/mcp.ts";
import { commandsIn } from "./commands.ts";
import { codesIn, rowsOf } from "./http-api-page.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

const PAGE = readPage("docs/agents.md");

const MESSAGES = codeBlocksOf(PAGE)
  .flatMap(({ code }) => commandsIn(code))
  .flatMap((command) => [...command.matchAll(/\/api\/mcp .* -d '([^']+)'/g)].map(([, message = ""]) => message));

describe("the page about agents", () => {
  it("lists the tools in their order", () => {
    const section = { title: "Tools", text: PAGE.text.split("\n## Tools\n")[1]?.split("\n## ")[0] ?? "" };
    expect(rowsOf(section, "Tool").flatMap(([name = ""]) => codesIn(name))).toEqual([...TOOLS.keys()]);
  });

  it("has messages that are answered with a result", async () => {
    const target = await createInProcessTarget(CLOSED);
    const headers = withKey((await createKey(target, await logIn(target), "ReadOnly")).key);
    expect(MESSAGES).toHaveLength(3);
    for (const message of MESSAGES)
      expect(await answerTo(target, message, headers)).toMatchObject({ result: expect.anything() as unknown });
    await target.close();
  });
});
