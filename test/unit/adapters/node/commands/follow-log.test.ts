/** A followed log through what happens to logs: every line is sent once, in order. */
import { appendFile, copyFile, mkdir, mkdtemp, rename, rm, rmdir, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type FollowedImport,
  followUntil,
  type LogDoor,
  LogFollower,
  RefusedLines,
} from "../../../../../adapters/node/commands/follow-log.ts";
import { isPassing, RefusedRequest } from "../../../../../adapters/node/commands/import-doors.ts";
import { FOLLOWED_LINES_BYTES_MAX } from "../../../../../src/shared/limits.ts";

const SITE = "site.test";

/** A server that takes lines as the route does. */
class Server implements LogDoor {
  site = SITE;
  /** The lines of each import. */
  readonly texts: string[] = [];
  /** Bytes after which an import is full. */
  room = Infinity;
  /** What happens at the next line that is sent. `slowly`: the server goes on after it has answered that it failed. */
  fails: "before" | "after" | "slowly" | null = null;
  #late: (() => void) | null = null;

  get text(): string {
    return this.texts.join("");
  }

  get imports(): number {
    return this.texts.length;
  }

  async begin(site: string): Promise<number> {
    expect(site).toBe(this.site);
    return this.texts.push("");
  }

  async now(number: number): Promise<FollowedImport> {
    const bytes = this.texts[number - 1]?.length ?? 0;
    return { site: this.site, bytes, isFull: bytes >= this.room };
  }

  async send(number: number, offset: number, lines: Uint8Array): Promise<FollowedImport> {
    const [fails, text] = [this.fails, new TextDecoder().decode(lines)];
    this.fails = null;
    if (fails === "before") throw new Error("killed before");
    expect(text.endsWith("\n")).toBe(true);
    const take = () => {
      const has = this.texts[number - 1] ?? "";
      if (offset + text.length <= has.length) return;
      if (offset !== has.length) throw new Error(`the next lines begin at ${has.length}, and not at ${offset}`);
      this.texts[number - 1] = has + text;
    };
    if (fails === "slowly") {
      this.#late = take;
      throw new Error("no answer in time");
    }
    take();
    if (fails === "after") throw new Error("killed after");
    return this.now(number);
  }

  /** Takes what it has not answered in time. */
  settle(): void {
    this.#late?.();
    this.#late = null;
  }
}

let folder: string;
let path: string;
let server: Server;
let warnings: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "follow-"));
  path = join(folder, "access.log");
  server = new Server();
  warnings = [];
});

afterEach(() => rm(folder, { recursive: true }));

const opened = (site = SITE) =>
  LogFollower.open({ site, path, statePath: `${path}.sandpiper`, door: server, warn: (text) => void warnings.push(text) });

/** More often than there are steps of a rotation. */
async function pollAll(follower: LogFollower): Promise<void> {
  for (let i = 0; i < 8; i++) await follower.poll();
}

describe("a followed log", () => {
  it("is sent in whole lines, and goes on after a restart", async () => {
    await writeFile(path, "a\nb\nhal");
    const follower = await opened();
    await pollAll(follower);
    expect(server.text).toBe("a\nb\n");
    await appendFile(path, "f\n");
    await pollAll(await opened());
    expect(server).toMatchObject({ text: "a\nb\nhalf\n", imports: 1 });
    expect(warnings).toEqual([]);
  });

  it.each(["before", "after"] as const)("is sent once if the process is killed %s lines arrive", async (fails) => {
    await writeFile(path, "a\nb\n");
    const follower = await opened();
    server.fails = fails;
    await expect(follower.poll()).rejects.toThrow(/killed/);
    await appendFile(path, "c\n");
    await pollAll(await opened());
    expect(server.text).toBe("a\nb\nc\n");
    expect(warnings).toEqual([]);
  });

  it.each(["before", "after"] as const)("goes on in the same process when the server fails %s it takes lines", async (fails) => {
    await writeFile(path, "a\nb\n");
    const follower = await opened();
    server.fails = fails;
    await expect(follower.poll()).rejects.toThrow(/killed/);
    await follower.agree();
    await appendFile(path, "c\n");
    await pollAll(follower);
    expect(server.text).toBe("a\nb\nc\n");
    expect(warnings).toEqual([]);
  });

  it.each([
    ["in the same process", async (follower: LogFollower) => follower],
    ["in another process", () => opened()],
  ])("is sent once if the server is still taking lines that it did not answer, %s", async (_, restarted) => {
    await writeFile(path, "a\nb\n");
    const first = await opened();
    server.fails = "slowly";
    await expect(first.poll()).rejects.toThrow(/no answer/);
    await appendFile(path, "c\n");
    const follower = await restarted(first);
    await follower.agree();
    server.fails = "before";
    await expect(follower.poll()).rejects.toThrow(/killed/);
    server.settle();
    await follower.poll();
    expect(server.text).toBe("a\nb\n");
    await pollAll(follower);
    expect(server.text).toBe("a\nb\nc\n");
    expect(warnings).toEqual([]);
  });

  it("is sent once if it is rotated while the server is still taking its lines, and grows afterwards", async () => {
    await writeFile(path, "a\nb\n");
    const follower = await opened();
    server.fails = "slowly";
    await expect(follower.poll()).rejects.toThrow(/no answer/);
    await appendFile(path, "c\n");
    await rename(path, `${path}.1`);
    await writeFile(path, "d\ne\nf\n");
    await follower.agree();
    server.settle();
    await pollAll(follower);
    expect(server.text).toBe("a\nb\nc\nd\ne\nf\n");
    expect(warnings).toEqual([]);
  });

  it("sends the end of a rotated file, which has no line feed, as it was sent before", async () => {
    await writeFile(path, "a\nend");
    const follower = await opened();
    await pollAll(follower);
    await rename(path, `${path}.1`);
    await writeFile(path, "b\n");
    await follower.poll();
    server.fails = "slowly";
    await expect(follower.poll()).rejects.toThrow(/no answer/);
    await follower.agree();
    server.settle();
    await pollAll(follower);
    expect(server.text).toBe("a\nend\nb\n");
    expect(warnings).toEqual([]);
  });

  it.each(["c\n", "c\nd\ne\nf\n"])("counts once what follows on lines that may have arrived and are gone: %j", async (rest) => {
    await writeFile(path, "a\nb\n");
    const follower = await opened();
    server.fails = "slowly";
    await expect(follower.poll()).rejects.toThrow(/no answer/);
    await writeFile(path, rest);
    await follower.agree();
    server.fails = "before";
    await expect(follower.poll()).rejects.toThrow(/killed/);
    server.settle();
    await follower.poll().catch(() => follower.agree());
    await pollAll(follower);
    expect(server.text).toBe(`a\nb\n${rest}`);
    expect(warnings).toEqual([expect.stringContaining("lines may be missing"), expect.stringContaining("has 4 bytes")]);
  });

  it("may send more at once after lines were refused", async () => {
    await writeFile(path, "no line of a log\n");
    const follower = await opened();
    const send = server.send.bind(server);
    server.send = () => Promise.reject(new RefusedLines("no log format"));
    await expect(follower.poll()).rejects.toThrow(RefusedLines);
    server.send = send;
    await appendFile(path, "a\n");
    await (await opened()).poll();
    expect(server.text).toBe("no line of a log\na\n");
  });

  it("goes on in another import when one is full, also if that cannot begin at once or its answer is lost", async () => {
    server.room = 4;
    await writeFile(path, "a\nb\n");
    const follower = await opened();
    const begin = server.begin.bind(server);
    server.begin = () => Promise.reject(new Error("busy"));
    await expect(follower.poll()).rejects.toThrow(/busy/);
    server.begin = begin;
    await follower.agree();
    await appendFile(path, "c\nd\n");
    server.fails = "after";
    await expect(follower.poll()).rejects.toThrow(/killed/);
    await appendFile(path, "e\n");
    const again = await opened();
    await pollAll(again);
    expect(server.texts).toEqual(["a\nb\n", "c\nd\n", "e\n"]);
    expect(again.import).toBe(3);
    expect(warnings).toEqual([expect.stringContaining("as import #2"), expect.stringContaining("as import #3")]);
  });

  it("goes on after its site was renamed, by either name, and not for another site", async () => {
    server.room = 4;
    await writeFile(path, "a\n");
    await (await opened()).poll();
    server.site = "renamed.test";
    await appendFile(path, "b\n");
    await (await opened()).poll();
    await expect(opened("other.test")).rejects.toThrow(/is of import #2 of renamed.test, not of other.test/);
    await appendFile(path, "c\n");
    await (await opened("renamed.test")).poll();
    expect(server.texts).toEqual(["a\nb\n", "c\n"]);
  });

  it("waits when the local system refuses it or the server has other lines, and ends when the import is gone", async () => {
    const follower = await opened();
    const send = vi.spyOn(server, "send");
    const untilWarned = () => {
      const stop = new AbortController();
      const warn = (text: string) => {
        warnings.push(text);
        stop.abort();
      };
      return followUntil(follower, stop.signal, isPassing, warn);
    };
    await mkdir(path);
    await untilWarned();
    expect(warnings).toEqual([expect.stringContaining("EISDIR")]);
    await rmdir(path);
    await writeFile(path, "a\n");
    send.mockRejectedValueOnce(new RefusedRequest(409, "begin at 7"));
    await untilWarned();
    expect(warnings).toEqual([expect.stringContaining("EISDIR"), "begin at 7"]);
    send.mockRejectedValueOnce(new RefusedRequest(404, "no import"));
    await expect(untilWarned()).rejects.toThrow("no import");
  });

  it("takes nothing for a rotated file but what has a number, a date or `old` in its name", async () => {
    await writeFile(path, "a\n");
    const follower = await opened();
    await pollAll(follower);
    await appendFile(path, "b\n");
    await rename(path, `${path}.old`);
    await writeFile(`${path}.offset`, "17\n");
    await writeFile(path, "c\n");
    await pollAll(follower);
    expect(server.text).toBe("a\nb\nc\n");
    expect(warnings).toEqual([]);
  });

  it("loses nothing when it is renamed, also several times while the client is off", async () => {
    await writeFile(path, "a\nb\n");
    const follower = await opened();
    await pollAll(follower);
    await rename(path, `${path}.1`);
    await pollAll(follower);
    await appendFile(`${path}.1`, "c\n");
    await writeFile(path, "d\n");
    await follower.poll();
    await appendFile(`${path}.1`, "late");
    await pollAll(follower);
    expect(server.text).toBe("a\nb\nc\nlate\nd\n");
    for (const line of ["e", "f", "g"]) {
      await appendFile(path, `${line}\n`);
      await rename(`${path}.1`, `${path}.2`);
      await rename(path, `${path}.1`);
      await writeFile(path, `${line}2\n`);
      await pollAll(await opened());
    }
    expect(server.text).toBe("a\nb\nc\nlate\nd\ne\ne2\nf\nf2\ng\ng2\n");
    expect(warnings).toEqual([]);
  });

  it("finds the files that Caddy has rotated, and no other log whose name begins alike", async () => {
    await writeFile(path, "a\n");
    const follower = await opened();
    await pollAll(follower);
    const { dir, name, ext } = parse(path);
    for (const [line, part] of [
      ["b", "2026-01-01T10-00-00.000"],
      ["c", "2026-01-02T10-00-00.000-size"],
    ]) {
      await appendFile(path, `${line}\n`);
      await rename(path, join(dir, `${name}-${part}${ext}`));
      await writeFile(path, `${line}2\n`);
      await writeFile(join(dir, `${name}-2${ext}`), "of another site\n");
      await pollAll(follower);
    }
    expect(server.text).toBe("a\nb\nb2\nc\nc2\n");
    expect(warnings).toEqual([]);
  });

  it("goes on in the copy when it is copied and cut", async () => {
    await writeFile(path, "a\n");
    const follower = await opened();
    await pollAll(follower);
    await appendFile(path, "b\n");
    await copyFile(path, `${path}-20260101`);
    await truncate(path, 0);
    await pollAll(follower);
    await appendFile(path, "c\n");
    await pollAll(follower);
    expect(server.text).toBe("a\nb\nc\n");
    expect(warnings).toEqual([]);
  });

  it("says that lines may be missing when it was cut without a copy", async () => {
    await writeFile(path, "a\nb\n");
    const follower = await opened();
    await pollAll(follower);
    await writeFile(path, "c\n");
    await pollAll(follower);
    expect(server.text).toBe("a\nb\nc\n");
    expect(warnings).toEqual([expect.stringContaining("lines may be missing")]);
  });

  it("cuts a line that is longer than what may be sent", async () => {
    await writeFile(path, `a\n${"x".repeat(FOLLOWED_LINES_BYTES_MAX)}\nb\n`);
    const follower = await opened();
    await pollAll(follower);
    expect(server.text.startsWith("a\nx")).toBe(true);
    expect(server.text.endsWith("x\nb\n")).toBe(true);
    expect(server.text.split("\n").length).toBe(5);
  });
});
