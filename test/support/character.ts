/** An arbitrary of all characters, for random texts. */
import fc from "fast-check";

/** Every code point except surrogates. The library's own arbitrary for these takes two seconds to create. */
export const character = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x10_ffff }))
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint));
