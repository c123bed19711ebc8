/** Looks up the country of an address in the database that `encode-country-ranges.mjs` packed at build time, by binary search. */
import { type GeoLookup, type GeoPlace, isPrivateAddress, NOWHERE } from "../../src/runtime/ingest/geo.ts";
import type { EpochMs } from "../../src/storage/event.ts";

/** Each range ends where the next begins. Units are IPv4 addresses, or IPv6 networks of 64 bits. */
interface Ranges {
  readonly starts: Uint32Array | BigUint64Array;
  readonly codes: Uint8Array;
}

class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Unsigned LEB128. */
  varint(): bigint {
    let value = 0;
    let weight = 1;
    let high = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.#bytes[this.#at++] ?? 0;
      // Most are short, and numbers are far faster than BigInts.
      if (shift < 49n) {
        value += (byte & 0x7f) * weight;
        weight *= 128;
      } else high += BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(value) + high;
      shift += 7n;
    }
  }
}

function readRanges(reader: ByteReader, allocate: (length: number) => Uint32Array | BigUint64Array): Ranges {
  const length = Number(reader.varint());
  const starts = allocate(length);
  let start = 0n;
  for (let i = 0; i < length; i++) {
    start += reader.varint();
    starts[i] = starts instanceof BigUint64Array ? start : Number(start);
  }
  return { starts, codes: reader.take(length) };
}

/** The code of the last range that begins at or before the unit. */
function codeAt({ starts, codes }: Ranges, unit: number | bigint): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= unit) low = middle;
    else high = middle;
  }
  return codes[low] ?? 0;
}

const ipv4Unit = (address: string): number => address.split(".").reduce((unit, part) => unit * 256 + Number(part), 0);

/** The upper 64 bits of an address in the URL standard's notation. */
function ipv6Unit(address: string): bigint {
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after ? after.split(":") : [];
  const groups = after === undefined ? head : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => "0"), ...tail];
  return groups.slice(0, 4).reduce((unit, group) => (unit << 16n) | BigInt(Number.parseInt(group, 16)), 0n);
}

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;
const IPV6 = /^[0-9a-f:]+$/;

/** Build time of the database, readable without unpacking it. */
export const buildTimeOf = (packed: Uint8Array): EpochMs => Number(new ByteReader(packed).varint()) * 1000;

/** Unpacks the ranges: a few tenths of a second and some megabytes. The lookup takes addresses as `clientAddressOf` writes them. */
export function openCountryRanges(packed: Uint8Array): GeoLookup {
  const reader = new ByteReader(packed);
  // The time of the build.
  reader.varint();
  const text = new TextDecoder().decode(reader.take(Number(reader.varint())));
  const places: GeoPlace[] = [NOWHERE];
  for (const [countryCode] of text.matchAll(/../g)) places.push({ ...NOWHERE, countryCode });
  const ipv4 = readRanges(reader, (length) => new Uint32Array(length));
  const ipv6 = readRanges(reader, (length) => new BigUint64Array(length));
  return (address) => {
    if (isPrivateAddress(address)) return NOWHERE;
    if (IPV4.test(address)) return places[codeAt(ipv4, ipv4Unit(address))] ?? NOWHERE;
    if (IPV6.test(address) && address.includes(":")) return places[codeAt(ipv6, ipv6Unit(address))] ?? NOWHERE;
    return NOWHERE;
  };
}
