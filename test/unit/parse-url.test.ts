import { expect, it } from "vitest";
import { parseUrl } from "../../src/runtime/parse-url.ts";

it("reads the same however often it was called before", () => {
  for (let calls = 0; calls < 200_000; calls++) parseUrl(`https://page.example/${calls % 10}`);
  expect(parseUrl("https://münchen.example/ü")?.href).toBe("https://xn--mnchen-3ya.example/%C3%BC");
  expect(parseUrl("münchen.example")).toBeNull();
});
