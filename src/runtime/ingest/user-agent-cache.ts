/** How parsed User-Agents are remembered, so that one that comes again costs a look into a map. */
import { USER_AGENT_CHARS_MAX, USER_AGENTS_CACHED_MAX } from "../config/limits.ts";
import { isBot } from "./bot-filter.ts";
import { factsFromUserAgent } from "./user-agent.ts";
import type { UserAgentFacts } from "./user-agent.ts";

export interface UserAgentCache {
  /** As `bot-filter.ts` has it. */
  isBot(userAgent: string): boolean;
  /** As `user-agent.ts` has it. Parsed when first asked for, so that a bot that is dropped is never parsed. */
  factsOf(userAgent: string): UserAgentFacts;
  /** How many User-Agents are remembered now. */
  size(): number;
}

interface Remembered {
  readonly bot: boolean;
  facts: UserAgentFacts | null;
}

/** A cache of at most `rememberedMax` User-Agents (two at least), which forgets those that were not seen for longest. */
export function createUserAgentCache(rememberedMax: number = USER_AGENTS_CACHED_MAX): UserAgentCache {
  // Two generations: when the younger is full it becomes the older, and what was not asked for since is gone.
  const generationMax = Math.max(1, Math.floor(rememberedMax / 2));
  let younger = new Map<string, Remembered>();
  let older = new Map<string, Remembered>();

  function recall(userAgent: string): Remembered {
    const young = younger.get(userAgent);
    if (young !== undefined) return young;
    const remembered = older.get(userAgent) ?? { bot: isBot(userAgent), facts: null };
    // Hardly anybody's real User-Agent is that long: not worth the memory, of which a header can fill 64 KB.
    if (userAgent.length > USER_AGENT_CHARS_MAX) return remembered;
    if (younger.size >= generationMax) {
      older = younger;
      younger = new Map();
    }
    younger.set(userAgent, remembered);
    older.delete(userAgent);
    return remembered;
  }

  return {
    isBot: (userAgent) => recall(userAgent).bot,
    factsOf: (userAgent) => {
      const remembered = recall(userAgent);
      return (remembered.facts ??= factsFromUserAgent(userAgent));
    },
    size: () => younger.size + older.size,
  };
}
