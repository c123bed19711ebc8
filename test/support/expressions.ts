/** Regular expressions made by a grammar: what they are made of, and what repeats it. */

/** What an expression may consist of, over and over. */
export const ATOMS = [
  "a",
  "ab",
  "()",
  "(a)",
  "(?:a|b)",
  "a0|",
  "|",
  "a?",
  "a*",
  "(?i:k)",
  "(?P<n>a)",
  "[a-z]",
  "[^a]",
  ".",
  "\\d",
  "\\Qa\\E",
  "\\x41",
  "^",
  "\\b",
];

type Repeat = (body: string, times: number) => string;

/** Ways to repeat something so many times. */
export const REPEATS: readonly Repeat[] = [
  (body, times) => `(${body}){${times}}`,
  (body, times) => `(?:${body}){0,${times}}`,
  (body, times) => `(?:${body}){${times},}`,
  (body, times) => `(?i)(?:(?:${body}){${Math.floor(times / 10)}}){10}`,
  (body, times) => `^(?U)(?:${body}){${times}}?$`,
];
