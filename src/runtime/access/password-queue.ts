/**
 * Passwords that wait to be hashed, which happens one at a time: those of owners first, then logins, then those of share links. When a
 * line is full, a newcomer displaces one from the network that has the most in it, so that many addresses of a few networks keep nobody
 * else out.
 */
import { PASSWORD_CHECKS_WAITING_MAX, SHARE_PASSWORDS_WAITING_MAX } from "../base/config/admin-limits.ts";
import { AppError } from "../base/errors.ts";
import { wideNetworkOf } from "../base/rate-limit.ts";

/** `owner`: with a session, or at the setup. */
export type PasswordSource = "owner" | "login" | "share";

interface PasswordTurn {
  readonly source: PasswordSource;
  /** The client's; in memory while it waits. Owners need none. */
  readonly address?: string;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly network: string;
  readonly begin: () => void;
  readonly refuse: (reason: unknown) => void;
}

const RETRY_SECS = 5;

/** First come those of the first line. */
const WAITING_MAX: Readonly<Record<PasswordSource, number>> = {
  owner: PASSWORD_CHECKS_WAITING_MAX,
  login: PASSWORD_CHECKS_WAITING_MAX,
  share: SHARE_PASSWORDS_WAITING_MAX,
};

const tooMany = (): AppError =>
  new AppError(
    { code: "too_many_requests", retryAfterSecs: RETRY_SECS },
    "Too many passwords are being checked at the same time. Try again later.",
  );

/** The latest of the network with the most passwords in the line; null if it has no more of them than `network` would. */
function displacedBy(network: string, line: ReadonlySet<Waiting>): Waiting | null {
  const counts = new Map<string, number>();
  for (const waiting of line) counts.set(waiting.network, (counts.get(waiting.network) ?? 0) + 1);
  const most = Math.max(...counts.values());
  if (most <= (counts.get(network) ?? 0) + 1) return null;
  return [...line].findLast((waiting) => counts.get(waiting.network) === most) ?? null;
}

export class PasswordQueue {
  readonly #lines: Readonly<Record<PasswordSource, Set<Waiting>>> = { owner: new Set(), login: new Set(), share: new Set() };
  #isBusy = false;

  /** Runs the task when it is its turn; 429 when too many wait. One whose signal aborts while it waits is not started. */
  async run<T>(task: () => Promise<T>, turn: PasswordTurn): Promise<T> {
    if (this.#isBusy) await this.#wait(turn);
    this.#isBusy = true;
    try {
      turn.signal.throwIfAborted();
      return await task();
    } finally {
      this.#beginNext();
    }
  }

  #wait({ source, address = "", signal }: PasswordTurn): Promise<void> {
    const line = this.#lines[source];
    const network = wideNetworkOf(address);
    if (line.size >= WAITING_MAX[source]) {
      const displaced = displacedBy(network, line);
      if (displaced === null) throw tooMany();
      displaced.refuse(tooMany());
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => waiting.refuse(signal.reason);
      const leave = () => {
        line.delete(waiting);
        signal.removeEventListener("abort", onAbort);
      };
      const waiting: Waiting = {
        network,
        begin: () => {
          leave();
          resolve();
        },
        refuse: (reason) => {
          leave();
          reject(reason as Error);
        },
      };
      line.add(waiting);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
    });
  }

  /** Stays busy for the one that begins. */
  #beginNext(): void {
    this.#isBusy = false;
    for (const line of Object.values(this.#lines)) {
      for (const waiting of line) {
        this.#isBusy = true;
        return waiting.begin();
      }
    }
  }
}
