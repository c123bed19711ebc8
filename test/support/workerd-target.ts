/** The Durable Objects in workerd, over TCP. Each target is a registry with its sites' objects, options and clock. */
import { START_MS } from "./in-process-target.ts";
import { fetchAt } from "./fetch-at.ts";
import { TARGET_DEFAULTS, type Ability, type AbleTarget, type Environment, type MakeTarget, type TargetRequest } from "./target.ts";
import { CONTROL_HEADER, TEST_CLASSES, type Control, type ControlCall } from "./workerd/control.ts";
import { startWorkerd, type WorkerdRuntime } from "./workerd/runtime.ts";

export type WorkerdTarget = AbleTarget<Exclude<Ability, "answersEarly">> & {
  /** Sets the clock and runs all jobs that are due. */
  setClockAhead(ms: number): Promise<void>;
  /** Sets the clock for the next request, and wakes no object. */
  pass(ms: number): void;
  /** In how many milliseconds each object wakes, that of the registry first; null for one without an alarm. */
  alarms(): Promise<(number | null)[]>;
  /** Calls between the registry and the sites' objects fail until `join`. */
  cut(): Promise<void>;
  join(): Promise<void>;
  /** The sites' objects run their alarms. */
  report(): Promise<void>;
  /** They do, unless `reported` is false, and then end, while the registry goes on. */
  evict(options?: { readonly reported: boolean }): Promise<void>;
  /** All objects end, as the platform ends idle ones, and start again with the next request. */
  endObjects(): Promise<void>;
  /** How many sites' objects have started. */
  starts(): Promise<number>;
};

export interface WorkerdTargets extends MakeTarget {
  (environment?: Environment): Promise<WorkerdTarget>;
  /** The log of their Worker. */
  log(): string;
  /** Stops workerd. */
  closeAll(): Promise<void>;
}

interface TargetOptions {
  readonly runtime: WorkerdRuntime;
  readonly object: string;
  readonly environment: Environment;
}

function createTarget({ runtime, object, environment }: TargetOptions): WorkerdTarget {
  let nowMs = START_MS;

  const send = (path: string, init: TargetRequest, call?: ControlCall): Promise<Response> => {
    const control: Control = { object, tenant: object, environment: { ...TARGET_DEFAULTS, ...environment }, nowMs, ...(call && { call }) };
    const headers = new Headers(init.headers);
    headers.set(CONTROL_HEADER, JSON.stringify(control));
    // As the platform does, and Miniflare in its place, which these requests go past.
    headers.set("CF-Connecting-IP", init.from ?? "127.0.0.1");
    return fetchAt(new URL(path, runtime.origin()), { ...init, headers });
  };

  async function command(call: ControlCall): Promise<string> {
    const response = await send("/", { method: "POST" }, call);
    const text = await response.text();
    if (!response.ok) throw new Error(`${call}: ${text}`);
    return text;
  }

  /** The object ends while it handles this very request, which is why that fails. */
  async function end(call: "abort" | "deploy"): Promise<void> {
    const response = await send("/", { method: "POST" }, call).catch(() => null);
    await response?.text();
  }

  return {
    name: "workerd",
    comesFromAnywhere: true,
    readsFiles: true,
    fetch: (path, init = {}) => send(path, init),
    setupCode: async () => (await command("setupCode")) || null,
    nowMs: () => nowMs,
    async advance(ms) {
      nowMs += ms;
      await command("advance");
    },
    pass(ms) {
      nowMs += ms;
    },
    async setClockAhead(ms) {
      nowMs += ms;
      await command("jump");
    },
    alarms: async () => JSON.parse(await command("alarms")) as (number | null)[],
    async cut() {
      await command("cut");
    },
    async join() {
      await command("join");
    },
    async report() {
      await command("report");
    },
    async evict({ reported } = { reported: true }) {
      if (reported) await command("report");
      await command("evict");
    },
    starts: async () => Number(await command("starts")),
    async flush() {
      await command("flush");
    },
    async restart() {
      await command("flush");
      await end("deploy");
    },
    endObjects: () => end("abort"),
    crash: () => runtime.crash(),
    async close() {
      await command("reset");
    },
  };
}

export const NO_EARLY_ANSWER =
  "The platform takes in no more of a body once the request is answered; on this machine it then resets the connection.";

/** Targets for the suites of one file, all in one workerd. A crash ends all of them; each continues from its storage. */
export function workerdTargets(classNames: Readonly<Record<string, string>> = TEST_CLASSES): WorkerdTargets {
  let runtime: Promise<WorkerdRuntime> | null = null;
  let started: WorkerdRuntime | null = null;
  let targetsMade = 0;
  const makeTarget = async (environment: Environment = {}) => {
    started = await (runtime ??= startWorkerd({ script: "test-worker.js", classNames }));
    return createTarget({ runtime: started, object: `target-${++targetsMade}`, environment });
  };
  return Object.assign(makeTarget, {
    lacks: { answersEarly: NO_EARLY_ANSWER },
    skipped: [],
    needing: [],
    log: () => started?.log() ?? "",
    async closeAll() {
      await (await runtime)?.close();
    },
  });
}
