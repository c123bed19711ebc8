/** The command line of the built program: help, usage errors, exit codes, and options that override the environment. */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../support/run-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** One without events. */
const makeDataFolder = (folder: string) => mkdir(join(folder, "events/site_id=example.com"), { recursive: true });

describe("the help", () => {
  let help: string;
  beforeAll(async () => {
    help = (await runProgram(["--help"])).stdout;
  });

  it("fits on one screen of 24 lines and 80 columns", () => {
    const lines = help.split("\n");
    // The last one is the prompt's.
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(help).toMatch(/[^\n]\n$/);
  });

  it("names each command and each option of the server once", () => {
    const names = [...help.matchAll(/^ {2}(-h, |-v, )?([a-z-]+)/gm)].map(([, , name]) => name);
    expect(names).toContain("serve");
    expect(names).toContain("--config");
    expect(new Set(names).size).toBe(names.length);
  });

  it("is the same after help and -h; a command has a help of its own", async () => {
    for (const argv of [["help"], ["-h"]]) expect(await runProgram(argv)).toEqual({ code: 0, stdout: help, stderr: "" });
    const { stdout } = await runProgram(["help", "import"]);
    expect(stdout).toMatch(/^Usage: sandpiper import <site> <file>… \[options\]\n/);
    expect(stdout).toContain("--log-format <format>");
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(await runProgram(["import", "--help"])).toEqual({ code: 0, stdout, stderr: "" });
  });
});

describe("a wrong command line", () => {
  it.each([
    [["verfy"], 'unknown command "verfy"; did you mean verify?'],
    [["--prot=1"], 'unknown option "--prot"; did you mean --port?'],
    [["verify", "--port", "1"], "verify has no option --port"],
    [["backup"], "backup needs a folder"],
    [["backup", ""], "backup needs a folder"],
    [["restore", ""], "restore needs a backup"],
  ])("%j exits with 2 and explains the error in two lines", async (argv, message) => {
    expect(await runProgram(argv)).toEqual({ code: 2, stdout: "", stderr: `sandpiper: ${message}\nTry "sandpiper --help".\n` });
  });

  it("exits with 2 for an invalid value, and names the option as it was typed", async () => {
    const { code, stderr } = await runProgram(["--port", "web"]);
    expect(code).toBe(2);
    expect(stderr.split("\n")).toEqual([
      "sandpiper cannot start: The configuration has a problem:",
      '- port (--port) must be an integer from 0 to 65535, got "web"',
      "",
    ]);
  });
});

describe("an option of the command line", () => {
  it("overrides the environment and the file", async () => {
    const folder = await tempFolder();
    for (const name of ["typed", "variable", "line"]) await makeDataFolder(join(folder, name));
    await writeFile(join(folder, "a.toml"), `data_dir = "line"\n`);
    const environment = { SVC_DATA_DIR: "variable" };
    const verified = async (...argv: string[]) =>
      (await runProgram(["verify", ...argv], { environment, cwd: folder })).stdout.split("\n")[0];
    expect(await verified("--config=a.toml", "--data-dir=typed")).toBe(join(folder, "typed"));
    expect(await verified("--config=a.toml")).toBe(join(folder, "variable"));
  });
});

describe("the exit code", () => {
  it("is 1 if a command fails, with one line that says why", async () => {
    const folder = await tempFolder();
    const { code, stdout, stderr } = await runProgram(["verify", "--data-dir", join(folder, "missing")]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^sandpiper cannot verify: .*missing.*\n$/);
  });

  it.each([
    ["an empty folder", [], "is empty"],
    ["a folder of something else", ["letters"], "is not a data folder: it has neither events nor a secret"],
  ])("is 1 if verify is given %s", async (_, content, reason) => {
    const folder = await tempFolder();
    for (const name of content) await mkdir(join(folder, name));
    const { code, stderr } = await runProgram(["verify", "--data-dir", folder]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `sandpiper cannot verify: ${folder} ${reason}. Set data_dir to a data folder or a backup\n`,
    });
  });

  it("is 1 if a fault is found", async () => {
    const folder = await tempFolder();
    await makeDataFolder(folder);
    await writeFile(join(folder, "admin.json"), "{}");
    expect(await runProgram(["verify", "--data-dir", folder])).toMatchObject({ code: 1, stdout: expect.stringContaining("1 fault") });
  });
});

describe("a pipe in place of a file", () => {
  it.each(["SVC_SECRET_FILE", "SVC_CONFIG", "SVC_GEOIP_DB"])("%s is refused at once: a read from it might never end", async (variable) => {
    const folder = await tempFolder();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const ended = await runProgram([], { environment: { [variable]: pipe, SVC_PORT: "0" }, cwd: folder });
    expect(ended).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("it is a pipe. Name a regular file") });
  });
});
