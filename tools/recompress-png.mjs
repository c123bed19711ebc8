/** Makes a screenshot smaller without a change of its pixels: no alpha channel, and for each line the filter that suits it (PNG, 9 and 12.8). */
import { Buffer } from "node:buffer";
import { crc32 as zlibCrc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** @param {Buffer} png @returns {{ type: string, data: Buffer }[]} */
function chunksOf(png) {
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(zlibCrc32(body), body.length + 4);
  return framed;
}

/** The Paeth predictor (PNG, 9.4). @param {number} left @param {number} above @param {number} corner */
function paeth(left, above, corner) {
  const [toLeft, toAbove, toCorner] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** The value that each filter subtracts from a byte. @type {readonly ((left: number, above: number, corner: number) => number)[]} */
const PREDICTORS = [() => 0, (left) => left, (_, above) => above, (left, above) => (left + above) >> 1, paeth];

/**
 * Calls back with each byte of a line and what the filter predicts for it.
 * @param {Buffer} line
 * @param {Buffer | undefined} above
 * @param {{ filter: number, pixelBytes: number }} form
 * @param {(at: number, predicted: number) => void} each
 */
function predict(line, above, { filter, pixelBytes }, each) {
  const predictor = PREDICTORS[filter] ?? (() => 0);
  for (let at = 0; at < line.length; at++) {
    const before = at - pixelBytes;
    each(at, predictor(before < 0 ? 0 : (line[before] ?? 0), above?.[at] ?? 0, before < 0 ? 0 : (above?.[before] ?? 0)));
  }
}

/** The lines of an image. @param {Buffer} data @param {{ lineBytes: number, pixelBytes: number }} form */
function unfilter(data, { lineBytes, pixelBytes }) {
  /** @type {Buffer[]} */
  const lines = [];
  for (let at = 0; at < data.length; at += lineBytes + 1) {
    const line = Buffer.from(data.subarray(at + 1, at + 1 + lineBytes));
    predict(line, lines.at(-1), { filter: data[at] ?? 0, pixelBytes }, (i, predicted) => {
      line[i] = ((line[i] ?? 0) + predicted) & 255;
    });
    lines.push(line);
  }
  return lines;
}

/** @param {Buffer} line @param {Buffer | undefined} above @param {number} filter */
function filtered(line, above, filter) {
  const result = Buffer.alloc(line.length + 1);
  result[0] = filter;
  predict(line, above, { filter, pixelBytes: 3 }, (i, predicted) => {
    result[i + 1] = ((line[i] ?? 0) - predicted) & 255;
  });
  return result;
}

/** The distance of the bytes from zero. @param {Buffer} line */
const costOf = (line) => line.reduce((sum, byte) => sum + Math.min(byte, 256 - byte), 0);

/** @param {readonly Buffer[]} lines @param {readonly number[]} filters of which each line takes the best */
const compressed = (lines, filters) =>
  deflateSync(
    Buffer.concat(
      lines.map((line, i) =>
        filters.map((filter) => filtered(line, lines[i - 1], filter)).reduce((a, b) => (costOf(b) < costOf(a) ? b : a)),
      ),
    ),
    { level: 9, memLevel: 9 },
  );

/** Drops the alpha channel. @param {Buffer} line @param {number} pixelBytes */
const colorsOf = (line, pixelBytes) => (pixelBytes === 3 ? line : Buffer.from(line.filter((_, i) => i % 4 !== 3)));

/** An opaque image of 8 bits a channel. @param {Buffer} png */
export function recompress(png) {
  const chunks = chunksOf(png);
  const header = Buffer.from(chunks.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(0));
  const [width, bits, color, interlace] = [header.readUInt32BE(0), header[8], header[9], header[12]];
  if (bits !== 8 || (color !== 2 && color !== 6) || interlace !== 0) throw new Error("only opaque images of 8 bits a channel");
  const pixelBytes = color === 2 ? 3 : 4;
  const data = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map((idat) => idat.data)));
  const lines = unfilter(data, { lineBytes: width * pixelBytes, pixelBytes }).map((line) => colorsOf(line, pixelBytes));
  header[9] = 2;
  const best = [[0], [1], [2], [0, 1, 2, 3, 4]]
    .map((filters) => compressed(lines, filters))
    .reduce((a, b) => (b.length < a.length ? b : a));
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", best), chunk("IEND", Buffer.alloc(0))]);
}
