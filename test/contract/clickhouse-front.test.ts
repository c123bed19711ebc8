/** What tests rely on in the ClickHouse that they use, be it the front of `test/clickhouse` or the server at `CLICKHOUSE_URL`. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clickhouseOfFile, ONLY_THE_FRONT, type StatementOptions } from "../support/clickhouse-server.ts";
import { skippedFor } from "../support/skipped.ts";

const clickhouse = clickhouseOfFile();

const query = (sql: string, options?: StatementOptions) => clickhouse().query(sql, options);

/** Rows of the result, each a list of its values. */
async function rows(sql: string, options?: StatementOptions): Promise<unknown[]> {
  const text = await query(`${sql} FORMAT JSONCompactEachRow`, options);
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as unknown]));
}

/** What a refused statement is answered with. */
async function refusal(sql: string, options?: StatementOptions) {
  const response = await clickhouse().request(sql, options);
  return { status: response.status, code: response.headers.get("X-ClickHouse-Exception-Code"), text: await response.text() };
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "'": "\\'" };
const escaped = (text: string) => text.replace(/[\\\t\n\r']/g, (character) => ESCAPES[character] ?? "");

const NASTY = "it's \\ \" ` \t \n \r \0 é \u2028 \uFEFF 😀 {x:String} %20+& \\N ; --";

/** An empty table of texts and numbers that knows the tokens of its last 100 inserts. */
async function table(): Promise<string> {
  const database = await clickhouse().database();
  const settings = "SETTINGS non_replicated_deduplication_window = 100";
  await query(`CREATE TABLE t (a String, b Int64) ENGINE = MergeTree ORDER BY a ${settings}`, { database });
  return database;
}

const parquetOf = async (sql: string) => new Uint8Array(await (await clickhouse().request(`${sql} FORMAT Parquet`)).arrayBuffer());

/** Never ends by itself. */
const ENDLESS = "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) % 7 = 1";

const kill = (queryId: string) => query(`KILL QUERY WHERE query_id = {id:String}`, { parameters: { id: queryId } });

/** Kills the query. Resolves with its answer, or null if it had not begun. */
async function killed<T>(queryId: string, answer: Promise<T>): Promise<T | null> {
  await kill(queryId);
  return Promise.race([answer, Promise.resolve(null)]);
}

describe("parameters of a statement", () => {
  it("reach the server unchanged, whatever the text", async () => {
    const texts = fc.string({ unit: "binary", maxLength: 40 });
    const arrives = async (text: string) => {
      expect(await rows("SELECT {text:String}", { parameters: { text: escaped(text) } })).toEqual([[text]]);
    };
    for (const text of ["", "\\N", "NULL", NASTY, NASTY.repeat(300)]) await arrives(text);
    await fc.assert(fc.asyncProperty(texts, arrives), { numRuns: 200 });
  });

  it("may be lists, numbers and null", async () => {
    const list = `['${escaped(NASTY)}','b']`;
    const parameters = { list, low: "-9223372036854775808", high: "18446744073709551615", none: "\\N" };
    const [row] = await rows("SELECT {list:Array(String)}, toString({low:Int64}), toString({high:UInt64}), {none:Nullable(String)}", {
      parameters,
    });
    expect(row).toEqual([[NASTY, "b"], "-9223372036854775808", "18446744073709551615", null]);
  });

  it("parameters of a statement may name tables", async () => {
    const database = await table();
    expect(await query("SELECT count() FROM {name:Identifier}", { database, parameters: { name: "t" } })).toBe("0\n");
  });

  it("may be parts of a form, with the statement", async () => {
    const form = new FormData();
    form.append("query", "SELECT {text:String}");
    form.append("param_text", "é\\t".repeat(100_000));
    const { url, username, password } = clickhouse();
    const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password };
    const response = await fetch(url, { method: "POST", headers, body: form });
    expect(await response.text()).toBe(`${"é\\t".repeat(100_000)}\n`);
  });

  it("are refused if they are missing or of another type", async () => {
    expect(await refusal("SELECT {x:Int32}")).toMatchObject({ code: "456" });
    expect(await refusal("SELECT {x:Int32}", { parameters: { x: "a" } })).toMatchObject({ code: "457" });
  });

  it("do not apply to the next statement", async () => {
    await query("SELECT {x:Int32}", { parameters: { x: "1" } });
    expect(await refusal("SELECT {x:Int32}")).toMatchObject({ code: "456" });
  });
});

describe("the settings and the database of a request", () => {
  it("apply to that request only", async () => {
    const database = await table();
    const settings = { max_block_size: "77" };
    const sql = "SELECT getSetting('max_block_size'), currentDatabase()";
    expect(await query(sql, { settings, database })).toBe(`77\t${database}\n`);
    expect(await query(sql)).not.toMatch(`77|${database}`);
  });

  it("may concern the response alone", async () => {
    expect(await query("SELECT 1", { settings: { wait_end_of_query: "1", buffer_size: "1000" } })).toBe("1\n");
  });

  it("are refused if they are unknown", async () => {
    expect(await refusal("SELECT 1", { settings: { no_such_setting: "1" } })).toMatchObject({ status: 404, code: "115" });
    expect(await refusal("SELECT 1", { database: "no_such_database" })).toMatchObject({ status: 404, code: "81" });
  });

  it("limit the duration and the memory of the query", async () => {
    expect(await refusal(ENDLESS, { settings: { max_execution_time: "1" } })).toMatchObject({ status: 408, code: "159" });
    const greedy = "SELECT length(groupArray(number)) FROM numbers(100000000)";
    expect(await refusal(greedy, { settings: { max_memory_usage: "20000000" } })).toMatchObject({ status: 500, code: "241" });
  });
});

describe("a result", () => {
  it("uses the format that the statement names, else the one that the request names, else tab-separated values", async () => {
    const sql = "SELECT 1 AS a, 'b' AS b";
    const settings = { default_format: "JSONEachRow" };
    expect(await query(sql)).toBe("1\tb\n");
    expect(await query(sql, { settings })).toBe('{"a":1,"b":"b"}\n');
    expect(await query(`${sql} FORMAT CSV`, { settings })).toBe('1,"b"\n');
  });

  it("is complete even if it is large or binary", async () => {
    const bytes = await (await clickhouse().request("SELECT number FROM numbers(1000000) FORMAT RowBinary")).arrayBuffer();
    expect(new BigUint64Array(bytes).every((value, i) => value === BigInt(i))).toBe(true);
    expect(bytes.byteLength).toBe(8_000_000);
  });

  it("a result has the id of its query in a header", async () => {
    const response = await clickhouse().request("SELECT 1", { queryId: "query-of-a-test" });
    expect(response.headers.get("X-ClickHouse-Query-Id")).toBe("query-of-a-test");
  });
});

describe("a refused statement", () => {
  it("is answered with the exception's code, its name and a status", async () => {
    const unknown = await refusal("SELECT * FROM no_such_table");
    expect(unknown).toMatchObject({ status: 404, code: "60" });
    expect(unknown.text).toMatch(/^Code: 60\. DB::Exception: .*\(UNKNOWN_TABLE\)/);
    expect(await refusal("SELECT FROM WHERE")).toMatchObject({ status: 400, code: "62" });
    expect(await refusal("SELECT throwIf(1)")).toMatchObject({ status: 500, code: "395" });
  });

  it("leaves nothing in the next answer", async () => {
    await refusal("SELECT throwIf(number = 500000) FROM numbers(1000000)");
    expect(await query("SELECT 1")).toBe("1\n");
  });

  it("does not run if it follows another one in the same request", async () => {
    expect(await refusal("SELECT 1; SELECT 2")).toMatchObject({ status: 400, code: "62" });
    expect(await query("SELECT ';' || 'a' /* ; b */;")).toBe(";a\n");
  });

  it("does not run if it changes data in a GET", async () => {
    const { url, username, password } = clickhouse();
    const database = await table();
    const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password };
    const response = await fetch(`${url}/?database=${database}&query=DROP+TABLE+t`, { headers });
    expect(response.headers.get("X-ClickHouse-Exception-Code")).toBe("164");
    expect(await query("SELECT count() FROM t", { database })).toBe("0\n");
  });
});

describe("an INSERT", () => {
  it("takes its rows from the body, in the format that it names", async () => {
    const database = await table();
    await query("INSERT INTO t FORMAT JSONEachRow", { database, data: `{"a":${JSON.stringify(NASTY)},"b":1}\n` });
    await query("INSERT INTO t (b, a) FORMAT CSV", { database, data: '2,"x"\n' });
    await query("INSERT INTO t VALUES ('y', 3)", { database });
    expect(await rows("SELECT a, b FROM t ORDER BY b", { database })).toEqual([
      [NASTY, 1],
      ["x", 2],
      ["y", 3],
    ]);
  });

  it("takes Parquet, directly and through input()", async () => {
    const database = await table();
    const data = await parquetOf("SELECT toString(number) AS a, toInt64(number) AS b FROM numbers(300000)");
    await query("INSERT INTO t FORMAT Parquet", { database, data });
    const parameters = { suffix: escaped(NASTY) };
    await query("INSERT INTO t SELECT a || {suffix:String}, -b FROM input('a String, b Int64') FORMAT Parquet", {
      database,
      data,
      parameters,
    });
    const sql = "SELECT count(), sum(b), uniqExact(a), countIf(endsWith(a, {suffix:String})) FROM t";
    expect(await rows(sql, { database, parameters })).toEqual([[600_000, 0, 600_000, 300_000]]);
  });

  it("is refused if its data are not of the format, and inserts nothing", async () => {
    const database = await table();
    expect((await refusal("INSERT INTO t FORMAT Parquet", { database, data: "no Parquet" })).status).toBe(400);
    const viaInput = "INSERT INTO t SELECT a, b FROM input('a String, b Int64') FORMAT Parquet";
    expect((await refusal(viaInput, { database, data: "no Parquet" })).status).toBe(400);
    expect(await query("SELECT count() FROM t", { database })).toBe("0\n");
  });

  it("is a no-op with a token that the table knows, whatever the data", async () => {
    const database = await table();
    const insert = (token: string, b: number) =>
      query("INSERT INTO t FORMAT JSONEachRow", {
        database,
        settings: { insert_deduplication_token: token },
        data: `{"a":"x","b":${b}}\n`,
      });
    await insert("first", 1);
    await insert("first", 2);
    await insert("second", 4);
    expect(await query("SELECT sum(b) FROM t", { database })).toBe("5\n");
  });

  it("through input() is a no-op with a known token", async () => {
    const database = await table();
    const data = await parquetOf("SELECT toString(number) AS a, toInt64(1) AS b FROM numbers(1000)");
    const insert = (token: string) => {
      const settings = { insert_deduplication_token: token };
      return query("INSERT INTO t SELECT a, b FROM input('a String, b Int64') FORMAT Parquet", { database, settings, data });
    };
    for (const token of ["first", "first", "second", "first"]) await insert(token);
    expect(await query("SELECT sum(b) FROM t", { database })).toBe("2000\n");
  });
});

describe("a query", () => {
  it("is cancelled by its id while it runs", async () => {
    const answer = refusal(ENDLESS, { queryId: "endless" });
    await expect.poll(() => killed("endless", answer)).toMatchObject({ code: "394" });
  });

  it("is cancelled when its client goes away, if the request says so", async () => {
    const gone = new AbortController();
    const settings = { cancel_http_readonly_queries_on_client_close: "1" };
    const answer = clickhouse().request(ENDLESS, { settings, queryId: "abandoned", signal: gone.signal });
    await expect.poll(() => clickhouse().isRunning("abandoned")).toBe(true);
    gone.abort();
    await expect(answer).rejects.toThrow("abort");
    await expect.poll(() => clickhouse().isRunning("abandoned")).toBe(false);
  });
});

describe("the test server in front of ClickHouse", skippedFor(ONLY_THE_FRONT), () => {
  it("accepts requests while a query runs, and cancels one that waits", async () => {
    const running = refusal(ENDLESS, { queryId: "running" });
    const waiting = refusal("SELECT 1", { queryId: "waiting" });
    await expect.poll(() => killed("waiting", waiting)).toMatchObject({ code: "394" });
    expect(await (await fetch(`${clickhouse().url}/ping`)).text()).toBe("Ok.\n");
    await kill("running");
    expect(await running).toMatchObject({ code: "394" });
  });

  it("fails as often as a test asks, and only for the statements that it names", async () => {
    await clickhouse().fail({ kind: "refuse", count: 2, match: "SELECT 2" });
    expect(await query("SELECT 1")).toBe("1\n");
    for (const _ of [1, 2]) await expect(query("SELECT 2")).rejects.toThrow("fetch failed");
    expect(await query("SELECT 2")).toBe("2\n");
  });

  it("answers with an exception, without running the statement", async () => {
    const database = await table();
    await clickhouse().fail({ kind: "error", code: 516 });
    expect(await refusal("INSERT INTO t VALUES ('a', 1)", { database })).toMatchObject({ status: 403, code: "516" });
    expect(await query("SELECT count() FROM t", { database })).toBe("0\n");
  });

  it("runs the statement and leaves the client without an answer", async () => {
    const database = await table();
    await clickhouse().fail({ kind: "drop" });
    await expect(query("INSERT INTO t VALUES ('a', 1)", { database })).rejects.toThrow("fetch failed");
    expect(await query("SELECT count() FROM t", { database })).toBe("1\n");
  });

  it("keeps acknowledged inserts and their tokens when it is killed", async () => {
    const database = await table();
    const insert = () => query("INSERT INTO t FORMAT CSV", { database, settings: { insert_deduplication_token: "once" }, data: "a,1\n" });
    await insert();
    await clickhouse().kill();
    await expect(query("SELECT 1")).rejects.toThrow("fetch failed");
    await clickhouse().start();
    await insert();
    expect(await query("SELECT count() FROM t", { database })).toBe("1\n");
  });
});
