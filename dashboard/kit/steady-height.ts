/** A box that is as high while its content loads as it was before, so that nothing below it moves. */
import { useEffect, useRef } from "preact/hooks";

/** Read by the style of cards. */
const HEIGHT_PROPERTY = "--loaded-height";

export function useSteadyHeight<E extends HTMLElement>() {
  const ref = useRef<E>(null);
  useEffect(() => {
    const box = ref.current;
    if (!box) return;
    const observer = new ResizeObserver(() => {
      if (!box.querySelector(".skeleton")) box.style.setProperty(HEIGHT_PROPERTY, `${box.offsetHeight}px`);
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return ref;
}
