/** The title of the browser's tab: the current visitors, as in the bar, and the site. */
import { useEffect } from "preact/hooks";
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { formatCount } from "../format/locale.ts";
import { currentVisitors } from "../state/realtime.ts";

/** `(3) example.com · Sandpiper`. null leaves the title to another page. */
export function useTabTitle(name: string | null): void {
  const current = currentVisitors.value;
  useEffect(() => {
    if (name === null) return;
    const count = current === null || current === 0 ? "" : `(${formatCount(current)}) `;
    document.title = `${count}${name} · ${PRODUCT_NAME}`;
  }, [name, current]);
}
