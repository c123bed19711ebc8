/**
 * Evidence: what speaks for a program behind an event, as codes that are stored with it (docs/privacy.md, "Evidence"). A code tells a
 * fact and judges nothing; reports decide what follows from it. What an event is made of passes through here once, and only codes remain.
 *
 * A code never changes its meaning, because stored ones are not computed again: another definition gets another code.
 */
import type { LocalDate } from "../../storage/event.ts";
import { USER_AGENT_CHARS_MAX } from "../base/config/limits.ts";
import { isDataCentre } from "./data-centres.ts";
import { type ClientHints, isHeadless } from "./device.ts";
import type { Network } from "./network.ts";

/** Where an event comes in: `POST /api/event`, the tracking pixel, or the path of another product's tag. */
export type Door = "api" | "pixel" | "tag";

/** What the tracking script tells with each event: that it is the script (0), and which of these it has found. */
const MARKS = { noScreen: 1, webdriver: 2 } as const;
export const MARK_MAX = MARKS.webdriver;

/** What ingestion has in hand when it accepts an event. */
export interface EvidenceFacts {
  readonly door: Door;
  /** The header `Origin`, which browsers send with each POST and servers leave out. */
  readonly origin: string | null;
  readonly userAgent: string;
  /** The system and browser that the User-Agent alone names. */
  readonly named: { readonly os: string | null; readonly browser: string | null };
  readonly clientHints: ClientHints;
  /** What the tracking script tells; null for what it has not sent. */
  readonly mark: number | null;
  /** The request has the header `Signature-Agent`, with which agents say who signs their requests. */
  readonly isSignedAgent: boolean;
  /** null if it is not known. */
  readonly network: Network | null;
}

interface Definition {
  /** The date of the definition. Events of before have no such code, whatever sent them. */
  readonly since: LocalDate;
  readonly meaning: string;
  readonly holds: (facts: EvidenceFacts) => boolean;
}

const define = (since: string, meaning: string, holds: Definition["holds"]): Definition => ({ since: since as LocalDate, meaning, holds });

/** Browsers that send client hints with every request over HTTPS. Web views do not if their app has changed their User-Agent. */
const SENDS_HINTS: ReadonlySet<string> = new Set(["Chrome", "Edge", "Opera"]);
const SENDS_HINTS_SINCE = 100;

/** Group 1 is the major version. `HeadlessChrome/` and Chrome on iOS (`CriOS/`), which is no Chromium, do not match. */
const CHROMIUM = / Chrome\/(\d{1,4})\./;

const ANY_CHROMIUM = /Chrom(?:e|ium)\//;

/** Firefox and Safari, which send no client hints. */
const OTHER_ENGINE = /\bFirefox\/\d|\bVersion\/[\d.]{1,16} (?:Mobile\/\w{1,16} )?Safari\//;

/** Windows has had the versions up to 6.3 and 10.0; Windows 11 says 10.0. */
const NO_WINDOWS = /\bWindows NT (?:[789]|1[1-9])(?!\d)/;

const AUTOMATION =
  /\b(?:CasperJS|Cypress|Happy ?DOM|HtmlUnit|jsdom|Lightpanda|Nightmare|PhantomJS|Playwright|Puppeteer|Selenium|SlimerJS|TestCafe|WebDriver)\b/i;

/** Systems that browsers name alike in User-Agent and hint. Linux is none: phones say it when they ask for pages of a desktop. */
const TOLD_ALIKE: ReadonlySet<string> = new Set(["Windows", "macOS", "Android"]);
const HINTED: ReadonlySet<string> = new Set([...TOLD_ALIKE, "Linux", "ChromeOS"]);

const chromiumVersion = (userAgent: string): number | null => {
  const major = CHROMIUM.exec(userAgent)?.[1];
  return major === undefined ? null : Number(major);
};

const sendsHints = ({ userAgent, named }: EvidenceFacts): boolean =>
  SENDS_HINTS.has(named.browser ?? "") && (chromiumVersion(userAgent) ?? 0) >= SENDS_HINTS_SINCE;

const hasHints = ({ clientHints: { browser, os, mobile } }: EvidenceFacts): boolean => browser !== null || os !== null || mobile !== null;

function contradictsHints({ userAgent, named, clientHints }: EvidenceFacts): boolean {
  const { browser, engineVersion, os, mobile } = clientHints;
  if (browser !== null && !ANY_CHROMIUM.test(userAgent) && OTHER_ENGINE.test(userAgent)) return true;
  if (engineVersion !== null && SENDS_HINTS.has(named.browser ?? "")) {
    const version = chromiumVersion(userAgent);
    if (version !== null && String(version) !== engineVersion) return true;
  }
  if (named.os === null || !TOLD_ALIKE.has(named.os)) return false;
  return (os !== null && HINTED.has(os) && os !== named.os) || (mobile === true && named.os !== "Android");
}

/** The codes, in the order in which they are stored. */
const DEFINITIONS = {
  automation: define("2026-11-28", "The `User-Agent` names a library that drives browsers or stands in for one.", ({ userAgent }) =>
    AUTOMATION.test(userAgent),
  ),
  data_centre: define(
    "2026-11-29",
    "A page or a pixel sent it from the network of a provider that rents out machines. Only where networks are known.",
    ({ door, origin, network }) => network !== null && !(door === "api" && origin === null) && isDataCentre(network.asn),
  ),
  headless: define(
    "2026-11-28",
    "`User-Agent` or client hints name a browser without a window.",
    ({ userAgent, clientHints }) => isHeadless(clientHints) || userAgent.includes("Headless"),
  ),
  impossible: define(
    "2026-11-28",
    "`User-Agent` and client hints contradict each other in engine, version, system or kind of device, or name a Windows that does not exist.",
    (facts) => NO_WINDOWS.test(facts.userAgent) || (hasHints(facts) && contradictsHints(facts)),
  ),
  no_hints: define(
    "2026-11-28",
    "Chrome, Edge or Opera, version 100 or later by the `User-Agent`, sent no client hint from a page with HTTPS.",
    (facts) => facts.origin?.startsWith("https://") === true && !hasHints(facts) && sendsHints(facts),
  ),
  no_screen: define("2026-11-28", "The tracking script found a screen without width.", ({ mark }) => mark === MARKS.noScreen),
  signed_agent: define(
    "2026-11-28",
    "The request has the header `Signature-Agent`, with which agents name themselves. The signature is not checked.",
    ({ isSignedAgent }) => isSignedAgent,
  ),
  unmarked: define(
    "2026-11-28",
    "A page posted to `/api/event` without the mark of the tracking script: another tag, a script of before this version, or a program.",
    ({ door, origin, mark }) => door === "api" && origin !== null && mark === null,
  ),
  webdriver: define(
    "2026-11-28",
    "The tracking script found a browser that is under remote control. It sends such events with `data-include-local` only.",
    ({ mark }) => mark === MARKS.webdriver,
  ),
} satisfies Record<string, Definition>;

export type EvidenceCode = keyof typeof DEFINITIONS;

export const EVIDENCE = DEFINITIONS as Readonly<Record<EvidenceCode, Definition>>;

/** Sorted. */
export const EVIDENCE_CODES = Object.keys(DEFINITIONS).sort() as readonly EvidenceCode[];

const IN_ORDER = EVIDENCE_CODES.map((code) => [code, EVIDENCE[code].holds] as const);

/** The sorted codes that hold, joined by spaces; null for most events, of which none does. */
export function evidenceOf(facts: EvidenceFacts): string | null {
  const read =
    facts.userAgent.length > USER_AGENT_CHARS_MAX ? { ...facts, userAgent: facts.userAgent.slice(0, USER_AGENT_CHARS_MAX) } : facts;
  let evidence: string | null = null;
  for (const [code, holds] of IN_ORDER) if (holds(read)) evidence = evidence === null ? code : `${evidence} ${code}`;
  return evidence;
}

/** The known codes of a text of codes, as `evidenceOf` would write them. */
export function parseEvidence(text: string): string | null {
  const given = new Set(text.split(" ", EVIDENCE_CODES.length + 1));
  return EVIDENCE_CODES.filter((code) => given.has(code)).join(" ") || null;
}
