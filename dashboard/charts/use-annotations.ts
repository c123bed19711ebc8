/** The annotations of the view's dates, and their refresh once one has changed. Viewers of a share link have none. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { annotationsPath, fetchAnnotations, type Annotation } from "../api/annotations.ts";
import { unfilteredScope } from "../state/scope.ts";
import { clearReportCache, useRequest } from "../state/use-report.ts";
import { hasAnnotations } from "./annotation-place.ts";

/** How often one was added, changed or deleted on this page. */
const changes = signal(0);

/** To be called after each change, so that all parts of the page show it. */
export function annotationsChanged(): void {
  clearReportCache();
  changes.value++;
}

const NONE: readonly Annotation[] = [];

/** None until they have loaded, and where they cannot be. */
export function useAnnotations(): readonly Annotation[] {
  const { data, retry } = useRequest(hasAnnotations() ? annotationsPath(unfilteredScope.value) : null, fetchAnnotations);
  const count = changes.value;
  useEffect(() => {
    if (count > 0) retry();
  }, [count]);
  return data ?? NONE;
}
