/** The command `healthcheck`: asks the running server of this configuration whether it is ready, such as for a container's HEALTHCHECK. */
import { get } from "node:http";
import type { Config } from "../../../src/runtime/base/config/config.ts";
import { reasonOf } from "../../../src/runtime/base/metrics/log.ts";
import { codeOf } from "../files/file-system.ts";
import { ADDRESS_OPTIONS, type Command } from "./command-line.ts";

const CHECK_MS_MAX = 5_000;

/** A server that listens on all addresses of the machine is asked on the loopback address. */
const LOOPBACK: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

export function readinessUrl({ host, port }: Pick<Config, "host" | "port">): string {
  if (port === 0) throw new Error("port is 0, so the server's port is unknown. Set --port");
  const address = LOOPBACK.get(host) ?? host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}/health/ready`;
}

/** Resolves with the status. Rejects if there is no answer in time. */
function statusOf(url: string): Promise<number> {
  const signal = AbortSignal.timeout(CHECK_MS_MAX);
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, signal }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", (error) => {
      // The error of a name with several addresses has a code only.
      const reason = signal.aborted ? `no answer within ${CHECK_MS_MAX / 1000} seconds` : reasonOf(error) || codeOf(error);
      reject(new Error(`${url}: ${reason}`, { cause: error }));
    });
  });
}

export const healthcheck: Command = {
  name: "healthcheck",
  verb: "check the server",
  arguments: [],
  options: ADDRESS_OPTIONS,
  help: "ask the running server whether it is ready",
  leavesWarningsToServe: true,
  async run({ config }) {
    const url = readinessUrl(config);
    const status = await statusOf(url);
    return { succeeded: status === 200, text: `${url} answered ${status}\n` };
  },
};
