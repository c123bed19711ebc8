/** The command line and the configuration file, with real files. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCommandLine } from "../../../../adapters/node/command-line.ts";
import { ConfigError, parseConfig } from "../../../../src/runtime/config/config.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "config-file-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileWith(name: string, content: string | Uint8Array): string {
  const fileName = join(folder, name);
  writeFileSync(fileName, content);
  return fileName;
}

const read = (argv: string[], environment: Record<string, string | undefined> = {}) => readCommandLine({ argv, environment });

function refusal(argv: string[], environment: Record<string, string | undefined> = {}): string {
  try {
    read(argv, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("The command line was accepted.");
}

describe("the command line", () => {
  it("starts without a file if none is named", () => {
    expect(read([])).toEqual({ action: "start", file: {} });
    expect(read([], { SVC_CONFIG: "" })).toEqual({ action: "start", file: {} });
  });

  it("reads the file named by --config in both spellings, or else by SVC_CONFIG", () => {
    const fileName = fileWith("a.toml", "port = 9000\n");
    const other = fileWith("b.toml", "port = 9001\n");
    const expected = { action: "start", file: { port: 9000 }, fileName };
    expect(read(["--config", fileName])).toEqual(expected);
    expect(read([`--config=${fileName}`])).toEqual(expected);
    expect(read([], { SVC_CONFIG: fileName })).toEqual(expected);
    expect(read(["--config", fileName], { SVC_CONFIG: other })).toEqual(expected);
  });

  it("accepts a command before the options", () => {
    const fileName = fileWith("command.toml", "port = 9000\n");
    const verify = { action: "verify", allRollups: false };
    expect(read(["verify"])).toEqual({ ...verify, file: {} });
    expect(read(["verify", "--config", fileName])).toEqual({ ...verify, file: { port: 9000 }, fileName });
    expect(read(["backup", "/copies/1", `--config=${fileName}`])).toEqual({
      action: "backup",
      to: "/copies/1",
      file: { port: 9000 },
      fileName,
    });
  });

  it("accepts --all-rollups before and after other options, with verify only", () => {
    const fileName = fileWith("rollups.toml", "port = 9000\n");
    const expected = { action: "verify", allRollups: true, file: { port: 9000 }, fileName };
    expect(read(["verify", "--all-rollups", "--config", fileName])).toEqual(expected);
    expect(read(["verify", `--config=${fileName}`, "--all-rollups"])).toEqual(expected);
    for (const argv of [["--all-rollups"], ["backup", "/copies/1", "--all-rollups"]]) {
      expect(refusal(argv)).toContain('unknown argument "--all-rollups". Usage: ');
    }
  });

  it("--help and --version read no file", () => {
    const missing = join(folder, "missing.toml");
    expect(read(["--version"])).toEqual({ action: "version" });
    expect(read(["--config", missing, "--version"])).toEqual({ action: "version" });
    expect(read(["--config", missing, "--help"])).toEqual({
      action: "help",
      text: expect.stringMatching(/^Usage: sandpiper .*--config.*SVC_CONFIG/s),
    });
  });

  it.each([
    ["an unknown option", ["--prot", "1"], 'unknown argument "--prot". Usage: sandpiper '],
    ["a bare word", ["serve"], 'unknown argument "serve". Usage: '],
    ["an empty argument", [""], 'unknown argument "". Usage: '],
    ["an option that only begins like --config", ["--configs=x"], 'unknown argument "--configs=x". Usage: '],
    ["a command after an option", ["--config=a", "verify"], 'unknown argument "verify". Usage: '],
    ["a backup to nowhere", ["backup"], "backup needs a folder. Usage: "],
    ["a backup to an option", ["backup", "--config=a"], "backup needs a folder. Usage: "],
    ["--config at the end", ["--config"], "--config needs a file. Usage: "],
    ["--config with nothing", ["--config="], "--config needs a file. Usage: "],
    ["--config with an empty argument", ["--config", ""], "--config needs a file. Usage: "],
    ["--config before another option", ["--config", "--help"], "--config needs a file. Usage: "],
    ["--config before --all-rollups", ["verify", "--config", "--all-rollups"], "--config needs a file. Usage: "],
    ["--config twice", ["--config=a", "--config", "b"], "--config is given twice. Usage: "],
  ])("rejects %s with a usage message", (_, argv, message) => {
    expect(refusal(argv)).toContain(message);
  });
});

describe("the configuration file", () => {
  it("keeps the TOML types of its values", () => {
    const fileName = fileWith(
      "types.toml",
      '# comment\nhost = "::1"\nsite_ids = ["a.example", "b.example"]\nfilter_bots = false\nrate_limit_per_ip = 0.5\n',
    );
    expect(read(["--config", fileName])).toMatchObject({
      file: { host: "::1", site_ids: ["a.example", "b.example"], filter_bots: false, rate_limit_per_ip: 0.5 },
    });
  });

  it("may start with a byte order mark, and may be empty", () => {
    expect(read(["--config", fileWith("bom.toml", "\uFEFFport = 1\n")])).toMatchObject({ file: { port: 1 } });
    expect(read(["--config", fileWith("empty.toml", "")])).toMatchObject({ file: {} });
  });

  it("a syntax error names file, line and column, and does not quote the file", () => {
    const fileName = fileWith("broken.toml", "port = 8000\nadmin_password = correct-horse-battery\n");
    const message = refusal(["--config", fileName]);
    expect(message).toMatch(/^The configuration has a problem:\n- .*broken\.toml, line 2, column 18: not valid TOML: /);
    expect(message).not.toContain("correct-horse");
    expect(message.trim().split("\n")).toHaveLength(2);
  });

  it.each([
    ["a key given twice", "port = 1\nport = 2\n", "line 2, column"],
    ["a number beyond what can be exact", "port = 9223372036854775807\n", "line 1, column 8"],
    ["nesting without end", `site_ids = ${"[".repeat(5000)}`, "line 1, column"],
  ])("is rejected for %s", (_, content, place) => {
    expect(refusal(["--config", fileWith("refused.toml", content)])).toContain(`refused.toml, ${place}`);
  });

  it("an error names a file that is missing, a folder, or not UTF-8", () => {
    const missing = join(folder, "missing.toml");
    expect(refusal(["--config", missing])).toContain(`${missing} cannot be read: ENOENT`);
    expect(refusal([], { SVC_CONFIG: missing })).toContain(`${missing} cannot be read: ENOENT`);
    expect(refusal(["--config", folder])).toContain(`${folder} cannot be read: EISDIR`);
    const latin1 = fileWith("latin1.toml", Uint8Array.of(0x23, 0xe9, 0x0a));
    expect(refusal(["--config", latin1])).toContain(`${latin1} is not valid UTF-8`);
  });

  it.each(["__proto__", "constructor", "toString"])("the key %s is rejected like any unknown option", (key) => {
    const started = read(["--config", fileWith("smuggle.toml", `${key} = 1\n`)]);
    if (started.action !== "start") throw new Error("It should have started.");
    expect(() => parseConfig({ environment: {}, platform: "node", file: started.file })).toThrow(
      `"${key}" in the configuration file: unknown option`,
    );
  });
});
