/** A followed log through what happens to logs: every line is sent once, in order. */
import { appendFile, copyFile, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LogDoor, LogFollower } from "../../../../../adapters/node/commands/follow-log.ts";
import { FOLLOWED_LINES_BYTES_MAX } from "../../../../../src/shared/limits.ts";

/** A server that takes lines as the route does. */
class Server implements LogDoor {
  text = "";
  imports = 0;
  /** What happens at the next line that is sent. */
  fails: "before" | "after" | null = null;

  async begin(): Promise<number> {
    return ++this.imports;
  }

  async taken(): Promise<number> {
    return this.text.length;
  }

  async send(_number: number, offset: number, lines: Uint8Array): Promise<void> {
    const [fails, text] = [this.fails, new TextDecoder().decode(lines)];
    this.fails = null;
    if (fails === "before") throw new Error("killed before");
    expect(offset).toBe(this.text.length);
    expect(text.endsWith("\n")).toBe(true);
    this.text += text;
    if (fails === "after") throw new Error("killed after");
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

const opened = () =>
  LogFollower.open({ path, statePath: `${path}.sandpiper`, door: server, warn: (text) => void warnings.push(text) });

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
