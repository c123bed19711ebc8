import { gzipSync, strToU8, type Zippable, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { IMPORT_FILES_MAX, IMPORT_READ_BYTES } from "../../../../../src/runtime/base/config/limits.ts";
import { type SourceFile, UnreadableFile } from "../../../../../src/runtime/imports/files/file.ts";
import { headOf, unpackedFiles } from "../../../../../src/runtime/imports/files/source-files.ts";
import { chunksOf, fileOf, fixture, streamedFile } from "../../../../support/import-files.ts";

async function contentOf(file: SourceFile): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of file.open()) text += decoder.decode(chunk, { stream: true });
  return text;
}

async function unpacked(...given: SourceFile[]) {
  const { files, skipped } = await unpackedFiles(given);
  const contents: Record<string, string> = {};
  for (const file of files) contents[file.path] = await contentOf(file);
  return { contents, skipped };
}

const zip = (files: Readonly<Record<string, string | Uint8Array>>, level: 0 | 6 = 6): Uint8Array =>
  zipSync(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, typeof text === "string" ? strToU8(text) : text])) as Zippable,
    {
      level,
    },
  );

describe("archives", () => {
  it("are opened: ZIP stored or deflated, gzip, and gzip in ZIP; files outside of archives stay", async () => {
    const files = { "a.csv": "a,b\n1,2", "folder/b.log.gz": gzipSync(strToU8("line")) };
    for (const level of [0, 6] as const) {
      const { contents } = await unpacked(
        fileOf("export.zip", zip(files, level)),
        fileOf("plain.csv", "x"),
        fileOf("c.gz", gzipSync(strToU8("c"))),
      );
      expect(contents).toEqual({ "export.zip/a.csv": "a,b\n1,2", "export.zip/folder/b.log": "line", "plain.csv": "x", c: "c" });
    }
  });

  it("with streamed entries and ZIP64 are read by their directory", async () => {
    for (const name of ["streamed-stored", "streamed-zip64"]) {
      const { contents } = await unpacked(fileOf("e.zip", fixture(`archives/${name}.zip`)));
      expect(contents).toEqual({
        "e.zip/a.csv": "date,visitors\n2026-05-01,5\n",
        "e.zip/folder/b.csv": "date,visitors\n2026-05-01,12\n",
      });
    }
    const { contents } = await unpacked(fileOf("e.zip", fixture("archives/zip64-directory.zip")));
    expect(contents).toEqual({ "e.zip/a.csv": "date,visitors\n2026-05-01,7\n" });
  });

  it("may follow other bytes, and end with a comment", async () => {
    const comment = "PK\u0005\u0006 looks like a directory's end";
    const packed = zip({ "a.csv": "a" });
    new DataView(packed.buffer).setUint16(packed.length - 2, comment.length, true);
    const bytes = new Uint8Array([...strToU8("PK\u0003\u0004 not an entry"), ...packed, ...strToU8(comment)]);
    expect((await unpacked(fileOf("e.zip", bytes))).contents).toEqual({ "e.zip/a.csv": "a" });
  });

  it("packed again by macOS or Windows have their system files skipped and their separators read", async () => {
    const files = { "x\\a.csv": "a", "__MACOSX/x/._a.csv": "1", "x/._b.csv": "2", "x/.DS_Store": "3", "Thumbs.db": "4", "x/empty.csv": "" };
    const { contents, skipped } = await unpacked(fileOf("e.zip", zip(files)));
    expect(contents).toEqual({ "e.zip/x/a.csv": "a" });
    expect(skipped.map(({ reason }) => reason).toSorted()).toEqual([
      "Empty.",
      ...Array<string>(4).fill("Written by the operating system."),
    ]);
  });

  it("with names that lead elsewhere have these files skipped", async () => {
    const files = { "../a.csv": "a", "/etc/b.csv": "b", "c:\\c.csv": "c", "d/../../d.csv": "d", "e\0.csv": "e", "f..csv": "fine" };
    const { contents, skipped } = await unpacked(fileOf("e.zip", zip(files)));
    expect(contents).toEqual({ "e.zip/f..csv": "fine" });
    expect(skipped).toHaveLength(5);
  });

  it("with names that differ in case only have both files skipped", async () => {
    const { contents, skipped } = await unpacked(fileOf("e.zip", zip({ "Pages.csv": "a", "pages.csv": "b", "c.csv": "c" })));
    expect(contents).toEqual({ "e.zip/c.csv": "c" });
    expect(skipped.map(({ path }) => path)).toEqual(["e.zip/Pages.csv", "e.zip/pages.csv"]);
  });

  it("that cannot be read are skipped with the reason, and the other files stay", async () => {
    const packed = zip({ "a.csv": "a".repeat(1000) });
    const { contents, skipped } = await unpacked(
      fileOf("cut.zip", packed.subarray(0, -1)),
      streamedFile("piped.zip", [packed]),
      fileOf("a.csv.bz2", "BZh91AY"),
      fileOf("b.zst", new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0])),
      fileOf("cut.gz", gzipSync(strToU8("abc")).subarray(0, 12)),
      fileOf("good.csv", "good"),
    );
    expect(contents).toEqual({ "good.csv": "good" });
    expect(skipped).toEqual([
      { path: "cut.zip", reason: "cut.zip is not a whole ZIP: its directory is missing. Download or pack it again." },
      { path: "piped.zip", reason: "A ZIP in a compressed archive, or one that is piped, cannot be read: unpack it." },
      { path: "a.csv.bz2", reason: "Compressed by bzip2: decompress it, or use gzip or ZIP." },
      { path: "b.zst", reason: "Compressed by Zstandard: decompress it, or use gzip or ZIP." },
      { path: "cut", reason: "cut.gz is damaged or cut short: it cannot be decompressed." },
    ]);
  });

  it("with entries that overlap are refused", async () => {
    const packed = zip({ "a.csv": "aaaa", "b.csv": "bbbb" }, 0);
    const view = new DataView(packed.buffer);
    const offsets: number[] = [];
    for (let at = 0; at < packed.length - 4; at++) if (view.getUint32(at, true) === 0x02014b50) offsets.push(at + 42);
    view.setUint32(offsets[1] ?? 0, view.getUint32(offsets[0] ?? 0, true), true);
    expect((await unpacked(fileOf("e.zip", packed))).skipped).toEqual([
      { path: "e.zip", reason: "e.zip is refused: files in it overlap." },
    ]);
  });

  it("with another checksum or size than they say fail where they are read", async () => {
    for (const level of [0, 6] as const) {
      const packed = zip({ "a.csv": "some text" }, level);
      const view = new DataView(packed.buffer);
      for (let at = 0; at < packed.length - 4; at++) if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 16, 1, true);
      const { files } = await unpackedFiles([fileOf("e.zip", packed)]);
      await expect(contentOf(files[0] as SourceFile)).rejects.toThrow(UnreadableFile);
    }
  });

  it("with too many files are refused", async () => {
    const many = Array.from({ length: IMPORT_FILES_MAX + 1 }, (_, i) => fileOf(`${i}.csv`, "a"));
    await expect(unpackedFiles(many)).rejects.toThrow(`An import has at most ${IMPORT_FILES_MAX} files.`);
  });

  it("with too many files that are skipped are refused, too", async () => {
    const names = Array.from({ length: IMPORT_FILES_MAX / 4 }, (_, i) => [`../${i}.csv`, ""]);
    const archive = zip(Object.fromEntries(names), 0);
    const nested = zip(Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`${i}.zip`, archive])), 0);
    await expect(unpackedFiles([fileOf("e.zip", nested)])).rejects.toThrow(`An import has at most ${IMPORT_FILES_MAX} files.`);
  });
});

describe("gzip", () => {
  it("of several members is read whole, whatever the chunks", async () => {
    const packed = new Uint8Array(["one\n", "two\n", "three"].flatMap((text) => [...gzipSync(strToU8(text))]));
    for (const cuts of [[], [1], [10, 20, 30], Array.from(packed.keys())]) {
      const { contents } = await unpacked(streamedFile("a.gz", chunksOf(packed, cuts)));
      expect(contents).toEqual({ a: "one\ntwo\nthree" });
    }
  });

  it("that is cut anywhere fails", async () => {
    const packed = gzipSync(strToU8(Array.from({ length: 500 }, (_, i) => (i * 7919) % 10007).join("\n")));
    for (let size = 0; size < packed.length; size += 3) {
      const { files } = await unpackedFiles([fileOf("a.gz", packed.subarray(0, size))]);
      const isGzip = files[0]?.path === "a";
      if (isGzip) await expect(contentOf(files[0] as SourceFile)).rejects.toThrow(UnreadableFile);
    }
  });

  it("comes in small pieces however far it is compressed, and other work has its turn before each", async () => {
    let turns = 0;
    const { files } = await unpackedFiles([fileOf("lines.gz", gzipSync(strToU8("\n".repeat(5_000_000))))], async () => void turns++);
    let pieces = 0;
    turns = 0;
    for await (const chunk of (files[0] as SourceFile).open()) {
      pieces++;
      expect(chunk.length).toBeLessThanOrEqual(IMPORT_READ_BYTES);
    }
    expect(pieces).toBeGreaterThanOrEqual(5_000_000 / IMPORT_READ_BYTES);
    expect(turns).toBeGreaterThanOrEqual(pieces);
  });

  it("that expands beyond the bounds fails early", async () => {
    const bomb = gzipSync(new Uint8Array(100 * 2 ** 20));
    const { files } = await unpackedFiles([fileOf("bomb.gz", bomb)]);
    let bytes = 0;
    const read = async () => {
      for await (const chunk of (files[0] as SourceFile).open()) bytes += chunk.length;
    };
    await expect(read()).rejects.toThrow("bomb.gz is more than 500 times as large");
    expect(bytes).toBeLessThan(90 * 2 ** 20);
  });
});

describe("the head of a file", () => {
  it("reads no more than it needs", async () => {
    const chunks = ["ab", "cd", "ef"];
    expect(new TextDecoder().decode(await headOf(streamedFile("a", chunks), 3))).toBe("abc");
    expect(new TextDecoder().decode(await headOf(streamedFile("a", chunks), 10))).toBe("abcdef");
  });
});
