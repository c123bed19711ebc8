/** Logs that are followed: the rows of appended bytes, and positions that survive restarts and rotation. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Row } from "../../../../../src/runtime/imports/rows.ts";
import { continues, LogFollower, type LogPosition, partsToRead } from "../../../../../src/runtime/imports/formats/logs/follow.ts";
import { layoutNamed } from "../../../../../src/runtime/imports/formats/logs/server-logs.ts";
import { bytesOf, chunksOf, CONTEXT, fixture } from "../../../../support/import-files.ts";

function layout(name: string) {
  const found = layoutNamed(name, null);
  if (found === null) throw new Error(name);
  return found;
}

const COMBINED = layout("combined-log");

const line = (path: string): string =>
  `203.0.113.7 - - [06/Mar/2024:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"\n`;

const pathsOf = (rows: readonly Row[]): string[] =>
  rows.map((row) => (row.kind === "hit" ? `${row.line} ${row.path}` : `${row.line} ${row.kind}`));

const follower = (position?: LogPosition): LogFollower => new LogFollower(COMBINED, CONTEXT, position);

const fileOfText = (path: string, text: string) => ({ path, size: bytesOf(text).length, head: bytesOf(text).subarray(0, 1024) });

describe("a log that is followed", () => {
  it("yields the rows of whole lines, and the rest once its line break is there", () => {
    const log = follower();
    const second = line("/two");
    expect(pathsOf(log.append(bytesOf(line("/one") + second.slice(0, 40))))).toEqual(["1 /one"]);
    expect(pathsOf(log.append(bytesOf(second.slice(40, 60))))).toEqual([]);
    expect(pathsOf(log.append(bytesOf(second.slice(60))))).toEqual(["2 /two"]);
    expect(log.position).toMatchObject({ offset: bytesOf(line("/one") + second).length, line: 3 });
  });

  it("yields a last line without line break at the end of a file that grows no more", () => {
    const log = follower();
    log.append(bytesOf(line("/one").trimEnd()));
    expect(pathsOf(log.end())).toEqual(["1 /one"]);
  });

  it("goes on from its position as if it had never stopped, headers included", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          ["iis-log", "iis-log/u_ex.txt"],
          ["combined-log", "combined-log/access.txt"],
          ["cloudfront-log", "cloudfront-log/standard.txt"],
        ),
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.nat(),
        ([name = "", path = ""], cuts, stop) => {
          const bytes = fixture(path);
          const whole = new LogFollower(layout(name), CONTEXT);
          const expected = chunksOf(bytes, cuts).flatMap((chunk) => whole.append(chunk));
          const first = new LogFollower(layout(name), CONTEXT);
          const rows = first.append(bytes.subarray(0, stop % bytes.length));
          const position = JSON.parse(JSON.stringify(first.position)) as LogPosition;
          const second = new LogFollower(layout(name), CONTEXT, position);
          rows.push(...second.append(bytes.subarray(position.offset)));
          expect(rows).toEqual(expected);
          expect(second.position).toEqual({
            ...whole.position,
            fingerprint: position.offset === 0 ? whole.position.fingerprint : position.fingerprint,
          });
        },
      ),
    );
  });

  it("stores no address and no path", () => {
    const log = follower();
    log.append(bytesOf(line("/secret")));
    expect(JSON.stringify(log.position)).not.toMatch(/203|secret/);
  });
});

describe("a log that is rotated", () => {
  const before = line("/one");
  const position = (() => {
    const log = follower();
    log.append(bytesOf(before));
    return log.position;
  })();

  it("is the same file while it begins with the same bytes and is not shorter", () => {
    expect(continues(position, fileOfText("access.log", before + line("/two")))).toBe(true);
    expect(continues(position, fileOfText("access.log", before))).toBe(true);
    expect(continues(position, fileOfText("access.log", before.slice(0, -1)))).toBe(false);
    expect(continues(position, fileOfText("access.log", line("/new") + before))).toBe(false);
  });

  it("reads the rest of the old file, then those after it, then the new one", () => {
    const rotated = [
      fileOfText("access.log.1", line("/c")),
      fileOfText("access.log.2", `${before}${line("/b")}`),
      fileOfText("access.log.3", "older"),
    ];
    const { parts, isLost } = partsToRead(position, fileOfText("access.log", line("/d")), rotated);
    expect(isLost).toBe(false);
    expect(parts.map(({ path, position: { offset } }) => [path, offset])).toEqual([
      ["access.log.2", before.length],
      ["access.log.1", 0],
      ["access.log", 0],
    ]);
  });

  it("says that lines may be missing when no file is the old one", () => {
    expect(partsToRead(position, fileOfText("access.log", line("/d")), [])).toMatchObject({
      isLost: true,
      parts: [{ path: "access.log" }],
    });
    expect(partsToRead(null, fileOfText("access.log", line("/d")), [])).toMatchObject({ isLost: false, parts: [{ path: "access.log" }] });
  });
});
