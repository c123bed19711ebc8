/** The menu of the chart: copies it as an image to the clipboard, or saves the image where the browser refuses that. */
import { useState } from "preact/hooks";
import { annotatePointed, hasAnnotations } from "./annotation-place.ts";
import { Menu } from "../kit/menu.tsx";
import { fileNameOf, saveFile } from "../kit/download.ts";
import type { MetricTotals } from "./metric-totals.ts";
import type { ChartPoint } from "./points.ts";
import type { ShownMetric } from "./shown-metrics.ts";

const CONFIRMATION_MS = 4000;

interface ChartMenuProps {
  readonly metric: ShownMetric;
  readonly points: readonly ChartPoint[] | undefined;
  readonly totals: MetricTotals | undefined;
}

/** The image is given to the clipboard as a promise: some browsers refuse a copy that does not start with the click. */
async function copyOrSave(image: Promise<Blob>, name: string): Promise<string> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": image })]);
    return "Image copied";
  } catch {
    saveFile(name, await image);
    return "Image saved";
  }
}

export function ChartMenu({ metric, points, totals }: ChartMenuProps) {
  const [message, setMessage] = useState("");
  if (points === undefined || totals === undefined) return null;

  async function copy(shown: readonly ChartPoint[], of: MetricTotals) {
    const image = import("./chart-image.ts").then(({ drawImage }) => drawImage({ metric, points: shown, totals: of }));
    setMessage(await copyOrSave(image, fileNameOf(metric.id, "png")).catch(() => "Couldn't create the image"));
    setTimeout(() => setMessage(""), CONFIRMATION_MS);
  }

  return (
    <>
      <Menu
        label="Chart actions"
        buttonClass="link chart-menu"
        button={<span class="dots" aria-hidden="true" />}
        items={[
          { label: "Copy as image", onChoose: () => void copy(points, totals) },
          ...(hasAnnotations() ? [{ label: "Annotations…", hint: "N", onChoose: annotatePointed }] : []),
        ]}
      />
      <span class="chart-message" role="status">
        {message}
      </span>
    </>
  );
}
