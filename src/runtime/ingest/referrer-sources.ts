/**
 * Which hosts and apps count as which source: the maintained table, and the rule by which a host is looked up in it.
 *
 * A host stands for itself and for everything beneath it (`reddit.com` for `old.reddit.com`), and of several the longest wins
 * (`mail.yandex.ru` before `yandex.ru`). Whole labels are compared, never parts of them: `t.co` is not in `reddit.com`.
 */

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  // Search
  "Ask.com": ["ask.com"],
  AOL: ["aol.com", "aol.co.uk", "aol.de"],
  Baidu: ["baidu.com"],
  Bing: ["bing.com"],
  Brave: ["search.brave.com"],
  "Coc Coc": ["coccoc.com"],
  Daum: ["daum.net"],
  Dogpile: ["dogpile.com"],
  DuckDuckGo: ["duckduckgo.com"],
  Ecosia: ["ecosia.org"],
  Google: [
    "images.google.com",
    "encrypted.google.com",
    "cse.google.com",
    "googleadservices.com",
    "doubleclick.net",
    "syndicatedsearch.goog",
    "cdn.ampproject.org",
  ],
  "Google Maps": ["maps.google.com", "maps.app.goo.gl"],
  "Google Scholar": ["scholar.google.com"],
  "Google Translate": ["translate.google.com", "translate.goog"],
  Haosou: ["so.com", "haosou.com"],
  Kagi: ["kagi.com"],
  Lycos: ["lycos.com"],
  Marginalia: ["marginalia-search.com", "search.marginalia.nu"],
  MetaGer: ["metager.org", "metager.de"],
  Mojeek: ["mojeek.com", "mojeek.co.uk"],
  MSN: ["msn.com"],
  Naver: ["naver.com"],
  Onet: ["onet.pl"],
  "Petal Search": ["petalsearch.com"],
  Presearch: ["presearch.com", "presearch.org"],
  Qwant: ["qwant.com"],
  Rambler: ["rambler.ru"],
  Searx: ["searx.be"],
  Seznam: ["seznam.cz"],
  Shenma: ["sm.cn"],
  Sogou: ["sogou.com"],
  Startpage: ["startpage.com", "ixquick.com"],
  Swisscows: ["swisscows.com", "swisscows.ch"],
  Virgilio: ["virgilio.it"],
  Yahoo: ["yahoo.com", "yahoo.co.jp", "yahoo.co.uk"],
  Yandex: ["ya.ru"],
  Yep: ["yep.com"],

  // Social networks, communities, messengers
  "Baidu Tieba": ["tieba.baidu.com"],
  Behance: ["behance.net"],
  BiliBili: ["bilibili.com", "b23.tv"],
  Bluesky: ["bsky.app", "bsky.social"],
  DeviantArt: ["deviantart.com"],
  "dev.to": ["dev.to"],
  Discord: ["discord.com", "discordapp.com", "discord.gg"],
  Disqus: ["disqus.com", "disq.us"],
  Douban: ["douban.com"],
  Douyin: ["douyin.com"],
  Dribbble: ["dribbble.com"],
  Facebook: ["facebook.com", "fb.com", "fb.me", "fb.watch", "facebookwkhpilnemxj7asaniu7vnjjbiltxjqhye3mhbshg7kx5tfyd.onion"],
  "Facebook Messenger": ["messenger.com", "m.me"],
  Flickr: ["flickr.com", "flic.kr"],
  Gab: ["gab.com"],
  GitHub: ["github.com"],
  GitLab: ["gitlab.com"],
  "Hacker News": ["news.ycombinator.com"],
  Hashnode: ["hashnode.com"],
  Imgur: ["imgur.com"],
  "Indie Hackers": ["indiehackers.com"],
  Instagram: ["instagram.com", "ig.me"],
  KakaoTalk: ["kakao.com"],
  Kick: ["kick.com"],
  Lemmy: ["lemmy.world", "lemmy.ml", "lemm.ee", "sh.itjust.works", "programming.dev", "feddit.org", "beehaw.org"],
  Line: ["line.me"],
  LinkedIn: ["linkedin.com", "lnkd.in"],
  LiveJournal: ["livejournal.com"],
  Lobsters: ["lobste.rs"],
  Mastodon: [
    "joinmastodon.org",
    "mastodon.social",
    "mastodon.online",
    "mastodon.world",
    "mastodon.gamedev.place",
    "aus.social",
    "chaos.social",
    "fosstodon.org",
    "front-end.social",
    "hachyderm.io",
    "indieweb.social",
    "infosec.exchange",
    "kolektiva.social",
    "mas.to",
    "mathstodon.xyz",
    "mstdn.ca",
    "mstdn.jp",
    "mstdn.social",
    "norden.social",
    "octodon.social",
    "pawoo.net",
    "phpc.social",
    "ruby.social",
    "sfba.social",
    "social.coop",
    "social.tchncs.de",
    "social.vivaldi.net",
    "tech.lgbt",
    "techhub.social",
    "toot.community",
    "troet.cafe",
    "universeodon.com",
  ],
  Medium: ["medium.com"],
  Meetup: ["meetup.com"],
  Minds: ["minds.com"],
  Nextdoor: ["nextdoor.com", "nextdoor.co.uk", "nextdoor.de"],
  Odnoklassniki: ["ok.ru", "odnoklassniki.ru"],
  Patreon: ["patreon.com"],
  Pinterest: ["pin.it"],
  "Product Hunt": ["producthunt.com"],
  Quora: ["quora.com"],
  Reddit: ["reddit.com", "redd.it"],
  Rumble: ["rumble.com"],
  "Server Fault": ["serverfault.com"],
  Signal: ["signal.org", "signal.me", "signal.group"],
  Skype: ["skype.com"],
  Slack: ["slack.com", "slack-redir.net"],
  SlideShare: ["slideshare.net"],
  Snapchat: ["snapchat.com"],
  SoundCloud: ["soundcloud.com"],
  Spotify: ["spotify.com"],
  "Stack Exchange": ["stackexchange.com", "askubuntu.com", "mathoverflow.net"],
  "Stack Overflow": ["stackoverflow.com"],
  Steam: ["steamcommunity.com", "steampowered.com"],
  Substack: ["substack.com"],
  "Super User": ["superuser.com"],
  Telegram: ["t.me", "telegram.me", "telegram.org"],
  Threads: ["threads.net", "threads.com"],
  TikTok: ["tiktok.com"],
  Trello: ["trello.com"],
  "Truth Social": ["truthsocial.com"],
  Tumblr: ["tumblr.com", "umblr.com"],
  Twitch: ["twitch.tv"],
  Viber: ["viber.com"],
  Vimeo: ["vimeo.com"],
  VK: ["vk.com", "vk.ru", "vkontakte.ru", "vk.cc"],
  WeChat: ["wechat.com", "weixin.qq.com", "weixin110.qq.com"],
  Weibo: ["weibo.com", "weibo.cn", "t.cn"],
  WhatsApp: ["whatsapp.com", "whatsapp.net", "wa.me"],
  Wikipedia: ["wikipedia.org"],
  X: ["x.com", "twitter.com", "t.co"],
  Xiaohongshu: ["xiaohongshu.com", "xhslink.com"],
  Xing: ["xing.com"],
  "Y Combinator": ["ycombinator.com"],
  YouTube: ["youtube.com", "youtu.be", "youtube-nocookie.com"],
  Zhihu: ["zhihu.com"],

  // Mail and workplace
  "163 Mail": ["mail.163.com"],
  "AOL Mail": ["mail.aol.com"],
  Fastmail: ["fastmail.com", "fastmail.fm"],
  Gmail: ["mail.google.com", "inbox.google.com", "gmail.com"],
  GMX: ["gmx.net", "gmx.com", "gmx.de", "gmx.at", "gmx.ch"],
  "Google Chat": ["chat.google.com"],
  "Google Groups": ["groups.google.com"],
  HEY: ["hey.com"],
  "iCloud Mail": ["icloud.com"],
  "Mail.ru": ["mail.ru"],
  Mailchimp: ["campaign-archive.com", "list-manage.com"],
  "Microsoft Teams": ["teams.microsoft.com", "teams.live.com", "statics.teams.cdn.office.net"],
  "Naver Mail": ["mail.naver.com"],
  Notion: ["notion.so", "notion.site", "notion.com"],
  Outlook: ["outlook.com", "outlook.live.com", "outlook.office.com", "outlook.office365.com", "hotmail.com", "mail.live.com"],
  "Proton Mail": ["mail.proton.me", "protonmail.com"],
  "QQ Mail": ["mail.qq.com"],
  Roundcube: ["roundcube.net"],
  Tuta: ["tuta.com", "tutanota.com"],
  "Web.de": ["web.de"],
  "Yahoo Mail": ["mail.yahoo.com", "mail.yahoo.co.jp"],
  "Yandex Mail": ["mail.yandex.ru", "mail.yandex.com"],
  Zimbra: ["zimbra.com"],
  "Zoho Mail": ["mail.zoho.com", "mail.zoho.eu", "mail.zoho.in"],

  // AI assistants
  Andi: ["andisearch.com"],
  "Character.AI": ["character.ai"],
  ChatGPT: ["chatgpt.com", "chat.openai.com"],
  Claude: ["claude.ai", "claude.com"],
  Copilot: ["copilot.microsoft.com", "copilot.cloud.microsoft", "m365.cloud.microsoft"],
  DeepSeek: ["deepseek.com"],
  Doubao: ["doubao.com"],
  "Duck.ai": ["duck.ai"],
  "Ernie Bot": ["yiyan.baidu.com", "ernie.baidu.com"],
  Felo: ["felo.ai"],
  Gemini: ["gemini.google.com", "bard.google.com"],
  Genspark: ["genspark.ai"],
  "Google AI Studio": ["aistudio.google.com"],
  Grok: ["grok.com", "x.ai"],
  "Hugging Face": ["huggingface.co", "hf.co"],
  iAsk: ["iask.ai"],
  Kimi: ["kimi.com", "kimi.ai", "kimi.moonshot.cn"],
  Komo: ["komo.ai"],
  "Le Chat": ["chat.mistral.ai"],
  Liner: ["liner.com", "getliner.com"],
  Lumo: ["lumo.proton.me"],
  Manus: ["manus.im"],
  "Meta AI": ["meta.ai"],
  NotebookLM: ["notebooklm.google.com", "notebooklm.google"],
  Perplexity: ["perplexity.ai"],
  Phind: ["phind.com"],
  Pi: ["pi.ai"],
  Poe: ["poe.com"],
  Qwen: ["qwen.ai", "tongyi.com", "tongyi.aliyun.com"],
  "You.com": ["you.com"],
  Yuanbao: ["yuanbao.tencent.com"],
  "Z.ai": ["z.ai", "chatglm.cn"],

  // News, aggregators and readers
  AlternativeTo: ["alternativeto.net"],
  "Apple News": ["apple.news", "news.apple.com"],
  BuzzFeed: ["buzzfeed.com"],
  "daily.dev": ["daily.dev"],
  Digg: ["digg.com"],
  Dzen: ["dzen.ru", "zen.yandex.ru"],
  Fark: ["fark.com"],
  Feedbin: ["feedbin.com"],
  Feedly: ["feedly.com"],
  Flipboard: ["flipboard.com", "flip.it"],
  "Google News": ["news.google.com"],
  "Ground News": ["ground.news"],
  Hatena: ["hatena.ne.jp"],
  HackerNoon: ["hackernoon.com"],
  Inoreader: ["inoreader.com"],
  Instapaper: ["instapaper.com"],
  Mix: ["mix.com", "stumbleupon.com"],
  NewsBlur: ["newsblur.com"],
  NewsBreak: ["newsbreak.com", "newsbreakapp.com"],
  Note: ["note.com"],
  Outbrain: ["outbrain.com"],
  Pocket: ["getpocket.com", "pocket.co"],
  Qiita: ["qiita.com"],
  "Raindrop.io": ["raindrop.io"],
  Slashdot: ["slashdot.org"],
  SmartNews: ["smartnews.com"],
  Taboola: ["taboola.com"],
  Techmeme: ["techmeme.com"],
  "The Old Reader": ["theoldreader.com"],
  Tildes: ["tildes.net"],
  Toutiao: ["toutiao.com"],
  Upday: ["upday.com"],
  Wykop: ["wykop.pl"],
  "Yahoo News": ["news.yahoo.com", "news.yahoo.co.jp"],
  Zenn: ["zenn.dev"],
};

interface CountrySite {
  readonly source: string;
  /** Whether hosts beneath it count for it too. */
  readonly subdomains: boolean;
}

const COUNTRY_SUFFIX = /^(?:com|(?:com?\.)?[a-z]{2})$/;

/** Names with a host in each country: `<label>.com`, `<label>.<cc>`, `<label>.co.<cc>` and `<label>.com.<cc>`. */
const COUNTRY_SITES: ReadonlyMap<string, CountrySite> = new Map([
  // Beneath it lie documents, courses, calendars: whoever follows a link from there did not search.
  ["google", { source: "Google", subdomains: false }],
  ["pinterest", { source: "Pinterest", subdomains: true }],
  ["yandex", { source: "Yandex", subdomains: true }],
]);

/** Apps that name themselves in `android-app://<package>/`. */
const ANDROID_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  Bing: ["com.microsoft.bing"],
  Bluesky: ["xyz.blueskyweb.app"],
  Brave: ["com.brave.browser"],
  ChatGPT: ["com.openai.chatgpt"],
  Claude: ["com.anthropic.claude"],
  Copilot: ["com.microsoft.copilot"],
  DeepSeek: ["com.deepseek.chat"],
  Discord: ["com.discord"],
  DuckDuckGo: ["com.duckduckgo.mobile.android"],
  Ecosia: ["com.ecosia.android"],
  Facebook: ["com.facebook.katana", "com.facebook.lite"],
  "Facebook Messenger": ["com.facebook.orca", "com.facebook.mlite"],
  Feedly: ["com.devhd.feedly"],
  Flipboard: ["flipboard.app"],
  Gemini: ["com.google.android.apps.bard"],
  GitHub: ["com.github.android"],
  Gmail: ["com.google.android.gm", "com.google.android.gm.lite"],
  Google: ["com.google.android.googlequicksearchbox", "com.google.android.apps.searchlite", "com.google.android.launcher"],
  "Google Chat": ["com.google.android.apps.dynamite"],
  "Google News": ["com.google.android.apps.magazines"],
  Grok: ["ai.x.grok"],
  "Hacker News": ["io.github.hidroh.materialistic"],
  Inoreader: ["com.innologica.inoreader"],
  Instagram: ["com.instagram.android", "com.instagram.lite"],
  KakaoTalk: ["com.kakao.talk"],
  "Le Chat": ["ai.mistral.chat"],
  Line: ["jp.naver.line.android"],
  LinkedIn: ["com.linkedin.android"],
  Mastodon: ["org.joinmastodon.android", "com.keylesspalace.tusky"],
  Medium: ["com.medium.reader"],
  "Microsoft Teams": ["com.microsoft.teams"],
  Naver: ["com.nhn.android.search"],
  NewsBreak: ["com.particlenews.newsbreak"],
  Outlook: ["com.microsoft.office.outlook"],
  Perplexity: ["ai.perplexity.app.android"],
  Pinterest: ["com.pinterest"],
  Pocket: ["com.ideashower.readitlater.pro"],
  "Proton Mail": ["ch.protonmail.android"],
  Quora: ["com.quora.android"],
  Reddit: ["com.reddit.frontpage", "com.laurencedawson.reddit_sync", "ml.docilealligator.infinityforreddit"],
  Signal: ["org.thoughtcrime.securesms"],
  Slack: ["com.slack", "com.Slack"],
  SmartNews: ["jp.gocro.smartnews.android"],
  Snapchat: ["com.snapchat.android"],
  Substack: ["com.substack.app"],
  Telegram: ["org.telegram.messenger", "org.telegram.messenger.web", "org.telegram.plus", "org.thunderdog.challegram"],
  Threads: ["com.instagram.barcelona"],
  TikTok: ["com.zhiliaoapp.musically", "com.ss.android.ugc.trill"],
  Tumblr: ["com.tumblr"],
  Viber: ["com.viber.voip"],
  VK: ["com.vkontakte.android"],
  WeChat: ["com.tencent.mm"],
  Weibo: ["com.sina.weibo"],
  WhatsApp: ["com.whatsapp", "com.whatsapp.w4b"],
  X: ["com.twitter.android", "com.twitter.android.lite"],
  "Yahoo Mail": ["com.yahoo.mobile.client.android.mail"],
  Yandex: ["ru.yandex.searchplugin", "com.yandex.browser"],
  YouTube: ["com.google.android.youtube"],
};

/** The deepest host of the tables has so many labels; no more of a long host's are looked at. */
const LABELS_MAX = 5;

// Maps, because a host may be called `constructor` or `__proto__`.
const SOURCE_BY_HOST = sourceByName(HOSTS);
const SOURCE_BY_ANDROID_PACKAGE = sourceByName(ANDROID_PACKAGES);

/** The source that `host` (lower case, without `www.`) counts for; `null` when the table does not know it. */
export function sourceFromHost(host: string): string | null {
  for (const ending of endingsOf(host)) {
    const source = SOURCE_BY_HOST.get(ending);
    if (source !== undefined) return source;
    const countrySite = countrySiteOf(ending);
    if (countrySite !== null) return countrySite.subdomains || ending === host ? countrySite.source : null;
  }
  return null;
}

/** The source that an Android app counts for; `null` when the table does not know its package. */
export function sourceFromAndroidPackage(packageName: string): string | null {
  return SOURCE_BY_ANDROID_PACKAGE.get(packageName) ?? null;
}

/** A host without the `www.` before it. */
export function withoutWww(host: string): string {
  return host.startsWith("www.") ? host.slice(4) : host;
}

/** The last labels of a host, the longest ending first: `a.b.c` -> `a.b.c`, `b.c`, `c`. */
function endingsOf(host: string): string[] {
  const endings: string[] = [];
  let dot = host.length;
  for (let labels = 0; labels < LABELS_MAX && dot !== -1; labels++) {
    dot = dot === 0 ? -1 : host.lastIndexOf(".", dot - 1);
    endings.unshift(host.slice(dot + 1));
  }
  return endings;
}

/** The country site whose host `ending` is: its name, then `com`, `de`, `co.uk` or `com.br`. */
function countrySiteOf(ending: string): CountrySite | null {
  const dot = ending.indexOf(".");
  const site = COUNTRY_SITES.get(ending.slice(0, dot));
  return site !== undefined && COUNTRY_SUFFIX.test(ending.slice(dot + 1)) ? site : null;
}

function sourceByName(hostsBySource: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const [source, hosts] of Object.entries(hostsBySource)) {
    for (const host of hosts) sources.set(host, source);
  }
  return sources;
}
