/** Drawings for what is empty, around the bird of the logo: it arrives, has left only its tracks, or rests until the service is back. */
import { LOGO } from "./inline.tsx";

type Scene = "arriving" | "gone" | "resting";

/** A footprint of a wader that walks to the left: three toes, and a short one behind. */
const TRACK = "m0 0-6-3.5M0 0h-7M0 0l-6 3.5M0 0h2.5";

const FIRST_TRACK = { arriving: 72, gone: 14 } as const;
const TRACK_PX = 17;
const LAST_TRACK = 140;

function Tracks({ from }: { readonly from: number }) {
  const places = Array.from({ length: Math.ceil((LAST_TRACK - from) / TRACK_PX) }, (_, i) => from + i * TRACK_PX);
  return (
    <g class="shore-sand">
      {places.map((x, i) => (
        <path key={x} d={TRACK} transform={`translate(${x} ${i % 2 === 0 ? 55 : 61})`} />
      ))}
    </g>
  );
}

const Bird = ({ legs }: { readonly legs: string }) => (
  <>
    <path class="logo-bird" d={LOGO.bird} />
    <path class="logo-legs" d={legs} />
  </>
);

const ONE_LEG = "M36 46v13";

export const Shore = ({ scene }: { readonly scene: Scene }) => (
  <svg class="shore" viewBox={scene === "gone" ? "0 44 150 26" : scene === "resting" ? "-30 8 124 62" : "0 8 150 62"} aria-hidden="true">
    {scene === "resting" ? (
      <>
        <Bird legs={ONE_LEG} />
        <path class="shore-sand" d="M-24 62c9-4 17-4 26 0s17 4 26 0 17-4 26 0 17 4 26 0" />
      </>
    ) : (
      <>
        {scene === "arriving" && <Bird legs={LOGO.legs} />}
        <Tracks from={FIRST_TRACK[scene]} />
      </>
    )}
  </svg>
);
