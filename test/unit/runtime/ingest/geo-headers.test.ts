/** The location of a visitor in headers of a trusted proxy. */
import { describe, expect, it } from "vitest";
import { geoPlaceFromHeaders } from "../../../../src/runtime/ingest/geo.ts";

const NAMES = { country: "cf-ipcountry", region: "cf-region", city: "cf-ipcity" };

const placeIn = (headers: Record<string, string>, names: Parameters<typeof geoPlaceFromHeaders>[0] = NAMES) =>
  geoPlaceFromHeaders(names, new Headers(headers));

/** A header value as Node reads the bytes of UTF-8. */
const asLatin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

describe("geoPlaceFromHeaders", () => {
  it("geoPlaceFromHeaders reads country, region and city", () => {
    expect(placeIn({ "CF-IPCountry": "NL", "CF-Region": "North Holland", "CF-IPCity": "Amsterdam" })).toEqual({
      countryCode: "NL",
      region: "North Holland",
      city: "Amsterdam",
    });
  });

  it("geoPlaceFromHeaders reads no header that the option does not name", () => {
    expect(placeIn({ "CF-IPCountry": "nl", "CF-Region": "North Holland" }, { ...NAMES, region: null, city: null })).toEqual({
      countryCode: "NL",
      region: null,
      city: null,
    });
  });

  it.each([
    ["UTF-8", asLatin1("São Paulo"), "São Paulo"],
    ["UTF-8 of two words", asLatin1("Ōsaka Shi"), "Ōsaka Shi"],
    ["Latin-1", "Z\u00fcrich", "Zürich"],
    ["percent-encoded UTF-8", "S%C3%A3o%20Paulo", "São Paulo"],
    ["a percent sign that encodes nothing", "100% City", "100% City"],
    ["spaces around it", "  Lyon  ", "Lyon"],
    ["nothing", "", null],
    ["more than a name can have", "x".repeat(2_000), null],
  ])("geoPlaceFromHeaders reads a name in %s", (_, value, city) => {
    expect(placeIn({ "CF-IPCountry": "BR", "CF-IPCity": value })).toEqual({ countryCode: "BR", region: null, city });
  });

  it.each(["", "XX", "zz", "T1", "A1", "USA", "U", "Germany", "D\u00c9", "DE, FR"])(
    "geoPlaceFromHeaders finds no place without the code of a country: %j",
    (country) => {
      expect(placeIn({ "CF-IPCountry": country, "CF-IPCity": "Berlin" })).toBeNull();
    },
  );

  it("geoPlaceFromHeaders finds no place without the header", () => {
    expect(placeIn({ "CF-IPCity": "Berlin" })).toBeNull();
  });
});
