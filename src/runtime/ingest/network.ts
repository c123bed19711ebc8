/**
 * The network of a visitor's address. It decides what happens to an event; of it, only that it is a data centre's is stored, as
 * evidence.
 */
import { isAsn } from "../sites/as-number.ts";

export interface Network {
  /** The number of its autonomous system. */
  readonly asn: number;
  /** The name of its operator, as the database has it; null if it has none. */
  readonly organization: string | null;
}

/** The network of a client address; null for an address that is not public, or that the database does not have. Never throws. */
export type NetworkLookup = (clientAddress: string) => Network | null;

/** The network in a database record, in the layout of MaxMind's GeoLite2 ASN, which ip-location-db has as well. */
export function networkFromRecord(record: unknown): Network | null {
  if (typeof record !== "object" || record === null) return null;
  const { autonomous_system_number: asn, autonomous_system_organization: organization } = record as Readonly<Record<string, unknown>>;
  if (!isAsn(asn)) return null;
  return { asn, organization: typeof organization === "string" && organization !== "" ? organization : null };
}
