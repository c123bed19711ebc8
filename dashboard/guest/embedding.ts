/** A viewer's page in the frame of another page: `?embed=1` (docs/sharing.md, "Embedding"). */
import { navigate, param, PERIOD_PARAMS } from "../state/url.ts";

/** The parameters of the frame's address, whatever is chosen in it. */
const FRAME = new URLSearchParams(location.search);

export const isEmbedded = FRAME.get("embed") === "1";

export const hasOtherDates = (): boolean => PERIOD_PARAMS.some((name) => param(name) !== FRAME.get(name));

/** Shows the dates of the frame's address again, by its interval. */
export const showFrameDates = (): void =>
  navigate(Object.fromEntries([...PERIOD_PARAMS, "interval"].map((name) => [name, FRAME.get(name)])));

/** Tells the page around the frame how high the content is. It is no secret, so any page may know. */
export function tellHeight(content: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    parent.postMessage({ type: "sandpiper:height", height: Math.ceil(content.getBoundingClientRect().height) }, "*");
  });
  observer.observe(content);
  return () => observer.disconnect();
}

/** The same view with all of the page. */
export function wholePageUrl(search: string): string {
  const parameters = new URLSearchParams(search);
  for (const name of ["embed", "theme", "panel"]) parameters.delete(name);
  const query = parameters.toString();
  return `${location.origin}${location.pathname}${query === "" ? "" : `?${query}`}`;
}
