/**
 * A ClickHouse for tests: the front of `test/clickhouse` as a child process, or the server at `CLICKHOUSE_URL` if that is set
 * (`http://user:password@host:8123`).
 */
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

const FRONT = fileURLToPath(new URL("../clickhouse/front.mjs", import.meta.url));
const INSTALLED = fileURLToPath(new URL("../clickhouse/node_modules/@chdb", import.meta.url));
const NOT_INSTALLED =
  "There is no ClickHouse to test with. Run `npm ci --prefix test/clickhouse` (Linux on x64 only), or set CLICKHOUSE_URL to a server.";
const SERVER = process.env["CLICKHOUSE_URL"];

/** The table that has the events of one server. */
export const EVENTS_TABLE = "events_data";

/** Why a case of the front alone is skipped, or null if it runs. */
export const ONLY_THE_FRONT = SERVER === undefined ? null : "A test cannot make a real server fail or end.";

/** Failures that `test/clickhouse/failures.mjs` describes. */
export interface Failure {
  readonly kind: "refuse" | "error" | "drop" | "delay" | "none";
  /** How many requests it hits, by default 1. */
  readonly count?: number;
  /** Only statements that contain this. */
  readonly match?: string;
  /** The exception's code, for `error`. */
  readonly code?: number;
  /** For `delay`. */
  readonly ms?: number;
}

export interface StatementOptions {
  readonly database?: string;
  /** Values as ClickHouse's HTTP interface has them: tab-separated escapes. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly queryId?: string;
  /** The data of an INSERT. */
  readonly data?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

export interface ClickhouseServer {
  /** Without user and password. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Runs the statement whatever it answers. */
  request(sql: string, options?: StatementOptions): Promise<Response>;
  /** Its result as text. Rejects with the exception's text. */
  query(sql: string, options?: StatementOptions): Promise<string>;
  /** Makes an empty database. Resolves with its name. */
  database(): Promise<string>;
  isRunning(queryId: string): Promise<boolean>;
  /** The front only. */
  fail(failure: Failure): Promise<void>;
  /** Ends the front with SIGKILL. */
  kill(): Promise<void>;
  /** Stops the front with SIGSTOP: it takes connections and answers none, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Starts the front again, on the same port and data. */
  start(): Promise<void>;
  /** Ends the front and removes its data, or drops the databases that were made on the real server. */
  stop(): Promise<void>;
}

/** All running fronts, so that those of a failed test can be killed. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** A front whose end can be awaited. Resolves when it listens. */
async function spawnFront(dataFolder: string, port: string) {
  if (!existsSync(INSTALLED)) throw new Error(NOT_INSTALLED);
  // It ends with this process: the channel is closed then.
  const child = spawn(process.execPath, [FRONT, dataFolder, port], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  alive.add(child);
  const exited = new Promise<void>((resolve) => {
    child.once("close", () => {
      alive.delete(child);
      resolve();
    });
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once("data", (line: Buffer) => resolve(line.toString().trim()));
    void exited.then(() => reject(new Error("The ClickHouse front ended before it listened.")));
  });
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { url, kill, signal: (name: "SIGSTOP" | "SIGCONT") => void child.kill(name) };
}

function addressOf(url: string, sql: string, { database, parameters, settings, queryId }: StatementOptions): URL {
  const address = new URL(url);
  const given = {
    query: sql,
    ...(database !== undefined && { database }),
    ...(queryId !== undefined && { query_id: queryId }),
    ...settings,
  };
  for (const [name, value] of Object.entries(given)) address.searchParams.set(name, value);
  for (const [name, value] of Object.entries(parameters ?? {})) address.searchParams.set(`param_${name}`, value);
  return address;
}

/** Statements over HTTP, to whatever server is there. */
function statementsAt(url: string, username: string, password: string) {
  const headers = { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
  const databases: string[] = [];
  const request: ClickhouseServer["request"] = (sql, options = {}) =>
    fetch(addressOf(url, sql, options), {
      method: "POST",
      headers,
      body: options.data ?? null,
      ...(options.signal && { signal: options.signal }),
    });
  const query: ClickhouseServer["query"] = async (sql, options) => {
    const response = await request(sql, options);
    const text = await response.text();
    if (!response.ok) throw new Error(text.trim());
    return text;
  };
  return {
    ...{ url, username, password, request, query },
    async database() {
      const name = `sandpiper_test_${randomUUID().replaceAll("-", "")}`;
      await query(`CREATE DATABASE ${name}`);
      databases.push(name);
      return name;
    },
    async dropDatabases() {
      for (const name of databases.splice(0)) await query(`DROP DATABASE IF EXISTS ${name} SYNC`);
    },
  };
}

const notTheFront = () => Promise.reject(new Error(`${ONLY_THE_FRONT} Skip the case with ONLY_THE_FRONT.`));

function realServer(address: string): ClickhouseServer {
  const { origin, username, password } = new URL(address);
  const { dropDatabases, ...statements } = statementsAt(origin, decodeURIComponent(username) || "default", decodeURIComponent(password));
  const isRunning = async (id: string) =>
    (await statements.query("SELECT 1 FROM system.processes WHERE query_id = {id:String}", { parameters: { id } })) !== "";
  const ofTheFront = { fail: notTheFront, kill: notTheFront, start: notTheFront, freeze: notTheFront, thaw: notTheFront };
  return { ...statements, ...ofTheFront, isRunning, stop: dropDatabases };
}

/** Starts a ClickHouse of the caller's own. The caller stops it. */
export async function startClickhouse(): Promise<ClickhouseServer> {
  if (SERVER !== undefined) return realServer(SERVER);
  const dataFolder = await makeTempFolder();
  let front = await spawnFront(dataFolder, "0");
  const { url } = front;
  return {
    ...statementsAt(url, "default", ""),
    isRunning: async (queryId) => (await (await fetch(`${url}/front/running`)).text()) === queryId,
    async fail(failure) {
      const asked = new URLSearchParams(Object.entries(failure).map(([name, value]) => [name, String(value)]));
      const response = await fetch(`${url}/front/fail?${asked}`, { method: "POST" });
      if (!response.ok) throw new Error(await response.text());
    },
    kill: () => front.kill(),
    freeze: () => front.signal("SIGSTOP"),
    thaw: () => front.signal("SIGCONT"),
    async start() {
      front = await spawnFront(dataFolder, new URL(url).port);
    },
    async stop() {
      await front.kill();
      await removeFolder(dataFolder);
    },
  };
}

/** One ClickHouse for all cases of a test file: call it once, outside of cases. */
export function clickhouseOfFile(): () => ClickhouseServer {
  let server: ClickhouseServer | null = null;
  beforeAll(async () => {
    server = await startClickhouse();
  });
  afterAll(() => server?.stop());
  return () => {
    if (!server) throw new Error("The ClickHouse of this file has not started.");
    return server;
  };
}
