/**
 * Runs the image of the Dockerfile with a read-only root: by Docker, if there is a daemon. Otherwise the Dockerfile's steps run here
 * (`dockerfile.ts`), and the container is a process in namespaces of its own: process 1, with a root folder, a network and a user.
 */
import { execFile, execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../docs/pages.ts";
import { addNode, configOf, parseDockerfile, runSteps, type ImageConfig } from "./dockerfile.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

export interface Ended {
  readonly code: number;
  readonly printed: string;
}

/** A running container. */
export interface Container {
  /** Runs a command in it to its end, as its user. */
  exec(command: readonly string[]): Promise<Ended>;
  /** Sends the image's stop signal to process 1, and resolves with its exit code and all that it printed. */
  stop(): Promise<Ended>;
}

export interface StartOptions {
  /** Variables besides those of the image. */
  readonly environment: Readonly<Record<string, string>>;
  /** A folder of this machine, for `/run/secrets`. */
  readonly secretsFolder: string;
}

/** An image and a volume for its data folder, which all its containers share. */
export interface Image {
  readonly config: ImageConfig;
  start(options: StartOptions): Promise<Container>;
  remove(): Promise<void>;
}

const EXEC_MS_MAX = 60_000;

/** Docker, too, kills a container that has not stopped by then. */
const STOP_MS_MAX = 10_000;

const isRunning = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: "ignore" }).status === 0;

const hasDocker = (): boolean => isRunning("docker", "info");

/** Mount, process and network namespaces, and what a container's setup needs in them. */
const hasNamespaces = (): boolean =>
  process.getuid?.() === 0 &&
  isRunning("unshare", "--mount", "--pid", "--net", "--fork", "sh", "-c", "ip link set lo up && mount --bind /tmp /tmp") &&
  ["nsenter", "setpriv", "chroot", "ldd"].every((name) => isRunning(name, "--version"));

/** The reason why no image can be run on this machine; null if one can. */
export const whyNoContainers = (): string | null =>
  hasDocker() || hasNamespaces() ? null : "neither a Docker daemon nor the right to make namespaces on this machine";

const stages = () => parseDockerfile(readFileSync(join(ROOT, "Dockerfile"), "utf8"));

/** The settings of the image that the Dockerfile makes. */
export function imageConfig(): ImageConfig {
  const final = stages().at(-1);
  if (!final) throw new Error("the Dockerfile has no stage");
  return configOf(final);
}

export const buildImage = (): Promise<Image> => (hasDocker() ? buildByDocker() : buildByHand());

/** Stands for the exit code of a command that took too long. */
const KILLED = 137;

function run(command: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: EXEC_MS_MAX }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? KILLED) : 0, printed: stdout + stderr });
    });
  });
}

async function buildByDocker(): Promise<Image> {
  const name = `sandpiper-test-${process.pid}`;
  execFileSync("docker", ["build", "--tag", name, ROOT], { stdio: "pipe" });
  return {
    config: imageConfig(),
    async start({ environment, secretsFolder }) {
      const rights = ["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
      const mounts = [`--volume=${name}:/data`, `--volume=${secretsFolder}:/run/secrets:ro`];
      const variables = Object.entries(environment).map(([variable, value]) => `--env=${variable}=${value}`);
      const { printed } = await run("docker", ["run", "--detach", ...rights, ...mounts, ...variables, name]);
      const [id = ""] = printed.split("\n");
      return {
        exec: (command) => run("docker", ["exec", id, ...command]),
        async stop() {
          await run("docker", ["stop", id]);
          const code = Number((await run("docker", ["inspect", "--format={{.State.ExitCode}}", id])).printed);
          const log = await run("docker", ["logs", id]);
          await run("docker", ["rm", id]);
          return { code, printed: log.printed };
        },
      };
    },
    async remove() {
      await run("docker", ["volume", "rm", name]);
      await run("docker", ["image", "rm", name]);
    },
  };
}

/** Runs as process 1 of new namespaces until it becomes the container's process. */
const ENTER = `
  ip link set lo up
  mount --bind "$ROOT" "$ROOT"
  mount -t proc proc "$ROOT/proc"
  mount -t tmpfs tmpfs "$ROOT/dev"
  for device in null zero random urandom; do : > "$ROOT/dev/$device"; mount --bind "/dev/$device" "$ROOT/dev/$device"; done
  mount -o remount,ro "$ROOT/dev"
  mount --bind "$VOLUME" "$ROOT/data"
  mount --bind "$SECRETS" "$ROOT/run/secrets"
  mount -o remount,bind,ro "$ROOT"
  exec env -i "$@"`;

async function buildByHand(): Promise<Image> {
  const folder = await makeTempFolder();
  const config = imageConfig();
  const root = runSteps(stages(), {
    context: ROOT,
    folder,
    prepare: (base, to) => {
      if (base.startsWith("gcr.io/distroless/nodejs")) addNode(to);
    },
  });
  const volume = join(folder, "volume");
  // Docker fills a new volume from the image, owner and mode included.
  execFileSync("cp", ["-a", "-T", join(root, "data"), volume]);
  execFileSync("mkdir", ["-p", join(root, "run/secrets")]);
  execFileSync("chmod", ["0755", folder]);
  return {
    config,
    start: (options) => Promise.resolve(startByHand({ root, volume, config }, options)),
    remove: () => removeFolder(folder),
  };
}

/** All running containers, so that those of a failed test can be killed. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

interface HandMadeImage {
  readonly root: string;
  readonly volume: string;
  readonly config: ImageConfig;
}

function startByHand({ root, volume, config }: HandMadeImage, { environment, secretsFolder }: StartOptions): Container {
  const env = Object.entries({ ...config.env, ...environment }).map(([name, value]) => `${name}=${value}`);
  const asUser = ["setpriv", "--no-new-privs", "chroot", `--userspec=${config.user}`, "--groups=", root];
  const namespaces = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"];
  const child = spawn("unshare", [...namespaces, "sh", "-ec", ENTER, "sh", ...env, ...asUser, ...config.entrypoint], {
    env: { PATH: process.env["PATH"], ROOT: root, VOLUME: volume, SECRETS: secretsFolder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  alive.add(child);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const exited = once(child, "close").then(([code]) => {
    alive.delete(child);
    return { code: Number(code), printed };
  });
  /** The container's process, as this machine numbers it. */
  const processOne = (): string => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
  const [uid, gid] = config.user.split(":");
  return {
    exec(command) {
      const enter = [`--target=${processOne()}`, "--mount", "--pid", "--net", "--root", "--wd", `--setuid=${uid}`, `--setgid=${gid}`];
      return run("env", ["-i", ...env, "nsenter", ...enter, ...command]);
    },
    stop() {
      process.kill(Number(processOne()), config.stopSignal as NodeJS.Signals);
      setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX).unref();
      return exited;
    },
  };
}
