/** Who may call a route. */
import { AppError } from "../runtime/errors.ts";
import type { Services } from "../runtime/services.ts";

/**
 * `public`: everyone. `ingest`: everyone whose site the allowlist names. `stats`: open until an admin
 * password exists, then callers with a credential.
 */
export type Access = "public" | "ingest" | "stats";

export function checkAccess(access: Access, { config }: Services): void {
  if (access === "stats" && config.adminPassword !== null) {
    throw new AppError({ code: "unauthenticated" }, "A valid session or API key is required");
  }
}
