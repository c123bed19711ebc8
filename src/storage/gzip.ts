/** Gzip (RFC 1952) by the Compression Streams that Node and workerd share. Smaller than Snappy by a third, and slower. */

/** Feeds all bytes to a stream. Its errors reach the reader of the other end. */
function feed(stream: CompressionStream | DecompressionStream, bytes: Uint8Array): ReadableStreamDefaultReader<Uint8Array> {
  const writer = stream.writable.getWriter();
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
  return stream.readable.getReader();
}

export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const reader = feed(new CompressionStream("gzip"), bytes);
  const chunks: Uint8Array[] = [];
  for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
  const packed = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    packed.set(chunk, at);
    at += chunk.length;
  }
  return packed;
}

/** Rejects unless the decompressed bytes are `size` long. */
export async function gunzip(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  const reader = feed(new DecompressionStream("gzip"), bytes);
  const unpacked = new Uint8Array(size);
  let at = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (at + read.value.length > size) throw new Error("a compressed page is longer than it says");
    unpacked.set(read.value, at);
    at += read.value.length;
  }
  if (at < size) throw new Error("a compressed page is shorter than it says");
  return unpacked;
}
