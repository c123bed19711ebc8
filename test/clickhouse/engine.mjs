/**
 * The engine in this process (chdb). Each statement has a connection of its own, so that settings and the current database end with it.
 * What is on disk survives SIGKILL.
 */
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
// The functions around it in npm's `chdb` escape parameters once more.
import addon from "@chdb/lib-linux-x64-gnu";
import { Exception } from "./exceptions.mjs";
import { hasSeveralStatements } from "./request.mjs";

const literal = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const identifier = (name) => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;

const INPUT = /\binput\s*\(/i;
const INSERT = /^([\s\S]*?)(\s+SETTINGS\s[\s\S]*?)?\s+FORMAT\s+(\w+)\s*$/i;

/** The INSERT with the file in the place of the data. */
function insertFrom(path, sql) {
  const [, start, settings = "", format] = INSERT.exec(sql) ?? [];
  if (format === undefined) throw new Exception(62, "SYNTAX_ERROR", "Syntax error: an INSERT with data ends with FORMAT");
  if (INPUT.test(start)) return start.replace(INPUT, () => `file(${literal(path)}, ${format}, `) + settings;
  return `${start} FROM INFILE ${literal(path)}${settings} FORMAT ${format}`;
}

/** The setting that has the id of a query: the engine gives it one of its own. */
const ID = "log_comment";

export class Engine {
  version = addon.EngineVersion();
  #folder;
  /** Keeps the engine open between statements. */
  firstConnection;

  constructor(folder) {
    this.#folder = folder;
    this.firstConnection = addon.CreateConnection(folder);
  }

  /** Resolves with the result in its format. */
  async run({ id, database, settings, readonly, ...statement }) {
    const connection = addon.CreateConnection(this.#folder);
    try {
      const prepare = (sql) => addon.QueryAsyncConnection(connection, sql, "Null");
      if (database) await prepare(`USE ${identifier(database)}`);
      const all = [...settings, [ID, id], ...(readonly ? [["readonly", "2"]] : [])];
      await prepare(`SET ${all.map(([name, value]) => `${identifier(name)} = ${literal(value)}`).join(", ")}`);
      return await this.#execute(connection, statement);
    } finally {
      addon.CloseConnection(connection);
    }
  }

  /** Cancels what runs for this query. */
  async kill(id) {
    const connection = addon.CreateConnection(this.#folder);
    try {
      // Without parameters: the engine must not bind any while another statement runs.
      await addon.QueryAsyncConnection(connection, `KILL QUERY WHERE Settings['${ID}'] = ${literal(id)} SYNC`, "Null");
    } finally {
      addon.CloseConnection(connection);
    }
  }

  #execute(connection, statement) {
    const { sql, data, format, parameters } = statement;
    if (hasSeveralStatements(sql)) throw new Exception(62, "SYNTAX_ERROR", "Syntax error (Multi-statements are not allowed)");
    if (data.length > 0) return this.#insert(connection, statement);
    return addon.QueryAsyncConnection(connection, sql, format, parameters);
  }

  /** The engine reads the data of an INSERT from a file only. */
  async #insert(connection, { sql, data, parameters }) {
    const path = join(this.#folder, `insert-${randomUUID()}`);
    await writeFile(path, data);
    try {
      return await addon.QueryAsyncConnection(connection, insertFrom(path, sql), "Null", parameters);
    } finally {
      await rm(path);
    }
  }
}
