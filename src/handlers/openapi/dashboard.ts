/** Describes the dashboard's page and its files (docs/http-api.md, "Static files"). */
import { ASSETS_PATH, DASHBOARD_PAGE, SHARE_PATH } from "../../runtime/base/config/names.ts";
import { CODED, FILE_HEADERS, NOT_STORED, required, UNCHANGED } from "./headers.ts";
import type { Headers, Operation } from "./operation.ts";
import { text } from "../../runtime/query/json-schema.ts";

const PAGE: Headers = {
  "Content-Security-Policy": required("Allows only the page's own files."),
  "X-Frame-Options": { description: "The page cannot be framed.", required: true, schema: { type: "string", const: "DENY" } },
  "Permissions-Policy": required("Disables browser features that the page does not use."),
};

const SHARE_PAGE: Headers = {
  ...FILE_HEADERS,
  ...NOT_STORED,
  ...PAGE,
  "X-Frame-Options": { description: "Unless the share link may be embedded.", schema: { type: "string", const: "DENY" } },
  "X-Robots-Tag": {
    description: "Search engines that load the page do not list it.",
    required: true,
    schema: { type: "string", const: "noindex" },
  },
};

const file = { schema: text("The file.", { minLength: 1 }) };

export const DASHBOARD_OPERATIONS = {
  "GET /": {
    operationId: "getDashboard",
    tag: "Service",
    summary: "The dashboard",
    answers: {
      200: { description: "The page.", headers: { ...FILE_HEADERS, ...CODED, ...PAGE }, content: { "text/html": file } },
      304: { description: UNCHANGED, headers: { ...FILE_HEADERS, ...PAGE } },
    },
  },
  [`GET ${SHARE_PATH}/:key` as const]: {
    operationId: "getSharePage",
    tag: "Service",
    summary: "The dashboard for a share link or a public site",
    description: "The same page whether or not the link exists. `Content-Security-Policy` names the origins that may embed it.",
    parameters: [
      {
        name: "key",
        in: "path",
        description: "The token of a share link, or the id of a public site.",
        required: true,
        schema: text("A token or a site id.", { minLength: 1 }),
        example: "example.com",
      },
    ],
    answers: {
      200: { description: "The page.", headers: { ...SHARE_PAGE, ...CODED }, content: { "text/html": file } },
      304: { description: UNCHANGED, headers: SHARE_PAGE },
    },
  },
  [`GET ${ASSETS_PATH}/:name` as const]: {
    operationId: "getAsset",
    tag: "Service",
    summary: "A file of the dashboard",
    parameters: [
      {
        name: "name",
        in: "path",
        description: `The name in the page, which contains a hash of the content, so the file may be cached forever. Not \`${DASHBOARD_PAGE}\`.`,
        required: true,
        schema: text("The file's name.", { minLength: 1 }),
        example: "page-1.js",
      },
    ],
    answers: {
      200: {
        description: "The file.",
        headers: { ...FILE_HEADERS, ...CODED },
        content: { "text/javascript": file, "text/css": file, "application/json": {}, "image/svg+xml": file },
      },
      304: { description: UNCHANGED, headers: FILE_HEADERS },
    },
    refusals: { not_found: "There is no file with this name." },
  },
} satisfies Readonly<Record<string, Operation>>;
