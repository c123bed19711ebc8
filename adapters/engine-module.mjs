/**
 * Removes the exported C++ symbols from DuckDB's WebAssembly module. Only extensions link to them, and none is ever loaded. They are
 * 72,000 of 75,000 exports, each of which costs an object and several lookups at every start. Without them a start takes 0.8 s of
 * processor time instead of 2.2 s, and the process 165 MB instead of 305 MB. The builds of both hosts do this.
 */

/** Section ids and kinds of imports: https://webassembly.github.io/spec/core/binary/modules.html. */
const CUSTOM_SECTION = 0;
const IMPORT_SECTION = 2;
const EXPORT_SECTION = 7;
const HEADER_BYTES = 8;

const FUNCTION = 0;
const TABLE = 1;
const MEMORY = 2;
const GLOBAL = 3;
const TAG = 4;

/** The module imports the addresses of some of its own symbols from these; the glue code looks them up among the exports. */
const ADDRESS_IMPORTS = new Set(["GOT.func", "GOT.mem"]);

/** Marks the variant of a symbol whose types the glue code has not changed. */
const VARIANT_PREFIX = "orig$";

/** The prefix of every mangled C++ name: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling. */
const CXX_PREFIX = "_Z";

const decoder = new TextDecoder();

class Reader {
  /** @param {Uint8Array} bytes @param {number} at */
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** An unsigned LEB128. */
  number() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  name() {
    const length = this.number();
    this.at += length;
    return decoder.decode(this.bytes.subarray(this.at - length, this.at));
  }

  limits() {
    const hasMax = (this.byte() & 1) === 1;
    this.number();
    if (hasMax) this.number();
  }
}

/** @param {readonly Uint8Array[]} parts */
const bytesOf = (parts) => parts.reduce((sum, { length }) => sum + length, 0);

/** @param {number} value */
function encodeNumber(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
}

/** @param {Reader} reader */
function skipImportType(reader) {
  const kind = reader.byte();
  if (kind === TABLE || kind === TAG) reader.byte();
  if (kind === TABLE || kind === MEMORY) reader.limits();
  else if (kind === FUNCTION || kind === TAG) reader.number();
  else if (kind === GLOBAL) reader.at += 2;
}

/** The symbols whose addresses the module imports. @param {Reader} reader @returns {Set<string>} */
function readAddressNames(reader) {
  const names = new Set();
  for (let left = reader.number(); left > 0; left--) {
    const from = reader.name();
    const name = reader.name();
    if (ADDRESS_IMPORTS.has(from)) names.add(name);
    skipImportType(reader);
  }
  return names;
}

/** The export section without the removed exports. @param {Reader} reader @param {ReadonlySet<string>} addressNames */
function keepExports(reader, addressNames) {
  const kept = [];
  for (let left = reader.number(); left > 0; left--) {
    const start = reader.at;
    const name = reader.name();
    const symbol = name.startsWith(VARIANT_PREFIX) ? name.slice(VARIANT_PREFIX.length) : name;
    reader.at++;
    reader.number();
    if (!symbol.startsWith(CXX_PREFIX) || addressNames.has(symbol)) kept.push(reader.bytes.subarray(start, reader.at));
  }
  const count = encodeNumber(kept.length);
  const sectionBytes = count.length + bytesOf(kept);
  return [Uint8Array.of(EXPORT_SECTION, ...encodeNumber(sectionBytes), ...count), ...kept];
}

/** Appends a custom section, so that the file ends in `text`. @param {Uint8Array} bytes @param {string} text */
export function markedModule(bytes, text) {
  const encoder = new TextEncoder();
  const name = encoder.encode("build");
  const content = Buffer.concat([Uint8Array.of(...encodeNumber(name.length)), name, encoder.encode(text)]);
  return Buffer.concat([bytes, Uint8Array.of(CUSTOM_SECTION, ...encodeNumber(content.length)), content]);
}

/** @param {Uint8Array} bytes */
export function slimEngineModule(bytes) {
  const parts = [bytes.subarray(0, HEADER_BYTES)];
  /** @type {ReadonlySet<string>} */
  let addressNames = new Set();
  for (let at = HEADER_BYTES; at < bytes.length;) {
    const reader = new Reader(bytes, at);
    const section = reader.byte();
    const length = reader.number();
    const end = reader.at + length;
    if (section === IMPORT_SECTION) addressNames = readAddressNames(new Reader(bytes, reader.at));
    parts.push(...(section === EXPORT_SECTION ? keepExports(reader, addressNames) : [bytes.subarray(at, end)]));
    at = end;
  }
  return Buffer.concat(parts);
}
