/** The commands of docs/backup.md work, one after the other, with the programs that are installed here. */
import { spawnSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fillDataFolder } from "../support/data-folder.ts";
import { runProcess } from "../support/run-process.ts";
import { startServer } from "../support/server-process.ts";
import { skippedFor } from "../support/skipped.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { commandsIn, withBuiltProgram } from "./commands.ts";
import { codeBlocksOf, readPage } from "./pages.ts";

const blocks = codeBlocksOf(readPage("docs/backup.md"));
const [crontab = ""] = blocks.filter(({ language }) => language === "crontab").map(({ code }) => code.trim());
const shell = blocks.filter(({ language }) => language === "sh").map(({ code }) => commandsIn(code));

/** A command that serves until it is stopped. */
const isServer = (command: string): boolean => command.startsWith("sandpiper --");

/** Why commands of another program are skipped; null if they run. */
const absent = (program: string): string | null =>
  spawnSync(program, ["version"]).error === undefined ? null : `${program} is not installed on this machine.`;
const SKIPPED: Readonly<Record<string, string | null>> = { restic: absent("restic"), rclone: absent("rclone") };

let folder: string;
let dataFolder: string;

/** The command with the program and the folders of this test in the place of those in the document. */
function here(command: string): string {
  const places: Readonly<Record<string, string>> = {
    "/opt/sandpiper/bin/": "",
    // The user of the server.
    " -o sandpiper -g sandpiper": "",
    "/var/lib/sandpiper": dataFolder,
    // restic creates the whole path of what it restores.
    "/tmp/fetched/backups/": `${folder}/fetched${folder}/backups/`,
    "/backups/": `${folder}/backups/`,
    "/tmp/": `${folder}/`,
    "/etc/": `${folder}/`,
  };
  return withBuiltProgram(command.replaceAll(new RegExp(Object.keys(places).join("|"), "g"), (found) => places[found] ?? found));
}

async function run(script: string): Promise<{ readonly code: number; readonly printed: string }> {
  // A restore with the configuration's data folder comes after the damaged one was moved away.
  const isRestore = /restore \S+ --config/.test(script);
  const environment = {
    HOME: folder,
    SVC_DATA_DIR: isRestore ? join(folder, "new") : dataFolder,
    RESTIC_REPOSITORY: join(folder, "restic"),
    RESTIC_PASSWORD_FILE: join(folder, "restic-password"),
    RCLONE_CONFIG_OFFSITE_TYPE: "alias",
    RCLONE_CONFIG_OFFSITE_REMOTE: join(folder, "offsite"),
  };
  const { code, stdout, stderr } = await runProcess(["bash", "-euc", here(script)], { cwd: folder, environment });
  return { code, printed: stdout + stderr };
}

beforeAll(async () => {
  folder = await makeTempFolder();
  dataFolder = join(folder, "data");
  await mkdir(dataFolder);
  await fillDataFolder(dataFolder);
  await mkdir(join(folder, "offsite"));
  const [toml] = codeBlocksOf(readPage("docs/configuration.md")).filter(({ language }) => language === "toml");
  await writeFile(join(folder, "sandpiper.toml"), toml?.code ?? "");
  await writeFile(join(folder, "restic-password"), "correct horse");
});
afterAll(() => removeFolder(folder));

describe("the commands of docs/backup.md", () => {
  for (const commands of shell) {
    const scripts = commands.filter((command) => !isServer(command));
    const [, reason = null] = Object.entries(SKIPPED).find(([program]) => scripts.join("\n").includes(program)) ?? [];
    it(`${commands.join("; ")} succeed`, skippedFor(reason), async () => {
      const ended = await run(scripts.join("\n"));
      expect(ended).toMatchObject({ code: 0 });
      if (scripts.some((command) => /sandpiper (backup|verify|restore)\b/.test(command))) expect(ended.printed).toContain("no fault");
      for (const server of commands.filter(isServer)) {
        const { origin, stop } = await startServer({ command: ["bash", "-c", `exec ${here(server).replace(/--port \d+/, "--port 0")}`] });
        onTestFinished(async () => void (await stop()));
        expect(await (await fetch(`${origin}/api/sites`)).json()).toEqual({ sites: ["B:Other.", "a.test"] });
      }
    });
  }

  it("have a crontab with the folders of Node and a line of five fields and a user, whose command makes a backup", async () => {
    expect(crontab).toMatch(/^PATH=\/usr\/local\/bin:\/usr\/bin:\/bin\n/);
    const [, command = ""] = /^(?:[\d*]+ ){5}sandpiper (.+)$/m.exec(crontab) ?? [];
    const before = await readdir(join(folder, "backups", "sandpiper")).catch(() => []);
    // Cron takes a percent sign for the end of a line.
    expect(command).not.toContain("%");
    expect(await run(command)).toMatchObject({ code: 0 });
    expect((await readdir(join(folder, "backups", "sandpiper"))).length).toBe(before.length + 1);
  });
});
