/**
 * Packs the built-in country database for the Worker: a fifth of the size once compressed. The build runs it on the installed
 * package; `country-ranges.ts` reads the result. The ranges cover the whole address space in order: IPv4 addresses, and the upper
 * 64 bits of IPv6 addresses, since no network is smaller (RFC 4291, 2.5.4).
 */
import { Reader } from "mmdb-lib";

/** @typedef {{ starts: bigint[], codes: number[] }} Ranges in units of an address (IPv4) or of 2^64 addresses (IPv6) */

const IPV6_UNIT_BITS = 64;

const ipv4Text = (/** @type {bigint} */ address) => [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join(".");

const ipv6Text = (/** @type {bigint} */ upper) =>
  `${[48n, 32n, 16n, 0n].map((shift) => ((upper >> shift) & 0xffffn).toString(16)).join(":")}::`;

/**
 * Walks the networks of the database in order.
 * @param {{ reader: Reader<any>, bits: number, textOf: (unit: bigint) => string, numberOf: (code: string) => number }} walk
 * @returns {Ranges}
 */
function rangesOf({ reader, bits, textOf, numberOf }) {
  /** @type {Ranges} */
  const ranges = { starts: [], codes: [] };
  const end = 1n << BigInt(bits);
  for (let unit = 0n; unit < end;) {
    const [record, prefixLength] = reader.getWithPrefixLength(textOf(unit));
    const isWhole = prefixLength <= bits;
    const code = isWhole && record ? numberOf(record.country_code) : 0;
    if (code !== ranges.codes.at(-1)) {
      ranges.starts.push(unit);
      ranges.codes.push(code);
    }
    unit += isWhole ? 1n << BigInt(bits - prefixLength) : 1n;
  }
  return ranges;
}

/** Unsigned LEB128. @param {number[]} bytes @param {bigint} value */
function pushVarint(bytes, value) {
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
}

/** @param {Ranges} ranges @returns {number[]} */
function encodeRanges({ starts, codes }) {
  /** @type {number[]} */
  const bytes = [];
  pushVarint(bytes, BigInt(starts.length));
  for (const [i, start] of starts.entries()) pushVarint(bytes, start - (starts[i - 1] ?? 0n));
  for (const code of codes) bytes.push(code);
  return bytes;
}

/**
 * @param {Uint8Array} database a country database with `country_code` in its records
 * @returns {Uint8Array} the Unix time of its build in seconds, the length of the country codes and the codes, the IPv4 ranges, the
 * IPv6 ranges. Code 0 is "no country".
 */
export function encodeCountryRanges(database) {
  const reader = new Reader(Buffer.from(database.buffer, database.byteOffset, database.length), { cache: new Map() });
  /** @type {string[]} */
  const codes = [""];
  /** @type {Map<string, number>} */
  const numbers = new Map();
  const numberOf = (/** @type {unknown} */ code) => {
    if (typeof code !== "string" || !/^[A-Z]{2}$/.test(code))
      throw new Error(`the country database has a record without a country code: ${String(code)}`);
    const known = numbers.get(code) ?? codes.push(code) - 1;
    numbers.set(code, known);
    return known;
  };
  const ipv4 = rangesOf({ reader, bits: 32, textOf: ipv4Text, numberOf });
  const ipv6 = rangesOf({ reader, bits: IPV6_UNIT_BITS, textOf: ipv6Text, numberOf });
  if (codes.length > 256) throw new Error("the country database has more codes than fit into a byte");
  const text = new TextEncoder().encode(codes.slice(1).join(""));
  /** @type {number[]} */
  const head = [];
  pushVarint(head, BigInt(reader.metadata.buildEpoch.getTime() / 1000));
  pushVarint(head, BigInt(text.length));
  return Uint8Array.from([...head, ...text, ...encodeRanges(ipv4), ...encodeRanges(ipv6)]);
}
