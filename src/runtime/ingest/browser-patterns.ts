/**
 * Browsers and apps that the User-Agent parser does not tell apart, or takes too long for. These patterns run before its own, and take
 * linear time: whatever they repeat is bounded, or cannot begin again within itself.
 */

type Pattern = readonly [expressions: RegExp[], properties: (string | [string, string])[]];

/** The first group of an expression is the version. */
const named = (name: string, ...expressions: RegExp[]): Pattern => [expressions, ["version", ["name", name]]];

/** A web view says its engine, and the app behind it its name. Facebook and Messenger have their versions behind `FBAV`. */
const APPS: readonly Pattern[] = [
  named("Threads", /\bBarcelona[ /](\d[\d.]{0,30})/),
  named("Messenger", /(?:FBAN\/Messenger\w{0,12}|FB_IAB\/(?:Orca-Android|MESSENGER))(?:;FBAV\/([\d.]{1,30}))?/),
  named(
    "TikTok",
    /\b(?:musical_ly|trill)_(\d{1,3}\.[\d.]{1,20})/,
    /\b(?:musical_ly|trill)_[^]{0,160}? app_version\/([\d.]{1,20})/,
    /\b(?:(?:musical_ly|trill)_|BytedanceWebview\/(?![^]{0,200} AppName\/aweme))/,
  ),
  named("Douyin", /\baweme_[^]{0,160}? app_version\/([\d.]{1,20})/, /\baweme_(\d{1,3}\.[\d.]{1,20})?/),
  named("Pinterest", /\[Pinterest\/(?:iOS|Android)\]/),
  named("LinkedIn", /\[LinkedInApp\](?:\/([\d.]{1,20}))?/),
  named("WeCom", /\bwxwork\/([\d.]{1,20})/),
  named("KakaoTalk", /\bKAKAOTALK(?:[ /](\d{1,3}\.[\d.]{1,20}))?/i),
  named("DingTalk", /\bDingTalk\/([\d.]{1,20})/),
  named("QQ", /\bQQ\/([\d.]{1,20})/),
  named("Baidu App", /\bbaiduboxapp\/([\d.]{1,20})/),
  named("Reddit", /\bReddit\/(?:Version )?([\d.]{1,20})/),
  named("Telegram", /\bTelegram-Android\/([\d.]{1,20})/),
  named("Viber", /\bViber\/([\d.]{1,20})/),
  named("VK", /\bVK(?:iOS|Android)App\/([\d.]{1,20})/),
  named("Zalo", /\bZalo (?:iOS|android)\//),
  named("Google App", /\bGSA\/([\d.]{1,30})/),
];

const BROWSERS: readonly Pattern[] = [
  named("Aloha", /\bAlohaBrowser\/([\d.]{1,20})/),
  named("Ecosia", /\(Ecosia (?:ios|android)@([\d.]{1,20})/),
  named("ArkWeb", /\bArkWeb\/([\d.]{1,20})(?![\d.]| (?:Mobile )?HuaweiBrowser)/),
];

/** Programs that show mail open its images with the engine of a browser. */
const MAIL_PROGRAMS: readonly Pattern[] = [
  named("Outlook", /\bMicrosoft Outlook (\d{1,3}\.[\d.]{1,20})/),
  named("Thunderbird", /\bThunderbird\/([\d.]{1,20})/),
];

/** Two of the parser's own patterns would take a second over what follows `NAVER(` and `Archos`: these match wherever those could. */
const BOUNDED: readonly Pattern[] = [[[/(naver)\((?:[^)]{0,64}?(\d{1,9}\.[\w.]{1,32}))?/i], ["name", "version"]]];

export const BROWSER_PATTERNS = [...APPS, ...BROWSERS, ...MAIL_PROGRAMS, ...BOUNDED].flat();

export const DEVICE_PATTERNS = [
  ...[[/archos ?(?:5(?: b|\))|gamepad|(?:[\w ]{0,32}[t1789]|hello) ?\d)/i], [["type", "tablet"]]],
  ...[[/archos/i], [["type", "mobile"]]],
];

/** Browsers and apps of iOS, also where they ask for pages of a desktop, and so say that the device is a Macintosh. */
const ONLY_ON_IOS = /\b(?:CriOS|EdgiOS|FxiOS|OPiOS|OPT|GSA|Mobile)\/|\biPad|FBAN\/FBIOS/;

/** An iPad: a phone that asks for pages of a desktop cannot be told apart from it, and hardly anybody does that. */
export const isDisguisedIpad = (userAgent: string): boolean => userAgent.includes("Macintosh") && ONLY_ON_IOS.test(userAgent);

/** Proxies through which mail services load images, by the name of the service; they invent browser and system. */
const MAIL_PROXIES: ReadonlyMap<RegExp, string> = new Map([
  [/\bGoogleImageProxy\b/, "Gmail"],
  [/\bYahooMailProxy\b/, "Yahoo Mail"],
]);

export function mailServiceOf(userAgent: string): string | null {
  for (const [proxy, service] of MAIL_PROXIES) if (proxy.test(userAgent)) return service;
  return null;
}

/** Proxies of mail services load an image when its mail is read. Apple's says no more than "Mozilla/5.0". */
export const isMailProxy = (userAgent: string): boolean => userAgent === "Mozilla/5.0" || mailServiceOf(userAgent) !== null;
