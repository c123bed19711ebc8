import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGeoDatabase } from "../../../../adapters/node/geo-database.ts";
import { NOWHERE } from "../../../../src/runtime/ingest/geo.ts";
import { COUNTRY_DATABASE_URL } from "../../../support/built.ts";

const builtinFile = createRequire(import.meta.url).resolve("@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb");
const [ipv4File = "", ipv6File = ""] = ["ipv4", "ipv6"].map((kind) => builtinFile.replace(/\.mmdb$/, `-${kind}.mmdb`));

/** The marker before the metadata at the end of each database. */
const METADATA_MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

const countryOf = (countryCode: string | null) => ({ ...NOWHERE, countryCode });

describe("the builtin database", () => {
  const database = openGeoDatabase("builtin", COUNTRY_DATABASE_URL);

  it("the builtin database of countries is loaded by default", () => {
    expect(database.geoIsLoaded).toBe(true);
  });

  it("reports the time of its build, which the version of its package names", () => {
    const { version } = JSON.parse(readFileSync(join(builtinFile, "../package.json"), "utf8")) as { version: string };
    const [, year, month, day] = /\.(\d{4})(\d\d)(\d\d)\d\d$/.exec(version) ?? [];
    const publishedMs = Date.parse(`${year}-${month}-${day}`);
    expect(Math.abs((database.geoBuiltMs ?? Number.NaN) - publishedMs)).toBeLessThan(14 * 86_400_000);
  });

  it.each([
    ["8.8.8.8", "US"],
    ["91.198.174.192", "NL"],
    ["2001:4860:4860::8888", "US"],
    ["2A02:EC80::1", "NL"],
    ["::ffff:91.198.174.192", "NL"],
    ["::FFFF:8.8.8.8", "US"],
  ])("%s is in %s", (address, country) => {
    expect(database.geo(address)).toEqual(countryOf(country));
  });

  it.each([
    "127.0.0.1",
    "127.255.255.255",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "0.0.0.0",
    "::",
    "::1",
    "fc00::1",
    "fd12:3456::1",
    "FD00::1",
    "fe80::1",
    "febf::1",
    "fe80::1%eth0",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
    "224.0.0.1",
    "255.255.255.255",
  ])("%s has no place", (address) => {
    expect(database.geo(address)).toEqual(NOWHERE);
  });

  it.each([
    "",
    " ",
    "localhost",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.2.3.4:80",
    "[::1]",
    "::g",
    "1".repeat(10_000),
    "\u0000",
    "__proto__",
  ])("%j is not an address and has no place", (address) => {
    expect(database.geo(address)).toEqual(NOWHERE);
  });

  it.each(["172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1", "11.0.0.1", "126.0.0.1", "192.167.1.1"])(
    "%s is beside a private network and has a place",
    (address) => {
      expect(database.geo(address).countryCode).toMatch(/^[A-Z]{2}$/);
    },
  );
});

describe("no database", () => {
  it("places are unknown without a database, which counts as not loaded", () => {
    const database = openGeoDatabase("none", COUNTRY_DATABASE_URL);
    expect(database.geoIsLoaded).toBe(false);
    expect(database.geoBuiltMs).toBeNull();
    expect(database.geo("8.8.8.8")).toEqual(NOWHERE);
  });
});

describe("a database file of the operator", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "geo-database-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it("a database file of the operator is read from its path", () => {
    const path = join(folder, "copy with spaces.mmdb");
    copyFileSync(builtinFile, path);
    expect(openGeoDatabase({ paths: [path] }, COUNTRY_DATABASE_URL).geo("91.198.174.192")).toEqual(countryOf("NL"));
  });

  it("a database file of the operator may contain IPv4 only", () => {
    const database = openGeoDatabase({ paths: [ipv4File] }, COUNTRY_DATABASE_URL);
    expect(database.geo("91.198.174.192")).toEqual(countryOf("NL"));
    expect(database.geo("2001:4860:4860::8888")).toEqual(NOWHERE);
  });

  it.each([
    ["IPv4 and IPv6", [ipv4File, ipv6File]],
    ["IPv6 and IPv4", [ipv6File, ipv4File]],
  ])("a database of the operator may be two files, for %s", (_, paths) => {
    const database = openGeoDatabase({ paths }, COUNTRY_DATABASE_URL);
    for (const address of ["91.198.174.192", "2a02:ec80::1"]) expect([address, database.geo(address)]).toEqual([address, countryOf("NL")]);
    expect(database.geo("2001:4860:4860::8888")).toEqual(countryOf("US"));
    expect(database.geoBuiltMs).toBe(openGeoDatabase({ paths: [ipv4File] }, COUNTRY_DATABASE_URL).geoBuiltMs);
  });

  it("a missing second file fails the start with the option and the path", () => {
    const path = join(folder, "missing.mmdb");
    expect(() => openGeoDatabase({ paths: [ipv4File, path] }, COUNTRY_DATABASE_URL)).toThrow(
      `geoip_db: cannot read the geo database ${path}`,
    );
  });

  it("a missing file fails the start with the option and the path", () => {
    const path = join(folder, "missing.mmdb");
    expect(() => openGeoDatabase({ paths: [path] }, COUNTRY_DATABASE_URL)).toThrow(
      `geoip_db: cannot read the geo database ${path}: ENOENT`,
    );
    expect(() => openGeoDatabase({ paths: [folder] }, COUNTRY_DATABASE_URL)).toThrow(
      `geoip_db: cannot read the geo database ${folder}: EISDIR`,
    );
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["empty", () => Buffer.alloc(0)],
    ["text", () => Buffer.from("this is no database\n".repeat(100))],
    ["zeros", () => Buffer.alloc(100_000)],
    ["cut off at the end", (bytes) => bytes.subarray(0, bytes.length - 2000)],
    ["cut off in the middle", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["cut off at the start", (bytes) => bytes.subarray(bytes.length - 2000)],
    ["metadata and nothing else", (bytes) => bytes.subarray(bytes.lastIndexOf(METADATA_MARKER))],
    ["metadata that lacks its fields", () => Buffer.concat([METADATA_MARKER, Buffer.from([0xe0])])],
    ["records overwritten", (bytes) => bytes.fill(0xff, bytes.length - 6000, bytes.lastIndexOf(METADATA_MARKER))],
  ])("a damaged file (%s) fails the start with the option and the path", (name, damage) => {
    const path = join(folder, `${name.replaceAll(" ", "-")}.mmdb`);
    writeFileSync(path, damage(readFileSync(builtinFile)));
    expect(() => openGeoDatabase({ paths: [path] }, COUNTRY_DATABASE_URL)).toThrow(
      `geoip_db: ${path} is not a MaxMind database, or it is damaged`,
    );
  });
});
