/** The address of the tracking script in the tracking code. */
import { expect, it } from "vitest";
import { scriptUrlOf } from "../../../../dashboard/api/addresses.ts";

it.each([
  ["https://stats.example.com/", "https://stats.example.com/svc.js"],
  ["https://example.com/stats/?site=example.com&panel=code#x", "https://example.com/stats/svc.js"],
  ["http://0.0.0.0:8000/", "http://localhost:8000/svc.js"],
  ["http://[::]:8000/a/b/", "http://localhost:8000/a/b/svc.js"],
  ["http://127.0.0.1:8000/?period=day", "http://127.0.0.1:8000/svc.js"],
])("the address of the script for the page %s is %s", (page, url) => {
  expect(scriptUrlOf(page)).toBe(url);
});
