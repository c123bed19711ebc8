/** Which rollups can be compared: this version has their definitions, and the event files are those that they were made of. */
import type { SiteId } from "../../../storage/event.ts";
import type { RollupHeader } from "../../../storage/rollup.ts";
import { createSha256, toHex } from "../../base/bytes.ts";
import type { PartitionVersion } from "../../duckdb/cache/partition-version.ts";
import type { RolledMeasures } from "../../duckdb/rollups/rolled-measures.ts";
import { rolledMeasures } from "../../reports/registry.ts";
import { inOrderOfMaking, rollupNodes, type RollupNode } from "../../duckdb/rollups/rollup-nodes.ts";
import { isValid } from "../../duckdb/rollups/rollup-origin.ts";

type Settings = Pick<RollupHeader, "sessionWindowMinutes" | "saltRotationDays">;

const isPositive = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

/** Finds the measures of a rollup; null if this version computes others with the same settings. */
export type FindMeasures = (header: RollupHeader) => RolledMeasures | null;

/** A rollup may have been made with other options than those of today: its header says with which. */
export async function createFindMeasures(): Promise<FindMeasures> {
  const sha256 = await createSha256();
  const hash = (text: string) => toHex(sha256(text));
  const known = new Map<string, readonly RolledMeasures[]>();
  const withSettings = ({ sessionWindowMinutes, saltRotationDays }: Settings) =>
    [true, false].map((hasExtension) => rolledMeasures({ sessionWindowMinutes, saltRotationDays, hasExtension, hash }));
  return (header) => {
    const { sessionWindowMinutes, saltRotationDays, definitions } = header;
    if (!isPositive(sessionWindowMinutes) || !isPositive(saltRotationDays)) return null;
    const name = `${sessionWindowMinutes} ${saltRotationDays}`;
    const found = known.get(name) ?? withSettings(header);
    known.set(name, found);
    return found.find((rolled) => rolled.definitions === definitions) ?? null;
  };
}

/** Tells whether a rollup was made of the events that are in the files of the site now; `days` are all its days. */
export function createIsUpToDate(siteId: SiteId, days: readonly PartitionVersion[]): (header: RollupHeader) => boolean {
  const nodes = new Map<number, ReadonlyMap<string, RollupNode>>();
  const nodesOf = (saltRotationDays: number) => {
    const found = nodes.get(saltRotationDays) ?? bySpan(inOrderOfMaking(rollupNodes(days, saltRotationDays)));
    nodes.set(saltRotationDays, found);
    return found;
  };
  return (header) => {
    const node = nodesOf(header.saltRotationDays).get(spanOf(header));
    return node !== undefined && isValid(header, siteId, node, header);
  };
}

const spanOf = ({ firstDay, lastDay }: Pick<RollupNode, "firstDay" | "lastDay">): string => `${firstDay} ${lastDay}`;

const bySpan = (nodes: readonly RollupNode[]) => new Map(nodes.map((node) => [spanOf(node), node]));
