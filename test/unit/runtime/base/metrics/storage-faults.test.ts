/** Which files are counted as left out of reports, and until when. */
import { describe, expect, it } from "vitest";
import { LEFT_OUT_FILES_MAX } from "../../../../../src/runtime/base/config/limits.ts";
import { LeftOutFiles } from "../../../../../src/runtime/base/metrics/storage-faults.ts";

describe("files that reports leave out", () => {
  it("files that reports leave out count once each, until they are read or deleted", () => {
    const files = new LeftOutFiles();
    for (const key of ["a/1", "a/2", "b/1", "a/1"]) files.note(key);
    expect(files.count).toBe(3);
    files.forget("a/1");
    files.forget("c");
    expect(files.count).toBe(2);
    files.forgetAll((key) => key.startsWith("a/"));
    expect(files.count).toBe(1);
  });

  it("files that reports leave out are counted up to a limit", () => {
    const files = new LeftOutFiles();
    for (let i = 0; i <= LEFT_OUT_FILES_MAX; i++) files.note(String(i));
    expect(files.count).toBe(LEFT_OUT_FILES_MAX);
  });
});
