/** Wires visitor ids to their salts. */
import type { SecretStore } from "../../storage/secret-store.ts";
import type { Config } from "../base/config/config.ts";
import { createHmacSha256 } from "./hmac-sha256.ts";
import { createVisitorIds, type VisitorIds } from "./visitor-id.ts";
import { VisitorSalts, type VisitorSaltsOptions } from "./visitor-salts.ts";

export interface Visitors {
  readonly visitorSalts: VisitorSalts;
  readonly visitorIds: VisitorIds;
}

export interface VisitorsParts extends Pick<VisitorSaltsOptions, "randomBytes" | "log" | "now" | "zonesAt"> {
  readonly config: Config;
  readonly secrets: SecretStore;
  /** Set in the instance of one site: the instance that owns the generated secrets. */
  readonly oneSite?: { readonly registry: { readonly periodSecret: NonNullable<VisitorSaltsOptions["foreign"]> } };
}

export async function createVisitors({ config, secrets, oneSite, ...parts }: VisitorsParts): Promise<Visitors> {
  const hmac = await createHmacSha256();
  const { secret: configured, visitorSaltRotationDays: rotationDays } = config;
  const foreign = oneSite && configured === null && { foreign: (timeZone: string) => oneSite.registry.periodSecret(timeZone) };
  const visitorSalts = await VisitorSalts.open({ ...parts, configured, store: secrets, rotationDays, hmac, ...foreign });
  return { visitorSalts, visitorIds: createVisitorIds({ hmac, salts: visitorSalts }) };
}
