/** `npm start` in a clone: builds when the sources differ from those of the last build, and then only. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { makeClone } from "../support/clone.ts";
import { runProcess, type Ended, type RunOptions } from "../support/run-process.ts";
import { startServer } from "../support/server-process.ts";
import { removeFolder, tempFolder } from "../support/temp-folder.ts";

/** The user id of "nobody". */
const NOBODY = 65_534;

let clone = "";
beforeAll(async () => {
  clone = await makeClone();
});
afterAll(() => removeFolder(clone));

const dist = (name = "") => join(clone, "dist", name);

/** Runs the script of `npm start`. */
const start = (args: readonly string[] = [], options: Partial<RunOptions> = {}): Promise<Ended> =>
  runProcess([process.execPath, "adapters/node/start.mjs", ...args], { cwd: clone, ...options });

/** Changes a source, so that a build of it prints another version. */
async function setVersion(version: string): Promise<void> {
  const path = join(clone, "package.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
  await writeFile(path, JSON.stringify({ ...manifest, version }));
}

/** When the program was built. */
const builtMs = async (): Promise<number> => (await stat(dist("main.js"))).mtimeMs;

/**
 * Takes the right to write to the clone from the programs of the running test: from root's by running them as another user, from
 * those of anybody else by the modes of the folders.
 */
async function forbidWrites(): Promise<Pick<RunOptions, "uid">> {
  if (process.getuid?.() === 0) {
    // What the tests have copied and built may be root's alone, by its umask.
    expect(await runProcess(["chmod", "-R", "go=rX", clone])).toMatchObject({ code: 0 });
    return { uid: NOBODY };
  }
  const entries = await readdir(clone, { recursive: true, withFileTypes: true });
  const folders = [clone, ...entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name))];
  const setModes = async (mode: number) => {
    for (const folder of folders) await chmod(folder, mode);
  };
  await setModes(0o555);
  onTestFinished(() => setModes(0o755));
  return {};
}

/** Kills what is left of the processes that this one has started. */
function killGroup(leader = 0): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // Nothing is left.
  }
}

/** All files of the clone but those of packages, each with the time of its last change. */
async function filesOfClone(): Promise<string[]> {
  const names = (await readdir(clone, { recursive: true })).filter((name) => !name.startsWith("node_modules"));
  return Promise.all(names.map(async (name) => `${name} ${(await stat(join(clone, name))).mtimeMs}`));
}

/** What a start prints before it builds. */
const BUILDING = "Building Sandpiper. This takes some seconds.\n";

it("an unbuilt clone without the packages of the build fails with one sentence that says what to do", async () => {
  await rename(join(clone, "node_modules"), join(clone, "packages"));
  onTestFinished(() => rename(join(clone, "packages"), join(clone, "node_modules")));
  for (const args of [[], ["verify"], ["--help"]]) {
    const sentence =
      "Sandpiper is not built from the current sources, and the packages that build it are not installed: run `npm ci`, then `npm run build`.\n";
    expect(await start(args)).toEqual({ code: 1, stdout: "", stderr: sentence });
  }
});

it("two first starts at the same time both report the build, and run", async () => {
  await setVersion("1.0.0");
  const both = await Promise.all([start(["--version"]), start(["--version"])]);
  for (const ended of both) expect(ended).toEqual({ code: 0, stdout: "1.0.0\n", stderr: BUILDING });
  expect((await readdir(dist())).filter((name) => name.startsWith("."))).toEqual([]);
});

it("`npm start` passes arguments on, and starts an existing build without building again", async () => {
  const before = await builtMs();
  const ended = await runProcess(["npm", "start", "--", "--version"], { cwd: clone, environment: { HOME: clone } });
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n1\.0\.0\n$/) });
  expect(await builtMs()).toBe(before);
});

it("a copy of a built clone, whose files all have new times, starts without building", async () => {
  const before = await builtMs();
  for (const name of ["adapters/node/main.ts", "src/handlers/app.ts", "package.json"])
    await utimes(join(clone, name), new Date(), new Date());
  expect(await start(["--version"])).toEqual({ code: 0, stdout: "1.0.0\n", stderr: "" });
  expect(await builtMs()).toBe(before);
});

it("`npm start` builds again after a change of the sources", async () => {
  await setVersion("2.0.0");
  expect(await start(["--version"])).toMatchObject({ code: 0, stdout: "2.0.0\n" });
});

it("a build that lacks a file is replaced, even beside links that lead nowhere", async () => {
  await rm(dist("engine.wasm"));
  await symlink("nobody@nowhere.1", join(clone, "src", ".#locked.ts"));
  onTestFinished(() => rm(join(clone, "src", ".#locked.ts")));
  expect(await start(["--version"])).toMatchObject({ code: 0, stdout: "2.0.0\n" });
  expect((await stat(dist("engine.wasm"))).isFile()).toBe(true);
});

it("an npm that is stopped during the build starts no server", async () => {
  await setVersion("3.1.0");
  const environment = { PATH: process.env["PATH"], HOME: clone, SVC_PORT: "0", SVC_DATA_DIR: await tempFolder() };
  const npm = spawn("npm", ["start"], { cwd: clone, env: environment, stdio: ["ignore", "pipe", "ignore"], detached: true });
  onTestFinished(() => killGroup(npm.pid));
  await expect.poll(() => readdir(dist()), { interval: 5 }).toContainEqual(expect.stringMatching(/^\.build-/));
  let printed = "";
  npm.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  npm.kill();
  // The last process that can write to its output has ended: no server is left.
  await once(npm, "close");
  expect(printed).not.toContain("listens");
});

it("a build that was killed half-way is not used", async () => {
  await setVersion("3.0.0");
  const build = spawn(process.execPath, ["adapters/node/build-main.mjs"], { cwd: clone, stdio: "ignore", detached: true });
  await expect.poll(() => readdir(dist()), { interval: 5 }).toContainEqual(expect.stringMatching(/^\.build-/));
  process.kill(-(build.pid ?? 0), "SIGKILL");
  await once(build, "exit");
  expect(await start(["--version"])).toMatchObject({ code: 0, stdout: "3.0.0\n" });
});

it("a built clone without packages starts: `npm ci --omit=dev` installs none", async () => {
  await rename(join(clone, "node_modules"), join(clone, "packages"));
  onTestFinished(() => rename(join(clone, "packages"), join(clone, "node_modules")));
  const server = await startServer({ dataFolder: await tempFolder(), command: [process.execPath, "adapters/node/start.mjs"], cwd: clone });
  expect((await fetch(`${server.origin}/health/ready`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

it("a user who cannot write to a built clone can start it, and only the data folder is written", async () => {
  const dataFolder = await tempFolder();
  const user = await forbidWrites();
  if (user.uid !== undefined) await chown(dataFolder, user.uid, user.uid);
  const before = await filesOfClone();
  const command = [process.execPath, "adapters/node/start.mjs"];
  const server = await startServer({ dataFolder, command, cwd: clone, ...user });
  expect((await fetch(`${server.origin}/health/ready`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(await filesOfClone()).toEqual(before);
  expect(await readdir(dataFolder)).toEqual(expect.arrayContaining(["journal", "secret"]));
});

it("a user who cannot write to a clone with newer sources is told to build as its owner", async () => {
  await setVersion("4.0.0");
  const { code, stdout, stderr } = await start(["--version"], await forbidWrites());
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  // Where that user cannot read this repository's packages either, they count as not installed.
  expect(stderr.replace(BUILDING, "")).toMatch(
    /^Sandpiper is not built from the current sources, and (its folder cannot be written|the packages) .*\.\n$/,
  );
});
