/** Numbers of autonomous systems (RFC 4271, RFC 6793), by which networks are named. */

const ASN_MAX = 0xffff_ffff;

export const isAsn = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= ASN_MAX;

/** `AS64496`, `as64496` or `64496`; null for what is no AS number. */
export function parseAsn(text: string): number | null {
  const [, digits = ""] = /^(?:AS)?([1-9]\d{0,9})$/i.exec(text) ?? [];
  const asn = Number(digits);
  return isAsn(asn) ? asn : null;
}
