/** A request of ClickHouse's HTTP interface: https://clickhouse.com/docs/interfaces/http. */
import { randomUUID } from "node:crypto";

/** URL parameters that are no settings. */
const OWN = new Set([
  ...["query", "query_id", "database", "default_format", "user", "password", "role", "quota_key", "stacktrace"],
  ...["session_id", "session_timeout", "session_check", "close_session", "compress", "decompress", "client_protocol_version"],
  ...["buffer_size", "wait_end_of_query"],
]);
const PARAMETER = "param_";

/** Quoted text, names and comments. */
const OPAQUE = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|--.*|\/\*[\s\S]*?\*\//g;
/** The engine would run all of them, a server refuses. Whatever follows an INSERT may be data. */
export const hasSeveralStatements = (sql) => !/^\s*INSERT\b/i.test(sql) && /;\s*[^\s;]/.test(sql.replace(OPAQUE, ""));

async function bodyOf(message) {
  const chunks = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The texts of a multipart/form-data body by name. */
function textsOf(body, contentType) {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const parts = body.toString().split(`--${boundary}`);
  return parts.flatMap((part) => {
    const [, name, text] = /name="([^"]+)"\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? [];
    return name === undefined ? [] : [[name, text]];
  });
}

const parametersOf = (pairs) => {
  const named = pairs.filter(([name]) => name.startsWith(PARAMETER));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(PARAMETER.length), value]));
};

/** The statement, what it is given, and `data`: the body of an INSERT, empty otherwise. */
export async function readRequest(message, searchParams) {
  const body = await bodyOf(message);
  const texts = textsOf(body, message.headers["content-type"] ?? "");
  const given = [...searchParams, ...(texts ?? [])];
  const query = given.find(([name]) => name === "query")?.[1];
  return {
    id: searchParams.get("query_id") || randomUUID(),
    sql: query ?? body.toString(),
    data: query === undefined || texts ? Buffer.alloc(0) : body,
    database: searchParams.get("database"),
    format: searchParams.get("default_format") ?? "TabSeparated",
    parameters: parametersOf(given),
    settings: [...searchParams].filter(([name]) => !OWN.has(name) && !name.startsWith(PARAMETER)),
    // A GET changes nothing.
    readonly: message.method === "GET",
  };
}
