/** Headers to which each proxy on the way appends an entry, after a comma: only the last ones are by trusted proxies. */

/**
 * The entry that the outermost of the trusted proxies wrote, which is that many from the end, without spaces around it; null
 * when there are fewer. Read from the end, for what stands before it is the sender's own and may be long.
 */
export function forwardedEntry(header: string, trustedProxies: number): string | null {
  let end = header.length;
  for (let passed = 1; passed < trustedProxies; passed++) {
    end = end === 0 ? -1 : header.lastIndexOf(",", end - 1);
    if (end === -1) return null;
  }
  const start = end === 0 ? 0 : header.lastIndexOf(",", end - 1) + 1;
  return header.slice(start, end).trim();
}
