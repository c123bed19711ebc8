/** How parsed User-Agents are cached, so that a known one costs one map lookup. */
import { USER_AGENT_CHARS_MAX, USER_AGENTS_CACHED_MAX } from "../base/config/limits.ts";
import { isBot, parseUserAgent, type DeviceInfo } from "./user-agent.ts";

export interface UserAgentCache {
  isBot(userAgent: string): boolean;
  /** Parsed on first use, so that the User-Agent of a dropped bot is never parsed. */
  deviceOf(userAgent: string): DeviceInfo;
  /** Cached User-Agents. */
  size(): number;
}

interface Entry {
  readonly bot: boolean;
  device: DeviceInfo | null;
}

/** Holds at most `entriesMax` User-Agents (at least two) and evicts those that were not used for longest. */
export function createUserAgentCache(entriesMax: number = USER_AGENTS_CACHED_MAX): UserAgentCache {
  // Two generations: a full younger one replaces the older, which by then holds only entries that were not used since.
  const generationMax = Math.max(1, Math.floor(entriesMax / 2));
  let younger = new Map<string, Entry>();
  let older = new Map<string, Entry>();

  function entryOf(userAgent: string): Entry {
    const young = younger.get(userAgent);
    if (young !== undefined) return young;
    const entry = older.get(userAgent) ?? { bot: isBot(userAgent), device: null };
    // Hardly any real User-Agent is this long, and a header may have 64 KB.
    if (userAgent.length > USER_AGENT_CHARS_MAX) return entry;
    if (younger.size >= generationMax) {
      older = younger;
      younger = new Map();
    }
    younger.set(userAgent, entry);
    older.delete(userAgent);
    return entry;
  }

  return {
    isBot: (userAgent) => entryOf(userAgent).bot,
    deviceOf: (userAgent) => {
      const entry = entryOf(userAgent);
      return (entry.device ??= parseUserAgent(userAgent));
    },
    size: () => younger.size + older.size,
  };
}
