/** An engine that holds nothing and answers at once, but for the calls that the test gives it. */
import type { Engine } from "../../src/runtime/duckdb/engine.ts";

export const stubEngine = (calls: Partial<Engine> = {}): Engine => ({
  append: async () => ({ memoryBytes: 0, textBytes: 0, propsBytes: 0, unreadable: [] }),
  addColumns: async () => ({ memoryBytes: 0, textBytes: 0, propsBytes: null, unreadable: [] }),
  dropProps: async () => ({ memoryBytes: 0, textBytes: 0 }),
  propsTexts: async () => [],
  drop: async () => ({ memoryBytes: 0, textBytes: 0 }),
  query: async () => [],
  queryColumns: async () => ({}),
  behavioralFailure: async () => null,
  async close() {},
  ...calls,
});
