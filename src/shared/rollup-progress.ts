/** When rollups count as being remade, as after a restore or an upgrade: then the log and the dashboard say so. */

const DAYS_LEFT_MIN = 10;
const SHARE_LEFT_MIN = 0.1;

/** False for days that just ended, of however many sites. */
export const areRollupsRemade = (daysMade: number, daysDue: number): boolean =>
  daysDue - daysMade >= Math.max(DAYS_LEFT_MIN, daysDue * SHARE_LEFT_MIN);
