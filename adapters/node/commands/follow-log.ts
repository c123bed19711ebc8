/**
 * Follows a log that grows, with `import --follow`: sends its whole lines, through rotations, and writes down which part of which file is
 * about to be sent before it sends it. After any interruption, what the server has says whether it arrived, and until that is known, the
 * same part is sent again: the server may still be taking it.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, parse, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { LOG_FINGERPRINT_BYTES } from "../../../src/runtime/base/config/limits.ts";
import { FOLLOWED_LINES_BYTES_MAX } from "../../../src/shared/limits.ts";
import { crc32 } from "../../../src/storage/checksum.ts";
import { writeDurably } from "../files/durable-files.ts";
import { isNotFound, nodeFileSystem, type OpenFile, orIf } from "../files/file-system.ts";

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
  /** The argument of the command. The server may have renamed the site since. */
  readonly site: string;
  /** Bytes that the server had taken when the log was read up to the position. */
  readonly taken: number;
  readonly position: Position;
  /** What is about to be sent, and the position after it. It stays until the server is known to have it. */
  readonly next: { readonly bytes: number; readonly position: Position } | null;
}

/** An import, as the server has it. */
export interface FollowedImport {
  readonly site: string;
  /** Bytes of lines that were taken. */
  readonly bytes: number;
  /** True if the log must go on in another import. */
  readonly isFull: boolean;
}

/** A server, as far as logs are sent to it. */
export interface LogDoor {
  begin(site: string): Promise<number>;
  now(number: number): Promise<FollowedImport>;
  send(number: number, offset: number, lines: Uint8Array): Promise<FollowedImport>;
}

/** The server will never take these lines. */
export class RefusedLines extends Error {}

interface LogFile {
  readonly path: string;
  readonly size: number;
  readonly head: Uint8Array;
}

const LINE_FEED = 10;

/** What the names of rotated logs have after that of the log: a number or a date, as in `.1` and `-20260101`, or `.old`. */
const ROTATED = /^[.-](?:old$|.*\d)/;

/** What Caddy has between the name of a rotated log and its ending, as in `access-2026-01-01T00-00-00.000.log`. */
const ROTATED_BY_CADDY = /^-\d{4}-\d\d-\d\dT\d/;

const COMPRESSED = /\.(?:gz|bz2|xz|zst|zip)$/;

/** Whether the file has all that was read. False for another file of the same name, and for one that was cut. */
const continues = ({ offset, headBytes, headCrc32 }: Position, { size, head }: Pick<LogFile, "size" | "head">): boolean =>
  size >= offset && head.length >= headBytes && crc32(head, 0, headBytes) === headCrc32;

const positionIn = (offset: number, head: Uint8Array): Position => ({
  offset,
  headBytes: head.length,
  headCrc32: crc32(head, 0, head.length),
});

async function bytesOf(file: OpenFile, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const read = await file.read(bytes.subarray(filled), from + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

async function headOf(file: OpenFile): Promise<Pick<LogFile, "size" | "head">> {
  const { size } = await file.stat();
  return { size, head: await bytesOf(file, 0, Math.min(size, LOG_FINGERPRINT_BYTES)) };
}

const openLog = (path: string): Promise<OpenFile | null> => orIf(isNotFound, null, nodeFileSystem.open(path, "r"));

/** An empty one where there is none: between the two steps of a rotation. */
async function logFile(path: string): Promise<LogFile> {
  const file = await openLog(path);
  try {
    return { path, ...(file === null ? { size: 0, head: new Uint8Array() } : await headOf(file)) };
  } finally {
    await file?.close();
  }
}

function isRotated(entry: string, log: string): boolean {
  if (COMPRESSED.test(entry)) return false;
  if (entry.startsWith(log)) return ROTATED.test(entry.slice(log.length));
  const { name, ext } = parse(log);
  return entry.startsWith(name) && entry.endsWith(ext) && ROTATED_BY_CADDY.test(entry.slice(name.length));
}

/** The files that the log was renamed or copied to, the newest first. */
async function rotatedFiles(path: string, statePath: string): Promise<LogFile[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const found: { readonly path: string; readonly mtimeMs: number }[] = [];
  for (const entry of await readdir(folder)) {
    const at = join(folder, entry);
    if (!isRotated(entry, name) || resolve(at) === resolve(statePath)) continue;
    const status = await orIf(isNotFound, null, stat(at));
    if (status?.isFile()) found.push({ path: at, mtimeMs: status.mtimeMs });
  }
  const files: LogFile[] = [];
  for (const { path: at } of found.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1))) files.push(await logFile(at));
  return files;
}

function withLineFeed(bytes: Uint8Array): Uint8Array {
  const lines = new Uint8Array(bytes.length + 1);
  lines.set(bytes);
  lines[bytes.length] = LINE_FEED;
  return lines;
}

/** How long to wait before the log is looked at again. */
const POLL_MS = 15_000;

/** And after as much was sent as may be at once. */
const CATCH_UP_MS = 1_000;

const RETRY_MS = 15_000;

interface FollowerOptions {
  readonly site: string;
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
    const { site, statePath, door } = options;
    const stored = await orIf(isNotFound, null, readFile(statePath, "utf8"));
    const state = stored === null ? null : (JSON.parse(stored) as State);
    const follower = new LogFollower(options, state ?? { import: await door.begin(site), site, taken: 0, position: START, next: null });
    if (state === null) await follower.#store();
    const now = await door.now(follower.import);
    if (site !== follower.#state.site && site !== now.site)
      throw new Error(
        `${statePath} is of import #${follower.import} of ${now.site}, not of ${site}: give that site, or another state file`,
      );
    follower.#state = { ...follower.#state, site };
    await follower.#agreeWith(now);
    return follower;
  }

  get import(): number {
    return this.#state.import;
  }

  /** Finds out whether what was about to be sent has arrived; to be called after each failure. */
  async agree(): Promise<void> {
    await this.#agreeWith(await this.#options.door.now(this.#state.import));
  }

  async #agreeWith({ bytes, site, isFull }: FollowedImport): Promise<void> {
    const { taken, next } = this.#state;
    if (next !== null && bytes === taken + next.bytes) this.#state = { ...this.#state, taken: bytes, position: next.position, next: null };
    else if (bytes !== taken) {
      this.#options.warn(`the server has ${bytes} bytes of lines where ${taken} were sent: it may have been restored from a backup`);
      this.#state = { ...this.#state, taken: bytes, next: null };
    }
    if (isFull && this.#state.next === null) await this.#beginAnother(site);
  }

  async #beginAnother(site: string): Promise<void> {
    const { door, path, warn } = this.#options;
    const number = await door.begin(site);
    warn(`import #${this.import} is full: ${path} is followed as import #${number} from here on`);
    this.#state = { ...this.#state, import: number, taken: 0 };
    await this.#store();
  }

  /** Sends lines of which it is not known whether they arrived, or new ones, as many as may be sent at once. Resolves with the bytes. */
  async poll(): Promise<number> {
    const { path, statePath, warn } = this.#options;
    const { position, next } = this.#state;
    const needed = next === null ? position : { ...position, offset: position.offset + next.bytes - 1 };
    const log = await logFile(path);
    if (continues(needed, log)) return this.#readFrom(path, null);
    const rotated = await rotatedFiles(path, statePath);
    const found = rotated.findIndex((file) => file.size > 0 && continues(needed, file));
    const old = rotated[found];
    if (!old) {
      warn(`${path} was replaced or cut, and what it was is in no file beside it: lines may be missing`);
      this.#state = { ...this.#state, position: START, next: null };
      return this.#readFrom(path, null);
    }
    return this.#readFrom(old.path, [log, ...rotated.slice(0, found)].findLast(({ size }) => size > 0) ?? null);
  }

  /** `after` is the file that comes next; null while it may still grow. */
  async #readFrom(path: string, after: LogFile | null): Promise<number> {
    const file = await openLog(path);
    if (file === null) return 0;
    try {
      const { position, next } = this.#state;
      const before = await headOf(file);
      // The last byte that is sent is always a line feed, also where the file has none.
      const wanted = next === null ? FOLLOWED_LINES_BYTES_MAX : next.bytes - 1;
      const bytes = await bytesOf(file, position.offset, Math.min(wanted, Math.max(0, before.size - position.offset)));
      // It may have been rotated meanwhile.
      const { size, head } = await headOf(file);
      if (!continues(position, before) || !continues(positionIn(position.offset + bytes.length, before.head), { size, head })) return 0;
      if (next !== null) return bytes.length === wanted ? await this.#sendNext(withLineFeed(bytes)) : 0;
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) return await this.#send(bytes.subarray(0, end), head, positionIn(position.offset + end, head));
      if (bytes.length === FOLLOWED_LINES_BYTES_MAX) {
        // A piece of a line that is longer than what may be sent at once: the server counts each as one that cannot be read.
        const piece = bytes.subarray(0, -1);
        return await this.#send(withLineFeed(piece), head, positionIn(position.offset + piece.length, head));
      }
      if (after === null) return 0;
      // A server may write to the old file for a moment after the new one is there.
      if (this.#endedAt !== path) {
        this.#endedAt = path;
        return 0;
      }
      this.#endedAt = null;
      const beginning = positionIn(0, after.head);
      if (bytes.length > 0) return await this.#send(withLineFeed(bytes), head, beginning);
      this.#state = { ...this.#state, position: beginning };
      return 0;
    } finally {
      await file.close();
    }
  }

  /** `head` is of the file that has the lines, so that it is found again. */
  async #send(lines: Uint8Array, head: Uint8Array, after: Position): Promise<number> {
    this.#endedAt = null;
    const position = positionIn(this.#state.position.offset, head);
    this.#state = { ...this.#state, position, next: { bytes: lines.length, position: after } };
    return this.#sendNext(lines);
  }

  async #sendNext(lines: Uint8Array): Promise<number> {
    const { import: number, taken } = this.#state;
    await this.#store();
    try {
      await this.#agreeWith(await this.#options.door.send(number, taken, lines));
    } catch (error) {
      if (error instanceof RefusedLines) {
        this.#state = { ...this.#state, next: null };
        await this.#store();
      }
      throw error;
    }
    return lines.length;
  }

  #store(): Promise<void> {
    return writeDurably(this.#options.statePath, new TextEncoder().encode(JSON.stringify(this.#state)));
  }
}

/** A failure of the local system, such as a log that nobody may read between its creation and the change of its mode. */
const isLocal = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

/** Follows until the signal. `isPassing` tells failures of a server that starts again, or is busy. */
export async function followUntil(
  follower: LogFollower,
  signal: AbortSignal,
  isPassing: (error: unknown) => boolean,
  warn: (text: string) => void,
) {
  let failure: string | null = null;
  while (!signal.aborted) {
    let waitMs = RETRY_MS;
    try {
      if (failure !== null) await follower.agree();
      waitMs = (await follower.poll()) > FOLLOWED_LINES_BYTES_MAX / 2 ? CATCH_UP_MS : POLL_MS;
      failure = null;
    } catch (error) {
      if (!isPassing(error) && !isLocal(error)) throw error;
      const { message } = error as Error;
      if (message !== failure) warn(message);
      failure = message;
    }
    await setTimeout(waitMs, undefined, { signal }).catch(() => {});
  }
}
