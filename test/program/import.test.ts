/** `sandpiper import` of the built program: into a stopped data folder, and to a running server from files and standard input. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { IMPORT_PART_BYTES_MAX } from "../../src/shared/limits.ts";
import { runProgram } from "../support/run-process.ts";
import { startServer } from "../support/server-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { logLine } from "../support/uploads.ts";

const SITE = "site.test";

const HOSTED = (path: string) =>
  `www.site.test 203.0.113.7 [2026-02-01T10:00:00+00:00] "GET ${path} HTTP/1.1" 200 "Mozilla/5.0 Firefox/128.0"\n`;
const FORMAT = '$host $remote_addr [$time_iso8601] "$request" $status "$http_user_agent"';

describe("import", () => {
  it("brings files into a stopped folder, in a format of their own, and reports count them after a start", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "own.log"), HOSTED("/a") + HOSTED("/b"));
    const dataFolder = await tempFolder();
    const argv = ["import", SITE, join(folder, "own.log"), "--yes", "--log-format", FORMAT, "--data-dir", dataFolder];
    const { code, stdout } = await runProgram(argv);
    expect(stdout).toContain("2 page views and 0 other events on 1 day from 2026-02-01 to 2026-02-01\n");
    expect(stdout).toContain("Import #1 is shown: 2 events of site.test\n  2026-02: 2 of 2 page views\n");
    expect(code).toBe(0);
    const server = await startServer({ dataFolder });
    const answer = await fetch(`${server.origin}/api/stats/main?site_id=${SITE}&period=all`);
    expect(await answer.json()).toMatchObject({ total_pageviews: 2 });
    await server.stop();
  });

  it("sends files and standard input to a running server, goes on with what it has, and asks unless it is told not to", async () => {
    const folder = await tempFolder();
    const dataFolder = await tempFolder();
    const server = await startServer({ dataFolder, environment: { SVC_ADMIN_PASSWORD: "correct horse battery" } });
    const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const response = await fetch(server.origin + path, {
        method: "POST",
        headers: { origin: server.origin, ...headers },
        body: JSON.stringify(body),
      });
      return (await response.json()) as Readonly<Record<string, unknown>>;
    };
    const { token } = await ask("/api/auth/login", { password: "correct horse battery" });
    const { key } = await ask("/api/keys", { name: "import", scope: "Admin" }, { cookie: `svc_session=${String(token)}` });
    await writeFile(join(folder, "key"), `${String(key)}\n`);
    const line = logLine("2026-02-01T10:00:00", "/a");
    const log = line.repeat(Math.ceil((IMPORT_PART_BYTES_MAX + 1) / line.length));
    await writeFile(join(folder, "long.log"), log);
    const argv = ["import", SITE, join(folder, "long.log"), "-", "--url", server.origin, "--key", join(folder, "key")];
    const input = { input: logLine("2026-02-02T10:00:00", "/b") };

    // An upload of the same files that was interrupted after the first part.
    const withKey = { authorization: `Bearer ${String(key)}` };
    const files = [
      { name: "long.log", bytes: log.length },
      { name: `standard input ${createHash("sha256").update(input.input).digest("hex").slice(0, 16)}`, bytes: input.input.length },
    ];
    await ask("/api/imports", { site_id: SITE, files }, withKey);
    await fetch(`${server.origin}/api/imports/1/files/0?offset=0`, {
      method: "PUT",
      headers: withKey,
      body: log.slice(0, IMPORT_PART_BYTES_MAX),
    });

    expect(await runProgram([...argv, "--yes"], input)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Import #1 is shown: [\d,]+ events of site\.test\n {2}2026-02: /),
    });
    expect(await runProgram(argv, { input: logLine("2026-02-02T10:00:00", "/c") })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Nothing is imported, because nobody confirmed it (--yes).\n"),
    });
    expect(await runProgram([...argv, "--yes"], input)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Nothing is imported: The same files are already imported as #1.\n"),
    });

    // A run that was interrupted before the question.
    const last = logLine("2026-02-03T10:00:00", "/d");
    await writeFile(join(folder, "last.log"), last);
    const { import_id: id } = await ask("/api/imports", { site_id: SITE, files: [{ name: "last.log", bytes: last.length }] }, withKey);
    await fetch(`${server.origin}/api/imports/${String(id)}/files/0?offset=0`, { method: "PUT", headers: withKey, body: last });
    expect(await runProgram(["import", SITE, join(folder, "last.log"), "--yes", ...argv.slice(4)])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Import #${String(id)} is shown: 1 event of site.test\n`),
    });

    await writeFile(join(folder, "key"), "wrong");
    expect(await runProgram([...argv, "--yes"], input)).toMatchObject({ code: 1, stderr: expect.stringContaining("refuses it: ") });
    await server.stop();
  });

  it("needs the address and the key of a server together", async () => {
    expect(await runProgram(["import", SITE, "a.log", "--url", "https://stats.test"])).toMatchObject({
      code: 2,
      stderr: 'sandpiper: --url and --key need each other\nTry "sandpiper --help".\n',
    });
  });
});
