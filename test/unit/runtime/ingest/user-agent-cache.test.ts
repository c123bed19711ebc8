import { describe, expect, it } from "vitest";
import { createUserAgentCache, isBot, parseUserAgent } from "../../../../src/runtime/ingest/device.ts";

const chrome = (major: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;

describe("createUserAgentCache", () => {
  it("returns the results of the parser and the bot filter, the first time and from the cache", () => {
    const cache = createUserAgentCache(100);
    for (const userAgent of [chrome(124), "curl/8.5.0", "", "__proto__", "constructor"]) {
      for (let times = 0; times < 2; times++) {
        expect(cache.deviceOf(userAgent)).toEqual(parseUserAgent(userAgent));
        expect(cache.isBot(userAgent)).toBe(isBot(userAgent));
      }
    }
    expect(cache.size()).toBe(5);
  });

  it("parses a cached User-Agent only once", () => {
    const cache = createUserAgentCache(100);
    expect(cache.deviceOf(chrome(124))).toBe(cache.deviceOf(chrome(124)));
  });

  it("never holds more entries than its maximum", () => {
    const cache = createUserAgentCache(10);
    for (let major = 0; major < 1000; major++) {
      cache.isBot(chrome(major));
      expect(cache.size()).toBeLessThanOrEqual(10);
    }
  });

  it("keeps used entries and evicts others", () => {
    const cache = createUserAgentCache(10);
    const frequent = cache.deviceOf(chrome(1));
    const rare = cache.deviceOf(chrome(2));
    for (let major = 100; major < 130; major++) {
      cache.deviceOf(chrome(major));
      expect(cache.deviceOf(chrome(1))).toBe(frequent);
    }
    expect(cache.deviceOf(chrome(2))).not.toBe(rare);
    expect(cache.deviceOf(chrome(2))).toEqual(rare);
  });

  it("returns results for over-long User-Agents without caching them", () => {
    const cache = createUserAgentCache(10);
    const long = chrome(124).padEnd(16_000, "x");
    expect(cache.deviceOf(long).browser).toBe("Chrome");
    expect(cache.isBot(long)).toBe(isBot(long));
    expect(cache.size()).toBe(0);
  });
});
