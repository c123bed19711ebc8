/** The documented statuses that need a failing part, which only the app in process allows. */
import { expect, it } from "vitest";
import { ROUTES } from "../../src/handlers/app.ts";
import { openapiDocument } from "../../src/handlers/openapi.ts";
import { answerProblems, documentedIn } from "../support/openapi.ts";
import { FAILING } from "./openapi-answers.ts";

const DOCUMENT = openapiDocument(ROUTES);
const DOCUMENTED = documentedIn(DOCUMENT);

it.each(FAILING)("$id answers $status as documented", async ({ id, status, provoke }) => {
  const route = DOCUMENTED.find((documented) => documented.id === id);
  if (!route) throw new Error(`${id} is not documented`);
  const response = await provoke();
  expect({ status: response.status, problems: await answerProblems(DOCUMENT, route, response) }).toEqual({ status, problems: [] });
});
