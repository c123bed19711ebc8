/** Rewrites the generated parts of docs/http-api.md, below the current folder. */
import { readFileSync, writeFileSync } from "node:fs";
import { ROUTES } from "../src/handlers/app.ts";
import { openapiDocument } from "../src/handlers/openapi.ts";
import { withApiReference } from "./api-reference.ts";

const PAGE = "docs/http-api.md";

writeFileSync(PAGE, withApiReference(readFileSync(PAGE, "utf8"), openapiDocument(ROUTES), ROUTES));
