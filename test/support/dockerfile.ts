/**
 * Reads the Dockerfile and runs its steps without Docker: each stage is a folder, and RUN steps are commands of this machine in it.
 * Throws for everything that it does not understand, so that a step is never left out unnoticed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Environment } from "./target.ts";

export interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

export interface Stage {
  readonly base: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** What a container runtime reads of an image. */
export interface ImageConfig {
  /** Environment variables of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** `uid:gid` */
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly healthcheck: readonly string[];
  readonly stopSignal: string;
  readonly volumes: readonly string[];
  readonly ports: readonly number[];
}

/** The longest step is the installation of all packages. */
const RUN_MS_MAX = 300_000;

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The stages of a Dockerfile, without comments and with continued lines joined. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of lines) {
    const [, keyword = "", rest = ""] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? [];
    const stage = stages.at(-1);
    if (keyword === "FROM") {
      const [, base = "", name = "final"] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ base, name, instructions: [] });
    } else if (stage && keyword !== "") stage.instructions.push({ keyword, text: rest.replace(/\s+/g, " ") });
    else throw new Error(`the Dockerfile has a line that is no instruction: ${line}`);
  }
  return stages;
}

/** The names at the top of the build context that a .dockerignore lets through. It excludes everything first, and then names them. */
export function contextNames(dockerignore: string): string[] {
  const [first, ...others] = dockerignore.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  if (first !== "*" || !others.every((line) => /^![\w.-]+$/.test(line))) throw new Error(".dockerignore is no list of names after *");
  return others.map((line) => line.slice(1));
}

const argumentsOf = (text: string): string[] => JSON.parse(text) as string[];

const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]));

/** The settings that a stage gives to its image. */
export function configOf({ instructions }: Stage): ImageConfig {
  const textsOf = (keyword: string) => instructions.filter((instruction) => instruction.keyword === keyword).map(({ text }) => text);
  return {
    env: Object.assign({ PATH: DEFAULT_PATH }, ...textsOf("ENV").map(variablesOf)) as Record<string, string>,
    user: textsOf("USER").at(-1) ?? "0:0",
    entrypoint: argumentsOf(textsOf("ENTRYPOINT").at(-1) ?? "[]"),
    healthcheck: argumentsOf(/ CMD (\[.*\])$/.exec(textsOf("HEALTHCHECK").at(-1) ?? "")?.[1] ?? "[]"),
    stopSignal: textsOf("STOPSIGNAL").at(-1) ?? "SIGTERM",
    volumes: textsOf("VOLUME"),
    ports: textsOf("EXPOSE").map(Number),
  };
}

/** Those that only change the image's settings (`configOf`), or describe it. */
const SETTINGS = ["ENV", "USER", "ENTRYPOINT", "HEALTHCHECK", "STOPSIGNAL", "VOLUME", "EXPOSE", "LABEL"];

export interface Build {
  /** The repository. */
  readonly context: string;
  /** An empty folder, which gets a folder for each stage. */
  readonly folder: string;
  /** Puts into the folder of a stage what its base image has and the stage's steps or its program need. */
  readonly prepare: (base: string, root: string) => void;
}

/** Runs all steps and returns the root folder of the last stage. */
export function runSteps(stages: readonly Stage[], build: Build): string {
  for (const stage of stages) {
    const root = rootOf(stage.name, build);
    mkdirSync(root);
    build.prepare(stage.base, root);
    let workdir = "/";
    for (const { keyword, text } of stage.instructions) {
      if (keyword === "WORKDIR") mkdirSync(join(root, (workdir = text)), { recursive: true });
      else if (keyword === "RUN") runStep(text, join(root, workdir));
      else if (keyword === "COPY") copyStep(text, { root, workdir, build });
      else if (!SETTINGS.includes(keyword)) throw new Error(`no step is known for ${keyword} ${text}`);
    }
  }
  return rootOf(stages.at(-1)?.name ?? "", build);
}

const rootOf = (stage: string, { folder }: Build): string => join(folder, stage);

/** Paths in the command have to be relative: an absolute one would be one of this machine. */
function runStep(command: string, folder: string): void {
  const env: Environment = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/" };
  execFileSync("/bin/sh", ["-ec", `umask 022; ${command}`], { cwd: folder, env, stdio: "pipe", timeout: RUN_MS_MAX });
}

/** The contents of folders are copied, not the folders themselves. Copies belong to root, or to whom `--chown` names. */
function copyStep(text: string, { root, workdir, build }: { root: string; workdir: string; build: Build }): void {
  const words = text.split(" ");
  const flags = new Map(words.filter((word) => word.startsWith("--")).map((flag) => flag.split("=") as [string, string]));
  const paths = words.filter((word) => !word.startsWith("--"));
  const to = paths.pop() ?? "";
  const target = to.startsWith("/") ? join(root, to) : join(root, workdir, to);
  const from = flags.get("--from");
  const owner = flags.get("--chown") ?? "0:0";
  if ([...flags.keys()].some((flag) => flag !== "--from" && flag !== "--chown")) throw new Error(`no flag of COPY is known: ${text}`);
  const allowed = contextNames(readFileSync(join(build.context, ".dockerignore"), "utf8"));
  const sources = paths.flatMap((path) => {
    if (from !== undefined) return [join(rootOf(from, build), path)];
    const names = path === "." ? allowed : [path].filter((name) => allowed.includes(name));
    if (names.length === 0) throw new Error(`.dockerignore leaves out ${path}`);
    return names.map((name) => join(build.context, name));
  });
  for (const source of sources) {
    const isNamed = paths.includes(".") || (to.endsWith("/") && !statSync(source).isDirectory());
    copy(source, isNamed ? join(target, basename(source)) : target, owner);
  }
}

function copy(source: string, target: string, owner: string): void {
  mkdirSync(dirname(target), { recursive: true });
  execFileSync("cp", ["-a", "-T", source, target]);
  execFileSync("chown", ["-R", owner, target]);
}
