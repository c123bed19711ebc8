/** Lazy loading: whether an element has come near the viewport, or is about to be printed. */
import { useEffect, useRef, useState } from "preact/hooks";

/** How far below the viewport loading starts. */
const MARGIN = "250px";

export function useNear<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!ref.current || isNear) return;
    const observer = new IntersectionObserver((entries) => setNear(entries.some((entry) => entry.isIntersecting)), { rootMargin: MARGIN });
    observer.observe(ref.current);
    const onPrint = () => setNear(true);
    addEventListener("beforeprint", onPrint);
    return () => {
      observer.disconnect();
      removeEventListener("beforeprint", onPrint);
    };
  }, [isNear]);
  return { ref, isNear };
}
