/** A change that gives devices back what they had: a version of each, as the lines that restore it. */

import type { ChangeRequest } from "../../api/changes/change.ts";
import { notWholeAdvice } from "../../api/history/history.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence, type Issue, refuse } from "../../base/issues.ts";
import type { KnownHead, Returns } from "../../history/port.ts";
import type { EffectiveDevice } from "../../inventory/port.ts";

export interface RestoredDevices {
  /** Without those that have the version already. */
  readonly devices: readonly EffectiveDevice[];
  /** Lines, masked, by device. */
  readonly lines: ReadonlyMap<string, string>;
  readonly versions: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}

/** Each has its two texts read and compared. */
export const mostRestored = 1_000;
const atOnce = 4;
export const shownIssues = 20;
const nothingDiffers =
  "nothing differs: the newest version of every device is that configuration. What changed since is not known: read it first";
/** Errors that say why one device cannot be restored. */
const ofDevice: ReadonlySet<string> = new Set(["NotFound", "Validation"]);

/** Lines as they are kept with a plan, and found again when they are pushed. */
export const textOfLines = (config: string | readonly string[]) =>
  typeof config === "string" ? config : config.join("\n");

/** @throws ServiceError Validation: there is no way, or no such version, for one of the devices */
export async function restoredDevices(
  { at, version }: NonNullable<ChangeRequest["restore"]>,
  devices: readonly EffectiveDevice[],
  heads: ReadonlyMap<string, KnownHead>,
  returns: Returns,
): Promise<RestoredDevices> {
  if (devices.length > mostRestored)
    refuse([{ path: "restore", message: `is for ${mostRestored} devices at most, not ${devices.length}` }]);
  if (typeof version === "number" && devices.length > 1)
    refuse([{ path: "restore.version", message: "is a version of one device: use `at` for several" }]);
  const choice = typeof version === "number" ? { version } : { at: Date.parse(at ?? "") };
  const issues: Issue[] = [];
  const [lines, versions] = [new Map<string, string>(), new Map<string, number>()];
  const doubts = new Map<string, number>();
  async function restored(device: EffectiveDevice): Promise<void> {
    const { name } = device;
    const not = (message: string) => void issues.push({ path: "restore", message: `${name}: ${message}` });
    const why = returns.whyNot(device);
    if (why !== undefined) return not(why);
    const head = heads.get(entryKey(name));
    if (head === undefined) return not("no good configuration of it is known to compare with");
    if (head.isDoubted) return not(notWholeAdvice);
    const wanted = await returns.chosen(name, choice);
    if (wanted === undefined) return not(`it has no good version ${"at" in choice ? "that old" : version}`);
    if (wanted.compare === head.compare) return;
    try {
      const plan = await returns.plan(name, wanted.version, head.version);
      const text = textOfLines(plan.config);
      if (text.trim() === "") return;
      lines.set(name, text);
      versions.set(name, wanted.version);
      for (const doubt of plan.doubts) doubts.set(doubt, (doubts.get(doubt) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof ServiceError) || !ofDevice.has(error.kind)) throw error;
      not(errorSentence(error));
    }
  }
  const queue = [...devices];
  const work = async () => {
    for (let device = queue.shift(); device !== undefined; device = queue.shift()) await restored(device);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (issues.length > 0) refuse(issues.slice(0, shownIssues));
  const kept = devices.filter(({ name }) => lines.has(name));
  const same = devices.filter(({ name }) => !lines.has(name)).map(({ name }) => name);
  if (kept.length === 0) refuse([{ path: "restore", message: nothingDiffers }]);
  return {
    devices: kept,
    lines,
    versions: Object.fromEntries([...versions].sort(([a], [b]) => (a < b ? -1 : 1))),
    warnings: [
      ...(same.length > 0 ? [`left out, as they have that configuration: ${firstOf(same)}`] : []),
      ...[...doubts].map(([doubt, count]) => `${count} of ${kept.length} devices: ${doubt}`),
    ],
  };
}

/** The first of some names, and how many more. */
export function firstOf(names: readonly string[]): string {
  const more = names.length - shownIssues;
  return `${names.slice(0, shownIssues).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
