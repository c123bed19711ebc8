/** A typed text once nothing has been typed for a moment: no request for each key of a word. */
import { useEffect, useState } from "preact/hooks";

const TYPING_MS = 200;

export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
