import { describe, expect, it } from "vitest";
import { isBot } from "../../../../src/runtime/ingest/bot-filter.ts";
import { createUserAgentCache } from "../../../../src/runtime/ingest/user-agent-cache.ts";
import { factsFromUserAgent } from "../../../../src/runtime/ingest/user-agent.ts";

const chrome = (major: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`;

describe("createUserAgentCache", () => {
  it("answers as the parser and the bot filter do, the first time and the next", () => {
    const cache = createUserAgentCache(100);
    for (const userAgent of [chrome(124), "curl/8.5.0", "", "__proto__", "constructor"]) {
      for (let times = 0; times < 2; times++) {
        expect(cache.factsOf(userAgent)).toEqual(factsFromUserAgent(userAgent));
        expect(cache.isBot(userAgent)).toBe(isBot(userAgent));
      }
    }
    expect(cache.size()).toBe(5);
  });

  it("parses what it remembers only once", () => {
    const cache = createUserAgentCache(100);
    expect(cache.factsOf(chrome(124))).toBe(cache.factsOf(chrome(124)));
  });

  it("remembers no more than it was told to", () => {
    const cache = createUserAgentCache(10);
    for (let major = 0; major < 1000; major++) {
      cache.isBot(chrome(major));
      expect(cache.size()).toBeLessThanOrEqual(10);
    }
  });

  it("keeps what is asked for again and forgets what is not", () => {
    const cache = createUserAgentCache(10);
    const frequent = cache.factsOf(chrome(1));
    const rare = cache.factsOf(chrome(2));
    for (let major = 100; major < 130; major++) {
      cache.factsOf(chrome(major));
      expect(cache.factsOf(chrome(1))).toBe(frequent);
    }
    expect(cache.factsOf(chrome(2))).not.toBe(rare);
    expect(cache.factsOf(chrome(2))).toEqual(rare);
  });

  it("answers for over-long User-Agents without remembering them", () => {
    const cache = createUserAgentCache(10);
    const long = chrome(124).padEnd(16_000, "x");
    expect(cache.factsOf(long).browser).toBe("Chrome");
    expect(cache.isBot(long)).toBe(isBot(long));
    expect(cache.size()).toBe(0);
  });
});
