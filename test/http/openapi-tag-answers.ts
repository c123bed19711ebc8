/** Requests for the documented statuses of other products' tags (see `openapi-answers.ts`). */
import { createMemorySegmentLog } from "../support/memory-segment-log.ts";
import { CLOSED, logIn } from "../support/auth-requests.ts";
import { createInProcessTarget, type InProcessParts } from "../support/in-process-target.ts";
import { browserHeaders, putSettings, type RequestHeaders } from "../support/requests.ts";
import type { Target } from "../support/target.ts";
import type { Failing, Provoked } from "./openapi-answers.ts";
import { afterTheLimit, LIMITED, never } from "./openapi-auth-answers.ts";

const PAGE: RequestHeaders = { origin: "https://page.test" };

/** The request for an id of a site; null leaves it out. */
type Tag = (target: Target, id: string | null, headers?: RequestHeaders) => Promise<Response>;

const send = (target: Target, method: string, path: string, headers: RequestHeaders = {}, body?: string | Uint8Array<ArrayBuffer>) =>
  target.fetch(path, { method, headers: browserHeaders(headers), ...(body !== undefined && { body }) });

const queryOf = (values: Readonly<Record<string, string | null>>): string =>
  new URLSearchParams(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))).toString();

const matomoQuery = (idsite: string | null): string => queryOf({ idsite, url: "https://page.test/" });

/** GoatCounter's id is the host of the page, and what it can lack is the path. */
const goatcounter =
  (method: string): Tag =>
  (target, id, headers) =>
    send(target, method, `/count?${queryOf({ p: id === null ? null : "/" })}`, { ...headers, referer: `https://${id ?? "page.test"}/` });

const TAGS: Readonly<Record<string, Tag>> = {
  "POST /api/send": (target, website, headers) =>
    send(
      target,
      "POST",
      "/api/send",
      headers,
      JSON.stringify({ type: "event", ...(website !== null && { payload: { website, url: "/" } }) }),
    ),
  "GET /count": goatcounter("GET"),
  "POST /count": goatcounter("POST"),
  "GET /matomo.php": (target, id, headers) => send(target, "GET", `/matomo.php?${matomoQuery(id)}`, headers),
  "POST /matomo.php": (target, id, headers) =>
    // Without an id also without a body, so that it is the address that lacks it.
    send(target, "POST", "/matomo.php", headers, id === null ? JSON.stringify({ requests: 7 }) : matomoQuery(id)),
};

const SITE = "tagged.test";

/** Sites that other cases set have other aliases. */
const ID = "openapi.test";

async function withAlias(target: Target): Promise<void> {
  const aliases = ["umami", "goatcounter", "matomo"].map((product) => `${product}:${ID}`);
  await (await putSettings(target, SITE, { aliases }, await logIn(target))).arrayBuffer();
}

const TOO_LONG = "x".repeat(65);

const answersOf = ([id, tag]: readonly [string, Tag]): readonly Provoked[] => [
  { id, status: 200, environment: CLOSED, send: async (target) => (await withAlias(target), tag(target, ID, PAGE)) },
  { id, status: 400, send: (target) => tag(target, TOO_LONG, PAGE) },
  { id, status: 403, send: (target) => tag(target, "nobody.test", PAGE) },
  { id, status: 422, send: (target) => tag(target, null) },
  {
    id,
    status: 429,
    environment: LIMITED,
    async send(target) {
      await withAlias(target);
      await (await tag(target, ID)).arrayBuffer();
      return tag(target, ID);
    },
  },
];

const tooLarge = (path: string): Provoked => ({
  id: `POST ${path}`,
  status: 413,
  send: (target) => send(target, "POST", path, {}, new Uint8Array(65_537)),
});

const preflight = (path: string): Provoked => ({
  id: `OPTIONS ${path}`,
  status: 204,
  send: (target) => target.fetch(path, { method: "OPTIONS", headers: PAGE }),
});

export const TAG_PROVOKED: readonly Provoked[] = [
  ...Object.entries(TAGS).flatMap(answersOf),
  ...["/api/send", "/matomo.php"].flatMap((path) => [tooLarge(path), preflight(path)]),
  {
    id: "POST /matomo.php",
    status: 200,
    way: "to several requests",
    send: (target) => send(target, "POST", "/matomo.php", {}, JSON.stringify({ requests: [`?${matomoQuery("nobody")}`, "?"] })),
  },
];

const journalThat = (append: () => Promise<never>): InProcessParts => ({ segmentLog: { ...createMemorySegmentLog(), append } });

const broken = async (): Promise<never> => {
  throw new Error("broken");
};

async function closedTarget(append: () => Promise<never>) {
  const target = await createInProcessTarget(CLOSED, journalThat(append));
  await withAlias(target);
  return target;
}

const eachFailing = Object.entries(TAGS).flatMap(([id, tag]): Failing[] => [
  { id, status: 408, provoke: async () => afterTheLimit(await closedTarget(never), (target) => tag(target, ID)) },
  { id, status: 503, provoke: async () => tag(await closedTarget(broken), ID) },
]);

export const TAG_FAILING: readonly Failing[] = [
  ...eachFailing,
  {
    id: "POST /matomo.php",
    status: 503,
    provoke: async () => send(await closedTarget(broken), "POST", "/matomo.php", {}, JSON.stringify({ requests: [matomoQuery(ID)] })),
  },
];
