/** A clock and timers that a test moves: time passes only in `pass`. */

/** Longer than any chain of promises between two timers. */
const MICROTASKS = 50;

const microtasks = async (): Promise<void> => {
  for (let i = 0; i < MICROTASKS; i++) await Promise.resolve();
};

export interface ManualTimers {
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Timers that have not fired. */
  readonly pending: () => number;
  /** Fires what is due within this time, in order. */
  readonly pass: (ms: number) => Promise<void>;
}

export function createManualTimers(): ManualTimers {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly fire: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    wait: (ms) => new Promise((resolve) => timers.push({ atMs: nowMs + ms, fire: resolve })),
    pending: () => timers.length,
    async pass(ms) {
      const untilMs = nowMs + ms;
      for (;;) {
        await microtasks();
        const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (!next || next.atMs > untilMs) break;
        timers.splice(timers.indexOf(next), 1);
        nowMs = next.atMs;
        next.fire();
      }
      nowMs = untilMs;
    },
  };
}
