/** Only the program's own user can read the data folder and backups, whatever the umask and whoever created the folder. */
import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createKey, postSetup, tokenOf, withSession } from "../support/auth-requests.ts";
import { MAIN_PATH } from "../support/built.ts";
import { QUICK_ENGINE_FLAGS } from "../support/engine-flags.ts";
import { asTarget } from "../support/node-target.ts";
import { record, wireEvent } from "../support/requests.ts";
import { spawnServer, startServer, type ServerProcess } from "../support/server-process.ts";
import { skippedFor } from "../support/skipped.ts";
import { fillDataFolder } from "../support/data-folder.ts";
import { tempFolder } from "../support/temp-folder.ts";

const ENVIRONMENT = { SVC_FLUSH_EVENT_COUNT: "3" };

const NOT_ROOT = process.getuid?.() === 0 ? null : "Only root can give folders to other users.";

const OTHER_USER = 12345;

/** The program as a shell with that umask starts it. */
const withUmask = (umask: string): string[] => [
  "/bin/sh",
  "-c",
  `umask ${umask}; exec "$0" "$@"`,
  process.execPath,
  ...QUICK_ENGINE_FLAGS,
  MAIN_PATH,
];

/** Paths below a folder, with it as "", whose modes are not those of private files and folders. */
async function openPaths(folder: string): Promise<string[]> {
  const below = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = ["", ...below.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length))];
  const modes = await Promise.all(
    paths.map(async (path) => {
      const status = await stat(folder + path).catch(() => null);
      const wanted = status?.isDirectory() ? 0o700 : 0o600;
      return status === null || (status.mode & 0o777) === wanted ? [] : [`${path} ${(status.mode & 0o777).toString(8)}`];
    }),
  );
  return modes.flat();
}

async function fill(server: ServerProcess): Promise<void> {
  const target = asTarget(server);
  await createKey(target, withSession(await tokenOf(await postSetup(target))), "ReadOnly");
  for (let event = 0; event < 4; event++) await record(target, wireEvent("modes.test"));
}

const filesBelow = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => /\.parquet$|\.journal$/.test(name));

describe("file modes", () => {
  it.each(["000", "022", "077", "777"])(
    "file modes give only the program's user access to the data folder and to a backup (umask %s)",
    async (umask) => {
      const dataFolder = join(await tempFolder(), "new", "data");
      const backup = join(await tempFolder(), "backup");
      const server = await startServer({ dataFolder, environment: ENVIRONMENT, command: withUmask(umask) });
      await fill(server);
      await expect.poll(async () => (await filesBelow(dataFolder)).some((name) => name.endsWith(".parquet"))).toBe(true);
      expect(await openPaths(dataFolder)).toEqual([]);
      const [shell = "", ...args] = withUmask(umask);
      await promisify(execFile)(shell, [...args, "backup", backup], { env: { SVC_DATA_DIR: dataFolder } });
      expect(await filesBelow(backup)).not.toEqual([]);
      expect(await openPaths(backup)).toEqual([]);
      expect(await server.stop()).toBe(0);
    },
  );

  it("file modes are restricted at the start in a data folder that others could read, except those of foreign files", async () => {
    const dataFolder = await tempFolder();
    const first = await startServer({ dataFolder, environment: ENVIRONMENT });
    await fill(first);
    expect(await first.stop()).toBe(0);
    for (const path of await readdir(dataFolder, { recursive: true })) {
      await chmod(join(dataFolder, path), (await stat(join(dataFolder, path))).isDirectory() ? 0o755 : 0o644);
    }
    await chmod(dataFolder, 0o755);
    await mkdir(join(dataFolder, "notes"));
    await chmod(join(dataFolder, "notes"), 0o755);
    const next = await startServer({ dataFolder, environment: ENVIRONMENT });
    // From the beginning nobody else gets in; the files of each site follow when they are listed for the first merges.
    expect((await stat(dataFolder)).mode & 0o777).toBe(0o700);
    await expect.poll(() => openPaths(dataFolder)).toEqual(["/notes 755"]);
    expect(next.log()).not.toMatch(/ WARN +other users/);
    expect(await next.stop()).toBe(0);
  });

  it("file modes are restricted for an empty folder that receives a backup", async () => {
    const dataFolder = await tempFolder();
    const backup = await tempFolder();
    await fillDataFolder(dataFolder);
    await chmod(backup, 0o755);
    await promisify(execFile)(process.execPath, [MAIN_PATH, "backup", backup], { env: { SVC_DATA_DIR: dataFolder } });
    expect(await openPaths(backup)).toEqual([]);
  });

  it(
    "file modes stay unchanged for a data folder of another user, which one log line reports, and are restricted for its content",
    skippedFor(NOT_ROOT),
    async () => {
      const dataFolder = await tempFolder();
      await chown(dataFolder, OTHER_USER, OTHER_USER);
      await chmod(dataFolder, 0o755);
      const server = await startServer({ dataFolder, environment: ENVIRONMENT });
      await fill(server);
      expect((await openPaths(dataFolder)).filter((path) => path !== " 755")).toEqual([]);
      expect((await stat(dataFolder)).mode & 0o777).toBe(0o755);
      await server.logged(/ WARN +other users can open/);
      expect(server.log().match(/ WARN +other users can open the data folder [^\n]* because it belongs to another user/g)).toHaveLength(1);
      expect(await server.stop()).toBe(0);
    },
  );

  it("after a start as root, the start as another user ends with the name of the owner", skippedFor(NOT_ROOT), async () => {
    const dataFolder = await tempFolder();
    await chown(dataFolder, OTHER_USER, OTHER_USER);
    const asRoot = await startServer({ dataFolder, environment: ENVIRONMENT });
    await fill(asRoot);
    expect(await asRoot.stop()).toBe(0);
    const refused = spawnServer({ dataFolder, environment: ENVIRONMENT, uid: OTHER_USER });
    expect(await refused.exited).toEqual({ code: 1, signal: null });
    expect(refused.log()).toMatch(
      /^sandpiper cannot start: the data folder .* cannot be read: EACCES.*\. \/\S+\/\w+ belongs to root, but this process runs as user 12345\n$/,
    );
    // The lock itself cannot be taken.
    await chown(dataFolder, 0, 0);
    const locked = spawnServer({ dataFolder, environment: ENVIRONMENT, uid: OTHER_USER });
    expect(await locked.exited).toEqual({ code: 1, signal: null });
    expect(locked.log()).toContain(`${dataFolder} belongs to root, but this process runs as user 12345\n`);
  });

  it.each(["500", "000"])(
    "a start names no other user if it is the mode %s of its data folder that refuses it",
    skippedFor(NOT_ROOT),
    async (mode) => {
      const dataFolder = await tempFolder();
      await chown(dataFolder, OTHER_USER, OTHER_USER);
      await chmod(dataFolder, Number.parseInt(mode, 8));
      const refused = spawnServer({ dataFolder, environment: ENVIRONMENT, uid: OTHER_USER });
      expect(await refused.exited).toEqual({ code: 1, signal: null });
      expect(refused.log()).toMatch(/^sandpiper cannot start: .*EACCES/);
      expect(refused.log()).not.toContain("belongs to");
    },
  );

  it("file modes stay unchanged for a data folder in which every user may create files", skippedFor(NOT_ROOT), async () => {
    const dataFolder = await tempFolder();
    await chmod(dataFolder, 0o1777);
    const server = await startServer({ dataFolder, environment: ENVIRONMENT });
    expect((await stat(dataFolder)).mode & 0o7777).toBe(0o1777);
    await server.logged(/ WARN +other users can open the data folder/);
    expect(await server.stop()).toBe(0);
  });
});
