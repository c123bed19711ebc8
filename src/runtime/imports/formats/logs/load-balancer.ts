/** Access logs of AWS load balancers: "application" with a type in front, and "classic" without. */
import { lineByLine, type ParsedLine, requestLineOf } from "./layout.ts";
import { quoteEnd, unescaped } from "./quoted.ts";
import { isoTimeOf } from "./times.ts";

const TYPE = /^(?:https?|h2|grpcs|wss?)$/;

/** When the request came; what stands in front is the time of the response. Between the priority of the rule and the actions. */
const CREATED = / (?:\d+|-1|-) (\d{4}-\d\d-\d\dT[\d:.]+Z) "/;

/** The line that tells that the log was switched on. */
const CONTROL_LINE = /^Enable (?:Access|Connection)Log for ELB/;

const withoutPort = (address: string): string => address.replace(/:\d+$/, "");

function parse(line: string): ParsedLine {
  if (CONTROL_LINE.test(line)) return null;
  const requestFrom = line.indexOf(' "') + 2;
  const fields = line.slice(0, Math.max(0, requestFrom - 2)).split(" ");
  const hasType = TYPE.test(fields[0] ?? "");
  if (fields.length !== (hasType ? 12 : 11)) return "not_a_log_line";
  const [time = "", , client = "", , , , , status = ""] = hasType ? fields.slice(1) : fields;
  const respondedMs = isoTimeOf(time);
  if (Number.isNaN(respondedMs)) return "not_a_log_line";
  const requestEnd = quoteEnd(line, requestFrom);
  if (requestEnd === -1) return "unclosed_quote";
  const userAgentEnd = line.startsWith(' "', requestEnd + 1) ? quoteEnd(line, requestEnd + 3) : -1;
  const createdMs = isoTimeOf(CREATED.exec(line.slice(userAgentEnd + 1))?.[1] ?? "");
  return {
    atMs: Number.isNaN(createdMs) ? respondedMs : createdMs,
    client: withoutPort(client),
    ...requestLineOf(unescaped(line.slice(requestFrom, requestEnd))),
    status: Number(status),
    ...(userAgentEnd !== -1 && { userAgent: unescaped(line.slice(requestEnd + 3, userAgentEnd)) }),
  };
}

export const LOAD_BALANCER = lineByLine("aws-load-balancer-log", "AWS load balancer log", parse);
