/** `sandpiper import --follow` of the built program: a real log into a running server, until it is ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAIN_PATH } from "../support/built.ts";
import { runProgram } from "../support/run-process.ts";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { logLine } from "../support/uploads.ts";

const SITE = "site.test";

describe("import --follow", () => {
  it("counts the lines of a log, ends at SIGTERM, and goes on in the rotated file", async () => {
    const folder = await tempFolder();
    const server = await startServer({ dataFolder: await tempFolder(), environment: { SVC_ADMIN_PASSWORD: "correct horse battery" } });
    const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const init = { method: "POST", headers: { origin: server.origin, ...headers }, body: JSON.stringify(body) };
      return (await (await fetch(server.origin + path, init)).json()) as Readonly<Record<string, unknown>>;
    };
    const { token } = await ask("/api/auth/login", { password: "correct horse battery" });
    const { key } = await ask("/api/keys", { name: "import", scope: "Admin" }, { cookie: `svc_session=${String(token)}` });
    await writeFile(join(folder, "key"), `${String(key)}\n`);
    const log = join(folder, "access.log");
    const headers = { authorization: `Bearer ${String(key)}` };
    const events = async () => {
      const response = await fetch(`${server.origin}/api/imports/1`, { headers });
      return response.ok ? ((await response.json()) as { readonly events: number }).events : 0;
    };
    const followed = async (count: number) => {
      const argv = [MAIN_PATH, "import", "--follow", SITE, log, "--url", server.origin, "--key", join(folder, "key")];
      const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env["PATH"] } });
      const closed = once(child, "close");
      let text = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => void (text += String(chunk)));
      await expect.poll(events, { timeout: 60_000 }).toBe(count);
      child.kill("SIGTERM");
      return { code: ((await closed) as unknown[])[0], text };
    };
    await writeFile(log, logLine("2026-02-01T10:00:00", "/a") + logLine("2026-02-01T10:01:00", "/b"));
    expect(await followed(2)).toEqual({ code: 0, text: expect.stringContaining("is followed as import #1 of site.test") });
    await appendFile(log, logLine("2026-02-01T10:02:00", "/c"));
    await rename(log, `${log}.1`);
    await writeFile(log, "");
    expect(await followed(3)).toMatchObject({ code: 0 });
    await server.stop();
  });

  it.each([
    [["a.log"], "--follow needs a running server"],
    [["-", "--url", "http://127.0.0.1:1", "--key", MAIN_PATH], "--follow needs the path of one log"],
    [[".", "--url", "http://127.0.0.1:1", "--key", MAIN_PATH], "is no file"],
  ])("refuses %j", async (args, reason) => {
    expect(await runProgram(["import", "--follow", SITE, ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
  });
});
