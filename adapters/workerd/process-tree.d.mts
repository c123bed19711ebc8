/** `start` distinguishes a process from a later one with the same id. */
export interface RunningProcess {
  readonly parent: number;
  readonly group: number;
  readonly start: string;
}

/** All running processes by id; empty where the system does not list them, as on Windows. */
export function runningProcesses(): ReadonlyMap<number, RunningProcess>;

/** The descendants of a process. */
export function descendantsOf(running: ReadonlyMap<number, RunningProcess>, ancestor: number): [number, RunningProcess][];

/** Makes this process end with its ancestors, and its descendants end with it. */
export function endWithStarters(): void;
