/** A text whose parts between backticks are code. */

export const Marked = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);
