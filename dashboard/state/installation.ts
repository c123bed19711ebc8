/** What the service knows about the installation of the site of the view. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { getInstallation } from "../api/admin.ts";
import type { Installation } from "../api/types.ts";
import { handleFailure, refreshCount } from "./connection.ts";

/** Between two requests about a site, at least: on Workers, each of them asks the objects of all sites that run. */
const PAUSE_MS = 60_000;

/** Null if the service cannot tell. */
const answer = signal<{ readonly siteId: string; readonly installation: Installation | null } | null>(null);

let asked: { readonly siteId: string; readonly atMs: number } | null = null;

async function ask(siteId: string): Promise<void> {
  if (asked?.siteId === siteId && performance.now() - asked.atMs < PAUSE_MS) return;
  const question = { siteId, atMs: performance.now() };
  asked = question;
  let installation: Installation | null = null;
  try {
    installation = await getInstallation(siteId);
  } catch (error) {
    handleFailure(error);
  }
  if (asked !== question) return;
  answer.value = { siteId, installation };
  if (installation === null) asked = null;
}

/** Null if the service cannot tell, undefined until it has answered; without a site, it is not asked. A refresh asks again after a minute. */
export function useInstallation(siteId: string | null): Installation | null | undefined {
  const refresh = refreshCount.value;
  useEffect(() => {
    if (siteId !== null) void ask(siteId);
  }, [siteId, refresh]);
  return answer.value?.siteId === siteId ? answer.value.installation : undefined;
}
