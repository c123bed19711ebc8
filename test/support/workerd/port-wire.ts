/** Encodes calls of a port and their results between a test and workerd: JSON, extended for values that JSON lacks. */

const CHUNK_BYTES = 32_768;

function base64From(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(text);
}

const bytesFrom = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

export const encode = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "number" && !Number.isFinite(part)) return { $number: String(part) };
    if (typeof part === "bigint") return { $bigint: String(part) };
    if (part instanceof Int32Array) return { $int32: [...part] };
    if (part instanceof BigInt64Array) return { $int64: [...part].map(String) };
    if (part instanceof Float64Array) return { $float64: [...part] };
    if (part instanceof Uint8Array) return { $bytes: base64From(part) };
    return part;
  });

export const decode = (text: string): unknown =>
  JSON.parse(text, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    if ("$number" in part) return Number(part.$number);
    if ("$bigint" in part) return BigInt(String(part.$bigint));
    if ("$int32" in part) return Int32Array.from(part.$int32 as number[]);
    if ("$int64" in part) return BigInt64Array.from((part.$int64 as string[]).map(BigInt));
    if ("$float64" in part) return Float64Array.from(part.$float64 as number[]);
    if ("$bytes" in part) return bytesFrom(String(part.$bytes));
    return part;
  });

export type PortName = "segmentLog" | "records" | "objects" | "engine" | "pages";

/** A call of a port's method. A later call can cancel it by its `id`. */
export interface PortCall {
  readonly port: PortName;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly id: number;
}

export type PortMessage = PortCall | { readonly cancel: number };

export type PortReply = { readonly result: unknown } | { readonly error: { readonly name: string; readonly message: string } };
