/** The address and place that the platform reports for a client. */
import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../../adapters/workerd/front.ts";
import { NOWHERE } from "../../../../src/runtime/ingest/geo.ts";

const BUILTIN = { geoipDb: "builtin" } as const;

function requestFrom(address: string | null, cf?: Record<string, unknown>): Request {
  const request = new Request("http://stats.test/api/event", address === null ? {} : { headers: { "CF-Connecting-IP": address } });
  return Object.assign(request, cf && { cf });
}

describe("the connection of a request", () => {
  it("takes address and place from the platform", () => {
    const request = requestFrom("8.8.8.8", { country: "US", region: "California", city: "Mountain View", colo: "SFO", asn: 15_169 });
    expect(connectionOf(request, BUILTIN)).toEqual({
      socketAddress: "8.8.8.8",
      socketPlace: { countryCode: "US", region: "California", city: "Mountain View" },
      socketNetwork: { asn: 15_169, organization: null },
    });
  });

  it("keeps the known parts of a place", () => {
    expect(connectionOf(requestFrom("8.8.8.8", { country: "US" }), BUILTIN).socketPlace).toEqual({ ...NOWHERE, countryCode: "US" });
    expect(connectionOf(requestFrom("8.8.8.8", { country: 5, city: "" }), BUILTIN).socketPlace).toEqual(NOWHERE);
  });

  it("has no place if the platform reports none, so the database is used", () => {
    expect(connectionOf(requestFrom("8.8.8.8"), BUILTIN).socketPlace).toBeNull();
  });

  it("takes the network from the platform, and none that is no AS number", () => {
    const networkOf = (cf: Record<string, unknown>) => connectionOf(requestFrom("8.8.8.8", cf), { geoipDb: "none" }).socketNetwork;
    expect(networkOf({ asn: 64_496, asOrganization: "Example Hosting" })).toEqual({ asn: 64_496, organization: "Example Hosting" });
    for (const cf of [{}, { asn: "64496" }, { asn: -1 }, { asn: 0.5 }]) expect(networkOf(cf)).toBeNull();
  });

  it.each(["127.0.0.1", "::1", "192.168.1.7"])("ignores the invented place and network of %s, a development machine", (address) => {
    const connection = connectionOf(requestFrom(address, { country: "US", city: "Austin", asn: 64_496 }), BUILTIN);
    expect(connection).toEqual({ socketAddress: address, socketPlace: null, socketNetwork: null });
  });

  it("has no place with geoip_db = none", () => {
    expect(connectionOf(requestFrom("8.8.8.8", { country: "US" }), { geoipDb: "none" }).socketPlace).toBeNull();
  });

  it("has an empty address without the header of the platform", () => {
    expect(connectionOf(requestFrom(null), BUILTIN).socketAddress).toBe("");
  });
});
