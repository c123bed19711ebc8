/** The image, built and run by Docker. */
import { execFileSync, spawnSync } from "node:child_process";
import { ROOT } from "../docs/pages.ts";
import { imageConfig, runCommand, type ContainerOptions, type Image } from "./container.ts";

export const hasDocker = (): boolean => spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0;

/** Rejects if a step of the Dockerfile fails. */
export async function buildByDocker(): Promise<Image> {
  const name = `sandpiper-test-${process.pid}`;
  const volumes = new Set<string>();
  const docker = (...args: readonly string[]) => runCommand("docker", args);
  const optionsOf = ({ environment, mounts, volume }: ContainerOptions): string[] => {
    volumes.add(`${name}-${volume}`);
    return [
      ...["--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges", `--volume=${name}-${volume}:/data`],
      ...Object.entries(mounts).map(([path, folder]) => `--volume=${folder}:${path}`),
      ...Object.entries(environment).map(([variable, value]) => `--env=${variable}=${value}`),
    ];
  };
  execFileSync("docker", ["build", "--tag", name, ROOT], { stdio: "pipe" });
  return {
    config: imageConfig(),
    async start(options) {
      const { printed } = await docker("run", "--detach", ...optionsOf(options), name);
      const [id = ""] = printed.split("\n");
      return {
        exec: (command) => docker("exec", id, ...command),
        async stop() {
          await docker("stop", id);
          const code = Number((await docker("inspect", "--format={{.State.ExitCode}}", id)).printed);
          const log = await docker("logs", id);
          await docker("rm", id);
          return { code, printed: log.printed };
        },
      };
    },
    run: (programArguments, options) => docker("run", "--rm", ...optionsOf(options), name, ...programArguments),
    async remove() {
      await docker("volume", "rm", ...volumes);
      await docker("image", "rm", name);
    },
  };
}
