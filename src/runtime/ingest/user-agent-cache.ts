/** Caches parsed User-Agents, so that a known one costs one map lookup. */
import { LruMap } from "../../storage/lru-map.ts";
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

/** Holds at most `entriesMax` User-Agents, and evicts the one that was not used for longest. */
export function createUserAgentCache(entriesMax: number = USER_AGENTS_CACHED_MAX): UserAgentCache {
  const entries = new LruMap<string, Entry>({ max: entriesMax });

  function entryOf(userAgent: string): Entry {
    const known = entries.get(userAgent);
    if (known !== undefined) return known;
    const entry = { bot: isBot(userAgent), device: null };
    // Hardly any real User-Agent is this long, and a header may have 64 KB.
    if (userAgent.length <= USER_AGENT_CHARS_MAX) entries.set(userAgent, entry);
    return entry;
  }

  return {
    isBot: (userAgent) => entryOf(userAgent).bot,
    deviceOf: (userAgent) => {
      const entry = entryOf(userAgent);
      return (entry.device ??= parseUserAgent(userAgent));
    },
    size: () => entries.size,
  };
}
