/** Which address the health check asks. */
import { expect, it } from "vitest";
import { readinessUrl } from "../../../../../adapters/node/commands/healthcheck.ts";

it.each([
  ["127.0.0.1", "http://127.0.0.1:8000/health/ready"],
  ["0.0.0.0", "http://127.0.0.1:8000/health/ready"],
  ["::", "http://[::1]:8000/health/ready"],
  ["fd00::7", "http://[fd00::7]:8000/health/ready"],
  ["constructor", "http://constructor:8000/health/ready"],
  ["stats.internal", "http://stats.internal:8000/health/ready"],
])("healthcheck: a server that listens on %s is checked at %s", (host, url) => {
  expect(readinessUrl({ host, port: 8000 })).toBe(url);
});
