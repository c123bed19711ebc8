/**
 * The engine in this process (chdb). Each statement has a connection of its own, so that settings and the current database end with it.
 * What is on disk survives SIGKILL.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
// The functions around it in npm's `chdb` escape parameters once more, and have no inserts of binary formats.
import addon from "@chdb/lib-linux-x64-gnu";
import { Exception } from "./exceptions.mjs";

const literal = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const identifier = (name) => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;

const INPUT = /\binput\s*\(/i;
/** Without parameters: the engine must not bind any while another statement runs. */
const KILL = "KILL QUERY WHERE query NOT LIKE 'KILL QUERY%' ASYNC";

export class Engine {
  version = addon.EngineVersion();
  #folder;
  /** Keeps the engine open between statements. */
  #first;

  constructor(folder) {
    this.#folder = folder;
    this.#first = addon.CreateConnection(folder);
  }

  /** Resolves with the result in its format. */
  async run({ database, settings, readonly, ...statement }) {
    const connection = addon.CreateConnection(this.#folder);
    try {
      const prepare = (sql) => addon.QueryAsyncConnection(connection, sql, "Null");
      if (database) await prepare(`USE ${identifier(database)}`);
      for (const [name, value] of settings) await prepare(`SET ${identifier(name)} = ${literal(value)}`);
      if (readonly) await prepare("SET readonly = 2");
      return await this.#execute(connection, statement);
    } finally {
      addon.CloseConnection(connection);
    }
  }

  /** Cancels the only query that runs; it has an id of the engine's own. Resolves with whether there was one. */
  async killRunning() {
    const connection = addon.CreateConnection(this.#folder);
    try {
      return (await addon.QueryAsyncConnection(connection, KILL, "TabSeparated")).bytes.length > 0;
    } finally {
      addon.CloseConnection(connection);
    }
  }

  close() {
    addon.CloseConnection(this.#first);
  }

  #execute(connection, statement) {
    const { sql, data, format, parameters } = statement;
    if (data.length === 0) return addon.QueryAsyncConnection(connection, sql, format, parameters);
    if (INPUT.test(sql)) return this.#insertFromFile(connection, statement);
    if (Object.keys(parameters).length === 0) return addon.InsertRawAsyncConnection(connection, sql, data, false);
    throw new Exception(48, "NOT_IMPLEMENTED", "The front binds no parameters of an INSERT without input()");
  }

  /** The engine has no `input(…)`, so the data of such an INSERT are read from a file. */
  async #insertFromFile(connection, { id, sql, data, parameters }) {
    const [, statement, format] = /^([\s\S]*?)\s+FORMAT\s+(\w+)\s*$/i.exec(sql) ?? [];
    if (format === undefined) throw new Exception(62, "SYNTAX_ERROR", "Syntax error: an INSERT with input() ends with FORMAT");
    const path = join(this.#folder, `input-${encodeURIComponent(id)}`);
    await writeFile(path, data);
    try {
      const fromFile = statement.replace(INPUT, () => `file(${literal(path)}, ${literal(format)}, `);
      return await addon.QueryAsyncConnection(connection, fromFile, format, parameters);
    } finally {
      await rm(path);
    }
  }
}
