/** Whether the main pointer is a finger. There, a text field that gets the focus by itself would open the screen's keyboard. */
export const isTouchScreen = (): boolean => matchMedia("(pointer: coarse)").matches;
