/** Globals of a browser worker that DuckDB's glue code reads and workerd lacks. To be imported before it. */

const globals = globalThis as unknown as Record<string, unknown>;

globals["location"] ??= { href: "http://localhost/", origin: "http://localhost", pathname: "/" };

// Never called with work to do: the blocking build is synchronous.
globals["setImmediate"] ??= (task: () => void) => setTimeout(task, 0);
