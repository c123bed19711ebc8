/** The three lines of a start: the address, the data folder, and whether a password protects the instance, or that it has no statistics. */
import { logSetupCode, type SetupCode } from "../../src/runtime/access/setup-code.ts";
import { publicUrl, type Config } from "../../src/runtime/base/config/config.ts";
import { PROGRAM_NAME } from "../../src/runtime/base/config/names.ts";
import type { Log } from "../../src/runtime/base/metrics/log.ts";
import { PRODUCT_NAME } from "../../src/shared/names.ts";

export interface StartedInstance {
  /** Where it listens. */
  readonly origin: string;
  readonly dataFolder: string;
  readonly version: string;
  readonly config: Pick<Config, "adminPassword" | "dashboardOrigin" | "basePath" | "role">;
  readonly setupCode: SetupCode;
}

function logProtection({ config, setupCode }: StartedInstance, log: Log): void {
  if (config.role === "ingest") log.info("accepts events only; statistics and the dashboard are on instances with role = all");
  else if (config.adminPassword !== null) log.info("protected by the admin password of the configuration (admin_password)");
  else if (setupCode.reveal() === null) {
    log.info(`protected by the admin password in the data folder; if it is forgotten, stop and run "${PROGRAM_NAME} reset-password"`);
  } else logSetupCode(setupCode, log);
}

export function logStart(instance: StartedInstance, log: Log): void {
  const { origin, version, dataFolder, config } = instance;
  const url = publicUrl(config, origin);
  log.info(`${PRODUCT_NAME} ${version} listens on ${origin}`, url === origin ? {} : { publicUrl: url });
  log.info("all data is in one folder", { dataFolder });
  logProtection(instance, log);
}
