/** Groups neighbours in order, up to a size; a larger item is a group of its own. */
export function sizeGroups<Item>(items: readonly Item[], bytesOf: (item: Item) => number, groupBytesMax: number): Item[][] {
  const groups: Item[][] = [];
  let groupBytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    if (groupBytes + bytesOf(item) > groupBytesMax) {
      groups.push([]);
      groupBytes = 0;
    }
    groups.at(-1)?.push(item);
    groupBytes += bytesOf(item);
  }
  return groups;
}
