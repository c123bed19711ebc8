/** Static files that the build bundles with the program: their packed form, and the lookup by name (docs/http-api.md, "Static files"). */

/** A file in all its content encodings. */
export interface Asset {
  /** The Content-Type header, with a charset for text. */
  readonly contentType: string;
  /** A hash of the content, for the ETag. */
  readonly version: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Both compressed forms are absent if compression saves too little. */
  readonly brotli?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

/** Returns the file with this name; null if there is none. */
export type Assets = (name: string) => Asset | null;

/** A file as the build writes it: strings only, so that every bundler can include it. */
export interface PackedAsset {
  readonly contentType: string;
  readonly version: string;
  readonly text: string;
  /** Base64, like `gzip`. */
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
