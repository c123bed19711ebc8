/** English words of dialogs, settings and other pages, which load with the first of them. They declare the keys for the other languages. */
export const enLater = {} as const;
