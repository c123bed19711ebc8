/** Everything that decides who may call, put together: password, setup, login, sessions, API keys and share links. */
import type { EpochMs } from "../../storage/event.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import type { Config } from "../base/config/config.ts";
import {
  API_KEYS_MAX,
  LOGIN_FAILURE_ADDRESSES_MAX,
  SESSIONS_MAX,
  GUEST_TOKENS_MAX,
  GUEST_TOKENS_OF_SHARE_MAX,
  GUEST_TOKEN_SECS,
} from "../base/config/admin-limits.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import type { Log } from "../base/metrics/log.ts";
import { AdminPassword } from "./admin-password.ts";
import { ApiKeys } from "./api-keys.ts";
import { KEPT_IN_MEMORY, Sessions, GuestTokens, type KeepEntries } from "./expiring-tokens.ts";
import { LoginLockout } from "./login-lockout.ts";
import { Login } from "./login.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import { PasswordQueue } from "./password-queue.ts";
import { PersistentSessions } from "./persistent-sessions.ts";
import { SetupCode } from "./setup-code.ts";
import { createSha256 } from "../base/bytes.ts";
import { ShareUnlock, ShareUnlockLimit } from "./share-unlock.ts";
import { Shares } from "./shares.ts";

interface AuthParts {
  readonly config: Config;
  readonly records: RecordStore;
  readonly passwordHasher: PasswordHasher;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly counters: Counters;
  readonly log: Log;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  /** Absent where memory lasts until the service restarts. */
  readonly keepEntries?: KeepEntries;
}

/** Rejects when a record is damaged: it must not count as missing. */
export async function createAuth({
  config,
  records,
  passwordHasher,
  randomBytes,
  counters,
  log,
  now,
  monotonicMs,
  keepEntries = () => KEPT_IN_MEMORY,
}: AuthParts) {
  const sha256 = await createSha256();
  const queue = new PasswordQueue();
  const adminPassword = await AdminPassword.open({ records, hasher: passwordHasher, sha256, queue, configured: config.adminPassword });
  const tokens = { sha256, randomBytes, now, monotonicMs };
  const sessions = new Sessions({ ...tokens, ttlSecs: config.sessionTtlSecs, sessionsMax: SESSIONS_MAX, kept: keepEntries("session") });
  const persistentSessions = await PersistentSessions.open({ records, adminPassword, sha256, randomBytes, log, now });
  const lockoutOptions = {
    attemptsMax: config.maxLoginAttempts,
    lockoutSecs: config.loginLockoutSecs,
    addressesMax: LOGIN_FAILURE_ADDRESSES_MAX,
    monotonicMs,
  };
  const lockout = new LoginLockout({ ...lockoutOptions, rowSecs: Number.POSITIVE_INFINITY });
  const guestTokens = new GuestTokens({
    ...tokens,
    ttlSecs: GUEST_TOKEN_SECS,
    tokensMax: GUEST_TOKENS_MAX,
    tokensOfShareMax: GUEST_TOKENS_OF_SHARE_MAX,
    kept: keepEntries("viewer"),
  });
  // Waiting for the end of a row takes as long as a lockout, and so gives no more guesses.
  const shareLockout = new LoginLockout({ ...lockoutOptions, rowSecs: config.loginLockoutSecs });
  const shares = await Shares.open({ records, sha256, randomBytes, guestTokens, log, now });
  return {
    adminPassword,
    setupCode: new SetupCode({ adminPassword, lockout, sha256, randomBytes, counters, log, kept: keepEntries("setup_code") }),
    sessions,
    persistentSessions,
    login: new Login({ adminPassword, lockout, sessions, persistentSessions, queue, counters, log }),
    apiKeys: await ApiKeys.open({ records, sha256, randomBytes, keysMax: API_KEYS_MAX, log }),
    shares,
    shareUnlock: new ShareUnlock({
      shares,
      guestTokens,
      hasher: passwordHasher,
      lockout: shareLockout,
      limit: new ShareUnlockLimit(monotonicMs),
      queue,
      counters,
      log,
    }),
    /** True if memory has failed logins that count. Where the host may end an idle instance, it keeps this one until then. */
    countsFailures: () => lockout.isNeeded || shareLockout.isNeeded,
  };
}

export type AuthServices = Awaited<ReturnType<typeof createAuth>>;
