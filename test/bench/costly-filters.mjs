/** Costly filters, and the goals that some of them name. */
export const GOALS = 50;
const CONDITIONS = 12;

/** Goals of which half have a wildcard and half a property: each is a test of its own. */
export const goalOf = (/** @type {number} */ i) => ({
  name: `goal ${i}`,
  ...(i % 2 === 0 ? { page: `/articles/${i}*/a-title` } : { event: "Purchase", property: { key: "plan", value: `pro ${i}` } }),
});

export const listOf = (/** @type {number} */ count, /** @type {(i: number) => string} */ of) =>
  Array.from({ length: count }, (_, i) => of(i));

/** `n` is another number in each request, so that nothing is cached. */
export const emptyGroups = (/** @type {number} */ n) => `pages=matches=(${"()".repeat(115)}${n}){1000}`;
export const conditionsOnGoals = (/** @type {number} */ n) => listOf(CONDITIONS, (i) => `goal=!in=(goal ${i},nothing ${n})`).join(";");
export const conditionsOfGoals = (/** @type {number} */ n) => listOf(CONDITIONS, (i) => `goal=contains=(goal,${i},${n})`).join(";");
