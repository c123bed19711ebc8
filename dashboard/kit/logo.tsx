/** The logo: a sandpiper at the water's edge. */

/** The paths of its parts in a square of 64. */
export const LOGO = {
  bird: "M4 23.600 21 20c2-6.600 9.500-9.800 15.400-6.400 3.300 1.900 5.200 5 6.200 8.500C50.500 25 58.600 31 62 40.500c-6-2.900-10-3.100-14.200-1.900-3.800 5.900-9.700 8.600-16.100 8-8.200-.700-13-8.400-12.200-18.500L4 25.200z",
  legs: "M33 46v9m7-11v11",
  water: "M6 58.500c6-4 11-4 17 0s11 4 17 0 11-4 17 0",
} as const;

export const Logo = () => (
  <svg class="logo" viewBox="0 0 64 64" aria-hidden="true">
    <path class="logo-bird" d={LOGO.bird} />
    <path class="logo-legs" d={LOGO.legs} />
    <path class="logo-water" d={LOGO.water} />
  </svg>
);
