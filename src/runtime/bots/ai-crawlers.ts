/**
 * Crawlers of companies that build AI, and what they read pages for. The dates say when an entry was recorded from what is generally known of
 * it; none was compared with the company's own page on that day (docs/bots.md, "AI crawlers").
 */
import { botNameOf, operatorOf } from "./known-bots.ts";

/**
 * `Search`: to find pages for answers later. `Agent`: because a person has just asked for it. `Training`: to make models. A crawler that does
 * several has the one that its operator names first.
 */
export const PURPOSES = ["Search", "Agent", "Training"] as const;

export type Purpose = (typeof PURPOSES)[number];

/** `name | purpose | recorded`; the names are those of `known-bots.ts`. */
const TABLE = `
GPTBot|Training|2026-11-28
OAI-SearchBot|Search|2026-11-28
ChatGPT-User|Agent|2026-11-28
ClaudeBot|Training|2026-11-28
Claude-SearchBot|Search|2026-11-28
Claude-User|Agent|2026-11-28
anthropic-ai|Training|2026-11-28
PerplexityBot|Search|2026-11-28
Perplexity-User|Agent|2026-11-28
MistralAI-Index|Search|2026-11-28
MistralAI-User|Agent|2026-11-28
cohere-ai|Agent|2026-11-28
cohere-training-data-crawler|Training|2026-11-28
DuckAssistBot|Search|2026-11-28
Bytespider|Training|2026-11-28
TikTokSpider|Training|2026-11-28
CCBot|Training|2026-11-28
Amazonbot|Training|2026-11-28
Amzn-SearchBot|Search|2026-11-28
Amzn-User|Agent|2026-11-28
meta-externalagent|Training|2026-11-28
meta-externalfetcher|Agent|2026-11-28
meta-webindexer|Search|2026-11-28
Applebot|Search|2026-11-28
Applebot-Extended|Training|2026-11-28
Google-CloudVertexBot|Agent|2026-11-28
Google-NotebookLM|Agent|2026-11-28
Diffbot|Training|2026-11-28
Timpibot|Training|2026-11-28
YouBot|Search|2026-11-28
omgili|Training|2026-11-28
webzio|Training|2026-11-28
`;

interface AiCrawler {
  readonly name: string;
  readonly operator: string;
  readonly purpose: Purpose;
  readonly recorded: string;
}

export const AI_CRAWLERS: readonly AiCrawler[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [name = "", purpose, recorded = ""] = line.split("|");
    return { name, operator: operatorOf(name) ?? "", purpose: purpose as Purpose, recorded };
  });

const PURPOSE_OF = new Map(AI_CRAWLERS.map(({ name, purpose }) => [name, purpose]));

/** null for a bot that is no AI crawler. */
export const purposeOf = (botName: string): Purpose | null => PURPOSE_OF.get(botName) ?? null;

const ANY_AI_CRAWLER = new RegExp(AI_CRAWLERS.map(({ name }) => name.replaceAll(".", "\\.")).join("|"), "i");

/** The name of the AI crawler that a User-Agent claims to be; null for all others, which one pass of the text tells. */
export function aiCrawlerIn(userAgent: string): string | null {
  if (!ANY_AI_CRAWLER.test(userAgent)) return null;
  const name = botNameOf(userAgent);
  return purposeOf(name) === null ? null : name;
}

/** Operator -> its assistants, as visits that come from them are named (`AI_ASSISTANTS`). */
const ASSISTANTS: Readonly<Record<string, readonly string[]>> = {
  OpenAI: ["ChatGPT"],
  Anthropic: ["Claude"],
  Perplexity: ["Perplexity"],
  "Mistral AI": ["Le Chat"],
  Cohere: ["Cohere"],
  DuckDuckGo: ["Duck.ai"],
  ByteDance: ["Doubao"],
  Meta: ["Meta AI"],
  Google: ["Gemini", "NotebookLM", "Google AI Studio"],
  "You.com": ["You.com"],
};

/** Sources of visits by which people come from an operator's assistants; none for an operator that has no assistant of its own. */
export const assistantsOf = (operator: string): readonly string[] => ASSISTANTS[operator] ?? [];
