/** The database alone in a thread, for a command that computes without an instance. */
import { EngineFullError, EngineLostError } from "../../../src/runtime/duckdb/engine.ts";
import { CallingEngine, type EngineCall } from "../../../src/runtime/duckdb/on-demand-engine.ts";
import { readThreads } from "../built-files.ts";
import { PortThread } from "./port-thread.ts";

/** The `workerData` of the engine's script if it is to serve nothing but a database. */
export interface DatabaseThreadData {
  readonly database: WebAssembly.Module;
}

/** Errors lose their class between threads. These get it back. */
const ERRORS: Readonly<Record<string, new (message: string) => Error>> = { EngineFullError, EngineLostError };

type AnyMethod = Record<EngineCall["method"], (...values: readonly unknown[]) => Promise<never>>;

export class DatabaseThread extends CallingEngine {
  readonly #thread: PortThread<AnyMethod>;

  constructor(script: string, module: WebAssembly.Module) {
    super();
    this.#thread = new PortThread({ script, workerData: { database: module } satisfies DatabaseThreadData });
  }

  protected async call({ method, values }: EngineCall): Promise<never> {
    try {
      return await this.#thread.method(method)(...values);
    } catch (error) {
      const { name, message } = error as Error;
      throw new (ERRORS[name] ?? EngineLostError)(message);
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

export async function openDatabaseThread(): Promise<DatabaseThread> {
  const { engine, readEngineModule } = readThreads();
  return new DatabaseThread(engine, await WebAssembly.compile(await readEngineModule()));
}
