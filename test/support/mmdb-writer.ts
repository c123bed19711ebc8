/** Writes small databases in MaxMind's format (https://maxmind.github.io/MaxMind-DB/), for tests: an IPv6 tree with 32-bit records. */

type Value = string | number | bigint | readonly Value[] | { readonly [name: string]: Value };

const [STRING, UINT16, UINT32, MAP, UINT64, ARRAY] = [2, 5, 6, 7, 9, 11];

/** A control byte, the type's second byte if it is extended, and the second byte of a long size. */
function control(type: number, size: number): Buffer {
  const [short, rest] = size < 29 ? [size, []] : [29, [size - 29]];
  return Buffer.from(type <= MAP ? [(type << 5) | short, ...rest] : [short, type - 7, ...rest]);
}

function unsigned(type: number, value: bigint): Buffer {
  const hex = value === 0n ? "" : value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, "hex");
  return Buffer.concat([control(type, bytes.length), bytes]);
}

function encoded(value: Value): Buffer {
  if (typeof value === "bigint") return unsigned(UINT64, value);
  if (typeof value === "number") return unsigned(value < 0x10000 ? UINT16 : UINT32, BigInt(value));
  if (typeof value === "string") {
    const bytes = Buffer.from(value);
    return Buffer.concat([control(STRING, bytes.length), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(encoded)]);
  const entries = Object.entries(value as Readonly<Record<string, Value>>);
  return Buffer.concat([control(MAP, entries.length), ...entries.flatMap(([name, each]) => [encoded(name), encoded(each)])]);
}

/** The bits of an IPv6 address in full form, or of an IPv4 address below `::/96`, where the format has them. */
function bitsOf(address: string): string {
  const binary = (parts: readonly string[], radix: number, width: number): string =>
    parts.map((part) => Number.parseInt(part, radix).toString(2).padStart(width, "0")).join("");
  return address.includes(".") ? "0".repeat(96) + binary(address.split("."), 10, 8) : binary(address.split(":"), 16, 16);
}

/** `records` by network, such as `192.0.2.0/24` or `2001:db8:0:0:0:0:0:0/32`. */
export function mmdbOf(records: Readonly<Record<string, Value>>): Buffer {
  /** Each with its two sides: a node below, a record, or nothing. */
  const nodes: (number | Buffer | null)[][] = [[null, null]];
  for (const [network, record] of Object.entries(records)) {
    const [address = "", length = ""] = network.split("/");
    const path = [...bitsOf(address).slice(0, Number(length) + (address.includes(".") ? 96 : 0))].map(Number);
    let node = 0;
    for (const bit of path.slice(0, -1)) {
      const next = nodes[node]?.[bit];
      if (typeof next === "number") node = next;
      else node = (nodes[node] ?? [])[bit] = nodes.push([null, null]) - 1;
    }
    (nodes[node] ?? [])[path.at(-1) ?? 0] = encoded(record);
  }
  const tree = Buffer.alloc(nodes.length * 8);
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const [i, side] of nodes.flat().entries()) {
    if (Buffer.isBuffer(side)) {
      tree.writeUInt32BE(nodes.length + 16 + dataBytes, i * 4);
      data.push(side);
      dataBytes += side.length;
    } else tree.writeUInt32BE(side ?? nodes.length, i * 4);
  }
  const metadata = encoded({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_790_000_000n,
    database_type: "Test",
    description: { en: "A test" },
    ip_version: 6,
    languages: ["en"],
    node_count: nodes.length,
    record_size: 32,
  });
  return Buffer.concat([tree, Buffer.alloc(16), ...data, Buffer.from("\xab\xcd\xefMaxMind.com", "latin1"), metadata]);
}
