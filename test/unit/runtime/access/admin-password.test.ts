/** The admin password: where it comes from, what is written of it, and what becomes of a record that is damaged. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { AdminPassword, replacePassword } from "../../../../src/runtime/access/admin-password.ts";
import { createArgon2id } from "../../../../src/runtime/access/password-hasher.ts";
import { PasswordQueue } from "../../../../src/runtime/access/password-queue.ts";
import { createSha256 } from "../../../../src/runtime/base/bytes.ts";
import { Secret } from "../../../../src/runtime/base/config/option-kinds.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import type { RecordStore } from "../../../../src/storage/record-store.ts";

const PASSWORD = "correct horse battery";

const sha256 = await createSha256();

const { signal } = new AbortController();

const hasher = createArgon2id(randomBytes, { memoryKib: 8, iterations: 1, parallelism: 1 });

const open = (records: RecordStore, configured: string | null = null, work = hasher): Promise<AdminPassword> =>
  AdminPassword.open({
    records,
    hasher: work,
    sha256,
    queue: new PasswordQueue(),
    configured: configured === null ? null : new Secret(configured),
  });

const fails = async (): Promise<never> => {
  throw new Error("disk full");
};

describe("the admin password", () => {
  it("is stored as a hash and still works after a restart", async () => {
    const records = createMemoryRecordStore();
    const chosen = await open(records);
    expect(chosen.isConfigured).toBe(false);
    await chosen.setUp(PASSWORD, signal);
    const text = new TextDecoder().decode((await records.read("admin.json")) ?? new Uint8Array());
    expect(JSON.parse(text)).toEqual({ passwordHash: expect.stringMatching(/^\$argon2id\$v=19\$/) as unknown });
    expect(text).not.toContain(PASSWORD);
    for (const password of [chosen, await open(records)]) {
      expect(password.isConfigured).toBe(true);
      expect(await password.matches(PASSWORD)).toBe(true);
      expect(await password.matches("another password")).toBe(false);
      await expect(password.setUp("another password", signal)).rejects.toThrow("Admin password already configured");
    }
  });

  it("changes when it is replaced, which repairs a damaged record, and stays the same if the new one is refused", async () => {
    const records = createMemoryRecordStore();
    await records.write("admin.json", new TextEncoder().encode("{"));
    await replacePassword({ records, hasher }, PASSWORD);
    expect(await (await open(records)).matches(PASSWORD)).toBe(true);
    await replacePassword({ records, hasher }, "another password");
    await expect(replacePassword({ records, hasher }, "too short")).rejects.toThrow("Password must be at least 12 characters");
    const replaced = await open(records);
    expect(await replaced.matches(PASSWORD)).toBe(false);
    expect(await replaced.matches("another password")).toBe(true);
  });

  it("is not set, now or after a restart, if its hash cannot be stored", async () => {
    const records = createMemoryRecordStore();
    const password = await open(records);
    const write = records.write;
    records.write = async (name, bytes) => {
      await write(name, bytes);
      await fails();
    };
    await expect(password.setUp(PASSWORD, signal)).rejects.toThrow("The password could not be stored");
    expect(password.isConfigured).toBe(false);
    await expect(password.matches(PASSWORD)).rejects.toThrow("No admin password configured");
    records.write = write;
    expect((await open(records)).isConfigured).toBe(false);
    await password.setUp("the second attempt", signal);
    expect(await password.matches("the second attempt")).toBe(true);
    expect(await password.matches(PASSWORD)).toBe(false);
  });

  it("stays the same, now and after a restart, if the new hash cannot be stored for certain", async () => {
    const records = createMemoryRecordStore();
    const password = await open(records);
    await password.setUp(PASSWORD, signal);
    const write = records.write;
    let isBroken = true;
    records.write = async (name, bytes) => {
      await write(name, bytes);
      // Only the first write fails, behind the rename.
      if (isBroken) isBroken = await fails().finally(() => (isBroken = false));
    };
    await expect(password.change("another password")).rejects.toThrow("The new password could not be stored");
    for (const kept of [password, await open(records)]) expect(await kept.matches(PASSWORD)).toBe(true);
    await password.change("another password");
    for (const changed of [password, await open(records)]) {
      expect(await changed.matches("another password")).toBe(true);
      expect(await changed.matches(PASSWORD)).toBe(false);
    }
  });

  it("is overridden by the option, which is written nowhere, and hashed once, on first use", async () => {
    const records = createMemoryRecordStore();
    await (await open(records)).setUp("the stored password", signal);
    const before = await records.read("admin.json");
    const hashed: string[] = [];
    const password = await open(records, PASSWORD, {
      ...hasher,
      hash: (text) => (hashed.push(text), hasher.hash(text)),
    });
    expect(hashed).toEqual([]);
    expect(await password.matches(PASSWORD)).toBe(true);
    expect(await password.matches("the stored password")).toBe(false);
    expect(hashed).toEqual([PASSWORD]);
    expect(await records.list("")).toEqual(["admin.json"]);
    expect(await records.read("admin.json")).toEqual(before);
    expect(await (await open(records)).matches("the stored password")).toBe(true);
  });

  it("is limited to 1024 bytes: a longer one is rejected at setup and at login without hashing", async () => {
    const hashed: string[] = [];
    const password = await open(createMemoryRecordStore(), null, {
      hash: (text) => (hashed.push(text), hasher.hash(text)),
      verify: (text, phc) => (hashed.push(text), hasher.verify(text, phc)),
    });
    const longest = "é".repeat(512);
    await expect(password.setUp(`${longest}x`, signal)).rejects.toThrow("Password must be at most 1024 bytes in UTF-8");
    expect(hashed).toEqual([]);
    await password.setUp(longest, signal);
    expect(await password.matches(longest)).toBe(true);
    expect(hashed).toEqual([longest, longest]);
    for (const long of [`${longest}x`, "x".repeat(1025), "x".repeat(60_000)]) expect(await password.matches(long)).toBe(false);
    expect(hashed).toHaveLength(2);
  });

  it.each([
    ["nothing", ""],
    ["half of it", '{"passwordHash":"$argon2id$v=19$m=8'],
    ["no object", '"$argon2id$"'],
    ["an empty object", "{}"],
    ["null for a hash", '{"passwordHash":null}'],
    ["an empty hash", '{"passwordHash":""}'],
    ["another kind of hash", '{"passwordHash":"$2b$12$abcdefghijklmnopqrstuv"}'],
    ["a plain password", '{"passwordHash":"correct horse battery"}'],
  ])("stops the start if its record is damaged, with the record's name and none of its content: %s", async (_name, text) => {
    const records = createMemoryRecordStore();
    await records.write("admin.json", new TextEncoder().encode(text));
    for (const configured of [null, PASSWORD]) {
      await expect(open(records, configured)).rejects.toThrow(
        /^admin\.json in the data folder is damaged: it holds no (JSON object|password hash);/,
      );
    }
  });

  it("stops the start if its record cannot be read", async () => {
    const records = { ...createMemoryRecordStore(), read: fails };
    await expect(open(records)).rejects.toThrow("disk full");
  });
});
