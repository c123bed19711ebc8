/** Static files that the build bundles with the program: how they are packed and looked up. */

/** One file in all encodings in which it can be sent. */
export interface Asset {
  /** The Content-Type header, with a charset for text. */
  readonly contentType: string;
  /** A hash of the content. */
  readonly version: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Absent when compression saves too little. */
  readonly brotli?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

/** The file of that name, or null. */
export type Assets = (name: string) => Asset | null;

/** A file as the build writes it: strings only, so that any bundler can include it. */
export interface PackedAsset {
  readonly contentType: string;
  readonly version: string;
  readonly text: string;
  /** In base64. */
  readonly brotli?: string;
  readonly gzip?: string;
}

export type PackedAssets = Readonly<Record<string, PackedAsset>>;

const bytesOfBase64 = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

export const unpackAsset = ({ contentType, version, text, brotli, gzip }: PackedAsset): Asset => ({
  contentType,
  version,
  bytes: new TextEncoder().encode(text),
  ...(brotli !== undefined && { brotli: bytesOfBase64(brotli) }),
  ...(gzip !== undefined && { gzip: bytesOfBase64(gzip) }),
});

/** Unpacks each file on first use. */
export function createAssets(packed: PackedAssets): Assets {
  const unpacked = new Map<string, Asset>();
  return (name) => {
    const known = unpacked.get(name);
    if (known) return known;
    const found = Object.hasOwn(packed, name) ? packed[name] : undefined;
    if (!found) return null;
    const asset = unpackAsset(found);
    unpacked.set(name, asset);
    return asset;
  };
}
