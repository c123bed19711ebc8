/**
 * Names of bots by what their User-Agents say, with the companies that run them, as these document them (state of November 2026). It only
 * names: `isbot` decides what is a bot. Anybody can send any User-Agent, so a name is a claim.
 */

export interface KnownBot {
  readonly name: string;
  readonly operator: string;
}

/** `token | name | operator`; the name is the token if it is empty. Where several are in a User-Agent, the one that is first in the list counts. */
const TABLE = `
GPTBot||OpenAI
OAI-SearchBot||OpenAI
ChatGPT-User||OpenAI
OAI-AdsBot||OpenAI
ClaudeBot||Anthropic
Claude-User||Anthropic
Claude-SearchBot||Anthropic
anthropic-ai||Anthropic
Claude-Web||Anthropic
PerplexityBot||Perplexity
Perplexity-User||Perplexity
MistralAI-User||Mistral AI
MistralAI-Index||Mistral AI
cohere-ai||Cohere
cohere-training-data-crawler||Cohere
DuckAssistBot||DuckDuckGo
DuckDuckBot||DuckDuckGo
Bytespider||ByteDance
TikTokSpider||ByteDance
CCBot||Common Crawl
Amzn-SearchBot||Amazon
Amzn-User||Amazon
Amazonbot||Amazon
meta-externalagent||Meta
meta-externalfetcher||Meta
meta-webindexer||Meta
facebookexternalhit||Meta
facebookcatalog||Meta
FacebookBot||Meta
WhatsApp||Meta
Applebot-Extended||Apple
Applebot||Apple
Google-CloudVertexBot||Google
Google-NotebookLM||Google
GoogleOther||Google
Google-InspectionTool||Google
Google-Safety||Google
Google-Read-Aloud||Google
Google-Site-Verification||Google
Storebot-Google||Google
AdsBot-Google||Google
Mediapartners-Google||Google
APIs-Google||Google
FeedFetcher-Google||Google
Googlebot||Google
Chrome-Lighthouse|Lighthouse|Google
Google Page Speed Insights|PageSpeed Insights|Google
BingPreview||Microsoft
adidxbot||Microsoft
bingbot||Microsoft
SkypeUriPreview||Microsoft
Slackbot||Slack
Slack-ImgProxy||Slack
Discordbot||Discord
TelegramBot||Telegram
Twitterbot||X
LinkedInBot||LinkedIn
Pinterestbot||Pinterest
redditbot||Reddit
Mastodon||Mastodon
Bluesky||Bluesky
YandexBot||Yandex
YandexRenderResourcesBot||Yandex
YandexMetrika||Yandex
Baiduspider||Baidu
Sogou web spider|Sogou|Sogou
360Spider||Qihoo 360
PetalBot||Huawei
SeznamBot||Seznam.cz
Yeti/|Yeti|Naver
Yahoo! Slurp|Slurp|Yahoo
Qwantbot||Qwant
Qwantify||Qwant
MojeekBot||Mojeek
coccocbot||Coc Coc
archive.org_bot||Internet Archive
ia_archiver||Internet Archive
AhrefsBot||Ahrefs
AhrefsSiteAudit||Ahrefs
SemrushBot||Semrush
SiteAuditBot||Semrush
MJ12bot||Majestic
DotBot||Moz
rogerbot||Moz
DataForSeoBot||DataForSEO
BLEXBot||SEO PowerSuite
SERankingBacklinksBot||SE Ranking
serpstatbot||Serpstat
Barkrowler||Babbar
Screaming Frog SEO Spider|Screaming Frog|Screaming Frog
Diffbot||Diffbot
ImagesiftBot||ImageSift
Timpibot||Timpi
YouBot||You.com
omgili||Webz.io
webzio||Webz.io
AwarioBot||Awario
Brandwatch||Brandwatch
UptimeRobot||UptimeRobot
Pingdom||SolarWinds
StatusCake||StatusCake
BetterUptime|Better Stack|Better Stack
Better Stack||Better Stack
Site24x7||Zoho
DatadogSynthetics||Datadog
NewRelicPinger||New Relic
GoogleStackdriverMonitoring|Google Cloud Monitoring|Google
Uptime-Kuma|Uptime Kuma|Uptime Kuma
HeadlessChrome|Headless Chrome|
PhantomJS||
Selenium||
Puppeteer||
Playwright||
python-requests||
python-httpx||
aiohttp||
Python-urllib||
Scrapy||
Go-http-client||
okhttp||
axios||
node-fetch||
undici||
Java/|Java|
Apache-HttpClient||
libwww-perl||
PostmanRuntime|Postman|
curl/|curl|
Wget||
`;

interface Entry extends KnownBot {
  readonly token: string;
}

const BOTS: readonly Entry[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [token = "", name = "", operator = ""] = line.split("|");
    return { token: token.toLowerCase(), name: name || token, operator };
  });

const OPERATORS = new Map(BOTS.map(({ name, operator }) => [name, operator]));

/** The name of a bot; empty for one that is not in the list. */
export function botNameOf(userAgent: string): string {
  const text = userAgent.toLowerCase();
  return BOTS.find(({ token }) => text.includes(token))?.name ?? "";
}

/** The company that runs a bot of the list; null for programs that anybody may run, and for other names. */
export const operatorOf = (name: string): string | null => OPERATORS.get(name) || null;
