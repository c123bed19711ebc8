/** The command `reset-password` of the built program: from standard input, from a terminal, and what it refuses. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createKey, postLogin, postSetup, tokenOf, withBearer, withSession } from "../support/auth-requests.ts";
import { MAIN_PATH } from "../support/built.ts";
import { asTarget } from "../support/node-target.ts";
import { runProgram, type RunOptions } from "../support/run-process.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import type { Target } from "../support/target.ts";
import { tempFolder } from "../support/temp-folder.ts";

const NEW_PASSWORD = "a new pässword of mine";

async function startIn(dataFolder: string): Promise<{ server: ServerProcess; target: Target }> {
  const server = await startServer({ dataFolder });
  onTestFinished(() => server.kill9());
  return { server, target: asTarget(server) };
}

const reset = (dataFolder: string, options: RunOptions) => runProgram(["reset-password", "--data-dir", dataFolder], options);

/** A folder with a password and a key, and no process. */
async function folderWithPassword() {
  const dataFolder = await tempFolder();
  const { server, target } = await startIn(dataFolder);
  const session = withSession(await tokenOf(await postSetup(target)));
  const { key } = await createKey(target, session, "ReadOnly");
  expect(await server.stop()).toBe(0);
  return { dataFolder, session, key };
}

describe("reset-password", () => {
  it("replaces the password, ends sessions, keeps API keys, and leaves no other file behind", async () => {
    const { dataFolder, session, key } = await folderWithPassword();
    const files = await readdir(dataFolder);
    expect(await reset(dataFolder, { input: `${NEW_PASSWORD}\n` })).toEqual({
      code: 0,
      stdout: "the admin password is replaced; API keys stay valid\n",
      stderr: "",
    });
    expect(await readdir(dataFolder)).toEqual(files);
    expect((await stat(join(dataFolder, "admin.json"))).mode & 0o777).toBe(0o600);
    const { target } = await startIn(dataFolder);
    expect((await postLogin(target)).status).toBe(401);
    expect((await postLogin(target, NEW_PASSWORD)).status).toBe(200);
    expect((await target.fetch("/api/sites", { headers: session })).status).toBe(401);
    expect((await target.fetch("/api/sites", { headers: withBearer(key) })).status).toBe(200);
  });

  it("repairs a damaged password file", async () => {
    const dataFolder = await tempFolder();
    await writeFile(join(dataFolder, "admin.json"), "{");
    expect(await reset(dataFolder, { input: NEW_PASSWORD })).toMatchObject({ code: 0 });
    const { target } = await startIn(dataFolder);
    expect((await postLogin(target, NEW_PASSWORD)).status).toBe(200);
  });

  it("refuses a folder that a running process uses, and that process keeps its password", async () => {
    const dataFolder = await tempFolder();
    const { server, target } = await startIn(dataFolder);
    await postSetup(target);
    const { code, stderr } = await reset(dataFolder, { input: NEW_PASSWORD });
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^sandpiper cannot reset the password: .* is in use by process ${server.pid}\\. Stop that process`));
    expect((await postLogin(target)).status).toBe(200);
  });

  it("refuses a folder without a password and a missing one, and creates nothing", async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, "empty"));
    for (const name of ["empty", "missing"]) {
      const { code, stderr } = await reset(join(folder, name), { input: NEW_PASSWORD });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `sandpiper cannot reset the password: ${join(folder, name)} (data_dir) holds no password. Set one in the dashboard\n`,
      });
    }
    expect(await readdir(folder, { recursive: true })).toEqual(["empty"]);
  });

  it("refuses if the configuration sets a password, which would override the new one", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "password"), "the password of the file");
    for (const environment of [{ SVC_ADMIN_PASSWORD: "correct horse" }, { SVC_ADMIN_PASSWORD_FILE: join(folder, "password") }]) {
      const { code, stderr } = await reset(folder, { input: NEW_PASSWORD, environment });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("(admin_password) overrides the stored one") });
    }
  });

  // Only root can give a file away.
  it.skipIf(process.getuid?.() !== 0)("refuses a password of another user, who could not read the new one", async () => {
    const dataFolder = await tempFolder();
    const path = join(dataFolder, "admin.json");
    await writeFile(path, "{}");
    await chown(path, 12_345, 12_345);
    const { code, stderr } = await reset(dataFolder, { input: NEW_PASSWORD });
    expect(code).toBe(1);
    expect(stderr).toBe(`sandpiper cannot reset the password: ${path} belongs to another user (12345). Run this command as that user\n`);
  });

  it.each([
    ["no password", "", "standard input is empty. Send it the new password, or run the command in a terminal"],
    ["a short one", "too short\n", "Password must be at least 12 characters"],
    ["one that no login accepts", "x".repeat(1025), "Password must be at most 1024 bytes in UTF-8"],
    ["endless input", "x".repeat(1027), "standard input has more than 1026 bytes"],
    ["two lines", "the first line\nthe second line\n", "standard input has more than one line"],
    ["bytes that are no text", Uint8Array.of(0xe9), "standard input is not valid UTF-8"],
  ])("refuses %s and changes nothing", async (_, input, reason) => {
    const dataFolder = await tempFolder();
    await writeFile(join(dataFolder, "admin.json"), "{}");
    expect(await reset(dataFolder, { input })).toEqual({ code: 1, stdout: "", stderr: `sandpiper cannot reset the password: ${reason}\n` });
    expect(await readdir(dataFolder)).toEqual(["admin.json"]);
    expect(await readFile(join(dataFolder, "admin.json"), "utf8")).toBe("{}");
  });
});

const hasTerminal = spawnSync("script", ["--version"]).error === undefined;

describe.skipIf(!hasTerminal)(`reset-password in a terminal${hasTerminal ? "" : " (skipped: no script command on this machine)"}`, () => {
  /** Types each answer once its prompt is there. Resolves with the exit code and everything that the terminal showed. */
  async function typed(dataFolder: string, answers: readonly (readonly [prompt: string, keys: string])[]) {
    const command = `"${process.execPath}" "${MAIN_PATH}" reset-password --data-dir "${dataFolder}"`;
    const terminal = spawn("script", ["-qec", command, "/dev/null"], {
      env: { PATH: process.env["PATH"] },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void terminal.kill("SIGKILL"));
    const open = [...answers];
    let shown = "";
    terminal.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString();
      const [next] = open;
      if (!next || !shown.endsWith(next[0])) return;
      open.shift();
      terminal.stdin.write(next[1]);
    });
    const [code] = (await once(terminal, "close")) as [number];
    return { code, shown };
  }

  async function damagedFolder(): Promise<string> {
    const dataFolder = await tempFolder();
    await writeFile(join(dataFolder, "admin.json"), "{}");
    return dataFolder;
  }

  it("asks twice, echoes neither answer, and lets the user correct the input", async () => {
    const dataFolder = await damagedFolder();
    const { code, shown } = await typed(dataFolder, [
      ["New admin password: ", `${NEW_PASSWORD}xx\u007f\u007f\r`],
      ["Repeat the password: ", `${NEW_PASSWORD}\r`],
    ]);
    expect({ code, shown }).toEqual({
      code: 0,
      shown: "New admin password: \r\nRepeat the password: \r\nthe admin password is replaced; API keys stay valid\r\n",
    });
    const { target } = await startIn(dataFolder);
    expect((await postLogin(target, NEW_PASSWORD)).status).toBe(200);
  });

  it.each([
    ["two different passwords", [`${NEW_PASSWORD}\r`, `${NEW_PASSWORD}!\r`], "the two passwords differ"],
    ["Ctrl-C", ["secret\u0003"], "no password was entered"],
    ["Ctrl-D", ["\u0004"], "no password was entered"],
    ["Ctrl-C at the second prompt", [`${NEW_PASSWORD}\r`, "\u0003"], "no password was entered"],
  ])("changes nothing after %s, and releases the folder", async (_, [first = "", second = ""], reason) => {
    const dataFolder = await damagedFolder();
    const { code, shown } = await typed(dataFolder, [
      ["New admin password: ", first],
      ["Repeat the password: ", second],
    ]);
    expect(code).toBe(1);
    expect(shown).toContain(`\r\nsandpiper cannot reset the password: ${reason}\r\n`);
    expect(shown).not.toMatch(/secret|mine/);
    expect(await readdir(dataFolder)).toEqual(["admin.json"]);
    expect(await readFile(join(dataFolder, "admin.json"), "utf8")).toBe("{}");
  });
});
