/** Numbers from 0 to below 1 that depend on the seed only. */
export function numbersFrom(seed: number): () => number;
