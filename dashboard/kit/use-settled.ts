/** A typed text once typing has paused, so that there is one request for a word, not one for each key. */
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
