/** Persistent sessions and a process that ends at any call, a disk that fails, and a clock that is wrong. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createFileRecordStore } from "../../adapters/node/files/file-stores.ts";
import type { FileSystem } from "../../adapters/node/files/file-system.ts";
import { AdminPassword } from "../../src/runtime/access/admin-password.ts";
import { createArgon2id } from "../../src/runtime/access/password-hasher.ts";
import { PasswordQueue } from "../../src/runtime/access/password-queue.ts";
import { PersistentSessions, SESSIONS_RECORD } from "../../src/runtime/access/persistent-sessions.ts";
import { PERSISTENT_SESSIONS_MAX } from "../../src/runtime/base/config/admin-limits.ts";
import { createSha256 } from "../../src/runtime/base/bytes.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";
import {
  CLOSED,
  endSession,
  getStatus,
  listSessions,
  logIn,
  PASSWORD,
  postJson,
  postLogin,
  postLogoutAll,
  stayLoggedIn,
} from "../support/auth-requests.ts";
import { createInProcessTarget } from "../support/in-process-target.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { createRecordingLog } from "../support/recording-log.ts";
import { DATA_FOLDER, expectWholeAtEachCall } from "./struck-change.ts";

const sha256 = await createSha256();
const hasher = createArgon2id(randomBytes, { memoryKib: 8, iterations: 1, parallelism: 1 });
const { signal } = new AbortController();

const DAY_MS = 86_400_000;
const START_MS = Date.parse("2026-03-01T23:59:00Z");
const DEVICE = { browser: "Firefox", os: "Linux" };

/** Sessions on a record store, with a clock that the test sets. */
async function open(records: RecordStore, clock = { ms: START_MS }) {
  const log = createRecordingLog();
  const adminPassword = await AdminPassword.open({ records, hasher, sha256, queue: new PasswordQueue(), configured: null });
  if (!adminPassword.isConfigured) await adminPassword.setUp(PASSWORD, signal);
  const sessions = await PersistentSessions.open({ records, adminPassword, sha256, randomBytes, log, now: () => clock.ms });
  return { sessions, adminPassword, log, clock };
}

type Opened = Awaited<ReturnType<typeof open>>;

interface SessionChange {
  readonly title: string;
  readonly change: (opened: Opened, tokens: readonly string[]) => Promise<unknown>;
  /** For each of the two sessions from before, whether it may be valid, and whether it is after the change was confirmed. */
  readonly found: readonly (readonly boolean[])[];
  readonly after: readonly boolean[];
}

const [BOTH, NONE, FIRST, SECOND] = [
  [true, true],
  [false, false],
  [true, false],
  [false, true],
] as const;

const CHANGES: readonly SessionChange[] = [
  { title: "a login", change: ({ sessions }) => sessions.begin(DEVICE), found: [BOTH], after: BOTH },
  { title: "a logout", change: ({ sessions }, [first = ""]) => sessions.logOut([first]), found: [BOTH, SECOND], after: SECOND },
  {
    title: "the end of one session by another",
    change: ({ sessions }, [, second = ""]) => sessions.end(sessions.list([second]).find(({ isCurrent }) => !isCurrent)?.sessionHash ?? ""),
    found: [BOTH, SECOND],
    after: SECOND,
  },
  { title: "a logout everywhere", change: ({ sessions }) => sessions.endAll(), found: [BOTH, NONE], after: NONE },
  {
    title: "the first use of a day",
    async change({ sessions, clock }, [first = ""]) {
      clock.ms += DAY_MS;
      sessions.noteUse(first);
      await sessions.settled();
    },
    found: [BOTH],
    after: BOTH,
  },
  {
    title: "a change of the password by the first",
    async change({ sessions, adminPassword }, [first = ""]) {
      await adminPassword.change("another horse battery");
      await sessions.keepOnly([first]);
    },
    // In between, the new password counts and no session is bound to it yet: the owner logs in again.
    found: [BOTH, NONE, FIRST],
    after: FIRST,
  },
];

describe("a process that ends while it changes persistent sessions", () => {
  it.each(CHANGES.map((each) => [each.title, each] as const))(
    "%s that is interrupted at any call has happened or not, and has if it was confirmed",
    async (_title, { change, ...ends }) => {
      const openOn = (files: FileSystem) => open(createFileRecordStore(DATA_FOLDER, files));
      let tokens: readonly string[] = [];
      await expectWholeAtEachCall<readonly boolean[]>({
        async before(files) {
          const { sessions } = await openOn(files);
          tokens = [await sessions.begin(DEVICE), await sessions.begin(DEVICE)];
        },
        async change(files) {
          const opened = await openOn(files);
          await change(opened, tokens);
          // Some changes never reject, because the caller's session has ended all the same.
          if (opened.log.lines.length > 0) throw new Error("not stored");
        },
        async find(files) {
          const { sessions } = await openOn(files);
          return tokens.map((token) => sessions.isValid(token));
        },
        ...ends,
      });
    },
  );
});

describe("persistent sessions on a disk that fails", () => {
  async function fullDisk() {
    const records = createMemoryRecordStore();
    const target = await createInProcessTarget(CLOSED, { records });
    const session = await stayLoggedIn(target);
    const { write } = records;
    const setFull = (isFull: boolean) => {
      records.write = isFull ? () => Promise.reject(new Error("disk full")) : write;
    };
    setFull(true);
    return { target, session, setFull };
  }

  it("a login with `remember` on a full disk begins a session without it", async () => {
    const { target } = await fullDisk();
    const response = await postJson(target, "/api/auth/login", { password: PASSWORD, remember: true });
    expect(response.headers.get("set-cookie")).toContain("Max-Age=86400");
    const { token } = (await response.json()) as { token: string };
    expect(await getStatus(target, { cookie: `svc_session=${token}` })).toMatchObject({ authenticated: true });
    expect(JSON.stringify(target.log.lines)).toContain("a session could not be stored");
    expect(JSON.stringify(target.log.lines)).not.toContain(token);
    await target.close();
  });

  it("a logout everywhere on a full disk ends all sessions, gives 503, and is stored when it is repeated", async () => {
    const { target, session, setFull } = await fullDisk();
    expect((await postLogoutAll(target, session)).status).toBe(503);
    expect(await getStatus(target, session)).toMatchObject({ authenticated: false });
    setFull(false);
    expect((await postLogoutAll(target, await logIn(target))).status).toBe(200);
    await target.restart();
    expect(await getStatus(target, session)).toMatchObject({ authenticated: false });
    await target.close();
  });

  it("the end of one session on a full disk gives 503, and is stored when it is repeated", async () => {
    const { target, session, setFull } = await fullDisk();
    const owner = await logIn(target);
    const [{ session_hash: hash = "" } = {}] = await listSessions(target, owner);
    const end = () => endSession(target, owner, hash);
    expect((await end()).status).toBe(503);
    setFull(false);
    expect((await end()).status).toBe(200);
    expect((await end()).status).toBe(404);
    await target.restart();
    expect(await getStatus(target, session)).toMatchObject({ authenticated: false });
    await target.close();
  });

  it("a hanging disk delays no request that uses a session, and waits with one write for any number of uses", async () => {
    const records = createMemoryRecordStore();
    const { sessions, clock } = await open(records);
    const tokens = [await sessions.begin(DEVICE), await sessions.begin(DEVICE), await sessions.begin(DEVICE)];
    const { write } = records;
    const writes: (() => void)[] = [];
    records.write = (...record) => new Promise((resolve) => writes.push(() => resolve(write(...record))));
    clock.ms += DAY_MS;
    expect(tokens.map((token) => sessions.noteUse(token))).toEqual([true, true, true]);
    expect(tokens.map((token) => sessions.noteUse(token))).toEqual([false, false, false]);
    await Promise.resolve();
    expect(writes).toHaveLength(1);
    records.write = write;
    writes[0]?.();
    await sessions.settled();
    const { sessions: reopened } = await open(records, clock);
    expect(reopened.list([]).map(({ lastUsedOn }) => lastUsedOn)).toEqual(Array.from({ length: 3 }, () => "2026-03-02"));
  });

  it("a damaged record stops no start, lets nobody in, and is replaced at the next login", async () => {
    const records = createMemoryRecordStore();
    const { sessions } = await open(records);
    const token = await sessions.begin(DEVICE);
    for (const damaged of ["{", "{}", '{"sessions":[{}]}', '{"sessions":[null]}', '{"sessions":{}}']) {
      await records.write(SESSIONS_RECORD, new TextEncoder().encode(damaged));
      const { sessions: reopened, log } = await open(records);
      expect(reopened.isValid(token)).toBe(false);
      expect(JSON.stringify(log.lines)).toContain("are lost");
      await reopened.begin(DEVICE);
      expect((await open(records)).sessions.list([])).toHaveLength(1);
    }
  });
});

describe("what is stored of persistent sessions", () => {
  it("neither a token nor the password, which cannot be tried on the record either", async () => {
    const records = createMemoryRecordStore();
    const { sessions, adminPassword } = await open(records);
    const token = await sessions.begin(DEVICE);
    const text = new TextDecoder().decode((await records.read(SESSIONS_RECORD)) ?? new Uint8Array());
    expect(text).not.toContain(token);
    expect(text).not.toContain(PASSWORD);
    const [{ sessionHash, binding } = { sessionHash: "", binding: "" }] = sessions.list([]);
    expect(JSON.parse(text)).toEqual({
      sessions: [{ sessionHash, binding, createdAt: "2026-03-01T23:59:00.000Z", lastUsedOn: "2026-03-01", ...DEVICE }],
    });
    // The hash of the token, which is stored, does not replace the token.
    expect([adminPassword.bindingOf(sessionHash), adminPassword.bindingOf("")]).not.toContain(binding);
  });

  it("beyond the limit, the session that was not used for longest ends, and the record stays small", async () => {
    const records = createMemoryRecordStore();
    const { sessions, clock } = await open(records);
    const long = { browser: "x".repeat(1000), os: "\u{10ffff}".repeat(1000) };
    const tokens: string[] = [];
    for (let i = 0; i < PERSISTENT_SESSIONS_MAX; i++) tokens.push(await sessions.begin(long));
    clock.ms += DAY_MS;
    for (const token of tokens.slice(1)) sessions.noteUse(token);
    tokens.push(await sessions.begin(long));
    expect([0, 1, 2, PERSISTENT_SESSIONS_MAX].map((i) => sessions.isValid(tokens[i] ?? ""))).toEqual([false, true, true, true]);
    expect(sessions.list([])).toHaveLength(PERSISTENT_SESSIONS_MAX);
    expect((await records.read(SESSIONS_RECORD))?.length).toBeLessThan(200_000);
    expect((await open(records, clock)).sessions.list([])).toHaveLength(PERSISTENT_SESSIONS_MAX);
  });

  it("a wall clock that was wrong by years ends a session at most, and prolongs none beyond 30 days after the correction", async () => {
    const records = createMemoryRecordStore();
    const { sessions, clock } = await open(records);
    const token = await sessions.begin(DEVICE);
    clock.ms = START_MS + 25 * DAY_MS;
    expect(sessions.noteUse(token)).toBe(true);
    clock.ms = START_MS;
    expect(sessions.isValid(token)).toBe(true);
    expect(sessions.noteUse(token)).toBe(true);
    clock.ms = START_MS + 31 * DAY_MS;
    expect(sessions.isValid(token)).toBe(false);
    clock.ms = START_MS + 3650 * DAY_MS;
    const future = await sessions.begin(DEVICE);
    clock.ms = START_MS;
    expect(sessions.isValid(future)).toBe(false);
  });

  it("a session that began with another password is not valid, whatever the option or the record says now", async () => {
    const records = createMemoryRecordStore();
    const first = await createInProcessTarget(CLOSED, { records });
    const session = await stayLoggedIn(first);
    await first.close();
    const second = await createInProcessTarget({ SVC_ADMIN_PASSWORD: "another horse battery" }, { records });
    expect(await getStatus(second, session)).toMatchObject({ authenticated: false });
    await second.close();
    const third = await createInProcessTarget(CLOSED, { records });
    expect(await getStatus(third, session)).toMatchObject({ authenticated: true });
    expect((await postLogin(third)).status).toBe(200);
    await third.close();
  });
});
