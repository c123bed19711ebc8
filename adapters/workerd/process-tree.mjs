/** Ends a process and its descendants when its ancestors end. wrangler and workerd alone would keep running. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const CHECK_INTERVAL_MS = 1000;

/** @typedef {{ parent: number, group: number, start: string }} Process `start` distinguishes it from a later one with the same id */
/** @typedef {ReadonlyMap<number, Process>} Processes by id */

/** @param {string} id @returns {[number, Process][]} nothing if the process has ended */
function readStatus(id) {
  try {
    const status = readFileSync(`/proc/${id}/stat`, "utf8");
    // The fields after the program's name (proc(5)), which may contain spaces and parentheses.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return [];
    return [[Number(id), { parent: Number(fields[1]), group: Number(fields[2]), start: fields[19] ?? "" }]];
  } catch {
    return [];
  }
}

/** @param {string} line of `ps` @returns {[number, Process]} */
function parseLine(line) {
  const [id, parent, group, ...start] = line.trim().split(/\s+/);
  return [Number(id), { parent: Number(parent), group: Number(group), start: start.join(" ") }];
}

/** All running processes; empty where the system does not list them, as on Windows. @returns {Processes} */
export function runningProcesses() {
  if (process.platform === "linux") return new Map(readdirSync("/proc").filter(Number).flatMap(readStatus));
  // What follows "=" is a heading, so each field is an option of its own.
  const fields = ["pid", "ppid", "pgid", "lstart"].flatMap((name) => ["-o", `${name}=`]);
  const { stdout } = spawnSync("ps", ["-A", ...fields], { encoding: "utf8" });
  return new Map((stdout ?? "").split("\n").filter(Boolean).map(parseLine));
}

/**
 * The ids of the processes that started this one, nearest first: npm, scripts, and the first of another group, which is the shell that a
 * person types into.
 * @param {Processes} running
 */
function startersOf(running) {
  const ids = [];
  const group = running.get(process.pid)?.group;
  for (let id = process.ppid; id > 1;) {
    const starter = running.get(id);
    if (!starter) break;
    ids.push(id);
    if (starter.group !== group) break;
    id = starter.parent;
  }
  return ids.join(" ");
}

/** The descendants of a process. @param {Processes} running @param {number} ancestor @returns {[number, Process][]} */
export function descendantsOf(running, ancestor) {
  const children = [...running].filter(([, { parent }]) => parent === ancestor);
  return children.flatMap((child) => [child, ...descendantsOf(running, child[0])]);
}

/** Makes this process end with its ancestors, and its descendants end with it. */
export function endWithStarters() {
  /** Remembered, because a process whose parent has ended is nobody's descendant. @type {Map<number, Process>} */
  const started = new Map();
  const begun = startersOf(runningProcesses());
  const update = (/** @type {Processes} */ running) => {
    for (const [id, { start }] of started) if (running.get(id)?.start !== start) started.delete(id);
    for (const [id, descendant] of descendantsOf(running, process.pid)) started.set(id, descendant);
  };
  const checks = setInterval(() => {
    const running = runningProcesses();
    if (!running.has(process.pid)) return;
    update(running);
    if (startersOf(running) !== begun) process.exit(1);
  }, CHECK_INTERVAL_MS);
  checks.unref();
  process.once("exit", () => {
    update(runningProcesses());
    for (const id of started.keys()) {
      try {
        process.kill(id, "SIGKILL");
      } catch {
        // It has just ended.
      }
    }
  });
}
