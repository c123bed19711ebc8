/** The response to a request for a file: in the client's preferred content coding, or 304 if the client has it. */
import type { Asset } from "../runtime/service/assets.ts";
import { emptyReply, type Reply, type ReplyHeaders } from "./reply.ts";

type Coding = "br" | "gzip" | "identity";

/** Smallest first: the first of equally weighted codings is sent. */
const CODINGS: readonly Coding[] = ["br", "gzip", "identity"];

/** Weights by coding, as `Accept-Encoding` gives them (RFC 9110, 12.5.3). */
function weightsIn(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    if (coding !== "") weights.set(coding, /^(?:0|1)(?:\.\d{0,3})?$/.test(weight) ? Number(weight) : 0);
  }
  return weights;
}

/** A coding that is not listed has the weight of `*`; `identity` is acceptable unless it is excluded. */
function weightOf(coding: Coding, weights: ReadonlyMap<string, number>): number {
  return weights.get(coding) ?? weights.get("*") ?? (coding === "identity" ? 0.001 : 0);
}

/** The best available coding; `identity` if the client accepts none. */
export function chosenCoding(acceptEncoding: string | null, available: readonly Coding[]): Coding {
  const weights = weightsIn(acceptEncoding ?? "");
  let best: Coding = "identity";
  let bestWeight = 0;
  for (const coding of CODINGS) {
    const weight = available.includes(coding) ? weightOf(coding, weights) : 0;
    if (weight > bestWeight) [best, bestWeight] = [coding, weight];
  }
  return best;
}

const bytesIn = ({ bytes, brotli, gzip }: Asset) => ({ identity: bytes, br: brotli, gzip });

/** A strong ETag: each coding of a file has its own, because the bytes differ. */
const tagOf = (version: string, coding: Coding): string => `"${version}${coding === "identity" ? "" : `-${coding}`}"`;

/** The weak comparison of `If-None-Match` (RFC 9110, 13.1.2). */
function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((known) => known.trim().replace(/^W\//, "") === tag);
}

/** `headers` are added to the headers of the file, also for a 304. */
export function assetReply(request: Request, asset: Asset, headers: ReplyHeaders): Reply {
  const forms = bytesIn(asset);
  const available = CODINGS.filter((coding) => forms[coding] !== undefined);
  const coding = chosenCoding(request.headers.get("accept-encoding"), available);
  const tag = tagOf(asset.version, coding);
  const common = { ...headers, ETag: tag, Vary: "Accept-Encoding" };
  if (isKnown(request.headers.get("if-none-match"), tag)) return emptyReply(304, common);
  const bytes = forms[coding] ?? asset.bytes;
  const described = { ...common, "Content-Type": asset.contentType, "Content-Length": String(bytes.length) };
  if (coding === "identity") return { status: 200, headers: described, body: bytes };
  return { status: 200, headers: { ...described, "Content-Encoding": coding }, body: bytes, isEncoded: true };
}
