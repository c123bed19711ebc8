/** Bytes that count their reads: the work of a comparison, measured without a clock. */

export interface CountedBytes {
  readonly bytes: Uint8Array;
  reads(): number;
}

export function countReads(bytes: Uint8Array): CountedBytes {
  let reads = 0;
  const counted = new Proxy(bytes, {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) reads++;
      return Reflect.get(target, key) as unknown;
    },
  });
  return { bytes: counted, reads: () => reads };
}
