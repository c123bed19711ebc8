/** What a test sends to the test Worker with each request, in a header that the service does not know. */

export const CONTROL_HEADER = "x-test-control";

/** In the environment of a target whose configuration has no binding for the deployment. */
export const NO_DEPLOYMENT = "NO_DEPLOYMENT";

/** By their binding. */
export const TEST_CLASSES = { ANALYTICS: "TestObject", SITES: "TestSite" } as const;

/** Objects whose engine cannot load the behavioral extension. */
export const CRIPPLED_CLASSES = { ANALYTICS: "CrippledObject", SITES: "CrippledSite" } as const;

/** Objects with an engine whose queries can be held in the middle. */
export const HELD_CLASSES = { ANALYTICS: "HeldObject", SITES: "HeldSite" } as const;

/**
 * What an object does beside answering requests. `reset`: it forgets everything but its engine, and can be another target's
 * from then on. `advance`: time passes until `nowMs`, and what falls due is done. `jump`: the clock is set to `nowMs`, which takes no
 * time, and what falls due is done. `abort`: it ends, and a new one takes its place with the same storage; `deploy`: that of another deployment. `breakStorage`: its database takes neither
 * events nor records until `mendStorage`. `alarms`: in how many milliseconds each object wakes, that of the registry first; null for one without an alarm. `setupCode`: the code that its start has logged, empty if it logged none; the log has it among those of all others.
 * `cut`: calls between the registry and the sites' objects fail until `join`. `report`: the sites' objects run their alarms. `evict`: they end,
 * and the registry goes on. `starts`: how many of them have started. `hold`: queries of all targets stop at their next step until `letGo`, which continues none
 * of them; `held`: how many have stopped.
 */
export type ControlCall =
  | "advance"
  | "jump"
  | "setupCode"
  | "flush"
  | "abort"
  | "deploy"
  | "reset"
  | "breakStorage"
  | "mendStorage"
  | "alarms"
  | "cut"
  | "join"
  | "report"
  | "evict"
  | "starts"
  | "hold"
  | "held"
  | "letGo";

export interface Control {
  /** Which object: each has storage of its own. */
  readonly object: string;
  /** Whose it is now: the objects in the bucket bear the name, too. */
  readonly tenant: string;
  /** The service's options. They count from the object's first request to its end. */
  readonly environment: Readonly<Record<string, string>>;
  /** The current time of the object. */
  readonly nowMs: number;
  readonly call?: ControlCall;
  /** The request is for an object with the ports of one. */
  readonly isForPorts?: true;
}
