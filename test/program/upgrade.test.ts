/** An upgrade replaces the program's files while it runs (docs/operations.md, "Upgrading"): it works on until it is restarted. */
import { cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { DAY_MS, utcDateOf } from "../../src/storage/event.ts";
import { MAIN_PATH } from "../support/built.ts";
import { runProcess } from "../support/run-process.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder, tempFolder } from "../support/temp-folder.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

const BUILD_LINE = /^\/\/ Build \w+$/m;

/** Has the length of every build line, so it can overwrite one in engine.wasm. */
const NEXT_LINE = `// Build ${"next".padStart(64, "0")}`;

const programOf = (folder: string): readonly string[] => [process.execPath, join(folder, "main.js")];

/** A copy of the built program. */
async function install(): Promise<string> {
  const folder = await tempFolder();
  for (const name of await readdir(join(MAIN_PATH, ".."))) {
    if (/\.(?:js|wasm|mmdb)$/.test(name)) await cp(join(MAIN_PATH, "..", name), join(folder, name));
  }
  return folder;
}

/** Another version of the program. */
async function installNext(): Promise<string> {
  const folder = await install();
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".js")) continue;
    const text = await readFile(join(folder, name), "utf8");
    // main.js compares other files with its line in several places.
    const line = name === "main.js" ? /"\/\/ Build \w+"/g : BUILD_LINE;
    expect(text).toMatch(line);
    const renamed = text.replace(line, name === "main.js" ? `"${NEXT_LINE}"` : NEXT_LINE);
    await writeFile(join(folder, name), renamed.replace(/(PROGRAM_VERSION = )"[^"]+"/, '$1"99.0.0"'));
  }
  const engine = await readFile(join(folder, "engine.wasm"));
  engine.write(NEXT_LINE, engine.length - NEXT_LINE.length, "latin1");
  await writeFile(join(folder, "engine.wasm"), engine);
  return folder;
}

async function start(folder: string, dataFolder: string): Promise<ServerProcess> {
  const server = await startServer({ dataFolder, command: programOf(folder) });
  onTestFinished(() => server.kill9());
  // The engine's thread compiles its module from the start on.
  await expect.poll(async () => (await fetch(`${server.origin}/health/ready`)).status).toBe(200);
  return server;
}

async function json(response: Response): Promise<unknown> {
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text);
}

const visit = ({ origin }: ServerProcess): Promise<Response> =>
  fetch(`${origin}/api/event`, {
    method: "POST",
    headers: { "user-agent": CHROME_WINDOWS },
    body: JSON.stringify({ d: "own.example", n: "pageview", u: "/" }),
  });

const metric = async ({ origin }: ServerProcess, line: RegExp): Promise<number> =>
  Number(line.exec(await (await fetch(`${origin}/metrics`)).text())?.[1]);

const MISSING = /^svc_rollup_partitions\{state="missing"\} (\d+)$/m;
const STORED = /^svc_rollup_partitions\{state="stored"\} (\d+)$/m;
const MADE = /^svc_rollups_made_total (\d+)$/m;

/** A data folder with 100 days of the demo site, each in a rollup, so that a start has few or none to make. */
let prepared = "";
beforeAll(async () => {
  prepared = await makeTempFolder();
  const making = await startServer({ dataFolder: prepared, environment: { SVC_ROLLUPS: "false", SVC_RETENTION_DAYS: "100" } });
  await json(await fetch(`${making.origin}/api/demo`, { method: "POST" }));
  await making.stop();
  const adding = await startServer({ dataFolder: prepared });
  const areInRollups = async () => (await metric(adding, STORED)) > 0 && (await metric(adding, MISSING)) === 0;
  await vi.waitUntil(areInRollups, { timeout: 100_000 });
  await adding.stop();
});
afterAll(() => removeFolder(prepared));

async function preparedFolder(): Promise<string> {
  const dataFolder = await tempFolder();
  await cp(prepared, dataFolder, { recursive: true });
  return dataFolder;
}

/** Uses every kind of thread: for passwords, queries, Parquet files and rollups. */
async function useThreads(server: ServerProcess): Promise<void> {
  const { origin } = server;
  const setUp = await fetch(`${origin}/api/auth/setup`, { method: "POST", body: JSON.stringify({ password: "correct horse battery" }) });
  const { token } = (await json(setUp)) as { token: string };
  const headers = { cookie: `svc_session=${token}`, origin };
  const get = (path: string) => fetch(origin + path, { headers });
  expect((await visit(server)).status).toBe(202);
  expect(await json(await get("/api/stats/main?site_id=own.example"))).toMatchObject({ total_events: 1 });
  const exported = await get("/api/stats/export?site_id=own.example");
  // The header and 30 days.
  expect([exported.status, (await exported.text()).trimEnd().split("\n").length]).toEqual([200, 31]);
  const made = await metric(server, MADE);
  const day = utcDateOf(Date.now() - 50 * DAY_MS);
  await json(await fetch(`${origin}/api/gdpr/erase?site_id=demo.example&start_date=${day}&end_date=${day}`, { method: "DELETE", headers }));
  // A rollup that was being made of these days is tried again after a minute.
  await expect.poll(() => metric(server, MADE), { timeout: 100_000 }).toBeGreaterThan(made);
  // From rollups, by the thread that answers dashboards.
  await json(await get("/api/stats/breakdown/pages?site_id=demo.example&period=12mo"));
}

const scriptsIn = async (folder: string): Promise<string[]> => (await readdir(folder)).filter((name) => name.endsWith("-worker.js"));

it.each([
  ["removed", (folder: string) => rm(folder, { recursive: true })],
  [
    "overwritten with those of another version, which does not understand it",
    async (folder: string) => {
      for (const name of await readdir(folder)) await writeFile(join(folder, name), 'throw new Error("another version");\n');
    },
  ],
])("a program whose files were %s while it runs starts all of its threads", async (_, replace) => {
  const [folder, dataFolder] = [await install(), await preparedFolder()];
  const server = await start(folder, dataFolder);
  await replace(folder);
  await useThreads(server);
  expect(await server.stop()).toBe(0);
  expect(server.log()).not.toMatch(/ ERROR |another version/);
});

it("the documented upgrade works: get the new version while the old one runs, restart, and check the version", async () => {
  const [folder, next, dataFolder] = [await install(), await installNext(), await preparedFolder()];
  const old = await start(folder, dataFolder);
  for (const name of await readdir(next)) await rename(join(next, name), join(folder, name));
  await useThreads(old);
  expect(await old.stop()).toBe(0);
  const restarted = await start(folder, dataFolder);
  expect(await json(await fetch(`${restarted.origin}/health/detailed`))).toMatchObject({ version: "99.0.0" });
  expect((await visit(restarted)).status).toBe(202);
  expect(await restarted.stop()).toBe(0);
});

it("a start in the middle of an upgrade fails with the name of the file that is missing or belongs to another build", async () => {
  const [folder, next, dataFolder] = [await install(), await installNext(), await tempFolder()];
  const run = () => runProcess(programOf(folder), { environment: { SVC_DATA_DIR: dataFolder, SVC_PORT: "0" } });
  const scripts = await scriptsIn(folder);
  expect(scripts).toHaveLength(4);
  for (const name of [...scripts, "engine.wasm"]) {
    const own = await readFile(join(folder, name));
    await cp(join(next, name), join(folder, name));
    const mixed = await run();
    expect(mixed).toMatchObject({ code: 1, stderr: expect.stringContaining(`${name} belongs to another build than main.js`) });
    await rm(join(folder, name));
    const missing = await run();
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(new RegExp(`cannot start: ${name}.* cannot be read: ENOENT`)) });
    await writeFile(join(folder, name), own);
  }
  expect(await (await start(folder, dataFolder)).stop()).toBe(0);
});
