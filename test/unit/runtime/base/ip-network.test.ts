/** Networks against a plain model: addresses as big integers, compared by their first bits. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { networkMatcher, networkText, parseNetwork } from "../../../../src/runtime/base/ip-network.ts";

interface Address {
  readonly text: string;
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** The URL parser writes addresses in their canonical form, as clients' addresses come. */
function ipv6(value: bigint): Address {
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  return { text: new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1), bits: 128, value };
}

const ipv4 = (value: bigint): Address => ({
  text: [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join("."),
  bits: 32,
  value,
});

const isMapped = ({ bits, value }: Address): boolean => bits === 128 && value >> 32n === 0xffffn;

const anIpv4 = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }).map(ipv4);
/** Long runs of zeros, as real ones have. */
const anIpv6 = fc
  .array(fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 0xffffn })), { minLength: 8, maxLength: 8 })
  .map((groups) => ipv6(groups.reduce((value, group) => (value << 16n) | group, 0n)))
  .filter((address) => !isMapped(address));
const anAddress = fc.oneof(anIpv4, anIpv6);

const shares = (a: Address, b: Address, prefixBits: number): boolean =>
  a.bits === b.bits && a.value >> BigInt(a.bits - prefixBits) === b.value >> BigInt(a.bits - prefixBits);

const parsed = (text: string) => {
  const network = parseNetwork(text);
  if (network === null) throw new Error(`no network: ${text}`);
  return network;
};

describe("an IP network", () => {
  it("contains exactly the addresses that share its prefix, whatever bits follow in its notation", () => {
    fc.assert(
      fc.property(anAddress, anAddress, fc.nat(128), fc.boolean(), (network, other, length, isNear) => {
        const prefixBits = Math.min(length, network.bits);
        const flipped = 1n << BigInt(network.bits - 1 - Math.min(prefixBits, network.bits - 1));
        const near = (network.bits === 32 ? ipv4 : ipv6)(network.value ^ flipped);
        const address = isNear && !isMapped(near) ? near : other;
        const matches = networkMatcher([parsed(`${network.text}/${prefixBits}`)]);
        expect(matches(network.text)).toBe(true);
        expect(matches(address.text)).toBe(shares(network, address, prefixBits));
      }),
      { numRuns: 5_000 },
    );
  });

  it("has one canonical notation", () => {
    fc.assert(
      fc.property(anAddress, fc.nat(128), (network, length) => {
        const text = networkText(parsed(`${network.text}/${Math.min(length, network.bits)}`));
        expect(networkText(parsed(text))).toBe(text);
        expect(networkText(parsed(network.text))).toBe(network.text);
      }),
    );
  });

  it("of IPv4 mapped into IPv6 is an IPv4 network, unless it is wider than all of them", () => {
    const texts = ["::ffff:192.0.2.1", "::ffff:c000:0201", "::FFFF:192.0.2.1/120", "::ffff:0:0/96", "::ffff:0:0/95"];
    expect(texts.map((text) => networkText(parsed(text)))).toEqual([
      "192.0.2.1",
      "192.0.2.1",
      "192.0.2.0/24",
      "0.0.0.0/0",
      "::fffe:0:0/95",
    ]);
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1.2.3.4/33",
    "1.2.3.4/-1",
    "1.2.3.4/",
    "1.2.3.4/1/1",
    "1.2.3.4/1e1",
    "::/129",
    "1::2::3",
    ":",
    "::1%eth0",
    "[::1]",
    "a.test",
    "0x7f.1",
    "1.2.3.4 ",
  ])("is not %j", (text) => {
    expect(parseNetwork(text)).toBeNull();
  });

  it("contains nothing that is not an address", () => {
    const matches = networkMatcher([parsed("0.0.0.0/0"), parsed("::/0")]);
    expect(["1.2.3.4", "2001:db8::1", "", "unix", "1.2.3", "::1%eth0"].map(matches)).toEqual([true, true, false, false, false, false]);
  });
});
