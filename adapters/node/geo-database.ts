/** Looks up the place and the network of an address in MaxMind database files, which are read into memory once. Owner of `mmdb-lib`. */
import { isIP, isIPv6 } from "node:net";
import { fileURLToPath } from "node:url";
import { Reader } from "mmdb-lib";
import type { CountryResponse, Response } from "mmdb-lib";
import { type GeoLookup, type GeoPlace, geoPlaceFromRecord, isPrivateAddress, NOWHERE } from "../../src/runtime/ingest/geo.ts";
import type { Host } from "../../src/runtime/service/host.ts";
import { ConfigError } from "../../src/runtime/base/config/config.ts";
import { reasonOf } from "../../src/runtime/base/metrics/log.ts";
import type { AsnDb, GeoipDb } from "../../src/runtime/base/config/option-kinds.ts";
import { networkFromRecord, type NetworkLookup } from "../../src/runtime/ingest/network.ts";
import type { EpochMs } from "../../src/storage/event.ts";
import { readNamedFile } from "./config-sources.ts";

/** Several times the largest database there is. */
const FILE_BYTES_MAX = 1024 ** 3;

/** Looked up at the start, so that a damaged tree or record fails the start and not a visitor's event. */
const PROBES = ["1.1.1.1", "8.8.8.8", "91.198.174.192", "203.0.113.1", "2001:4860:4860::8888", "2a02:ec80::1"];

/** Opens the database that the option `geoip_db` names. Throws a ConfigError that names option and file if it cannot be read. */
export function openGeoDatabase(option: GeoipDb, builtin: URL): Pick<Host, "geo" | "geoIsLoaded" | "geoBuiltMs"> {
  if (option === "none") return { geo: () => NOWHERE, geoIsLoaded: false, geoBuiltMs: null };
  const paths = option === "builtin" ? [fileURLToPath(builtin)] : option.paths;
  const readers = paths.map((path) => openReader<CountryResponse>("geoip_db", path));
  return { geo: lookupIn(readers), geoIsLoaded: true, geoBuiltMs: oldestOf(readers) };
}

/** Opens the database that the option `asn_db` names; null without one. Throws a ConfigError like that of places. */
export function openNetworkDatabase(option: AsnDb): NetworkLookup | null {
  if (option === "none") return null;
  const readers = option.paths.map((path) => openReader("asn_db", path));
  return (clientAddress) => firstIn(readers, clientAddress, networkFromRecord);
}

/** Returns null if one lacks the build time in its metadata, which the format requires. */
function oldestOf(readers: readonly Reader<CountryResponse>[]): EpochMs | null {
  const builtMs = Math.min(...readers.map(({ metadata }) => metadata.buildEpoch.getTime()));
  return Number.isNaN(builtMs) ? null : builtMs;
}

const lookupIn =
  (readers: readonly Reader<CountryResponse>[]): GeoLookup =>
  (clientAddress) =>
    firstIn(readers, clientAddress, placeFrom) ?? NOWHERE;

function placeFrom(record: unknown): GeoPlace | null {
  const place = geoPlaceFromRecord(record);
  return Object.values(place).some((name) => name !== null) ? place : null;
}

/** What the first database knows that has the address; null for an address that is not public. */
function firstIn<Found>(
  readers: readonly Reader<Response>[],
  clientAddress: string,
  foundIn: (record: unknown) => Found | null,
): Found | null {
  const address = withoutMapping(clientAddress);
  if (!isPublic(address)) return null;
  for (const reader of readers) {
    const found = foundIn(recordIn(reader, address));
    if (found !== null) return found;
  }
  return null;
}

function recordIn(reader: Reader<Response>, address: string): unknown {
  // In an IPv4 tree, the first bits of an IPv6 address would find the record of another address.
  if (isIPv6(address) && reader.metadata.ipVersion === 4) return null;
  try {
    return reader.get(address);
  } catch {
    // Damage that no probe found. An event without a place is worth more than no event.
    return null;
  }
}

const KINDS = { geoip_db: "geo", asn_db: "network" } as const;

type DatabaseOption = keyof typeof KINDS;

function openReader<Kind extends Response>(option: DatabaseOption, path: string): Reader<Kind> {
  const bytes = attempt(option, `cannot read the ${KINDS[option]} database ${path}`, () => readNamedFile(path, FILE_BYTES_MAX));
  return attempt(option, `${path} is not a MaxMind database, or it is damaged`, () => {
    const reader = new Reader<Kind>(bytes);
    // The library notices a truncated file only when it reads past the end.
    if (!(reader.metadata.nodeCount > 0) || reader.metadata.searchTreeSize >= bytes.length) throw new Error("the tree is truncated");
    for (const address of PROBES) reader.get(address);
    return reader;
  });
}

function attempt<Result>(option: DatabaseOption, failure: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new ConfigError([`${option}: ${failure}: ${reasonOf(cause)}`]);
  }
}

const isPublic = (address: string): boolean => isIP(address) !== 0 && !isPrivateAddress(address);

/** A socket that listens on IPv6 sees IPv4 peers as `::ffff:192.0.2.1` (RFC 4291, 2.5.5.2). */
function withoutMapping(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice("::ffff:".length) : address;
}
