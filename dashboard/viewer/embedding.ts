/** A viewer's page in the frame of another page: `?embed=1` (docs/sharing.md, "Embedding"). */

/** A frame keeps its parameters, whatever is chosen in it. */
export const isEmbedded = new URLSearchParams(location.search).get("embed") === "1";

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
