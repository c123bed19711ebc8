/** Keys and their records: bounds, failures of the store, damage, and comparisons that tell nothing by their work. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ApiKeys } from "../../../../src/runtime/access/api-keys.ts";
import { createSha256 } from "../../../../src/runtime/base/bytes.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import type { RecordStore } from "../../../../src/storage/record-store.ts";
import { countReads, type CountedBytes } from "../../../support/counted-bytes.ts";
import { createRecordingLog, type RecordingLog } from "../../../support/recording-log.ts";

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");

const { signal } = new AbortController();

const sha256 = await createSha256();

const open = (records: RecordStore, log: RecordingLog = createRecordingLog()): Promise<ApiKeys> =>
  ApiKeys.open({ records, sha256, randomBytes, keysMax: 3, log });

const fails = async (): Promise<never> => {
  throw new Error("disk full");
};

const writeText = (records: RecordStore, name: string, text: string): Promise<void> => records.write(name, new TextEncoder().encode(text));

describe("API keys", () => {
  it("are stored without the key itself", async () => {
    const records = createMemoryRecordStore();
    const { key, keyHash } = await (await open(records)).create("report", { scope: "Admin", sites: null }, NOW_MS, signal);
    const text = new TextDecoder().decode((await records.read(`keys/${keyHash}.json`)) ?? new Uint8Array());
    expect(JSON.parse(text)).toEqual({ keyHash, name: "report", scope: "Admin", createdAt: "2026-03-15T12:00:00.000Z", revoked: false });
    expect(text).not.toContain(key.slice(4));
    expect(await records.list("")).toEqual([`keys/${keyHash}.json`]);
  });

  it("do not exist, now or after a restart, if they cannot be stored", async () => {
    const records = createMemoryRecordStore();
    const keys = await open(records);
    const write = records.write;
    // As a disk that keeps the bytes and then says that it failed.
    records.write = async (name, bytes) => {
      await write(name, bytes);
      await fails();
    };
    await expect(keys.create("lost", { scope: "Admin", sites: null }, NOW_MS, signal)).rejects.toThrow(
      "The key could not be stored and does not work",
    );
    expect(keys.list()).toEqual([]);
    records.write = write;
    expect((await open(records)).list()).toEqual([]);
    const { key } = await keys.create("kept", { scope: "ReadOnly", sites: null }, NOW_MS, signal);
    expect(keys.rightsOf(key)).toEqual({ scope: "ReadOnly", sites: null });
  });

  it("are revoked at once even if that cannot be stored, and a retry stores it", async () => {
    const records = createMemoryRecordStore();
    const keys = await open(records);
    const { key, keyHash } = await keys.create("a", { scope: "Admin", sites: null }, NOW_MS, signal);
    const write = records.write;
    records.write = fails;
    await expect(keys.revoke(keyHash, signal)).rejects.toThrow("The key is revoked, but only until the next restart");
    expect(keys.rightsOf(key)).toBeNull();
    records.write = write;
    await keys.revoke(keyHash, signal);
    expect((await open(records)).list()).toMatchObject([{ keyHash, revoked: true }]);
  });

  it("are limited in number; a new key replaces the oldest revoked one", async () => {
    const records = createMemoryRecordStore();
    const keys = await open(records);
    const made: string[] = [];
    for (const second of [0, 1, 2])
      made.push((await keys.create(`key ${second}`, { scope: "Admin", sites: null }, NOW_MS + second * 1000, signal)).keyHash);
    await expect(keys.create("one more", { scope: "Admin", sites: null }, NOW_MS, signal)).rejects.toThrow("There are already 3 API keys");
    for (const hash of made.slice(1)) await keys.revoke(hash, signal);
    await keys.create("one more", { scope: "Admin", sites: null }, NOW_MS + 5000, signal);
    const names = ["key 0", "key 2", "one more"];
    expect(keys.list().map(({ name }) => name)).toEqual(names);
    expect((await open(records)).list().map(({ name }) => name)).toEqual(names);
  });

  it("are compared with every stored key, including revoked ones, whichever matches", async () => {
    const records = createMemoryRecordStore();
    const maker = await open(records);
    const made = [];
    for (const second of [0, 1, 2])
      made.push(await maker.create(`key ${second}`, { scope: "Admin", sites: null }, NOW_MS + second, signal));
    await maker.revoke(made[1]?.keyHash ?? "", signal);
    const hashes: CountedBytes[] = [];
    const keys = await ApiKeys.open({
      records,
      sha256: (text) => {
        const counted = countReads(sha256(text));
        hashes.push(counted);
        return counted.bytes;
      },
      randomBytes,
      keysMax: 3,
      log: createRecordingLog(),
    });
    for (const key of [...made.map((one) => one.key), `svc_${"0".repeat(64)}`]) {
      keys.rightsOf(key);
      expect(hashes.at(-1)?.reads()).toBe(3 * 32);
    }
  });
});

describe("records of API keys at the start", () => {
  const HASH = "ab".repeat(32);
  const KEY = { keyHash: HASH, name: "a", scope: "Admin", createdAt: "2026-03-15T12:00:00.000Z", revoked: false };

  it("are loaded if they are complete", async () => {
    const records = createMemoryRecordStore();
    await writeText(records, `keys/${HASH}.json`, JSON.stringify({ ...KEY, later: 1 }));
    expect((await open(records)).list()).toEqual([{ ...KEY, sites: null }]);
    await writeText(records, `keys/${HASH}.json`, JSON.stringify({ ...KEY, sites: ["one.test", "two.test"] }));
    expect((await open(records)).list()).toEqual([{ ...KEY, sites: ["one.test", "two.test"] }]);
  });

  it.each([
    ["nothing", ""],
    ["half of it", JSON.stringify(KEY).slice(0, 40)],
    ["a list", "[]"],
    ["null", "null"],
    ["no object's text", "\u0000\u0000"],
    ["another key's hash", JSON.stringify({ ...KEY, keyHash: "cd".repeat(32) })],
    ["no name", JSON.stringify({ ...KEY, name: "" })],
    ["a name that is too long", JSON.stringify({ ...KEY, name: "x".repeat(129) })],
    ["an unknown scope", JSON.stringify({ ...KEY, scope: "Owner" })],
    ["more sites than a key may have", JSON.stringify({ ...KEY, sites: Array.from({ length: 101 }, (_, i) => `${i}.test`) })],
    ["no instant", JSON.stringify({ ...KEY, createdAt: "yesterday" })],
    ["revoked that is no boolean", JSON.stringify({ ...KEY, revoked: "false" })],
    ["revoked left out", JSON.stringify({ ...KEY, revoked: undefined })],
  ])("stop the start if they are damaged, with the record's name and none of its content: %s", async (_name, text) => {
    const records = createMemoryRecordStore();
    await writeText(records, `keys/${HASH}.json`, text);
    await expect(open(records)).rejects.toThrow(
      new RegExp(`^keys/${HASH}\\.json in the data folder is damaged: it (holds no (JSON object|API key)|belongs under another name);`),
    );
  });

  it("stop the start if they are not UTF-8", async () => {
    const records = createMemoryRecordStore();
    const bytes = new TextEncoder().encode(JSON.stringify({ ...KEY, name: "ab" }));
    bytes[bytes.indexOf("b".charCodeAt(0), 85)] = 0xff;
    await records.write(`keys/${HASH}.json`, bytes);
    await expect(open(records)).rejects.toThrow("is damaged");
  });

  it("are distinguished from other files, which are reported and ignored", async () => {
    const records = createMemoryRecordStore();
    await writeText(records, "keys/readme.json", "{}");
    const log = createRecordingLog();
    expect((await open(records, log)).list()).toEqual([]);
    expect(log.lines).toEqual([
      {
        level: "warn",
        message: "a file among the keys is ignored, because its name is not the name of a record",
        fields: { name: "keys/readme.json" },
      },
    ]);
  });
});
