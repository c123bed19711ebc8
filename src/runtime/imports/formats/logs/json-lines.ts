/** Access logs with a JSON object for each request: Caddy, Traefik, and CloudFront's standard logging 2. */
import type { BadRowReason } from "../../rows.ts";
import { IMPORT_LINE_BYTES_MAX } from "../../../base/config/limits.ts";
import { isObject, type JsonObject } from "../../files/json-items.ts";
import type { Layout, LineReader, ParsedLine } from "./layout.ts";
import type { LoggedRequest } from "./request.ts";
import { isoTimeOf, timeOf } from "./times.ts";
import { cloudFrontAdviceOn, cloudFrontRequestFrom, isCloudFrontRecord } from "./w3c.ts";

const textIn = (object: JsonObject, name: string): string | undefined => {
  const value = object[name];
  return typeof value === "string" ? value : undefined;
};

/** The first value of a header, whatever the case of its name. */
function headerIn(headers: unknown, name: string): string | undefined {
  if (!isObject(headers)) return undefined;
  const own = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = own === undefined ? undefined : headers[own];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first : undefined;
}

const withoutPort = (address: string | undefined): string | undefined => address?.replace(/:\d+$/, "");

/** null for another message than a request's. */
function caddyRequest({ request, ts, status, resp_headers }: JsonObject): LoggedRequest | BadRowReason | null {
  if (!isObject(request)) return null;
  const { headers } = request;
  const connection = textIn(request, "remote_ip") ?? withoutPort(textIn(request, "remote_addr")) ?? null;
  return {
    atMs: timeOf(ts),
    client: textIn(request, "client_ip") ?? connection ?? "",
    // `client_ip` may be the first one of X-Forwarded-For, which a client can send through a trusted proxy.
    connection,
    forwardedFor: headerIn(headers, "x-forwarded-for"),
    method: textIn(request, "method") ?? "",
    target: textIn(request, "uri") ?? "",
    host: textIn(request, "host"),
    status: Number(status),
    referrer: headerIn(headers, "referer"),
    // Caddy logs all headers: without one, the client has sent none.
    userAgent: isObject(headers) ? (headerIn(headers, "user-agent") ?? "") : undefined,
    contentType: headerIn(resp_headers, "content-type"),
    purpose: headerIn(headers, "sec-purpose") ?? headerIn(headers, "purpose") ?? headerIn(headers, "x-moz"),
  };
}

/** Traefik leaves out all headers unless it is told to keep them: "request_User-Agent". */
function traefikRequest(record: JsonObject): LoggedRequest | null {
  if (record["RequestMethod"] === undefined && record["DownstreamStatus"] === undefined) return null;
  const header = (name: string): string | undefined => headerIn(record, `request_${name}`);
  const connection = withoutPort(textIn(record, "ClientAddr")) ?? null;
  const utcMs = isoTimeOf(textIn(record, "StartUTC") ?? "");
  return {
    atMs: Number.isNaN(utcMs) ? isoTimeOf(textIn(record, "StartLocal") ?? textIn(record, "time") ?? "") : utcMs,
    client: textIn(record, "ClientHost") ?? connection ?? "",
    // `ClientHost` is X-Forwarded-For where a request has it.
    connection,
    forwardedFor: header("x-forwarded-for"),
    method: textIn(record, "RequestMethod") ?? "",
    target: textIn(record, "RequestPath") ?? "",
    host: textIn(record, "RequestHost") ?? textIn(record, "RequestAddr"),
    status: Number(record["DownstreamStatus"]),
    referrer: header("referer"),
    userAgent: header("user-agent"),
    contentType: headerIn(record, "downstream_content-type"),
    purpose: header("sec-purpose") ?? header("purpose") ?? header("x-moz"),
  };
}

function parsed(text: string): unknown {
  // Errors are slow, and files of other formats are tried, too.
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // A value that no JSON text has.
    return undefined;
  }
}

type RequestFrom = (record: JsonObject) => ParsedLine;

/** Objects of one line, or of several where somebody has made the file readable: then the last line is a brace alone. */
class ObjectReader implements LineReader {
  readonly state = null;
  readonly #requestFrom: RequestFrom;
  #lines: string[] = [];
  #chars = 0;

  constructor(requestFrom: RequestFrom) {
    this.#requestFrom = requestFrom;
  }

  read(line: string): ParsedLine {
    if (this.#lines.length === 0) return line.trimEnd() === "{" ? this.#collect(line) : this.#requestIn(line);
    this.#collect(line);
    if (this.#chars > IMPORT_LINE_BYTES_MAX) return this.#requestIn(this.#collected(), "line_too_long");
    return /^\}[,\s]*$/.test(line) ? this.#requestIn(this.#collected().replace(/,\s*$/, "")) : null;
  }

  #collect(line: string): null {
    this.#lines.push(line);
    this.#chars += line.length + 1;
    return null;
  }

  #collected(): string {
    const text = this.#lines.join("\n");
    this.#lines = [];
    this.#chars = 0;
    return text;
  }

  #requestIn(text: string, reason: BadRowReason = "not_json"): ParsedLine {
    if (text === "") return null;
    const record = parsed(text);
    return isObject(record) ? this.#requestFrom(record) : reason;
  }
}

const jsonLayout = (name: string, product: string, requestFrom: RequestFrom): Layout => ({
  name,
  product,
  open: () => new ObjectReader(requestFrom),
});

export const CADDY = jsonLayout("caddy-log", "Caddy log", caddyRequest);

export const TRAEFIK_JSON = jsonLayout("traefik-json-log", "Traefik log (JSON)", traefikRequest);

export const CLOUDFRONT_JSON: Layout = {
  ...jsonLayout("cloudfront-json-log", "CloudFront log (JSON)", (record) =>
    isCloudFrontRecord(Object.keys(record)) ? cloudFrontRequestFrom(record) : null,
  ),
  adviceOn(text) {
    const record = parsed(text.split("\n", 1)[0] ?? "");
    return isObject(record) ? cloudFrontAdviceOn(Object.keys(record)) : null;
  },
};
