/** The client's address and place, as the platform reports them with a request. */
import type { Connection } from "../../src/handlers/pipeline.ts";
import type { Config } from "../../src/runtime/base/config/config.ts";
import { geoPlaceFromRecord, isPrivateAddress, type GeoPlace } from "../../src/runtime/ingest/geo.ts";
import type { IncomingRequestProperties } from "./platform.ts";

/** The platform sets it on every external request, and overwrites what a client sends. */
const ADDRESS_HEADER = "CF-Connecting-IP";

/** A development machine invents the reported place, so a private address has none. */
function placeOf(address: string, properties: IncomingRequestProperties | undefined): GeoPlace | null {
  if (!properties || isPrivateAddress(address)) return null;
  const { country, region, city } = properties;
  return geoPlaceFromRecord({ country_code: country, state1: region, city });
}

export function connectionOf(request: Request, { geoipDb }: Pick<Config, "geoipDb">): Connection {
  const socketAddress = request.headers.get(ADDRESS_HEADER) ?? "";
  const { cf } = request as { readonly cf?: IncomingRequestProperties };
  return { socketAddress, socketPlace: geoipDb === "none" ? null : placeOf(socketAddress, cf) };
}
