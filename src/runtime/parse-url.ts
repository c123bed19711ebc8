/** How a text that may be no URL is read: by trying, because `URL.canParse` of Node 20 denies texts beyond ASCII once it is called often. */

/** Null for what is no absolute URL. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
