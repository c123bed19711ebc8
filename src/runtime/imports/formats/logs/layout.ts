/** What the layouts of server logs have in common: lines are read one after the other. */
import type { BadRowReason } from "../../rows.ts";
import type { LoggedRequest } from "./request.ts";

/** null for a line without a request: a blank one, a header. */
export type ParsedLine = LoggedRequest | BadRowReason | null;

export interface LineReader {
  read(line: string): ParsedLine;
  /** What the lines so far have said about the ones to come, for a reader that goes on after them. null if nothing. */
  readonly state: string | null;
}

export interface Layout {
  /** The name of the format. */
  readonly name: string;
  readonly product: string;
  /** Why a file that begins with this text cannot be imported, and how to get one that can; null if it can. */
  readonly adviceOn?: (text: string) => string | null;
  /** `state` is that of a reader of earlier lines of the same file. */
  open(state: string | null): LineReader;
}

/** A layout whose lines do not depend on each other. */
export const lineByLine = (name: string, product: string, read: (line: string) => ParsedLine): Layout => ({
  name,
  product,
  open: () => ({ read: (line) => (line === "" ? null : read(line)), state: null }),
});

/** Method and target of a request line such as `GET /path HTTP/1.1`. Both empty for what is none. */
export function requestLineOf(text: string): { readonly method: string; readonly target: string } {
  const methodEnd = text.indexOf(" ");
  if (methodEnd < 1) return { method: "", target: "" };
  const protocolAt = text.lastIndexOf(" HTTP/");
  const target = text.slice(methodEnd + 1, protocolAt > methodEnd ? protocolAt : undefined).trim();
  return { method: text.slice(0, methodEnd), target };
}
