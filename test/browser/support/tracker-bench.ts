/** Decides how a tracker test visits a page: a fresh browser profile, site and recording each, and one way to know that nothing more came. */
import type { BrowserContext, BrowserContextOptions, Page as BrowserPage, ConsoleMessage, Request, WebError } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { EVENT_PATH } from "../../../src/runtime/base/config/names.ts";
import { SCRIPT_PATHS } from "../../../src/shared/names.ts";
import {
  MARK_PATH,
  NUMBER_HEADER,
  startEventRecorder,
  type EventRecorder,
  type Recording,
  type RecordedRequest,
} from "./event-recorder.ts";
import { servePages, type Page, type PageServer, type Site } from "./page-server.ts";
import type { TrackerBrowser } from "./tracker-browsers.ts";
import { openWindows, type Windows } from "./windows.ts";

export const SITE_ID = "shop.example";

/** The width of a page in a browser that was not told another. */
const WINDOW_WIDTH = 1280;

/** A path of the site without the script. */
const SENTINEL_PATH = "/sentinel";

/** How long a browser may take to start. */
const START_MS_MAX = 120_000;

/** How long a click or a move may take before its test fails. */
const ACTION_TIMEOUT_MS = 60_000;

/** What is known where a page is written: the two origins and the usual tag. */
export type Surroundings = { readonly site: Site; readonly recording: Recording; readonly tag: string };

export type VisitOptions = {
  /** Of the script's tag, besides `data-domain` and `src`. */
  readonly attributes?: Record<string, string>;
  /** The path, query and fragment to open. */
  readonly path?: string;
  /** HTML before the tag, in the head. */
  readonly head?: string;
  readonly body?: string | ((surroundings: Surroundings) => string);
  /** The whole HTML in place of the usual page. */
  readonly page?: (surroundings: Surroundings) => string;
  /** The page's response headers. */
  readonly headers?: Record<string, string>;
  /** Further pages of the site by path, each with the tag. */
  readonly otherPaths?: readonly string[];
  readonly hostname?: string;
  /** Runs in the page before any script of its own: for what no visitor can bring about in a test. */
  readonly prepare?: string;
  readonly context?: BrowserContextOptions;
  /** Leave `navigator.webdriver` true, as it is in a browser that a program drives. */
  readonly automated?: boolean;
  /** Where the events go; `localhost` is an origin that browsers trust. */
  readonly service?: "example" | "localhost";
  /** Where the events go when the page was written before the visit. */
  readonly recording?: Recording;
  /** Faults the page itself makes on purpose. */
  readonly expectedFaults?: readonly string[];
};

type SentEvent = Record<string, unknown>;

export type Visit = Surroundings & {
  readonly page: BrowserPage;
  readonly context: BrowserContext;
  /** What the console was warned of. */
  readonly warnings: readonly string[];
  /** The event that is to be expected from a path of the site. */
  event(name: string, path: string, fields?: SentEvent): SentEvent;
  pageview(path: string, fields?: SentEvent): SentEvent;
  /** Runs a script of the page's own and gives its value. */
  run<Value = unknown>(script: string): Promise<Value>;
  /** The means (ping, xhr, fetch) by which the browser sent each event so far. */
  means(): readonly string[];
  /** Leaves every page, ends the visit, and gives the exact list of what was sent, in the order it was sent. */
  events(): Promise<readonly SentEvent[]>;
};

export type TrackerBench = {
  readonly browser: TrackerBrowser;
  createSite(): Site;
  createRecording(): Recording;
  visit(options?: VisitOptions): Promise<Visit>;
};

/** The tag that installs the script of the service at this origin. */
export const scriptTag = (service: { readonly origin: string }, attributes: Record<string, string> = {}): string => {
  const all = { "data-domain": SITE_ID, src: service.origin + SCRIPT_PATHS[0], ...attributes };
  return `<script defer ${Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(" ")}></script>`;
};

/** More moves than any test has under way at a page's end. */
const MOVES_MAX = 10;

/** A move to which a tab does not react, because it is closing for a download at the same time: Chromium then never ends it. */
const MOVE_MS_MAX = 15_000;

const html = (head: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>${head}</head><body>${body}</body></html>`;

/** The event of a request, or the whole request if it is not a POST of text/plain (docs/http-api.md, "POST /api/event"). */
const eventFrom = (request: RecordedRequest): SentEvent => {
  const isRight =
    request.method === "POST" && request.path === EVENT_PATH && request.headers["content-type"] === "text/plain;charset=UTF-8";
  return isRight ? (JSON.parse(request.body) as SentEvent) : { unexpected: request };
};

/** Browsers call a beacon by different names. */
const meansOf = (request: Request): string => (request.resourceType() === "document" ? "ping" : request.resourceType());

/** The number of the recorded request, as soon as it is answered; none when it never is. */
const numberOf = async (request: Request): Promise<number | undefined> => {
  const response = await request.response().catch(() => null);
  const number = response?.headers()[NUMBER_HEADER];
  return number === undefined ? undefined : Number(number);
};

/**
 * Requests may overtake one another on their way, so their order is the one in which the browser announced them. Which is
 * which is told by the body, or where the browser does not show it by the answer.
 */
const inOrderOf = async (announced: readonly Request[], { requests, answer }: Recording): Promise<RecordedRequest[]> => {
  const rest = new Set(requests);
  const ordered: RecordedRequest[] = [];
  for (const request of announced) {
    const body = request.postData();
    const isAnswered = body === null && answer !== "none";
    const found = isAnswered ? requests[(await numberOf(request)) ?? -1] : [...rest].find((each) => each.body === body);
    if (found !== undefined && rest.delete(found)) ordered.push(found);
  }
  return [...ordered, ...rest];
};

/** Whether the request only outlives its page: the browser then calls it aborted and brings it to its end all the same. */
const isLeftBehind = (request: Request): boolean => /ABORTED/.test(request.failure()?.errorText ?? "");

/**
 * Leaves a page for another. A click may still be on its way to a download or a mail program, and a page makes only one
 * move at a time: whichever comes second ends the other. Each such click ends once, and so do the moves it cut short.
 */
const leave = async (page: BrowserPage, url: string): Promise<void> => {
  // Only a tab that was opened may close for a download: a page that keeps its visitor from leaving is a fault.
  const isOpened = (await page.opener()) !== null;
  for (let moves = 0; page.url() !== url && !page.isClosed(); moves++) {
    try {
      await page.goto(url, { waitUntil: "commit", ...(isOpened && { timeout: MOVE_MS_MAX }) });
    } catch (fault) {
      const isCutShort =
        fault instanceof Error &&
        (/ABORTED|interrupted by another|has been closed|Download is starting/.test(fault.message) ||
          (isOpened && fault.name === "TimeoutError"));
      if (!isCutShort || moves === MOVES_MAX) throw fault;
    }
  }
};

/**
 * Firefox, being driven, reports as faults of the page what it writes to the console about refused requests, and, when one
 * download follows another, also on pages without a script, an object that is no error. The page is told none of it.
 */
const isBrowsersOwn = (fault: WebError): boolean =>
  /^(Content-Security-Policy: |Cross-Origin Request Blocked: |uncaught exception: Object$)/.test(
    `${fault.error().name}: ${fault.error().message}`,
  );

/** What a visitor's browser says; a driven one says otherwise. */
const UNAUTOMATED = `Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false });`;

const openVisit = async (windows: Windows, site: Site, recording: Recording, options: VisitOptions): Promise<Visit> => {
  const tag = scriptTag(recording, options.attributes);
  const surroundings = { site, recording, tag };
  const body = typeof options.body === "function" ? options.body(surroundings) : (options.body ?? "<h1>Shop</h1>");
  const content: Page = {
    body: options.page?.(surroundings) ?? html((options.head ?? "") + tag, body),
    ...(options.headers && { headers: options.headers }),
  };
  const path = options.path ?? "/";
  for (const each of [path, ...(options.otherPaths ?? [])]) {
    site.publish(new URL(each, site.origin).pathname, content);
  }

  /** Leaves the page for one that asks for the mark, and waits until the browser has announced that it does. */
  const leaveForMark = async (open: BrowserPage, tab: number): Promise<void> => {
    const sentinel = `${SENTINEL_PATH}-${tab}`;
    const mark = `${recording.origin}${MARK_PATH}?${tab}`;
    site.publish(sentinel, html("", `<img src="${mark}" alt="">`));
    const announcement = open.waitForEvent("request", (request) => request.url() === mark);
    announcement.catch(() => {});
    await leave(open, site.origin + sentinel);
    // A tab that was opened for a download closes by itself.
    if (!open.isClosed()) await announcement;
  };

  const window = await windows.open((options.automated ? "" : UNAUTOMATED) + (options.prepare ?? ""), options.context);
  const { context, page } = window;
  context.setDefaultTimeout(ACTION_TIMEOUT_MS);

  const announced: Request[] = [];
  const stopped: Request[] = [];
  const faults: string[] = [];
  const warnings: string[] = [];
  const isEvent = (request: Request): boolean => request.url() === recording.origin + EVENT_PATH;
  const onRequest = (request: Request) => void (isEvent(request) && announced.push(request));
  const onFailure = (request: Request) => void (isEvent(request) && !isLeftBehind(request) && stopped.push(request));
  const onFault = (fault: WebError) => void (!isBrowsersOwn(fault) && faults.push(fault.error().message));
  const onConsole = (line: ConsoleMessage) => void (line.type() === "warning" && warnings.push(line.text()));
  context.on("request", onRequest).on("requestfailed", onFailure).on("weberror", onFault).on("console", onConsole);

  await page.goto(site.origin + path);

  const event = (name: string, at: string, fields: SentEvent = {}): SentEvent => ({
    d: SITE_ID,
    n: name,
    u: site.origin + at,
    t: 0,
    w: WINDOW_WIDTH,
    ...fields,
  });

  return {
    ...surroundings,
    page,
    context,
    warnings,
    event,
    pageview: (at, fields) => event("pageview", at, fields),
    run: (script) => page.evaluate(script),
    means: () => announced.map(meansOf),
    async events() {
      // A browser announces what a tab asks of the service in the order in which it is asked, but in its own time: in
      // Firefox events were announced as much as 140 ms after their page had loaded, and another page, which is not
      // asked of the service, may come sooner. So once it has announced the mark, its announcements are complete; then
      // each event either arrives at the service or was stopped on its way.
      for (const [tab, open] of context.pages().entries()) await leaveForMark(open, tab);
      await recording.received(announced.length - stopped.length);
      const received = await inOrderOf(announced, recording);
      const expected = options.expectedFaults ?? [];
      context.off("request", onRequest).off("requestfailed", onFailure).off("weberror", onFault).off("console", onConsole);
      await window.close();
      if (faults.join() !== expected.join()) throw new Error(`faults on the page: ${faults.join() || "none"}`);
      return received.map(eventFrom);
    },
  };
};

/**
 * Starts a browser and the two servers for the tests of a file. Its visits share nothing that a page could see, so that
 * tests may run at the same time: most of a visit is waiting.
 */
export const trackerBench = (browser: TrackerBrowser): TrackerBench => {
  let windows: Windows;
  let pages: PageServer;
  let recorder: EventRecorder;

  beforeAll(async () => {
    [windows, pages, recorder] = await Promise.all([openWindows(browser), servePages(), startEventRecorder()]);
  }, START_MS_MAX);

  afterAll(async () => {
    await windows.close();
    await Promise.all([pages.close(), recorder.close()]);
  });

  return {
    browser,
    createSite: () => pages.createSite(),
    createRecording: () => recorder.createRecording(),
    visit: (options = {}) =>
      openVisit(windows, pages.createSite(options.hostname), options.recording ?? recorder.createRecording(options.service), options),
  };
};
