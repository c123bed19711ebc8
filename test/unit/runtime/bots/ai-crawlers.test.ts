/** The table of AI crawlers. */
import { describe, expect, it } from "vitest";
import { AI_CRAWLERS, purposeOf, PURPOSES } from "../../../../src/runtime/bots/ai-crawlers.ts";
import { botNameOf, operatorOf } from "../../../../src/runtime/bots/known-bots.ts";

describe("AI crawlers", () => {
  it("are known bots with an operator, a purpose and a date, each once", () => {
    expect(new Set(AI_CRAWLERS.map(({ name }) => name)).size).toBe(AI_CRAWLERS.length);
    for (const { name, purpose, recorded } of AI_CRAWLERS) {
      expect(botNameOf(`Mozilla/5.0 (compatible; ${name}/1.0)`), name).toBe(name);
      expect(operatorOf(name), name).not.toBeNull();
      expect(PURPOSES, name).toContain(purpose);
      expect(recorded, name).toMatch(/^20\d\d-\d\d-\d\d$/);
    }
  });

  it("of one operator are told apart by their purpose, and other bots have none", () => {
    expect(["GPTBot", "OAI-SearchBot", "ChatGPT-User"].map(purposeOf)).toEqual(["Training", "Search", "Agent"]);
    expect(["Googlebot", "curl", ""].map(purposeOf)).toEqual([null, null, null]);
  });
});
