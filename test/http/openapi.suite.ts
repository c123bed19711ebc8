/** The OpenAPI document against the service that serves it (docs/http-api.md, "OpenAPI"). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import { openapiDocument, type OpenapiDocument } from "../../src/handlers/openapi.ts";
import { INGEST_HEADERS } from "../../src/handlers/openapi/headers.ts";
import type { Answer } from "../../src/handlers/openapi/operation.ts";
import { answerOf, answerProblems, documentedIn, isGet, isIngest, pathWith, problemsWith, requiredValues } from "../support/openapi.ts";
import { itNeeds, SHORT_DEMO, siteNames, type Environment, type MakeTarget, type Target } from "../support/target.ts";
import { PROVOKED, type Provoked } from "./openapi-answers.ts";
import { recordEvents } from "./openapi-events.ts";

const siteName = siteNames("openapi");

/** For the names of the cases. What is checked is the document that the target serves, which differs in its version only. */
const DOCUMENT = openapiDocument(ROUTES);

const ROUTES_DOCUMENTED = documentedIn(DOCUMENT);

/** Any page may read the answers at the path of events. */
const readable = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, ...INGEST_HEADERS } });

const titleOf = ({ id, status, way }: Provoked): string => `${id} answers ${status} as documented${way === undefined ? "" : `: ${way}`}`;

/**
 * Its own lists are empty, no report is under way here (see `stats-progress.test.ts`), and nothing is found without weeks of history (see
 * `stats-changes.suite.ts`).
 */
const WITHOUT_FIGURES = ["GET /api/openapi.json", "GET /api/stats/progress", "GET /api/stats/changes"];

/** Lists in an answer that have nothing in them, whose items nobody has checked. */
function emptyLists(value: unknown, at = "answer"): string[] {
  if (Array.isArray(value) && value.length === 0) return [at];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => emptyLists(part, `${at}.${name}`));
}

export function describeOpenapi(makeTarget: MakeTarget): void {
  describe("the OpenAPI document", () => {
    const siteId = siteName();
    let target: Target;
    let document: OpenapiDocument;
    const others: Target[] = [];
    const targetOf = async (environment: Environment | undefined): Promise<Target> => {
      if (!environment) return target;
      const other = await makeTarget(environment);
      others.push(other);
      return other;
    };

    beforeAll(async () => {
      target = await makeTarget(SHORT_DEMO);
      document = (await (await target.fetch("/api/openapi.json")).json()) as OpenapiDocument;
      await recordEvents(target, siteId);
    });
    afterAll(async () => {
      for (const used of [target, ...others]) await used.close();
    });

    it("is served as JSON that any page may read and caches may store for an hour", async () => {
      const response = await target.fetch("/api/openapi.json");
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      const { version } = (await (await target.fetch("/health/detailed")).json()) as { version: string };
      expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openapiDocument(ROUTES, version))));
    });

    async function expectDocumented({ id, status, environment, send }: Provoked): Promise<void> {
      const route = documentedIn(document).find((documented) => documented.id === id);
      if (!route) throw new Error(`${id} is not documented`);
      const response = await send(await targetOf(environment), siteId);
      const copy = response.clone();
      expect({ status: response.status, problems: await answerProblems(document, route, response) }).toEqual({ status, problems: [] });
      const isFigures = status === 200 && copy.headers.get("content-type") === "application/json" && !WITHOUT_FIGURES.includes(id);
      if (isFigures) expect(emptyLists(await copy.json())).toEqual([]);
    }

    for (const provoked of PROVOKED) itNeeds(makeTarget, provoked.needs ?? [], titleOf(provoked), () => expectDocumented(provoked));

    const PATHS = Object.keys(DOCUMENT.paths).map((path) => ({ path, routes: ROUTES_DOCUMENTED.filter((route) => route.path === path) }));

    it.each(PATHS)("$path accepts its documented methods, and HEAD with GET", async ({ path, routes }) => {
      const methods = routes.flatMap((route) => (isGet(route) && !isIngest(route) ? ["GET", "HEAD"] : [route.method]));
      const [first] = routes;
      const refusal = answerOf(document, document.components.responses.MethodNotAllowed);
      const filled = first ? pathWith(first, requiredValues(first)) : path;
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
        const response = await target.fetch(filled, { method });
        const { status, headers } = response;
        if (methods.includes(method)) expect(status, method).not.toBe(405);
        else expect({ method, status, allow: headers.get("allow") }).toEqual({ method, status: 405, allow: methods.join(", ") });
        if (status !== 405 || method === "HEAD") continue;
        expect(await problemsWith(document, first && isIngest(first) ? readable(refusal) : refusal, response)).toEqual([]);
      }
    });

    it.each(["/nothing", "/api/stats", "/api/openapi", "/api/openapi.json/more"])("%s gives 404 as documented", async (path) => {
      const response = await target.fetch(path);
      expect(response.status).toBe(404);
      expect(await problemsWith(document, answerOf(document, document.components.responses.NotFound), response)).toEqual([]);
    });
  });
}
