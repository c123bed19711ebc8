/** What DuckDB's glue code expects of a browser's worker and workerd has not. Imported before it. */

const globals = globalThis as unknown as Record<string, unknown>;

globals["location"] ??= { href: "http://localhost/", origin: "http://localhost", pathname: "/" };

// Only looked at, never called with work to do: the blocking build does everything at once.
globals["setImmediate"] ??= (task: () => void) => setTimeout(task, 0);
