/** deploy/sandpiper.service: systemd accepts it and finds it hardened, and its settings are those that the program needs. */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeBlocksOf, readPage, ROOT } from "../docs/pages.ts";
import { MAIN_PATH } from "../support/built.ts";
import { skippedFor } from "../support/skipped.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { configOfEnvironment, limitMb, memoryMb } from "./environment.ts";

const unit = readFileSync(join(ROOT, "deploy/sandpiper.service"), "utf8");

/** All values of a setting, in order. */
const valuesOf = (name: string): string[] => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);

/** As systemd expands them (systemd.unit(5), "Specifiers"). */
const expanded = (value: string): string => value.replace("%S", "/var/lib").replace("%d", "/run/credentials/sandpiper.service");

const environment = Object.fromEntries(valuesOf("Environment").map((text) => expanded(text).split("=") as [string, string]));

interface Ended {
  readonly code: number;
  readonly printed: string;
}

const run = (command: string, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(command, args, (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, printed: stdout + stderr }));
  });

/** The major version of systemd, 0 if there is none. */
const SYSTEMD = Number(/^systemd (\d+)/.exec(spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1] ?? 0);

/** The first one that rates a unit file without a running systemd. */
const SYSTEMD_OFFLINE = 250;

describe("systemd-analyze", skippedFor(SYSTEMD >= SYSTEMD_OFFLINE ? null : `no systemd ${SYSTEMD_OFFLINE} on this machine`), () => {
  /** The unit, with a program that exists on this machine. */
  const copy = async (): Promise<string> => {
    const file = join(await tempFolder(), "sandpiper.service");
    await writeFile(file, unit.replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath}`));
    return file;
  };

  it("finds no fault in the unit", async () => {
    expect(await run("systemd-analyze", "verify", await copy())).toEqual({ code: 0, printed: "" });
  });

  it("finds no fault in the unit with the documented drop-in for another secret", async () => {
    const [dropIn = ""] = codeBlocksOf(readPage("docs/installation.md")).flatMap(({ language, code }) =>
      language === "ini" ? [code] : [],
    );
    expect(dropIn).toContain("LoadCredential=");
    const file = await copy();
    await mkdir(`${file}.d`);
    await writeFile(`${file}.d/override.conf`, dropIn);
    expect(await run("systemd-analyze", "verify", file)).toEqual({ code: 0, printed: "" });
    await writeFile(`${file}.d/override.conf`, dropIn.replace("LoadCredential", "LoadCredentials"));
    expect((await run("systemd-analyze", "verify", file)).printed).toMatch(/override\.conf:2: Unknown key/);
  });

  it("rates the exposure of the unit at 2.0 of 10 or less", async () => {
    const { code, printed } = await run("systemd-analyze", "security", "--offline=true", "--threshold=20", await copy());
    expect([code, /Overall exposure level .*$/m.exec(printed)?.[0]]).toEqual([0, expect.stringContaining(" OK")]);
  });
});

describe("the systemd unit", () => {
  it("sets options that the program accepts, and a data folder that systemd creates for its user alone", () => {
    expect(configOfEnvironment(environment)).toMatchObject({ host: "127.0.0.1", port: 8000, trustProxy: 1 });
    expect(environment["SVC_DATA_DIR"]).toBe(`/var/lib/${valuesOf("StateDirectory")[0]}`);
    expect(valuesOf("StateDirectoryMode")).toEqual(["0700"]);
  });

  it("reads the password from a credential", () => {
    const [name] = (valuesOf("LoadCredential")[0] ?? "").split(":");
    expect(environment["SVC_ADMIN_PASSWORD_FILE"]).toBe(`/run/credentials/sandpiper.service/${name}`);
  });

  it("allows as much memory as the program may use", () => {
    expect(limitMb(valuesOf("MemoryMax")[0] ?? "")).toBeGreaterThanOrEqual(memoryMb(configOfEnvironment(environment)));
  });

  it("does not restart a program that ended because of a wrong option or argument", async () => {
    const { code } = await run(process.execPath, MAIN_PATH, "--no-such-option");
    expect(valuesOf("RestartPreventExitStatus")).toEqual([String(code)]);
  });

  it("starts the command that the documented installation creates, and is part of the package", () => {
    const { text } = readPage("docs/installation.md");
    const { name, bin, files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly name: string;
      readonly bin: Readonly<Record<string, string>>;
      readonly files: readonly string[];
    };
    const prefixes = [...text.matchAll(/^npm install --global --prefix (\S+) (\S+)/gm)].map(([, prefix = "", source = ""]) => [
      prefix,
      source,
    ]);
    const [prefix = ""] = prefixes[0] ?? [];
    expect(prefixes).toEqual([
      [prefix, expect.stringContaining("npm")],
      [prefix, name],
    ]);
    expect(valuesOf("ExecStart")).toEqual([`${prefix}/bin/${Object.keys(bin)[0]}`]);
    expect(files).toContain("deploy/sandpiper.service");
    expect(text).toContain(`${prefix}/lib/node_modules/${name}/deploy/sandpiper.service`);
  });

  it("uses the password file and the user that the documented commands create", () => {
    const { text } = readPage("docs/installation.md");
    expect(text).toContain(` ${(valuesOf("LoadCredential")[0] ?? "").split(":")[1]}`);
    expect(text).toContain(`useradd --system --home-dir /var/lib/sandpiper --shell /usr/sbin/nologin ${valuesOf("User")[0]}`);
  });
});
