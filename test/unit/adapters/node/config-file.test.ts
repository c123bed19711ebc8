/** The configuration file, with real files. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfigSources } from "../../../../adapters/node/config-sources.ts";
import { ConfigError, parseConfig } from "../../../../src/runtime/base/config/config.ts";

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

/** What the program is configured with when it is started like this. */
const read = (fileName: string | undefined, environment: Record<string, string | undefined> = {}) =>
  readConfigSources({ environment, settings: {}, fileName });

function refusal(fileName: string | undefined, environment: Record<string, string | undefined> = {}): string {
  try {
    read(fileName, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("The configuration was accepted.");
}

describe("the configuration file", () => {
  it("is optional", () => {
    expect(read(undefined)).toEqual({ environment: {}, secretFiles: {}, commandLine: {}, platform: "node", file: {} });
    expect(read(undefined, { SVC_CONFIG: "" })).toMatchObject({ file: {} });
  });

  it("is named by the command line, or else by SVC_CONFIG", () => {
    const fileName = fileWith("a.toml", "port = 9000\n");
    const other = fileWith("b.toml", "port = 9001\n");
    expect(read(fileName)).toMatchObject({ file: { port: 9000 }, fileName });
    expect(read(undefined, { SVC_CONFIG: fileName })).toMatchObject({ file: { port: 9000 }, fileName });
    expect(read(fileName, { SVC_CONFIG: other })).toMatchObject({ file: { port: 9000 }, fileName });
  });

  it("keeps the TOML types of its values", () => {
    const fileName = fileWith(
      "types.toml",
      '# comment\nhost = "::1"\nsite_ids = ["a.example", "b.example"]\nfilter_bots = false\nrate_limit_per_ip = 0.5\n',
    );
    expect(read(fileName)).toMatchObject({
      file: { host: "::1", site_ids: ["a.example", "b.example"], filter_bots: false, rate_limit_per_ip: 0.5 },
    });
  });

  it("may start with a byte order mark, and may be empty", () => {
    expect(read(fileWith("bom.toml", "\uFEFFport = 1\n"))).toMatchObject({ file: { port: 1 } });
    expect(read(fileWith("empty.toml", ""))).toMatchObject({ file: {} });
  });

  it("a syntax error names file, line and column, and does not quote the file", () => {
    const fileName = fileWith("broken.toml", "port = 8000\nadmin_password = correct-horse-battery\n");
    const message = refusal(fileName);
    expect(message).toMatch(/^The configuration has a problem:\n- .*broken\.toml, line 2, column 18: not valid TOML: /);
    expect(message).not.toContain("correct-horse");
    expect(message.trim().split("\n")).toHaveLength(2);
  });

  it.each([
    ["a key given twice", "port = 1\nport = 2\n", "line 2, column"],
    ["a number beyond what can be exact", "port = 9223372036854775807\n", "line 1, column 8"],
    ["nesting without end", `site_ids = ${"[".repeat(5000)}`, "line 1, column"],
  ])("is rejected for %s", (_, content, place) => {
    expect(refusal(fileWith("refused.toml", content))).toContain(`refused.toml, ${place}`);
  });

  it("an error names a file that is missing, a folder, or not UTF-8", () => {
    const missing = join(folder, "missing.toml");
    expect(refusal(missing)).toContain(`${missing} cannot be read: ENOENT`);
    expect(refusal(undefined, { SVC_CONFIG: missing })).toContain(`${missing} cannot be read: ENOENT`);
    expect(refusal(folder)).toContain(`${folder} cannot be read: EISDIR`);
    const latin1 = fileWith("latin1.toml", Uint8Array.of(0x23, 0xe9, 0x0a));
    expect(refusal(latin1)).toContain(`${latin1} is not valid UTF-8`);
  });

  it.skipIf(process.platform === "win32")("is rejected without being read to its end if it has none", () => {
    expect(refusal("/dev/zero")).toContain("/dev/zero cannot be read: it has more than 16777216 bytes");
  });

  it.each(["__proto__", "constructor", "toString"])("the key %s is rejected like any unknown option", (key) => {
    const fileName = fileWith("smuggle.toml", `${key} = 1\n`);
    expect(() => parseConfig(read(fileName))).toThrow(`"${key}" in ${fileName}: unknown option`);
  });
});
