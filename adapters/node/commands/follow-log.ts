/**
 * Follows a log that grows, with `import --follow`: sends its whole lines, through rotations, and writes down which part of which file is
 * about to be sent before it sends it. After any interruption, what the server has says whether it arrived.
 */
import { open, readdir, readFile, rename, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { LOG_FINGERPRINT_BYTES } from "../../../src/runtime/base/config/limits.ts";
import { FOLLOWED_LINES_BYTES_MAX } from "../../../src/shared/limits.ts";
import { crc32 } from "../../../src/storage/checksum.ts";

/** Where in which file: its name goes to the next one, so it is known by its first bytes. */
interface Position {
  readonly offset: number;
  readonly headBytes: number;
  readonly headCrc32: number;
}

const START: Position = { offset: 0, headBytes: 0, headCrc32: 0 };

/** What the state file has. */
interface State {
  readonly import: number;
  /** Bytes that the server had taken when the log was read up to the position. */
  readonly taken: number;
  readonly position: Position;
  /** What is about to be sent, and the position after it. */
  readonly next: { readonly bytes: number; readonly position: Position } | null;
}

/** A server, as far as logs are sent to it. */
export interface LogDoor {
  begin(): Promise<number>;
  /** Bytes that it has taken. */
  taken(number: number): Promise<number>;
  send(number: number, offset: number, lines: Uint8Array): Promise<void>;
}

interface LogFile {
  readonly path: string;
  readonly size: number;
  readonly head: Uint8Array;
}

const LINE_FEED = 10;

/** What the names of rotated logs have after that of the log: a number or a date, as in `.1` and `-20260101`, or `.old`. */
const ROTATED = /^[.-](?:old$|.*\d)/;

const COMPRESSED = /\.(?:gz|bz2|xz|zst|zip)$/;

/** Whether the file has all that was read. False for another file of the same name, and for one that was cut. */
const continues = ({ offset, headBytes, headCrc32 }: Position, { size, head }: Pick<LogFile, "size" | "head">): boolean =>
  size >= offset && head.length >= headBytes && crc32(head, 0, headBytes) === headCrc32;

const positionIn = (offset: number, head: Uint8Array): Position => ({
  offset,
  headBytes: head.length,
  headCrc32: crc32(head, 0, head.length),
});

type OpenFile = Awaited<ReturnType<typeof open>>;

async function bytesOf(file: OpenFile, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function headOf(file: OpenFile): Promise<Pick<LogFile, "size" | "head">> {
  const { size } = await file.stat();
  return { size, head: await bytesOf(file, 0, Math.min(size, LOG_FINGERPRINT_BYTES)) };
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** An empty one where there is none: between the two steps of a rotation. */
async function logFile(path: string): Promise<LogFile> {
  try {
    const file = await open(path, "r");
    try {
      return { path, ...(await headOf(file)) };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return { path, size: 0, head: new Uint8Array() };
    throw error;
  }
}

/** The files that the log was renamed or copied to, the newest first. */
async function rotatedFiles(path: string, statePath: string): Promise<LogFile[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const found: { readonly path: string; readonly mtimeMs: number }[] = [];
  for (const entry of await readdir(folder)) {
    const at = join(folder, entry);
    if (!entry.startsWith(name) || !ROTATED.test(entry.slice(name.length)) || COMPRESSED.test(entry) || resolve(at) === resolve(statePath))
      continue;
    const status = await stat(at).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (status?.isFile()) found.push({ path: at, mtimeMs: status.mtimeMs });
  }
  const files: LogFile[] = [];
  for (const { path: at } of found.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1))) files.push(await logFile(at));
  return files;
}

/** How long to wait before the log is looked at again. */
const POLL_MS = 15_000;

/** And after as much was sent as may be at once. */
const CATCH_UP_MS = 1_000;

const RETRY_MS = 15_000;

interface FollowerOptions {
  readonly path: string;
  readonly statePath: string;
  readonly door: LogDoor;
  readonly warn: (text: string) => void;
}

export class LogFollower {
  readonly #options: FollowerOptions;
  #state: State;
  /** The file that had nothing new when it was last looked at, although the log is another one by now. */
  #endedAt: string | null = null;

  private constructor(options: FollowerOptions, state: State) {
    this.#options = options;
    this.#state = state;
  }

  /** Goes on as the state file says, or begins an import. */
  static async open(options: FollowerOptions): Promise<LogFollower> {
    const stored = await readFile(options.statePath, "utf8").catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    const state = stored === null ? null : (JSON.parse(stored) as State);
    const follower = new LogFollower(options, state ?? { import: await options.door.begin(), taken: 0, position: START, next: null });
    if (state === null) await follower.#store();
    await follower.agree();
    return follower;
  }

  get import(): number {
    return this.#state.import;
  }

  /** Finds out whether what was about to be sent has arrived; to be called after each failure. */
  async agree(): Promise<void> {
    const { taken, next } = this.#state;
    const now = await this.#options.door.taken(this.#state.import);
    if (next !== null && now === taken + next.bytes) this.#state = { ...this.#state, taken: now, position: next.position, next: null };
    else if (now !== taken) {
      this.#options.warn(`the server has ${now} bytes of lines where ${taken} were sent: it may have been restored from a backup`);
      this.#state = { ...this.#state, taken: now, next: null };
    }
  }

  /** Sends lines that are new, at most as many as may be sent at once. Resolves with the bytes. */
  async poll(): Promise<number> {
    const { path, statePath, warn } = this.#options;
    const log = await logFile(path);
    const { position } = this.#state;
    if (continues(position, log)) return this.#readFrom(path, null);
    const rotated = await rotatedFiles(path, statePath);
    const found = rotated.findIndex((file) => file.size > 0 && continues(position, file));
    const old = rotated[found];
    if (!old) {
      warn(`${path} was replaced or cut, and what it was is in no file beside it: lines may be missing`);
      this.#state = { ...this.#state, position: START };
      return this.#readFrom(path, null);
    }
    return this.#readFrom(old.path, [log, ...rotated.slice(0, found)].findLast(({ size }) => size > 0) ?? null);
  }

  /** `after` is the file that comes next; null while it may still grow. */
  async #readFrom(path: string, after: LogFile | null): Promise<number> {
    const file = await open(path, "r").catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (file === null) return 0;
    try {
      const { position } = this.#state;
      const before = await headOf(file);
      const bytes = await bytesOf(file, position.offset, Math.min(FOLLOWED_LINES_BYTES_MAX, Math.max(0, before.size - position.offset)));
      // It may have been rotated meanwhile.
      const { size, head } = await headOf(file);
      if (!continues(position, before) || !continues(positionIn(position.offset + bytes.length, before.head), { size, head })) return 0;
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) return await this.#send(bytes.subarray(0, end), positionIn(position.offset + end, head));
      if (bytes.length === FOLLOWED_LINES_BYTES_MAX) return await this.#sendCut(bytes, head);
      if (after === null) return 0;
      // A server may write to the old file for a moment after the new one is there.
      if (this.#endedAt !== path) {
        this.#endedAt = path;
        return 0;
      }
      this.#endedAt = null;
      const next = positionIn(0, after.head);
      if (bytes.length > 0) return await this.#send(new Uint8Array([...bytes, LINE_FEED]), next);
      this.#state = { ...this.#state, position: next };
      return 0;
    } finally {
      await file.close();
    }
  }

  /** A piece of a line that is longer than what may be sent at once: the server counts each as one that cannot be read. */
  #sendCut(bytes: Uint8Array, head: Uint8Array): Promise<number> {
    const piece = bytes.slice();
    piece[piece.length - 1] = LINE_FEED;
    return this.#send(piece, positionIn(this.#state.position.offset + piece.length - 1, head));
  }

  async #send(lines: Uint8Array, position: Position): Promise<number> {
    this.#endedAt = null;
    const { import: number, taken } = this.#state;
    this.#state = { ...this.#state, next: { bytes: lines.length, position } };
    await this.#store();
    await this.#options.door.send(number, taken, lines);
    this.#state = { import: number, taken: taken + lines.length, position, next: null };
    return lines.length;
  }

  async #store(): Promise<void> {
    const written = `${this.#options.statePath}.new`;
    const file = await open(written, "w", 0o600);
    try {
      await file.writeFile(JSON.stringify(this.#state));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(written, this.#options.statePath);
  }
}

/** Follows until the signal. `isPassing` tells failures of a server that starts again, or is busy. */
export async function followUntil(
  follower: LogFollower,
  signal: AbortSignal,
  isPassing: (error: unknown) => boolean,
  warn: (text: string) => void,
) {
  let failed = false;
  while (!signal.aborted) {
    let waitMs = RETRY_MS;
    try {
      if (failed) await follower.agree();
      failed = false;
      waitMs = (await follower.poll()) > FOLLOWED_LINES_BYTES_MAX / 2 ? CATCH_UP_MS : POLL_MS;
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!failed) warn((error as Error).message);
      failed = true;
    }
    await setTimeout(waitMs, undefined, { signal }).catch(() => {});
  }
}
