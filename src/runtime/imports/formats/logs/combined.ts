/** The common and the combined log format, with and without hosts, and Traefik's variant: one layout, for files mix them. */
import { lineByLine, type ParsedLine, requestLineOf } from "./layout.ts";
import { quoteEnd, unescaped } from "./quoted.ts";
import type { LoggedRequest } from "./request.ts";
import { commonTimeOf } from "./times.ts";

const IDENT = " - ";

/** The time stands between the user's name and the request line. */
const TIME = / \[(\d{1,2}\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "/;

const STATUS_AND_SIZE = / (\d{3}|-) (?:\d+|-)(?= |$)/y;

/**
 * Host and clients of what stands before the time: `host:port client - user`. Several clients are separated by ", ", and in quotation
 * marks if the server's own view of the client follows. The name of the user may have blanks; the one before it is "-" on all servers of
 * today.
 */
function splitHead(head: string): Pick<LoggedRequest, "client" | "connection" | "host"> {
  const identAt = head.indexOf(IDENT);
  // One of them may be in a header that stands before the address: "192.0.2.1 - x, 198.51.100.1 - -".
  if (identAt !== -1 && head.includes(IDENT, identAt + 1)) return { ...splitHead(head.slice(0, identAt + IDENT.length)), connection: null };
  const known = identAt === -1 ? head.split(" ").slice(0, -2).join(" ") : head.slice(0, identAt);
  const blank = known.indexOf(" ");
  if (blank === -1) return { client: known };
  const first = known.slice(0, blank);
  const isHost = !first.endsWith(",") && !first.startsWith('"');
  return isHost ? { host: first, client: known.slice(blank + 1) } : { client: known };
}

function parse(line: string): ParsedLine {
  const time = TIME.exec(line);
  if (time === null) return "not_a_log_line";
  const requestFrom = time.index + time[0].length;
  const requestEnd = quoteEnd(line, requestFrom);
  if (requestEnd === -1) return "unclosed_quote";
  STATUS_AND_SIZE.lastIndex = requestEnd + 1;
  const result = STATUS_AND_SIZE.exec(line);
  if (result === null) return "not_a_log_line";
  const request = {
    atMs: commonTimeOf(time[1] ?? ""),
    ...splitHead(line.slice(0, time.index)),
    ...requestLineOf(unescaped(line.slice(requestFrom, requestEnd))),
    status: Number(result[1]),
  };
  const referrerFrom = STATUS_AND_SIZE.lastIndex + 2;
  if (!line.startsWith(' "', referrerFrom - 2)) return request;
  const referrerEnd = quoteEnd(line, referrerFrom);
  if (referrerEnd === -1) return "unclosed_quote";
  const referrer = unescaped(line.slice(referrerFrom, referrerEnd));
  const userAgentFrom = referrerEnd + 3;
  if (!line.startsWith(' "', referrerEnd + 1)) return { ...request, referrer };
  const userAgentEnd = quoteEnd(line, userAgentFrom);
  if (userAgentEnd === -1) return "unclosed_quote";
  const combined = { ...request, referrer, userAgent: unescaped(line.slice(userAgentFrom, userAgentEnd)) };
  // nginx's example of a format ends with the clients that proxies have forwarded.
  if (!line.startsWith(' "', userAgentEnd + 1)) return combined;
  const forwardedEnd = quoteEnd(line, userAgentEnd + 3);
  return forwardedEnd === -1 ? combined : { ...combined, forwardedFor: line.slice(userAgentEnd + 3, forwardedEnd) };
}

export const COMBINED = lineByLine("combined-log", "Web server log (common or combined)", parse);
