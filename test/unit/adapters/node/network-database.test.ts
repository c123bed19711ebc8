/** The network database, read from a file that the test writes. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openNetworkDatabase } from "../../../../adapters/node/geo-database.ts";
import { networkFromRecord } from "../../../../src/runtime/ingest/network.ts";
import { mmdbOf } from "../../../support/mmdb-writer.ts";

const RECORDS = {
  "8.8.0.0/16": { autonomous_system_number: 64_496, autonomous_system_organization: "Example Hosting" },
  "9.0.0.0/8": { autonomous_system_number: 4_200_000_000 },
  "10.0.0.0/8": { autonomous_system_number: 64_497 },
  "11.0.0.0/8": { country_code: "DE" },
  "2a00:0:0:0:0:0:0:0/16": { autonomous_system_number: 64_498, autonomous_system_organization: "" },
};

describe("the network database", () => {
  let folder = "";
  let path = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "network-database-"));
    path = join(folder, "asn.mmdb");
    writeFileSync(path, mmdbOf(RECORDS));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ["8.8.4.4", { asn: 64_496, organization: "Example Hosting" }],
    ["::ffff:8.8.4.4", { asn: 64_496, organization: "Example Hosting" }],
    ["9.9.9.9", { asn: 4_200_000_000, organization: null }],
    ["2a00::1", { asn: 64_498, organization: null }],
    ["8.9.0.1", null],
    ["10.0.0.1", null],
    ["11.0.0.1", null],
    ["no address", null],
  ])("%s is of the network %j", (address, network) => {
    expect(openNetworkDatabase({ paths: [path] })?.(address)).toEqual(network);
  });

  it("may be two files, and is none by default", () => {
    const second = join(folder, "second.mmdb");
    writeFileSync(second, mmdbOf({ "12.0.0.0/8": { autonomous_system_number: 1 } }));
    const networkOf = openNetworkDatabase({ paths: [path, second] });
    expect([networkOf?.("8.8.8.8")?.asn, networkOf?.("12.1.1.1")?.asn]).toEqual([64_496, 1]);
    expect(openNetworkDatabase("none")).toBeNull();
  });

  it("fails the start with the option and the path if it is missing or damaged", () => {
    const missing = join(folder, "missing.mmdb");
    expect(() => openNetworkDatabase({ paths: [missing] })).toThrow(`asn_db: cannot read the network database ${missing}: ENOENT`);
    const damaged = join(folder, "damaged.mmdb");
    writeFileSync(damaged, "text");
    expect(() => openNetworkDatabase({ paths: [damaged] })).toThrow(`asn_db: ${damaged} is not a MaxMind database`);
  });

  it.each([null, "text", {}, { autonomous_system_number: 0 }, { autonomous_system_number: "64496" }])("%j has no network", (record) => {
    expect(networkFromRecord(record)).toBeNull();
  });
});
