/** A container of the image that the Dockerfile makes, whatever runs it. Its root is read-only, and it has no capability. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../docs/pages.ts";
import { configOf, parseDockerfile, type ImageConfig, type Stage } from "./dockerfile.ts";

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

export interface ContainerOptions {
  /** Variables besides those of the image. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folders of this machine, by their paths in the container. */
  readonly mounts: Readonly<Record<string, string>>;
  /** The name of the volume for the data folder. A new one gets the content of the image. */
  readonly volume: string;
}

export interface Image {
  readonly config: ImageConfig;
  start(options: ContainerOptions): Promise<Container>;
  /** Runs a container with arguments of the program to its end. */
  run(programArguments: readonly string[], options: ContainerOptions): Promise<Ended>;
  remove(): Promise<void>;
}

const COMMAND_MS_MAX = 60_000;

/** Stands for the exit code of a command that took too long. */
const KILLED = 137;

/** Runs a command of this machine to its end. */
export function runCommand(command: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: COMMAND_MS_MAX }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? KILLED) : 0, printed: stdout + stderr });
    });
  });
}

/** The stages of the Dockerfile. */
export const readStages = (): Stage[] => parseDockerfile(readFileSync(join(ROOT, "Dockerfile"), "utf8"));

/** The settings of the image that the Dockerfile makes. */
export function imageConfig(): ImageConfig {
  const final = readStages().at(-1);
  if (!final) throw new Error("the Dockerfile has no stage");
  return configOf(final);
}
