/** The examples of docs/http-api.md run against the built program, in their order. */
import { execFile, spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";
import { COMMANDS, PAGE } from "./http-api-page.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

const run = promisify(execFile);

/** They take 45 s on an idle machine. */
const TEST_MS_MAX = 300_000;

describe.skipIf(!hasCurl)(`the examples of the page${hasCurl ? "" : " (this machine has no curl)"}`, { timeout: TEST_MS_MAX }, () => {
  let folder: string;
  let server: ServerProcess;
  beforeAll(async () => {
    folder = await makeTempFolder();
    await mkdir(join(folder, "files"));
    for (const [, text = "", name = ""] of PAGE.matchAll(/`(\{[^`]+\})` in `(\w+\.json)`/g))
      await writeFile(join(folder, "files", name), text);
    await writeFile(join(folder, ".curlrc"), "fail\nsilent\nshow-error\n");
    server = await startServer({ dataFolder: join(folder, "data") });
  });
  afterAll(async () => {
    await server.stop();
    await removeFolder(folder);
  });

  /** A key of its own: the one that the examples make is revoked by them. */
  async function newKey(token: string, scope: string): Promise<string> {
    const response = await fetch(`${server.origin}/api/keys`, {
      method: "POST",
      headers: { cookie: `svc_session=${token}` },
      body: JSON.stringify({ name: scope, scope }),
    });
    return ((await response.json()) as { key: string }).key;
  }

  it("succeed in order", async () => {
    expect(COMMANDS.length).toBeGreaterThan(10);
    const variables: Record<string, string> = { VISITOR_USER_AGENT: CHROME_WINDOWS };
    for (const command of COMMANDS) {
      const local = command.replaceAll("http://127.0.0.1:8000", server.origin);
      const env = { ...variables, PATH: process.env.PATH, CURL_HOME: folder };
      const { stdout } = await run("bash", ["-c", local], { cwd: join(folder, "files"), env }).catch((error: unknown) => {
        throw new Error(`the example of docs/http-api.md fails: ${command}`, { cause: error });
      });
      const {
        token,
        key_hash: keyHash,
        share_hash: shareHash,
      } = (stdout.startsWith("{") ? JSON.parse(stdout) : {}) as Partial<Record<string, string>>;
      if (shareHash !== undefined) variables.SHARE_HASH = shareHash;
      else if (token !== undefined)
        Object.assign(variables, { TOKEN: token, KEY: await newKey(token, "ReadOnly"), ADMIN_KEY: await newKey(token, "Admin") });
      if (keyHash !== undefined) variables.KEY_HASH = keyHash;
    }
  });

  it("run against a program that refuses headers over the documented limit", async () => {
    const response = await fetch(server.origin, { headers: { "x-long": "x".repeat(70_000) } });
    expect({ status: response.status, body: await response.text() }).toEqual({
      status: 431,
      body: expect.stringContaining("at most 65536 bytes") as string,
    });
  });
});
