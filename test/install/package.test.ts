/** The npm package: packed from a clone, installed without a network into an empty folder, and used there. */
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocksOf, linksOf, readPage, ROOT } from "../docs/pages.ts";
import { makeClone } from "../support/clone.ts";
import { runProcess, type Ended } from "../support/run-process.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { logLine } from "../support/uploads.ts";
import { CHROME_WINDOWS } from "../support/user-agents.ts";

/** docs/installation.md, "Requirements". */
const INSTALLED_BYTES_MAX = 60_000_000;

/** All that may be in the package. */
const PACKED = [
  /^(package\.json|LICENSE|(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md)$/,
  /^dist\/(main|engine-worker|parquet-worker|password-worker|rollup-worker)\.js$/,
  /^dist\/(engine\.wasm|countries\.mmdb|THIRD-PARTY-LICENSES\.txt)$/,
  /^deploy\/(sandpiper\.service|grafana\/sandpiper\.json|prometheus\/sandpiper\.rules\.yml)$/,
  /^docs\/(internals\/)?[\w-]+\.(md|png)$/,
  /^dist\/tracker\/(package\.json|module\.js|[\w-]+\.d\.ts)$/,
];

/** The user id of "nobody". */
const NOBODY = 65_534;

let clone = "";
let folder = "";
/** The packed file. */
let packed = "";

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
  packed = join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "");
  const installed = await npm(["install", "--offline", "--no-audit", "--no-fund", packed], join(folder, "site"));
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining("added 1 package") });
});
afterAll(async () => {
  await removeFolder(clone);
  await removeFolder(folder);
});

it("the package contains built files and the documents, needs no other package, and takes less than 60 MB", async () => {
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

/** The architecture links to the source, which is in the repository only. */
const SOURCE = /^(?:src|adapters|dashboard|tracker|test)\//;

it("every link from one document of the package to another file leads to a file of the package, or of the source", async () => {
  const installed = join(folder, "site/node_modules/sandpiper-analytics");
  const names = (await readdir(installed, { recursive: true })).filter((name) => name.endsWith(".md"));
  expect(names.length).toBeGreaterThan(20);
  const dead: string[] = [];
  for (const name of names) {
    const links = linksOf({ path: name, text: await readFile(join(installed, name), "utf8") });
    const files = links.filter((link) => !/^(?:[a-z]+:|#)/.test(link)).map((link) => link.split("#")[0] ?? "");
    const isThere = (path: string) => existsSync(join(SOURCE.test(path) ? ROOT : installed, path));
    dead.push(...files.filter((file) => !isThere(join(dirname(name), file))).map((file) => `${name}: ${file}`));
  }
  expect(dead).toEqual([]);
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
  async import() {
    await writeFile(join(folder, "site/access.log"), logLine("2026-02-01T10:00:00", "/"));
    const imported = await sandpiper(["import", "example.com", "access.log", "--yes"]);
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining("Import #1 is shown: 1 event of") });
  },
  /** Tables need the engine. */
  async export() {
    const exported = await sandpiper(["export", "--zip", "all.zip", "--format", "csv,reports", "--site", "example.com"]);
    expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining("example.com: 1 event, 1 day written") });
  },
  async rename() {
    expect(await sandpiper(["rename", "example.com", "example.org"])).toMatchObject({ code: 0 });
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
  const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*)(?: <\w+>…?)* {2,}/gm)].map(([, name = ""]) => name);
  expect(commands).toContain("serve");
  expect(commands.filter((name) => !(name in RUNS))).toEqual([]);
  for (const name of commands) await RUNS[name]?.();
  expect(await sandpiper(["--version"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

describe("the installation as a systemd service of docs/installation.md, pasted into a shell of root as a whole", () => {
  const [, section = ""] = readPage("docs/installation.md").text.split("\n### Run it as a systemd service\n");
  const [recipe] = codeBlocksOf({ path: "", text: section });

  /** What this test does not change: the machine's users and services. npm packs and installs what was packed before. */
  const MACHINE = `
    getent() { return 2; }
    useradd() { echo "useradd $*"; }
    systemctl() { echo "systemctl $*"; }
    curl() { echo ok; }
    npm() { case $1 in ci) ;; pack) echo "\${PACKED##*/}";; *) command npm --offline --no-audit --no-fund "$@";; esac; }
  `;

  let root = "";
  const inRoot = (path: string): string => join(root, path);
  const modeOf = async (path: string): Promise<number> => (await stat(inRoot(path))).mode & 0o777;

  /** A shell that reads the lines one after the other, as a terminal does: a command that reads its input would take the next ones. */
  async function paste(): Promise<Ended> {
    const lines = (recipe?.code ?? "").replaceAll(/(\s)\/(opt|etc)\//g, `$1${root}/$2/`);
    const environment = { HOME: folder, npm_config_cache: join(folder, "cache"), PACKED: packed };
    return runProcess(["bash", "-s"], { cwd: dirname(packed), environment, input: `${MACHINE}\numask 0077\n${lines}` });
  }

  beforeAll(async () => {
    root = await makeTempFolder();
    await chmod(root, 0o755);
    await mkdir(inRoot("etc/systemd/system"), { recursive: true });
    await cp(join(clone, "deploy"), join(folder, "deploy"), { recursive: true });
  });
  afterAll(() => removeFolder(root));

  it("installs a program that every user can run, a unit, and a password that only root can read, and prints it", async () => {
    const { code, stdout } = await paste();
    expect(code).toBe(0);
    const password = await readFile(inRoot("etc/sandpiper/admin_password"), "utf8");
    expect(password).toMatch(/^\S{24}\n$/);
    expect(stdout.endsWith(`systemctl daemon-reload\nsystemctl enable --now sandpiper\nok\n${password}`)).toBe(true);
    expect(stdout).toContain("useradd --system");
    expect([await modeOf("etc/sandpiper"), await modeOf("etc/sandpiper/admin_password")]).toEqual([0o700, 0o600]);
    expect(await readFile(inRoot("etc/systemd/system/sandpiper.service"), "utf8")).toBe(
      await readFile(join(clone, "deploy/sandpiper.service"), "utf8"),
    );
    expect(await modeOf("etc/systemd/system/sandpiper.service")).toBe(0o644);
    const asAnother = process.getuid?.() === 0 ? { uid: NOBODY } : {};
    expect(await runProcess([inRoot("opt/sandpiper/bin/sandpiper"), "--version"], { cwd: "/", ...asAnother })).toMatchObject({ code: 0 });
  });

  it("keeps the password when it is pasted again, and the program accepts it", async () => {
    const before = await readFile(inRoot("etc/sandpiper/admin_password"), "utf8");
    expect(await paste()).toMatchObject({ code: 0, stdout: expect.stringContaining(before) });
    const server = await startServer({
      dataFolder: inRoot("data"),
      command: [inRoot("opt/sandpiper/bin/sandpiper")],
      environment: { PATH: process.env["PATH"] ?? "", SVC_ADMIN_PASSWORD_FILE: inRoot("etc/sandpiper/admin_password") },
    });
    const login = await fetch(`${server.origin}/api/auth/login`, { method: "POST", body: JSON.stringify({ password: before.trim() }) });
    expect([login.status, await server.stop()]).toEqual([200, 0]);
  });
});
