/** The packed country database returns the same countries as the original. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { openGeoDatabase } from "../../../../adapters/node/geo-database.ts";
import { buildTimeOf, openCountryRanges } from "../../../../adapters/workerd/country-ranges.ts";
import { encodeCountryRanges } from "../../../../adapters/workerd/encode-country-ranges.mjs";
import { NOWHERE } from "../../../../src/runtime/ingest/geo.ts";
import { COUNTRY_DATABASE_URL } from "../../../support/built.ts";

const path = createRequire(import.meta.url).resolve("@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb");
const packed = encodeCountryRanges(readFileSync(path));
const lookup = openCountryRanges(packed);
const { geo: database, geoBuiltMs: builtMs } = openGeoDatabase("builtin", COUNTRY_DATABASE_URL);

/** Pseudo-random numbers from 0 to 1, the same in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = numbersFrom(7);
const byte = (): number => Math.floor(random() * 256);
const group = (): string => Math.floor(random() * 65_536).toString(16);

/** In the notation of the URL standard, in which the lookup receives addresses. */
const normal = (address: string): string => new URL(`http://[${address}]/`).hostname.slice(1, -1);

describe("the packed country database", () => {
  it("is smaller than a third of the database", () => {
    expect(packed.length).toBeLessThan(readFileSync(path).length / 3);
  });

  it("reports the time of the database's build", () => {
    expect(buildTimeOf(packed)).toBe(builtMs);
  });

  it("returns the country of the database for every IPv4 address", () => {
    const addresses = Array.from({ length: 20_000 }, () => [byte(), byte(), byte(), byte()].join("."));
    const edges = ["0.0.0.0", "1.0.0.0", "1.0.0.255", "1.0.1.0", "223.255.255.255", "255.255.255.255", "8.8.8.8", "193.0.6.139"];
    for (const address of [...addresses, ...edges]) expect({ address, ...lookup(address) }).toEqual({ address, ...database(address) });
  });

  it("returns the country of the database for every IPv6 address", () => {
    const tops = ["2001", "2400", "2600", "2804", "2a00", "2a02", "2c0f", "2001:4860", "2a02:ec80"];
    const addresses = Array.from({ length: 20_000 }, (_, i) =>
      normal(`${tops[i % tops.length]}:${group()}:${i % 3 ? "0" : group()}::${group()}`),
    );
    for (const address of [...addresses, "2001:4860:4860::8888", "::2", "ffff::"]) {
      expect({ address, ...lookup(address) }).toEqual({ address, ...database(address) });
    }
  });

  it.each(["127.0.0.1", "10.1.2.3", "192.168.1.1", "::1", "fe80::1", "fd00::1", "", "unknown", "1.2.3"])(
    "finds no country for %j",
    (address) => {
      expect(lookup(address)).toEqual(NOWHERE);
    },
  );
});
