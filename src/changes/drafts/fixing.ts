/** A change that brings devices back to their intents: the lines of each, computed from what it has. */
import type { ChangeRequest } from "../../api/changes/change.ts";
import type { Caller } from "../../auth/port.ts";
import { ServiceError } from "../../base/errors.ts";
import { errorSentence, type Issue, refuse } from "../../base/issues.ts";
import type { Fixes } from "../../intent/port.ts";
import type { EffectiveDevice } from "../../inventory/port.ts";
import { firstOf, mostRestored, shownIssues } from "./restoring.ts";

export interface FixedDevices {
  /** Without those that do not drift. */
  readonly devices: readonly EffectiveDevice[];
  /** With secrets, by device. */
  readonly lines: ReadonlyMap<string, string>;
  readonly intents: readonly { readonly device: string; readonly intents: readonly string[] }[];
  readonly warnings: readonly string[];
}

const atOnce = 4;
/** Errors that say why one device cannot be mended. */
const ofDevice: ReadonlySet<string> = new Set([
  "Validation",
  "TemplateError",
  "PayloadTooLarge",
  "BadRequest",
]);

/** @throws ServiceError Validation: there is no way for one of the devices; NotFound (an intent) */
export async function fixedDevices(
  fix: NonNullable<ChangeRequest["fix"]>,
  devices: readonly EffectiveDevice[],
  fixes: Fixes,
  of: { readonly caller: Caller; readonly signal: AbortSignal },
): Promise<FixedDevices> {
  if (devices.length > mostRestored)
    refuse([{ path: "fix", message: `is for ${mostRestored} devices at most, not ${devices.length}` }]);
  const issues: Issue[] = [];
  const lines = new Map<string, string>();
  const mended = new Map<string, readonly string[]>();
  const risks = new Map<string, number>();
  const unproven: string[] = [];
  /** Proven on a twin that does not know all of the lines. */
  const assumed: string[] = [];
  async function fixed(device: EffectiveDevice): Promise<void> {
    const { name } = device;
    const not = (message: string) => void issues.push({ path: "fix", message: `${name}: ${message}` });
    try {
      const found = await fixes.fixOf(device, fix, of);
      if ("why" in found) return not(found.why);
      if (found.lines.length === 0) return;
      if (!found.isProven && fix.unproven !== true)
        return not(
          `it is not proven that the lines would leave what the intent wants${found.twins.length > 0 ? ` (${found.twins.join(" ")})` : ""}: look at its drift; only a fix that is asked for as unproven sends them`,
        );
      if (!found.isProven) unproven.push(name);
      else for (const twin of found.twins) assumed.push(`${name}: ${twin}`);
      lines.set(name, found.lines.join("\n"));
      mended.set(name, found.intents);
      for (const risk of found.risks) risks.set(risk, (risks.get(risk) ?? 0) + 1);
    } catch (error) {
      if (!(error instanceof ServiceError) || !ofDevice.has(error.kind)) throw error;
      not(errorSentence(error));
    }
  }
  const queue = [...devices];
  const work = async () => {
    for (let device = queue.shift(); device !== undefined; device = queue.shift()) await fixed(device);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (issues.length > 0) refuse(issues.slice(0, shownIssues));
  const kept = devices.filter(({ name }) => lines.has(name));
  const same = devices.filter(({ name }) => !lines.has(name)).map(({ name }) => name);
  if (kept.length === 0)
    refuse([{ path: "fix", message: "nothing drifts: every device has what its intents want" }]);
  return {
    devices: kept,
    lines,
    intents: kept.map(({ name }) => ({ device: name, intents: mended.get(name) ?? [] })),
    warnings: [
      ...(same.length > 0 ? [`left out, as they do not drift: ${firstOf(same)}`] : []),
      ...(unproven.length > 0 ? [`not proven to leave what the intents want: ${firstOf(unproven)}`] : []),
      ...(assumed.length > 0 ? [firstOf(assumed)] : []),
      ...[...risks].map(([risk, count]) => `${count} of ${kept.length} devices: ${risk}`),
    ],
  };
}
