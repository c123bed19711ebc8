/** What the platform knows of a request's sender: the address in a header of its own, and the address's place. */
import type { Connection } from "../../src/handlers/app.ts";
import type { Config } from "../../src/runtime/config/config.ts";
import { geoPlaceFromRecord, isPrivateAddress, type GeoPlace } from "../../src/runtime/ingest/geo.ts";
import type { IncomingRequestProperties } from "./platform.ts";

/** The platform sets it on every request that comes from outside; what a client writes there is overwritten. */
const ADDRESS_HEADER = "CF-Connecting-IP";

/** The places of a development machine are made up: its address is nowhere. */
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
