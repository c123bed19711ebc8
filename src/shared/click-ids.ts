/** Click ids: only their kind is ever stored. */

/**
 * Parameters with which advertising platforms mark a click: Google (`gclid`, `gbraid`, `wbraid`, `dclid`), Meta, Microsoft, TikTok, X,
 * LinkedIn, Yandex, Reddit, Pinterest, Snapchat, impact.com.
 */
export const CLICK_IDS: readonly string[] = [
  ...["gclid", "gbraid", "wbraid", "dclid", "fbclid", "msclkid", "ttclid", "twclid", "li_fat_id", "yclid"],
  ...["rdt_cid", "epik", "ScCid", "irclickid"],
];
