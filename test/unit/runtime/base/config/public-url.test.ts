/** The URL that is shown to people. */
import { expect, it } from "vitest";
import { publicUrl } from "../../../../../src/runtime/base/config/config.ts";

it.each([
  [{ dashboardOrigin: null, basePath: "" }, "http://127.0.0.1:8000", "http://127.0.0.1:8000"],
  [{ dashboardOrigin: null, basePath: "" }, "http://0.0.0.0:8000", "http://localhost:8000"],
  [{ dashboardOrigin: null, basePath: "" }, "http://[::]:8000", "http://localhost:8000"],
  [{ dashboardOrigin: null, basePath: "" }, "http://0.0.0.0", "http://localhost"],
  [{ dashboardOrigin: null, basePath: "" }, "http://[::1]:8000", "http://[::1]:8000"],
  [{ dashboardOrigin: null, basePath: "/stats" }, "http://0.0.0.0:8000", "http://localhost:8000/stats"],
  [{ dashboardOrigin: "https://example.com", basePath: "" }, "http://0.0.0.0:8000", "https://example.com"],
  [{ dashboardOrigin: "https://example.com", basePath: "/stats" }, "http://127.0.0.1:8000", "https://example.com/stats"],
])("the public URL with %j and a server at %s is %s", (config, listening, url) => {
  expect(publicUrl(config, listening)).toBe(url);
});
