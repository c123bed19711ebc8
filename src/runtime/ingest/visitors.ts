/** Wires visitor ids to their salt. */
import type { SecretStore } from "../../storage/secret-store.ts";
import type { Config } from "../config/config.ts";
import { createHmacSha256 } from "./hmac-sha256.ts";
import { createVisitorIds, type VisitorIds } from "./visitor-id.ts";
import { VisitorSalt, type VisitorSaltOptions } from "./visitor-salt.ts";

export interface Visitors {
  readonly visitorSalt: VisitorSalt;
  readonly visitorIds: VisitorIds;
}

export interface VisitorsParts extends Pick<VisitorSaltOptions, "randomBytes" | "log" | "now"> {
  readonly config: Config;
  readonly secrets: SecretStore;
  /** In the instance of one site: the instance that owns the generated secret. */
  readonly oneSite?: { readonly registry: { readonly periodSecret: NonNullable<VisitorSaltOptions["foreign"]> } };
}

export async function createVisitors({ config, secrets, oneSite, ...parts }: VisitorsParts): Promise<Visitors> {
  const hmac = await createHmacSha256();
  const { secret: configured, visitorSaltRotationDays: rotationDays } = config;
  const foreign = oneSite && configured === null && { foreign: () => oneSite.registry.periodSecret() };
  const visitorSalt = await VisitorSalt.open({ ...parts, configured, store: secrets, rotationDays, hmac, ...foreign });
  return { visitorSalt, visitorIds: createVisitorIds({ hmac, salt: visitorSalt }) };
}
