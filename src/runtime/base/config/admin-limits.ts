/** Fixed bounds of what administrators set: passwords, sessions, API keys, share links, settings of sites, goals, saved filters, annotations and rules. Names end with the unit. */
import { ADMIN_PASSWORD_CHARS_MIN } from "../../../shared/limits.ts";
import { assertLimits, UTF8_BYTES_PER_CHAR_MAX } from "./limits.ts";

const MIB = 1024 ** 2;

// Passwords, sessions and API keys

/** Longest password in bytes of UTF-8: the cost of a hash grows with its length. */
export const PASSWORD_BYTES_MAX = 1024;

assertLimits(ADMIN_PASSWORD_CHARS_MIN * UTF8_BYTES_PER_CHAR_MAX <= PASSWORD_BYTES_MAX, "a password of the shortest length is allowed");

/** Logins that may wait for the current password check, which takes about 50 ms, and passwords that owners set. */
export const PASSWORD_CHECKS_WAITING_MAX = 64;

/** Passwords of share links that may wait besides. */
export const SHARE_PASSWORDS_WAITING_MAX = 32;

assertLimits(
  SHARE_PASSWORDS_WAITING_MAX <= PASSWORD_CHECKS_WAITING_MAX / 2,
  "guests' passwords take at most half as many places as logins",
);

/** Concurrent sessions; a new one beyond that ends the oldest. */
export const SESSIONS_MAX = 10_000;

/** Days after its last use for which a persistent session lasts. */
export const PERSISTENT_SESSION_DAYS = 30;

/** Persistent sessions, which one record holds; a new one beyond that ends the one that was not used for longest. */
export const PERSISTENT_SESSIONS_MAX = 200;

/** Code units of the name of a browser or a system, which comes from its User-Agent. */
export const DEVICE_NAME_CHARS_MAX = 64;

/** Addresses whose failed logins are counted. */
export const LOGIN_FAILURE_ADDRESSES_MAX = 100_000;

/** API keys, revoked ones included; a new key beyond that replaces the oldest revoked one. */
export const API_KEYS_MAX = 1_000;

export const API_KEY_SITES_MAX = 100;

/** Creations and revocations of API keys that may wait for the current one. */
export const API_KEY_CHANGES_WAITING_MAX = 64;

// Share links

/** Share links, revoked ones included, in all and of one site; a new link beyond that replaces the oldest revoked one. */
export const SHARES_MAX = 1_000;
export const SHARES_OF_SITE_MAX = 100;

/** Shortest password of a share link in code points. The longest is that of the admin. */
export const SHARE_PASSWORD_CHARS_MIN = 8;

/** Origins whose pages may embed a share link. */
export const SHARE_FRAME_ANCESTORS_MAX = 20;

/** Creations and revocations of share links that may wait for the current one. */
export const SHARE_CHANGES_WAITING_MAX = 64;

/** How often the last use of a share link is recorded. */
export const SHARE_USE_RECORD_MS = 60_000;

/** How long a guest token is valid, and how many there are, in all and of one link; a new one beyond that ends the oldest. */
export const GUEST_TOKEN_SECS = 12 * 3600;
export const GUEST_TOKENS_MAX = 10_000;
export const GUEST_TOKENS_OF_SHARE_MAX = 1_000;

/** Passwords of a share link that are checked: per second, and at once; and as many from its reserve. */
export const SHARE_UNLOCKS_PER_SECOND = 1;
export const SHARE_UNLOCKS_AT_ONCE = 20;

/** Wrong passwords of one network from the reserve: at once, and per second, which is four a day. */
export const SHARE_UNLOCKS_OF_NETWORK_AT_ONCE = 5;
export const SHARE_UNLOCKS_OF_NETWORK_PER_SECOND = 4 / 86_400;

/** Networks that are counted, once for each link. */
export const SHARE_UNLOCK_NETWORKS_MAX = 100_000;

/** Requests of anonymous guests from one address: per second, and at once. A first view of the dashboard takes about 25. */
export const GUEST_REQUESTS_PER_SECOND = 10;
export const GUEST_REQUESTS_AT_ONCE = 100;

// Settings of sites

/** Entries of each list in a site's settings, and the code points of one. */
export const SITE_LIST_ENTRIES_MAX = 100;
export const SITE_LIST_ENTRY_CHARS_MAX = 512;

/** Parameters of the query that are part of a page's path: each is looked for in the URL of each event. */
export const PAGE_PARAMETERS_MAX = 10;

/** Rules of channels of a site, and the values of all their conditions: a report tests each visit's arrival against them. */
export const CHANNEL_RULES_MAX = 50;
export const CHANNEL_VALUES_MAX = 200;

/** Largest file of settings that can be imported: ten thousand sites with some of each. */
export const SETTINGS_FILE_BYTES_MAX = 8 * MIB;

/** Changes of settings that may wait for the current one. */
export const SITE_CHANGES_WAITING_MAX = 64;

/** Sites whose settings were removed on one of several nodes, and of which each keeps in memory when that was. */
export const REMOVED_SITES_MAX = 10_000;

/** Records of sites that are read or written at the same time. */
export const SITE_RECORDS_MAX_AT_ONCE = 16;

/** Days for which the earlier name of a renamed site keeps accepting events, and for which the merge of two sites can be undone. */
export const SITE_NAME_DAYS = 90;

/** Earlier names of sites. */
export const SITE_NAMES_MAX = 1_000;

/** Renames and merges that may wait for the current change. */
export const SITE_MOVES_WAITING_MAX = 4;

/** How long events of a site wait while it changes its name, in milliseconds. */
export const SITE_HOLD_MS_MAX = 10_000;

/** How long the response to a rename or merge waits for its end, in milliseconds. */
export const SITE_MOVE_ANSWER_MS = 5_000;

/** The pause after a rename or merge that failed because of storage, in milliseconds. */
export const SITE_MOVE_RETRY_MS = 10_000;

/** Attempts to copy what came meanwhile, before events of the site wait, and then with waiting events. */
export const SITE_COPY_PASSES_MAX = 10;

/** Characters of a refused value that an error message quotes. */
export const VALUE_QUOTED_CHARS_MAX = 64;

// Goals, saved filters, annotations and rules of a site

export const GOALS_MAX = 50;
export const SEGMENTS_MAX = 200;
export const ANNOTATIONS_MAX = 2_000;
export const RULES_MAX = 20;

/** Goals that one query counts: of the wildcard patterns that a query may have, some are left for filters. */
export const GOALS_OF_QUERY_MAX = 25;

/** Each text that a segment saves, in code points. */
export const SEGMENT_CHARS_MAX = 8_192;

/** The filters of a rule, and those of all applied rules of a site together, in code points. */
export const RULE_CHARS_MAX = 8_192;

/** Conditions of all applied rules of a site together: every report has them. */
export const RULES_CONDITIONS_MAX = 30;

/** Key and value of the property that a goal asks for, in code points. */
export const GOAL_PROPERTY_CHARS_MAX = 512;

/** UTF-8 of a site's items of one kind as JSON: a row of a Durable Object holds 2 MB. */
export const COLLECTION_BYTES_MAX = MIB;

/** Changes of goals, segments, annotations or rules that may wait for the current one. */
export const COLLECTION_CHANGES_WAITING_MAX = 64;
