/** Loads a part of the page when it is first shown. Until then it shows nothing, or `Loading`. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadLaterWords, words } from "../words/words.ts";
import { LinkButton } from "./inline.tsx";

/** File names contain a hash: after an update of the service, an open page no longer finds its files. */
export const NotLoaded = () => (
  <p class="problem" role="alert">
    {words.kit.notLoaded} <LinkButton onClick={() => location.reload()}>{words.kit.reload}</LinkButton>
  </p>
);

/** `Failed` replaces code that cannot be fetched. */
export function lazy<Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
  Failed: ComponentType = NotLoaded,
  Loading: ComponentType | null = null,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [hasFailed, setFailed] = useState(false);
    const [, setLoaded] = useState(Loaded !== null);
    useEffect(() => {
      let isShown = true;
      load().then(
        (component) => {
          Loaded = component;
          if (isShown) setLoaded(true);
        },
        () => isShown && setFailed(true),
      );
      return () => {
        isShown = false;
      };
    }, []);
    if (hasFailed) return <Failed />;
    if (Loaded) return <Loaded {...props} />;
    return Loading && <Loading />;
  };
}

/** Loads a part that is not in the first view, and its words before it. */
export const lazyWithWords = <Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
  ...states: [Failed?: ComponentType, Loading?: ComponentType]
): ComponentType<Props> => lazy(() => loadLaterWords().then(load), ...states);

const styles = new Map<string, Promise<void>>();

/** Loads a style with the first use of what needs it. Resolves once it applies; the next call retries a failed load. */
export function loadStyle(name: string): Promise<void> {
  const known = styles.get(name);
  if (known) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(name, import.meta.url).href;
    link.addEventListener("load", () => resolve());
    link.addEventListener("error", () => {
      link.remove();
      styles.delete(name);
      reject(new Error("The style could not be loaded"));
    });
    document.head.append(link);
  });
  styles.set(name, loading);
  return loading;
}
