/** The files of secrets, with real files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSecretFiles } from "../../../../adapters/node/config-sources.ts";
import { STRING_LENGTH_MAX } from "../../../../src/runtime/base/config/option-kinds.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "secret-files-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function read(content: string | Uint8Array): unknown {
  const fileName = join(folder, "secret");
  writeFileSync(fileName, content);
  return readSecretFiles({ SVC_SECRET_FILE: fileName }).secret;
}

describe("the file of a secret", () => {
  it("is read for each secret whose variable names one", () => {
    writeFileSync(join(folder, "a"), "one");
    writeFileSync(join(folder, "b"), "two");
    const environment = { SVC_ADMIN_PASSWORD_FILE: join(folder, "a"), SVC_METRICS_TOKEN_FILE: join(folder, "b"), SVC_SECRET_FILE: "" };
    expect(readSecretFiles(environment)).toEqual({ admin_password: { text: "one" }, metrics_token: { text: "two" } });
    expect(readSecretFiles({ SVC_PORT_FILE: join(folder, "a") })).toEqual({});
  });

  it.each([
    ["a b\n", "a b"],
    ["a b\r\n", "a b"],
    ["a b\n\n", "a b\n"],
    [" a b ", " a b "],
    ["密碼\n", "密碼"],
  ])("with the content %j yields %j: one line break at the end does not count", (content, text) => {
    expect(read(content)).toEqual({ text });
  });

  it("may be as long as the longest value", () => {
    const text = "密".repeat(STRING_LENGTH_MAX);
    expect(read(`${text}\r\n`)).toEqual({ text });
    expect(read(`${text}\r\n!`)).toEqual({ fault: "cannot be read: it has more than 12290 bytes" });
  });

  it("is rejected without being read to its end if it has none", () => {
    expect(readSecretFiles({ SVC_SECRET_FILE: "/dev/zero" }).secret).toEqual({ fault: "cannot be read: it has more than 12290 bytes" });
  });

  it("is a fault that quotes no content if it is empty, not UTF-8, missing or a folder", () => {
    expect(read("")).toEqual({ fault: "is empty" });
    expect(read("\n")).toEqual({ fault: "is empty" });
    expect(read(Uint8Array.of(0x61, 0xe9))).toEqual({ fault: "is not valid UTF-8" });
    const missing = join(folder, "missing");
    expect(readSecretFiles({ SVC_SECRET_FILE: missing }).secret).toEqual({ fault: expect.stringMatching(/^cannot be read: ENOENT/) });
    expect(readSecretFiles({ SVC_SECRET_FILE: folder }).secret).toEqual({ fault: expect.stringMatching(/^cannot be read: EISDIR/) });
  });
});
