/** What the program logs when it starts and stops, in both formats, and which signals stop it. */
import { createConnection } from "node:net";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAIN_PATH } from "../support/built.ts";
import { spawnServer, startServer, type ServerProcess } from "../support/server-process.ts";
import { skippedFor } from "../support/skipped.ts";
import type { Environment } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";

const NO_THREAD_PRIORITY = process.platform === "linux" ? null : "Only Linux has a priority for each thread.";

async function startIn(dataFolder: string, environment: Environment = {}): Promise<ServerProcess> {
  const server = await startServer({ dataFolder, environment });
  onTestFinished(() => server.kill9());
  return server;
}

/** Its log so far without times. */
const linesOf = (server: ServerProcess): string[] =>
  server
    .log()
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\S+ /, ""));

const setUp = (server: ServerProcess) =>
  fetch(`${server.origin}/api/auth/setup`, { method: "POST", body: JSON.stringify({ password: "correct horse battery" }) });

describe("a start", () => {
  it("logs three lines: the address, the data folder, and how to set a password while there is none", async () => {
    const dataFolder = await tempFolder();
    const server = await startIn(dataFolder);
    // Warnings come through another pipe, so the order in which they arrive is open.
    await Promise.all([server.logged(/setupCode=\S+/), server.logged(/dataFolder=\S+/)]);
    expect(linesOf(server).sort()).toEqual([
      expect.stringMatching(new RegExp(`^INFO  Sandpiper [0-9.]+ listens on ${server.origin}$`)),
      `INFO  all data is in one folder dataFolder=${dataFolder}`,
      expect.stringMatching(/^WARN {2}no admin password is set: .* dashboard or with SVC_ADMIN_PASSWORD\..* setupCode=[\w-]{19}$/),
    ]);
  });

  it("logs that a password protects the instance, and how to replace it", async () => {
    const dataFolder = await tempFolder();
    const first = await startIn(dataFolder);
    await first.logged(/setupCode/);
    expect((await setUp(first)).status).toBe(200);
    await first.stop();
    const stored = await startIn(dataFolder);
    await stored.logged(/protected by the admin password in the data folder; .* "sandpiper reset-password"/);
    expect(linesOf(stored)).toHaveLength(3);
    await stored.stop();
    const configured = await startIn(dataFolder, { SVC_ADMIN_PASSWORD: "another password" });
    await configured.logged(/protected by the admin password of the configuration \(admin_password\)/);
    expect(linesOf(configured)).toHaveLength(3);
  });

  it("starts no thread of the engine while an empty folder needs none, even to be ready", async () => {
    const server = await startIn(await tempFolder());
    const threads = async () => /^svc_engine_threads (\d+)$/m.exec(await (await fetch(`${server.origin}/metrics`)).text())?.[1];
    expect((await fetch(`${server.origin}/health/ready`)).status).toBe(200);
    expect(await threads()).toBe("0");
    expect((await fetch(`${server.origin}/health/detailed`)).status).toBe(200);
    expect(await threads()).toBe("1");
  });

  it("gives the thread that ingests events the highest priority", skippedFor(NO_THREAD_PRIORITY), async () => {
    const server = await startIn(await tempFolder());
    // Starts the engine, which an empty folder does not need.
    expect((await fetch(`${server.origin}/health/detailed`)).status).toBe(200);
    const tasks = `/proc/${server.pid}/task`;
    const niceOf = async (thread: string) => Number((await readFile(join(tasks, thread, "stat"), "utf8")).split(") ")[1]?.split(" ")[16]);
    expect(await niceOf(String(server.pid))).toBe(0);
    expect(await Promise.all((await readdir(tasks)).map(niceOf))).toContain(5);
  });

  it("names the public address if it differs from the listening one", async () => {
    const server = await startIn(await tempFolder(), { SVC_DASHBOARD_ORIGIN: "https://stats.example.com" });
    await server.logged(/listens on http:\/\/127\.0\.0\.1:\d+ publicUrl=https:\/\/stats\.example\.com\n/);
  });

  it("logs valid JSON lines with log_format = json, as the stop does", async () => {
    const dataFolder = await tempFolder();
    const spawned = spawnServer({ dataFolder, environment: { SVC_LOG_FORMAT: "json", SVC_ADMIN_PASSWORD: "another password" } });
    onTestFinished(() => spawned.kill9());
    await spawned.logged(/protected/);
    const server = { ...spawned, origin: /listens on ([^"]+)/.exec(spawned.log())?.[1] ?? "" };
    expect(await server.stop()).toBe(0);
    const lines = server.log().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { time: expect.any(String), level: "info", message: expect.stringMatching(/listens on http:\/\/127\.0\.0\.1:\d+$/) },
      { time: expect.any(String), level: "info", message: "all data is in one folder", dataFolder },
      { time: expect.any(String), level: "info", message: expect.stringContaining("protected") },
      { time: expect.any(String), level: "info", message: "SIGTERM: stopping" },
      { time: expect.any(String), level: "info", message: "stopped" },
    ]);
  });
});

describe("a stop", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("exits with 0 after %s, and the last line says that it has stopped", async (signal) => {
    // With a password there is no warning, which would come through another pipe.
    const server = await startIn(await tempFolder(), { SVC_ADMIN_PASSWORD: "another password" });
    expect(await server.stop(signal)).toBe(0);
    expect(linesOf(server).slice(-2)).toEqual([`INFO  ${signal}: stopping`, "INFO  stopped"]);
  });

  it.skipIf(process.platform !== "linux")("follows a SIGHUP to a program whose terminal was closed", async () => {
    const program = `exec ${process.execPath} ${MAIN_PATH}`;
    const terminal = await startServer({ dataFolder: await tempFolder(), command: ["/usr/bin/script", "-qec", program, "/dev/null"] });
    onTestFinished(() => terminal.kill9());
    const [pid] = (await readFile(`/proc/${terminal.pid}/task/${terminal.pid}/children`, "utf8")).split(" ");
    process.kill(Number(pid), "SIGHUP");
    expect(await terminal.exited).toEqual({ code: 0, signal: null });
    expect(terminal.log()).toMatch(/ INFO {2}SIGHUP: stopping\r\n.* INFO {2}stopped\r\n$/);
  });

  it("ignores a SIGHUP to a program without a terminal, such as a service, and logs that it keeps running", async () => {
    const server = await startIn(await tempFolder());
    process.kill(server.pid, "SIGHUP");
    await server.logged(/ WARN {2}SIGHUP is ignored: restart the program/);
    expect((await fetch(`${server.origin}/health`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(server.log()).toContain(" INFO  SIGTERM: stopping\n");
  });

  it("logs no warning before the query engine is up", async () => {
    const server = await startIn(await tempFolder(), { SVC_ADMIN_PASSWORD: "another password" });
    expect(await server.stop()).toBe(0);
    expect(linesOf(server).filter((line) => !line.startsWith("INFO"))).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("is graceful as soon as the process handles signals, even before it listens", async () => {
    const server = spawnServer({ dataFolder: await tempFolder() });
    onTestFinished(() => server.kill9());
    // The lowest bit of the caught signals is that of SIGHUP, which is handled last.
    const caught = async () => /SigCgt:\t[0-9a-f]*[13579bdf]\n/.test(await readFile(`/proc/${server.pid}/status`, "utf8"));
    await expect.poll(caught, { interval: 5 }).toBe(true);
    expect(await server.stop()).toBe(0);
    expect(server.log()).toContain(" INFO  stopped\n");
  });

  it("ends at once on a second signal, with exit code 1", async () => {
    const server = await startIn(await tempFolder());
    // A request whose body never ends.
    const socket = createConnection(Number(new URL(server.origin).port), "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write("POST /api/event HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\n{");
    await expect.poll(async () => (await fetch(`${server.origin}/health`)).status).toBe(200);
    const stopped = server.stop("SIGINT");
    await server.logged(/SIGINT: stopping/);
    const repeated = setInterval(() => void server.stop("SIGTERM"), 50);
    onTestFinished(() => clearInterval(repeated));
    expect(await stopped).toBe(1);
    expect(server.log()).not.toContain("stopped");
  });

  it("stays graceful if a second signal follows immediately, as from npm and a terminal that ends", async () => {
    const server = await startIn(await tempFolder());
    const stopped = server.stop("SIGINT");
    for (const signal of ["SIGINT", "SIGHUP"] as const) void server.stop(signal);
    expect(await stopped).toBe(0);
    expect(server.log()).toContain(" INFO  stopped\n");
  });
});
