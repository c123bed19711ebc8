/** Labeled tab-separated values (ltsv.org), with its labels and those in use beside them. */
import { lineByLine, type ParsedLine, requestLineOf } from "./layout.ts";
import { unescaped } from "./quoted.ts";
import { timeOf } from "./times.ts";

const LABELS = {
  time: ["time", "datetime", "time_local", "time_iso8601", "timestamp", "msec"],
  client: ["remote_addr", "remote_host", "client", "ip"],
  forwardedFor: ["forwardedfor", "x_forwarded_for", "http_x_forwarded_for"],
  request: ["req", "request"],
  method: ["method", "request_method"],
  uri: ["uri", "request_uri", "path"],
  status: ["status"],
  referrer: ["referer", "referrer", "http_referer"],
  userAgent: ["ua", "user_agent", "http_user_agent"],
  host: ["vhost", "http_host", "server_name"],
  contentType: ["content_type", "sent_http_content_type"],
  purpose: ["sec_purpose", "http_sec_purpose"],
} as const;

function parse(line: string): ParsedLine {
  const values = new Map<string, string>();
  for (const field of line.split("\t")) {
    const colon = field.indexOf(":");
    if (colon > 0) values.set(field.slice(0, colon).toLowerCase(), field.slice(colon + 1));
  }
  const valueOf = (name: keyof typeof LABELS): string | undefined => {
    const label = LABELS[name].find((known) => values.has(known));
    return label === undefined ? undefined : unescaped(values.get(label) ?? "");
  };
  const [time, request, uri, status] = [valueOf("time"), valueOf("request"), valueOf("uri"), valueOf("status")];
  if (time === undefined || (request === undefined && uri === undefined)) return "not_a_log_line";
  if (status === undefined) return "missing_value";
  // The label of the client, unless another one has it.
  const [client, host] = [valueOf("client"), values.get("host")];
  return {
    atMs: timeOf(time.replaceAll(/^\[|\]$/g, "")),
    client: client ?? host ?? "",
    ...(request === undefined ? { method: valueOf("method") ?? "", target: uri ?? "" } : requestLineOf(request)),
    status: Number(status),
    host: valueOf("host") ?? (client === undefined ? undefined : host),
    forwardedFor: valueOf("forwardedFor"),
    userAgent: valueOf("userAgent"),
    referrer: valueOf("referrer"),
    contentType: valueOf("contentType"),
    purpose: valueOf("purpose"),
  };
}

export const LTSV = lineByLine("ltsv-log", "LTSV log", parse);
