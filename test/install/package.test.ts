/** The npm package: packed from a clone, installed without a network into an empty folder, and used there. */
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeClone } from "../support/clone.ts";
import { runProcess, type Ended } from "../support/run-process.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

/** docs/installation.md, "Requirements". */
const INSTALLED_BYTES_MAX = 60_000_000;

/** All that may be in the package. */
const PACKED = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/(main|engine-worker|parquet-worker|password-worker|rollup-worker)\.js$/,
  /^dist\/(engine\.wasm|countries\.mmdb|THIRD-PARTY-LICENSES\.txt)$/,
  /^deploy\/sandpiper\.service$/,
  /^docs\/[\w-]+\.(md|png)$/,
  /^dist\/tracker\/(package\.json|module\.js|[\w-]+\.d\.ts)$/,
];

let clone = "";
let folder = "";

/** npm in a folder, with nothing in its cache. */
const npm = (args: readonly string[], cwd: string): Promise<Ended> =>
  runProcess(["npm", ...args], { cwd, environment: { HOME: folder, npm_config_cache: join(folder, "cache") } });

const program = (): string => join(folder, "site/node_modules/.bin/sandpiper");

/** Runs a command in the folder of the installation, which has the data in `data`. */
const sandpiper = (args: readonly string[], input = ""): Promise<Ended> =>
  runProcess([program(), ...args], { cwd: join(folder, "site"), input });

const startHere = (args: readonly string[] = []): Promise<ServerProcess> =>
  startServer({ command: [program(), ...args], cwd: join(folder, "site"), environment: { PATH: process.env["PATH"] ?? "" } });

beforeAll(async () => {
  clone = await makeClone();
  folder = await makeTempFolder();
  await mkdir(join(folder, "site"));
  expect(await npm(["pack", "--pack-destination", folder], clone)).toMatchObject({ code: 0 });
  const [packed = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  const installed = await npm(["install", "--offline", "--no-audit", "--no-fund", join(folder, packed)], join(folder, "site"));
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining("added 1 package") });
});
afterAll(async () => {
  await removeFolder(clone);
  await removeFolder(folder);
});

it("the package has built files and the documents, needs no other package, and takes less than 60 MB", async () => {
  const installed = join(folder, "site/node_modules");
  expect((await readdir(installed)).filter((name) => !name.startsWith("."))).toEqual(["sandpiper-analytics"]);
  let bytes = 0;
  const strays: string[] = [];
  for (const name of await readdir(join(installed, "sandpiper-analytics"), { recursive: true })) {
    const status = await stat(join(installed, "sandpiper-analytics", name));
    if (!status.isFile()) continue;
    bytes += status.size;
    if (!PACKED.some((pattern) => pattern.test(name))) strays.push(name);
  }
  expect(strays).toEqual([]);
  // The help and the README name pages.
  expect((await stat(join(installed, "sandpiper-analytics/docs/configuration.md"))).isFile()).toBe(true);
  expect(bytes).toBeLessThan(INSTALLED_BYTES_MAX);
});

it("the tracker can be imported from the package", async () => {
  const script = `import("sandpiper-analytics/tracker").then(({ track }) => console.log(typeof track))`;
  const ended = await runProcess([process.execPath, "--eval", script], { cwd: join(folder, "site") });
  expect(ended).toMatchObject({ code: 0, stdout: "function\n" });
});

it("the installed program stores its data in the current folder and counts an event", async () => {
  const server = await startHere();
  const event = { d: "here.test", n: "pageview", u: "https://here.test/" };
  const posted = await fetch(`${server.origin}/api/event`, {
    method: "POST",
    headers: { "user-agent": CHROME_WINDOWS },
    body: JSON.stringify(event),
  });
  expect(posted.status).toBe(202);
  const stats = await fetch(`${server.origin}/api/stats/main?site_id=here.test`);
  expect(await stats.json()).toMatchObject({ unique_visitors: 1, total_events: 1 });
  expect(await server.stop()).toBe(0);
  expect(await readdir(join(folder, "site/data"))).toContain("events");
});

/** How to run each command of the help, and what shows that it works. */
const RUNS: Readonly<Record<string, () => Promise<void>>> = {
  async serve() {
    const server = await startHere(["serve"]);
    expect(await server.stop()).toBe(0);
  },
  async verify() {
    expect(await sandpiper(["verify"])).toMatchObject({ code: 0, stdout: expect.stringContaining("no fault") });
  },
  async backup() {
    expect(await sandpiper(["backup", "copy"])).toMatchObject({ code: 0, stdout: expect.stringContaining("no fault") });
  },
  async restore() {
    const restored = await sandpiper(["restore", "copy", "--data-dir", "restored"]);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining("no fault") });
  },
  /** There is no ClickHouse to fill: test/fault/reindex-kill.test.ts runs it with one. */
  async reindex() {
    const refused = await sandpiper(["reindex"]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('engine is "duckdb", which needs no index') });
  },
  async "reset-password"() {
    const server = await startHere();
    await fetch(`${server.origin}/api/auth/setup`, { method: "POST", body: JSON.stringify({ password: "correct horse battery" }) });
    await server.stop();
    expect(await sandpiper(["reset-password"], "another correct horse\n")).toMatchObject({ code: 0 });
  },
  async healthcheck() {
    const server = await startHere();
    await expect.poll(async () => (await fetch(`${server.origin}/health/ready`)).status).toBe(200);
    expect(await sandpiper(["healthcheck", "--port", new URL(server.origin).port])).toMatchObject({ code: 0 });
    await server.stop();
  },
};

it("every command of the help runs in the installed program", async () => {
  const { stdout: help } = await sandpiper(["--help"]);
  const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*)(?: <\w+>)* {2,}/gm)].map(([, name = ""]) => name);
  expect(commands).toContain("serve");
  expect(commands.filter((name) => !(name in RUNS))).toEqual([]);
  for (const name of commands) await RUNS[name]?.();
  expect(await sandpiper(["--version"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});
