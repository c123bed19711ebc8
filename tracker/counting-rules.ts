/** Which events are not sent: of local pages and automated browsers, of visitors who opted out, of excluded paths (docs/tracking.md, "Tracking script"). */

import { attempt } from "./attempt.ts";
import { PREFIX } from "./names.ts";
import type { Settings } from "./settings.ts";

/** No host at all (`file:`, `about:`), this machine, or a private or link-local address. Browsers normalize addresses to one spelling. */
const LOCAL =
  /^file|\/\/($|(.+\.)?localhost\.?$|(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))(\.\d+)+$|\[(::1?]|f[cd]..:|fe[89ab].:))/;

const isPublicVisit = (): boolean => !LOCAL.test(`${location.protocol}//${location.hostname}`) && !navigator.webdriver;

const asksNotToBeTracked = (): boolean => navigator.doNotTrack === "1" || !!navigator.globalPrivacyControl;

const hasOptedOut = (): boolean => attempt(() => localStorage.getItem(PREFIX + "_ignore")) === "true";

/** True if an event with this path is to be sent. */
export const isCounted = (settings: Settings, path: string): boolean =>
  !!settings.site &&
  (settings.flag("includeLocal") || isPublicVisit()) &&
  !(settings.flag("honorDnt") && asksNotToBeTracked()) &&
  !hasOptedOut() &&
  !settings.excluded.some((pattern) => pattern.test(path));
