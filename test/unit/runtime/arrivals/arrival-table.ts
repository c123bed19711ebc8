/** How visits to `shop.example` arrive: referrer, utm_source, utm_medium and click id, with the source and channel that are right. */

/** Columns: referrer host | utm_source | utm_medium | kind of click id | source | channel. `-` is null. */
export const ARRIVALS = `
- | - | - | - | - | Direct
- | direct | - | - | - | Direct
- | (direct) | (none) | - | - | Direct
- | (not set) | (not set) | - | - | Direct
- | - | none | - | - | Direct

www.google.com | - | - | - | Google | Organic Search
google.de | - | - | - | Google | Organic Search
www.google.co.uk | - | - | - | Google | Organic Search
www.google.com.br | - | - | - | Google | Organic Search
www.google.com. | - | - | - | Google | Organic Search
com.google.android.googlequicksearchbox | - | - | - | Google | Organic Search
images.google.com | - | - | - | Google | Organic Search
lens.google.com | - | - | - | Google | Organic Search
www.bing.com | - | - | - | Bing | Organic Search
cn.bing.com | - | - | - | Bing | Organic Search
com.microsoft.bing | - | - | - | Bing | Organic Search
duckduckgo.com | - | - | - | DuckDuckGo | Organic Search
html.duckduckgo.com | - | - | - | DuckDuckGo | Organic Search
search.brave.com | - | - | - | Brave | Organic Search
www.ecosia.org | - | - | - | Ecosia | Organic Search
www.startpage.com | - | - | - | Startpage | Organic Search
www.qwant.com | - | - | - | Qwant | Organic Search
kagi.com | - | - | - | Kagi | Organic Search
m.baidu.com | - | - | - | Baidu | Organic Search
yandex.ru | - | - | - | Yandex | Organic Search
yandex.com.tr | - | - | - | Yandex | Organic Search
ya.ru | - | - | - | Yandex | Organic Search
search.seznam.cz | - | - | - | Seznam | Organic Search
search.naver.com | - | - | - | Naver | Organic Search
de.search.yahoo.com | - | - | - | Yahoo | Organic Search
search.yahoo.co.jp | - | - | - | Yahoo | Organic Search
suche.t-online.de | - | - | - | T-Online | Organic Search
suche.web.de | - | - | - | WEB.DE Suche | Organic Search
suche.gmx.net | - | - | - | GMX Suche | Organic Search
go.mail.ru | - | - | - | Mail.ru Search | Organic Search
www.google.cat | - | - | - | Google | Organic Search
leta.mullvad.net | - | - | - | Mullvad Leta | Organic Search
- | google | organic | - | Google | Organic Search
- | Google | - | - | Google | Organic Search
- | gmb | organic | - | Google | Organic Search
- | google-my-business | - | - | Google | Organic Search
- | bing | Organic | - | Bing | Organic Search
- | ddg | - | - | DuckDuckGo | Organic Search
- | acme | seo | - | acme | Organic Search
- | acme | organic-search | - | acme | Organic Search

- | google | cpc | - | Google | Paid Search
- | Google | CPC | - | Google | Paid Search
- | google | ppc | gclid | Google | Paid Search
- | google | paid_search | - | Google | Paid Search
- | google_ads | - | - | Google | Paid Search
- | Google Ads | search | - | Google | Paid Search
- | adwords | - | - | Google | Paid Search
- | bing | cpc | msclkid | Bing | Paid Search
- | bing-ads | - | - | Bing | Paid Search
- | microsoft | cpc | - | Bing | Paid Search
- | yandex | cpc | yclid | Yandex | Paid Search
- | yandex_direct | cpc | - | Yandex | Paid Search
- | acme | sem | - | acme | Paid Search
- | acme | cpc | - | acme | Paid Search
- | - | cpc | - | - | Paid Search
- | - | - | gclid | - | Paid Search
- | - | - | gbraid | - | Paid Search
- | - | - | wbraid | - | Paid Search
- | - | - | msclkid | - | Paid Search
- | - | - | yclid | - | Paid Search
www.google.com | - | - | gclid | Google | Paid Search
www.google.com | spring | cpc | gclid | spring | Paid Search
www.google.com | spring | - | gbraid | spring | Paid Search
www.bing.com | - | - | msclkid | Bing | Paid Search
www.googleadservices.com | - | - | - | Google | Paid Search
www.google.com | google | cpc | fbclid | Google | Paid Search
blog.example.net | - | - | gclid | blog.example.net | Paid Search

chatgpt.com | - | - | - | ChatGPT | AI Assistants
chat.openai.com | - | - | - | ChatGPT | AI Assistants
com.openai.chatgpt | - | - | - | ChatGPT | AI Assistants
- | chatgpt.com | - | - | ChatGPT | AI Assistants
- | chatgpt | - | - | ChatGPT | AI Assistants
- | openai | - | - | ChatGPT | AI Assistants
chatgpt.com | chatgpt.com | - | - | ChatGPT | AI Assistants
- | chatgpt.com | referral | - | ChatGPT | AI Assistants
claude.ai | - | - | - | Claude | AI Assistants
com.anthropic.claude | - | - | - | Claude | AI Assistants
- | claude.ai | - | - | Claude | AI Assistants
gemini.google.com | - | - | - | Gemini | AI Assistants
com.google.android.apps.bard | - | - | - | Gemini | AI Assistants
- | gemini | - | - | Gemini | AI Assistants
copilot.microsoft.com | - | - | - | Copilot | AI Assistants
edgeservices.bing.com | - | - | - | Copilot | AI Assistants
- | copilot.com | - | - | Copilot | AI Assistants
www.perplexity.ai | - | - | - | Perplexity | AI Assistants
ai.perplexity.app.android | - | - | - | Perplexity | AI Assistants
- | perplexity | - | - | Perplexity | AI Assistants
chat.mistral.ai | - | - | - | Le Chat | AI Assistants
- | mistral | - | - | Le Chat | AI Assistants
chat.deepseek.com | - | - | - | DeepSeek | AI Assistants
grok.com | - | - | - | Grok | AI Assistants
x.ai | - | - | - | Grok | AI Assistants
www.meta.ai | - | - | - | Meta AI | AI Assistants
- | meta-ai | - | - | Meta AI | AI Assistants
you.com | - | - | - | You.com | AI Assistants
poe.com | - | - | - | Poe | AI Assistants
chat.qwen.ai | - | - | - | Qwen | AI Assistants
kimi.com | - | - | - | Kimi | AI Assistants
www.doubao.com | - | - | - | Doubao | AI Assistants
notebooklm.google.com | - | - | - | NotebookLM | AI Assistants
duck.ai | - | - | - | Duck.ai | AI Assistants
alice.yandex.ru | - | - | - | Yandex Alice | AI Assistants
giga.chat | - | - | - | GigaChat | AI Assistants
openrouter.ai | - | - | - | OpenRouter | AI Assistants
chat.z.ai | - | - | - | Z.ai | AI Assistants
- | acme | llm | - | acme | AI Assistants
- | acme | ai-assistant | - | acme | AI Assistants
chatgpt.com | chatgpt.com | - | gclid | ChatGPT | AI Assistants

www.facebook.com | - | - | - | Facebook | Organic Social
l.facebook.com | - | - | fbclid | Facebook | Organic Social
m.facebook.com | - | - | - | Facebook | Organic Social
com.facebook.katana | - | - | - | Facebook | Organic Social
- | - | - | fbclid | - | Organic Social
- | fb | - | - | Facebook | Organic Social
- | Facebook | social | - | Facebook | Organic Social
- | facebook.com | - | - | Facebook | Organic Social
- | www.facebook.com | - | - | Facebook | Organic Social
- | m.facebook.com | - | - | Facebook | Organic Social
l.instagram.com | - | - | - | Instagram | Organic Social
com.instagram.android | - | - | - | Instagram | Organic Social
- | ig | social | fbclid | Instagram | Organic Social
- | insta | - | - | Instagram | Organic Social
t.co | - | - | - | X | Organic Social
x.com | - | - | - | X | Organic Social
- | twitter | - | - | X | Organic Social
- | X | - | - | X | Organic Social
- | Twitter | Social-Media | - | X | Organic Social
www.linkedin.com | - | - | - | LinkedIn | Organic Social
lnkd.in | - | - | - | LinkedIn | Organic Social
com.linkedin.android | - | - | - | LinkedIn | Organic Social
- | LinkedIn | - | - | LinkedIn | Organic Social
- | linkedin | - | - | LinkedIn | Organic Social
- | lnkd.in | - | - | LinkedIn | Organic Social
- | com.linkedin.android | - | - | LinkedIn | Organic Social
- | LINKEDIN.COM | - | - | LinkedIn | Organic Social
- | linkedin_organic | - | - | LinkedIn | Organic Social
old.reddit.com | - | - | - | Reddit | Organic Social
com.reddit.frontpage | - | - | - | Reddit | Organic Social
www.pinterest.de | - | - | epik | Pinterest | Organic Social
- | - | - | epik | - | Organic Social
www.tiktok.com | - | - | - | TikTok | Organic Social
- | tik-tok | - | - | TikTok | Organic Social
bsky.app | - | - | - | Bluesky | Organic Social
mastodon.social | - | - | - | Mastodon | Organic Social
l.threads.com | - | - | - | Threads | Organic Social
- | threads | - | - | Threads | Organic Social
com.instagram.barcelona | - | - | - | Threads | Organic Social
news.ycombinator.com | - | - | - | Hacker News | Organic Social
- | hackernews | - | - | Hacker News | Organic Social
- | producthunt | - | - | Product Hunt | Organic Social
away.vk.com | - | - | - | VK | Organic Social
web.whatsapp.com | - | - | - | WhatsApp | Organic Social
- | whatsapp | - | - | WhatsApp | Organic Social
t.me | - | - | - | Telegram | Organic Social
org.telegram.messenger | - | - | - | Telegram | Organic Social
discord.com | - | - | - | Discord | Organic Social
www.quora.com | - | - | - | Quora | Organic Social
- | acme | social | - | acme | Organic Social
- | acme | social-network | - | acme | Organic Social
- | acme | SM | - | acme | Organic Social
l.facebook.com | - | - | gclid | Facebook | Organic Social

- | facebook | cpc | fbclid | Facebook | Paid Social
- | facebook | paid | - | Facebook | Paid Social
- | facebook | paid-social | - | Facebook | Paid Social
- | fb_ads | - | - | Facebook | Paid Social
- | Facebook Ads | - | - | Facebook | Paid Social
- | meta | cpm | - | Facebook | Paid Social
- | instagram | paidsocial | - | Instagram | Paid Social
- | ig | cpc | - | Instagram | Paid Social
- | linkedin | cpc | li_fat_id | LinkedIn | Paid Social
- | linkedin-ads | - | - | LinkedIn | Paid Social
- | tiktok | cpc | ttclid | TikTok | Paid Social
- | reddit | cpc | rdt_cid | Reddit | Paid Social
- | snapchat | ppc | - | Snapchat | Paid Social
- | acme | social-paid | - | acme | Paid Social
- | acme | paid_social | - | acme | Paid Social
- | acme | cpc | fbclid | acme | Paid Social
- | - | - | ttclid | - | Paid Social
- | - | - | twclid | - | Paid Social
- | - | - | li_fat_id | - | Paid Social
- | - | - | rdt_cid | - | Paid Social
- | - | - | ScCid | - | Paid Social
t.co | - | - | twclid | X | Paid Social
www.reddit.com | summer | promoted | - | summer | Paid Social
- | pinterest | sponsored | epik | Pinterest | Paid Social

www.youtube.com | - | - | - | YouTube | Organic Video
youtu.be | - | - | - | YouTube | Organic Video
com.google.android.youtube | - | - | - | YouTube | Organic Video
- | youtube | - | - | YouTube | Organic Video
- | yt | - | - | YouTube | Organic Video
vimeo.com | - | - | - | Vimeo | Organic Video
www.twitch.tv | - | - | - | Twitch | Organic Video
dai.ly | - | - | - | Dailymotion | Organic Video
www.bilibili.com | - | - | - | BiliBili | Organic Video
- | acme | video | - | acme | Organic Video
- | youtube | cpc | - | YouTube | Paid Video
- | youtube | paid-video | gclid | YouTube | Paid Video
- | youtube_ads | - | - | YouTube | Paid Video
www.youtube.com | - | - | gclid | YouTube | Paid Video
www.youtube.com | - | - | dclid | YouTube | Paid Video
- | acme | cpv | - | acme | Paid Video
- | acme | video-ads | - | acme | Paid Video

www.amazon.de | - | - | - | Amazon | Organic Shopping
www.amazon.co.uk | - | - | - | Amazon | Organic Shopping
smile.amazon.com | - | - | - | Amazon | Organic Shopping
www.ebay.fr | - | - | - | eBay | Organic Shopping
www.etsy.com | - | - | - | Etsy | Organic Shopping
www.idealo.de | - | - | - | Idealo | Organic Shopping
shopping.google.com | - | - | - | Google Shopping | Organic Shopping
shopee.sg | - | - | - | Shopee | Organic Shopping
shop.app | - | - | - | Shop | Organic Shopping
com.ebay.mobile | - | - | - | eBay | Organic Shopping
- | google | organic-shopping | - | Google | Organic Shopping
- | google_shopping | - | - | Google Shopping | Organic Shopping
- | google shopping | cpc | - | Google Shopping | Paid Shopping
- | idealo | cpc | - | Idealo | Paid Shopping
- | amazon | sponsored | - | Amazon | Paid Shopping
- | google | paid-shopping | - | Google | Paid Shopping
- | google | pla | - | Google | Paid Shopping
- | acme | shopping cpc | - | acme | Paid Shopping
shopping.google.com | - | - | gclid | Google Shopping | Paid Shopping
market.yandex.ru | - | - | - | Yandex Market | Organic Shopping
aws.amazon.com | - | - | - | AWS | Referral

mail.google.com | - | - | - | Gmail | Email
com.google.android.gm | - | - | - | Gmail | Email
outlook.live.com | - | - | - | Outlook | Email
mail.yahoo.com | - | - | - | Yahoo Mail | Email
mail.proton.me | - | - | - | Proton Mail | Email
mail.yandex.kz | - | - | - | Yandex Mail | Email
mail.rambler.ru | - | - | - | Rambler Mail | Email
webmail.provider.example | - | - | - | webmail.provider.example | Email
navigator.web.de | - | - | - | Web.de | Email
mailchi.mp | - | - | - | Mailchimp | Email
- | newsletter | email | - | newsletter | Email
- | newsletter | - | - | newsletter | Email
- | March Letter | E-Mail | - | March Letter | Email
- | acme | e_mail | - | acme | Email
- | acme | e mail | - | acme | Email
- | acme | NEWSLETTER | - | acme | Email
- | mailchimp | - | - | Mailchimp | Email
- | Klaviyo | email | - | Klaviyo | Email
- | brevo | newsletter | - | Brevo | Email
- | sendinblue | - | - | Brevo | Email
- | facebook | email | - | Facebook | Email
mail.google.com | newsletter | - | - | newsletter | Email

blog.example.net | - | - | - | blog.example.net | Referral
www.partner.example | - | - | - | partner.example | Referral
partner.example. | - | - | - | partner.example | Referral
org.example.app | - | - | - | org.example.app | Referral
192.0.2.7 | - | - | - | 192.0.2.7 | Referral
notgoogle.com | - | - | - | notgoogle.com | Referral
google.com.evil.example | - | - | - | google.com.evil.example | Referral
docs.google.com | - | - | - | docs.google.com | Referral
best.co | - | - | - | best.co | Referral
constructor | - | - | - | constructor | Referral
__proto__.com | - | - | - | __proto__.com | Referral
github.com | - | - | - | GitHub | Referral
en.wikipedia.org | - | - | - | Wikipedia | Referral
medium.com | - | - | - | Medium | Referral
news.google.com | - | - | - | Google News | Referral
flipboard.com | - | - | - | Flipboard | Referral
app.slack.com | - | - | - | Slack | Referral
- | acme | - | - | acme | Referral
- | acme | referral | - | acme | Referral
- | acme | qr | - | acme | Referral
- | - | flyer | - | - | Referral
- | constructor | __proto__ | - | constructor | Referral
- | 🐦 | ☕ | - | 🐦 | Referral
- | Messe München | Flyer | - | Messe München | Referral
- | HEY | - | - | HEY | Referral
- | pi | - | - | pi | Referral

- | acme | display | - | acme | Display
- | google | display | - | Google | Display
- | acme | Banner | - | acme | Display
- | acme | cpm | - | acme | Display
- | acme | retargeting | - | acme | Display
- | acme | interstitial | - | acme | Display
- | gdn | cpc | - | Google Display Network | Display
- | - | - | dclid | - | Display
ad.doubleclick.net | - | - | - | Google | Display
tpc.googlesyndication.com | - | - | - | Google Display Network | Display
- | taboola | native | - | Taboola | Display
paid.outbrain.com | - | - | - | Outbrain | Display
www.criteo.com | - | - | - | Criteo | Display
- | acme | paid | - | acme | Display

- | acme | affiliate | - | acme | Affiliates
- | acme | Affiliates | - | acme | Affiliates
- | awin | - | - | Awin | Affiliates
www.awin1.com | - | - | - | Awin | Affiliates
www.anrdoezrs.net | - | - | - | CJ | Affiliates
click.linksynergy.com | - | - | - | Rakuten Advertising | Affiliates
- | acme | cpa | - | acme | Affiliates
- | - | - | irclickid | - | Affiliates

- | acme | sms | - | acme | SMS
- | SMS | - | - | SMS | SMS
- | acme | MMS | - | acme | SMS
com.google.android.apps.messaging | - | - | - | Google Messages | SMS
messages.google.com | - | - | - | Google Messages | SMS

- | acme | push | - | acme | Push
- | acme | web-push | - | acme | Push
- | acme | push_notification | - | acme | Push
- | onesignal | - | - | onesignal | Push
- | firebase | - | - | firebase | Push

- | acme | audio | - | acme | Audio
- | acme | podcast | - | acme | Audio
- | podcast | - | - | podcast | Audio
open.spotify.com | - | - | - | Spotify | Audio
podcasts.apple.com | - | - | - | Apple Podcasts | Audio
- | spotify | audio | - | Spotify | Audio

- | google | cross-network | - | Google | Cross-network
- | google | cross network | gclid | Google | Cross-network
- | acme | pmax | - | acme | Cross-network

shop.example | - | - | - | - | Internal
www.shop.example | - | - | - | - | Internal
blog.shop.example | - | - | - | - | Internal
checkout.brand.example | - | - | - | - | Internal
www.brand.example. | - | - | - | - | Internal
notshop.example | - | - | - | notshop.example | Referral
shop.example.evil.test | - | - | - | shop.example.evil.test | Referral
www.shop.example | newsletter | email | - | newsletter | Email
blog.shop.example | - | - | gclid | - | Paid Search
blog.shop.example | google | cpc | - | Google | Paid Search

checkout.stripe.com | - | - | - | - | Direct
hooks.stripe.com | - | - | - | - | Direct
www.paypal.com | - | - | - | - | Direct
pay.google.com | - | - | - | - | Direct
live.adyen.com | - | - | - | - | Direct
www.mollie.com | - | - | - | - | Direct
pay.klarna.com | - | - | - | - | Direct
www.klarna.com | - | - | - | klarna.com | Referral
centinelapi.cardinalcommerce.com | - | - | - | - | Direct
accounts.google.com | - | - | - | - | Direct
login.microsoftonline.com | - | - | - | - | Direct
appleid.apple.com | - | - | - | - | Direct
tenant.eu.auth0.com | - | - | - | - | Direct
acme.okta.com | - | - | - | - | Direct
notstripe.com | - | - | - | notstripe.com | Referral
pay.ignored.example | - | - | - | - | Direct
www.ignored.example | - | - | - | - | Direct
deep.sub.ignored.example | - | - | - | - | Direct
checkout.stripe.com | google | cpc | - | Google | Paid Search
www.paypal.com | - | - | fbclid | - | Organic Social
`
  .trim()
  .split(/\n+/)
  .map((line) => line.split(" | ").map((cell) => (cell === "-" ? null : cell)));
