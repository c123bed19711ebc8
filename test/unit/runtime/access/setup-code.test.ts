/** The one-time code that opens setup. */
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { KeptEntries, KeptEntry } from "../../../../src/runtime/access/expiring-tokens.ts";
import { LoginLockout } from "../../../../src/runtime/access/login-lockout.ts";
import { logSetupCode, SetupCode } from "../../../../src/runtime/access/setup-code.ts";
import { createSha256, toHex } from "../../../../src/runtime/base/bytes.ts";
import { createCounters } from "../../../../src/runtime/base/metrics/metrics.ts";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";

const ADDRESS = "192.168.1.7";

const sha256 = await createSha256();

/** What outlives an instance. */
function keptEntries(): KeptEntries {
  const entries = new Map<string, KeptEntry>();
  return {
    list: () => [...entries.values()],
    set: (entry) => void entries.set(entry.key, entry),
    remove: (key) => void entries.delete(key),
  };
}

function codeWith(bytes: (length: number) => Uint8Array = randomBytes, kept = keptEntries()) {
  const log = createRecordingLog();
  const counters = createCounters();
  const lockout = new LoginLockout({ attemptsMax: 3, lockoutSecs: 300, rowSecs: 300, addressesMax: 10, monotonicMs: () => 0 });
  const adminPassword = {
    isConfigured: false,
    checkSetupIsOpen() {
      if (this.isConfigured) throw new AppError({ code: "already_configured" }, "there is one");
    },
  };
  const setupCode = new SetupCode({ adminPassword, lockout, sha256, randomBytes: bytes, counters, log, kept });
  const reason = (typed: string): string | null => {
    try {
      setupCode.check(typed, ADDRESS);
      return null;
    } catch (error) {
      return (error as AppError).failure.code;
    }
  };
  return { setupCode, log, counters, adminPassword, reason };
}

/** Characters 0 to 15 of the alphabet, and 16 to 31. */
const [LOW, HIGH] = [0, 16].map((first) => () => Uint8Array.from({ length: 16 }, (_, i) => first + i));

describe("the setup code", () => {
  it("consists of sixteen of 32 unmistakable characters, in groups of four", () => {
    expect(codeWith(LOW).setupCode.reveal()).toBe("0123-4567-89AB-CDEF");
    expect(codeWith(HIGH).setupCode.reveal()).toBe("GHJK-MNPQ-RSTV-WXYZ");
  });

  it("uses every character with equal probability", () => {
    const counts = new Map<string, number>();
    for (let first = 0; first < 256; first += 16) {
      const { setupCode } = codeWith(() => Uint8Array.from({ length: 16 }, (_, i) => first + i));
      for (const char of setupCode.reveal()?.replaceAll("-", "") ?? "") counts.set(char, (counts.get(char) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual(Array<number>(32).fill(8));
  });

  it("differs from the code of another start", () => {
    expect(new Set(Array.from({ length: 100 }, () => codeWith().setupCode.reveal())).size).toBe(100);
  });

  it.each([
    "0123-4567-89AB-CDEF",
    "0123456789abcdef",
    " 0123 4567 89ab cdef\n",
    "oi23-4567-89ab-cdef",
    "Ol23-4567-89ab-cdef",
    "--0123-4567-89AB-CDEF--",
  ])("accepts %j for 0123-4567-89AB-CDEF", (typed) => {
    expect(codeWith(LOW).reason(typed)).toBeNull();
  });

  it.each([
    "",
    "0123",
    "0123-4567-89AB-CDE",
    "0123-4567-89AB-CDEG",
    "0123-4567-89AB-CDEF0",
    "\u{1d7d8}123-4567-89AB-CDEF",
    "x".repeat(60_000),
  ])("rejects %j", (typed) => {
    expect(codeWith(LOW).reason(typed)).toBe("unverified_host");
  });

  it("counts wrong codes as failed logins, and a locked-out address is rejected before its code is compared", () => {
    const { reason, counters, log } = codeWith(LOW);
    for (let i = 0; i < 3; i++) expect(reason("wrong")).toBe("unverified_host");
    expect(reason("0123-4567-89AB-CDEF")).toBe("too_many_requests");
    expect(counters.loginFailures).toBe(3);
    expect(log.lines).toEqual([{ level: "warn", message: expect.stringContaining("wrong setup codes") as unknown, fields: {} }]);
  });

  it("is invalid once a password is set", () => {
    const { setupCode, reason, adminPassword } = codeWith(LOW);
    adminPassword.isConfigured = true;
    expect(setupCode.reveal()).toBeNull();
    expect(reason("0123-4567-89AB-CDEF")).toBe("already_configured");
  });

  it("is logged once, as a warning, while no password is set, and printed nowhere else", () => {
    const { setupCode, log, adminPassword } = codeWith(LOW);
    logSetupCode(setupCode, log);
    expect(log.lines).toEqual([
      {
        level: "warn",
        message: expect.stringContaining("no admin password is set") as unknown,
        fields: { setupCode: "0123-4567-89AB-CDEF" },
      },
    ]);
    adminPassword.isConfigured = true;
    logSetupCode(setupCode, log);
    expect(log.lines).toHaveLength(1);
    expect(`${JSON.stringify(setupCode)}${String(setupCode)}`).not.toContain("0123");
  });

  it("stays valid in the next instance, which knows only its hash and does not log it again", () => {
    const kept = keptEntries();
    const first = codeWith(LOW, kept);
    logSetupCode(first.setupCode, first.log);
    const stored = JSON.stringify(kept.list());
    expect(stored).toContain(toHex(sha256("0123456789ABCDEF")));
    expect(stored).not.toContain("0123456789ABCDEF");
    const next = codeWith(HIGH, kept);
    logSetupCode(next.setupCode, next.log);
    expect([next.setupCode.reveal(), next.log.lines]).toEqual([null, []]);
    expect([next.reason("0123-4567-89AB-CDEF"), next.reason("GHJK-MNPQ-RSTV-WXYZ")]).toEqual([null, "unverified_host"]);
  });

  it("is replaced by the next instance if it was not logged", () => {
    const kept = keptEntries();
    codeWith(LOW, kept);
    const next = codeWith(HIGH, kept);
    expect([next.reason("GHJK-MNPQ-RSTV-WXYZ"), next.reason("0123-4567-89AB-CDEF")]).toEqual([null, "unverified_host"]);
  });
});
