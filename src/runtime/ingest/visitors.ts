/** Opens what turns an event's sender into a visitor id: the salt, and the ids that are made with it. */
import type { EpochMs } from "../../storage/event.ts";
import type { SecretStore } from "../../storage/secret-store.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../metrics/log.ts";
import { createHmacSha256 } from "./hmac-sha256.ts";
import { createVisitorIds, type VisitorIds } from "./visitor-id.ts";
import { VisitorSalt } from "./visitor-salt.ts";

export interface Visitors {
  readonly visitorSalt: VisitorSalt;
  readonly visitorIds: VisitorIds;
}

export interface VisitorParts {
  readonly config: Pick<Config, "secret" | "visitorSaltRotationDays">;
  readonly secrets: SecretStore;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly log: Log;
  readonly now: () => EpochMs;
}

/** Rejects as `VisitorSalt.open`. */
export async function openVisitors({ config, secrets, randomBytes, log, now }: VisitorParts): Promise<Visitors> {
  const hmac = await createHmacSha256();
  const { secret: configured, visitorSaltRotationDays: rotationDays } = config;
  const visitorSalt = await VisitorSalt.open({ configured, store: secrets, rotationDays, hmac, randomBytes, now, log });
  return { visitorSalt, visitorIds: createVisitorIds({ hmac, salt: visitorSalt }) };
}
