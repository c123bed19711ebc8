/** Files that every browser gets alike, made by the build and bundled with the program: how they are carried and looked up. */

/** One file in the forms in which it can be sent. */
export interface Asset {
  /** As HTTP writes it, with the charset where there is one. */
  readonly contentType: string;
  /** Tells this content from any other; made of it. */
  readonly version: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Absent where compressing does not pay. */
  readonly brotli?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

/** The file of that name, or null. */
export type Assets = (name: string) => Asset | null;

/** A file as the build writes it: all of it is text, so that any bundler can carry it. */
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

/** Unpacks each file when it is first asked for. */
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
