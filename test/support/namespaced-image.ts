/**
 * The image without Docker: the steps of the Dockerfile run here (`dockerfile.ts`), and a container is a process in namespaces of its
 * own: process 1, with a root folder, a network and a user.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../docs/pages.ts";
import { imageConfig, readStages, runCommand, type Container, type ContainerOptions, type Ended, type Image } from "./container.ts";
import { runSteps, type ImageConfig } from "./dockerfile.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

/** Docker, too, kills a container that has not stopped by then. */
const STOP_MS_MAX = 10_000;

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: "ignore" }).status === 0;

/** Whether this process may make mount, process and network namespaces, and has what a container's setup needs in them. */
export const hasNamespaces = (): boolean =>
  process.getuid?.() === 0 &&
  succeeds("unshare", "--mount", "--pid", "--net", "--fork", "sh", "-c", "ip link set lo up && mount --bind /tmp /tmp") &&
  ["nsenter", "setpriv", "chroot", "ldd"].every((name) => succeeds(name, "--version"));

/** A base image with Node, as the distroless ones have it: the binary, its libraries, and the folders that a runtime mounts over. */
function addNode(root: string): void {
  const put = (path: string, to = path) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(realpathSync(path), join(root, to));
    chmodSync(join(root, to), 0o755);
  };
  put(process.execPath, "/nodejs/bin/node");
  const libraries = execFileSync("ldd", [process.execPath], { encoding: "utf8" });
  for (const [library] of libraries.matchAll(/\/\S+/g)) put(library);
  for (const folder of ["proc", "dev", "tmp"]) mkdirSync(join(root, folder));
  chmodSync(join(root, "tmp"), 0o1777);
}

/** Runs as process 1 of new namespaces until it becomes the container's process. */
const ENTER = `
  ip link set lo up
  mount --bind "$ROOT" "$ROOT"
  mount -t proc proc "$ROOT/proc"
  mount -t tmpfs tmpfs "$ROOT/dev"
  for device in null zero random urandom; do : > "$ROOT/dev/$device"; mount --bind "/dev/$device" "$ROOT/dev/$device"; done
  mount -o remount,ro "$ROOT/dev"
  for mount in $MOUNTS; do mkdir -p "$ROOT\${mount#*:}"; mount --bind "\${mount%%:*}" "$ROOT\${mount#*:}"; done
  mount -o remount,bind,ro "$ROOT"
  exec env -i "$@"`;

/** Rejects if a step of the Dockerfile fails. */
export async function buildByHand(): Promise<Image> {
  const folder = await makeTempFolder();
  const config = imageConfig();
  const root = runSteps(readStages(), {
    context: ROOT,
    folder,
    prepare: (base, to) => {
      if (base.startsWith("gcr.io/distroless/nodejs")) addNode(to);
    },
  });
  execFileSync("chmod", ["0755", folder]);
  const volumeFolder = (name: string): string => {
    const volume = join(folder, `volume-${name}`);
    // With owner and mode.
    if (!existsSync(volume)) execFileSync("cp", ["-a", "-T", join(root, "data"), volume]);
    return volume;
  };
  const begin = ({ environment, mounts, volume }: ContainerOptions, programArguments: readonly string[] = []) =>
    startByHand({ root, config, environment, mounts: { "/data": volumeFolder(volume), ...mounts }, programArguments });
  return {
    config,
    start: (options) => Promise.resolve(begin(options)),
    run: (programArguments, options) => begin(options, programArguments).exited,
    remove: () => removeFolder(folder),
  };
}

/** All running containers, so that those of a failed test can be killed. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) kill(child);
});

/** Process 1 of the container, as this machine numbers it; 0 if there is none yet or no longer. */
function processOne({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
}

/** `--kill-child` alone is not enough: a process that changes its user no longer dies with its parent (prctl(2), PR_SET_PDEATHSIG). */
function kill(child: ChildProcess): void {
  const pid = processOne(child);
  if (pid > 0) process.kill(pid, "SIGKILL");
  child.kill("SIGKILL");
}

interface HandMadeContainer extends Omit<ContainerOptions, "volume"> {
  readonly root: string;
  readonly config: ImageConfig;
  readonly programArguments: readonly string[];
}

const variablesOf = ({ config, environment }: HandMadeContainer): string[] =>
  Object.entries({ ...config.env, ...environment }).map(([name, value]) => `${name}=${value}`);

/** Process 1 of the container is the only child of the process that this returns. */
function spawnInNamespaces(container: HandMadeContainer): ChildProcess {
  const { root, config, mounts, programArguments } = container;
  const namespaces = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"];
  const asUser = ["setpriv", "--no-new-privs", "chroot", `--userspec=${config.user}`, "--groups=", root];
  const program = [...variablesOf(container), ...asUser, ...config.entrypoint, ...programArguments];
  const pairs = Object.entries(mounts).map(([path, folder]) => `${folder}:${path}`);
  const child = spawn("unshare", [...namespaces, "sh", "-ec", ENTER, "sh", ...program], {
    env: { PATH: process.env["PATH"], ROOT: root, MOUNTS: pairs.join(" ") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  alive.add(child);
  return child;
}

function startByHand(container: HandMadeContainer): Container & { readonly exited: Promise<Ended> } {
  const child = spawnInNamespaces(container);
  const { user, stopSignal } = container.config;
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const exited = once(child, "close").then(([code]) => {
    alive.delete(child);
    return { code: Number(code), printed };
  });
  return {
    exited,
    exec(command) {
      const [uid, gid] = user.split(":");
      const enter = [`--target=${processOne(child)}`, "--mount", "--pid", "--net", "--root", "--wd", `--setuid=${uid}`, `--setgid=${gid}`];
      return runCommand("env", ["-i", ...variablesOf(container), "nsenter", ...enter, ...command]);
    },
    stop() {
      const pid = processOne(child);
      if (pid > 0) process.kill(pid, stopSignal as NodeJS.Signals);
      const late = setTimeout(() => kill(child), STOP_MS_MAX);
      void exited.then(() => clearTimeout(late));
      return exited;
    },
  };
}
