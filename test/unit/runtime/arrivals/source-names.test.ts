import { describe, expect, it } from "vitest";
import { sourceFromAndroidPackage, sourceFromHost, withoutWww } from "../../../../src/runtime/arrivals/source-names.ts";

describe("sourceFromHost", () => {
  it.each([
    // Search engines, also by country
    ["google.com", "Google"],
    ["google.de", "Google"],
    ["google.co.uk", "Google"],
    ["google.com.br", "Google"],
    ["google.co", "Google"],
    ["images.google.com", "Google"],
    ["bing.com", "Bing"],
    ["cn.bing.com", "Bing"],
    ["duckduckgo.com", "DuckDuckGo"],
    ["html.duckduckgo.com", "DuckDuckGo"],
    ["search.brave.com", "Brave"],
    ["ecosia.org", "Ecosia"],
    ["qwant.com", "Qwant"],
    ["startpage.com", "Startpage"],
    ["kagi.com", "Kagi"],
    ["m.baidu.com", "Baidu"],
    ["search.naver.com", "Naver"],
    ["search.seznam.cz", "Seznam"],
    ["sogou.com", "Sogou"],
    ["yandex.ru", "Yandex"],
    ["yandex.com.tr", "Yandex"],
    ["m.yandex.kz", "Yandex"],
    ["ya.ru", "Yandex"],
    ["search.yahoo.com", "Yahoo"],
    ["de.search.yahoo.com", "Yahoo"],
    ["search.yahoo.co.jp", "Yahoo"],
    // Social networks
    ["l.facebook.com", "Facebook"],
    ["lm.facebook.com", "Facebook"],
    ["m.facebook.com", "Facebook"],
    ["l.instagram.com", "Instagram"],
    ["x.com", "X"],
    ["t.co", "X"],
    ["mobile.twitter.com", "X"],
    ["linkedin.com", "LinkedIn"],
    ["lnkd.in", "LinkedIn"],
    ["reddit.com", "Reddit"],
    ["out.reddit.com", "Reddit"],
    ["redd.it", "Reddit"],
    ["mastodon.social", "Mastodon"],
    ["bsky.app", "Bluesky"],
    ["l.threads.net", "Threads"],
    ["tiktok.com", "TikTok"],
    ["pinterest.com", "Pinterest"],
    ["de.pinterest.com", "Pinterest"],
    ["pinterest.co.uk", "Pinterest"],
    ["pinterest.com.au", "Pinterest"],
    ["m.youtube.com", "YouTube"],
    ["youtu.be", "YouTube"],
    ["away.vk.com", "VK"],
    ["t.me", "Telegram"],
    ["web.whatsapp.com", "WhatsApp"],
    ["wa.me", "WhatsApp"],
    ["discord.com", "Discord"],
    ["app.slack.com", "Slack"],
    ["news.ycombinator.com", "Hacker News"],
    ["ycombinator.com", "Y Combinator"],
    ["lobste.rs", "Lobsters"],
    ["gist.github.com", "GitHub"],
    ["stackoverflow.com", "Stack Overflow"],
    ["unix.stackexchange.com", "Stack Exchange"],
    ["producthunt.com", "Product Hunt"],
    ["medium.com", "Medium"],
    ["someone.substack.com", "Substack"],
    ["dev.to", "dev.to"],
    ["weibo.cn", "Weibo"],
    ["link.zhihu.com", "Zhihu"],
    ["mp.weixin.qq.com", "WeChat"],
    ["en.wikipedia.org", "Wikipedia"],
    // Mail
    ["mail.google.com", "Gmail"],
    ["outlook.live.com", "Outlook"],
    ["eur03.safelinks.protection.outlook.com", "Outlook"],
    ["mail.yahoo.com", "Yahoo Mail"],
    ["mail.proton.me", "Proton Mail"],
    ["app.fastmail.com", "Fastmail"],
    ["mail.yandex.ru", "Yandex Mail"],
    ["statics.teams.cdn.office.net", "Microsoft Teams"],
    // AI assistants
    ["chatgpt.com", "ChatGPT"],
    ["chat.openai.com", "ChatGPT"],
    ["claude.ai", "Claude"],
    ["gemini.google.com", "Gemini"],
    ["perplexity.ai", "Perplexity"],
    ["copilot.microsoft.com", "Copilot"],
    ["chat.mistral.ai", "Le Chat"],
    ["chat.deepseek.com", "DeepSeek"],
    ["grok.com", "Grok"],
    ["you.com", "You.com"],
    ["phind.com", "Phind"],
    ["meta.ai", "Meta AI"],
    ["poe.com", "Poe"],
    // News
    ["news.google.com", "Google News"],
    ["flipboard.com", "Flipboard"],
    ["feedly.com", "Feedly"],
    ["getpocket.com", "Pocket"],
    ["techmeme.com", "Techmeme"],
    ["tech.slashdot.org", "Slashdot"],
    ["news.yahoo.com", "Yahoo News"],
  ])("%s belongs to %s", (host, source) => {
    expect(sourceFromHost(host)).toBe(source);
  });

  it.each([
    // Parts of labels
    "notgoogle.com",
    "google.com.evil.test",
    "xreddit.com",
    "reddit.com.example",
    "best.co",
    "at.me",
    "googleblog.com",
    "facebook.community",
    // What lies beneath a search engine is no search
    "docs.google.com",
    "sites.google.com",
    "classroom.google.co.uk",
    "google.google.de",
    // No country's suffix
    "google.x",
    "google.evil",
    "google.net.uk",
    "google.com.de.uk",
    "google.co.com",
    "google",
    "com",
    "co.uk",
    // Hosts of no one in particular
    "example.com",
    "192.0.2.1",
    "[2001:db8::1]",
    "localhost",
    "",
    ".",
    "..",
    ".google.com",
    // Names that objects are born with
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "constructor.com",
    "constructor.co.uk",
    "__proto__.de",
  ])("%j has no named source", (host) => {
    expect(sourceFromHost(host)).toBeNull();
  });

  it("looks up a host of a thousand labels as fast as one of five", () => {
    expect(sourceFromHost(`${"a.".repeat(1000)}reddit.com`)).toBe("Reddit");
    expect(sourceFromHost("a.".repeat(1000))).toBeNull();
  });
});

describe("sourceFromAndroidPackage", () => {
  it.each([
    ["com.google.android.googlequicksearchbox", "Google"],
    ["com.google.android.gm", "Gmail"],
    ["com.reddit.frontpage", "Reddit"],
    ["com.linkedin.android", "LinkedIn"],
    ["org.telegram.messenger", "Telegram"],
    ["com.slack", "Slack"],
    ["com.Slack", "Slack"],
    ["com.twitter.android", "X"],
    ["org.example.app", null],
    ["com.google.android.gm.evil", null],
    ["google.com", null],
    ["__proto__", null],
    ["constructor", null],
  ])("maps %s to %s", (packageName, source) => {
    expect(sourceFromAndroidPackage(packageName)).toBe(source);
  });
});

describe("withoutWww", () => {
  it.each([
    ["www.example.com", "example.com"],
    ["example.com", "example.com"],
    ["www2.example.com", "www2.example.com"],
    ["awww.example.com", "awww.example.com"],
    ["www.www.example.com", "www.example.com"],
    ["www", "www"],
  ])("turns %s into %s", (host, expected) => {
    expect(withoutWww(host)).toBe(expected);
  });
});
