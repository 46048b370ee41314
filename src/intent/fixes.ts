/** The lines that bring a device back to its intents: computed from its newest good version, and proven. */

import * as v from "valibot";
import { type DriftDetail, intentLimits } from "../api/intent/intent.ts";
import { entryKey } from "../api/inventory/inventory.ts";
import { type TwinProofRecord, twinProofRecord } from "../api/rehearsal/twin-proof.ts";
import { requireScope } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { mayReach } from "../auth/reach.ts";
import { requireRight } from "../auth/rights.ts";
import { ServiceError } from "../base/errors.ts";
import { errorSentence } from "../base/issues.ts";
import { intentMarks } from "../configtext/intent/closed-marks.ts";
import { markedSecrets, maskedIntent, openMarks } from "../configtext/intent/secrets.ts";
import type { WantedText } from "../configtext/intent/work.ts";
import { fingerprintWith } from "../configtext/secrets/secrets.ts";
import { marksOf, textsOf, wholeText } from "../history/reading/texts.ts";
import { warningOf } from "../history/restoring/doubts.ts";
import type { EffectiveDevice, Inventory } from "../inventory/port.ts";
import type { Store } from "../store/port.ts";
import type { Definition } from "./definitions.ts";
import type { Judge, JudgeTools } from "./judge.ts";
import type { DeviceFix, Fixes } from "./port.ts";
import { closedBy, wantedText } from "./wanted.ts";

export interface FixTools extends Pick<JudgeTools, "jobs" | "work" | "platform"> {
  readonly store: Pick<Store, "intents" | "history" | "clock">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly judge: Pick<Judge, "definitions" | "scopes" | "platformOf">;
  readonly freshMs: number;
}

type ShownFix = NonNullable<DriftDetail["fix"]>;

interface Computed {
  /** Masked. */
  readonly lines: readonly string[];
  /** With secrets; undefined: one of them is not known. */
  readonly open: readonly string[] | undefined;
  readonly isProven: boolean;
  /** What a twin has shown of the lines; undefined: the configuration is too long for one. */
  readonly twin: TwinProofRecord | undefined;
  readonly risks: readonly string[];
  /** What the device would have then, masked, and the secrets in it. */
  readonly left: string;
  readonly secrets: readonly (readonly [mark: string, secret: string])[];
  /** What it should have, with secrets. */
  readonly text: string;
  readonly closed: string | undefined;
}

const sectionStatesIn = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ name: v.string(), state: v.string() })),
);

export function createFixes(tools: FixTools) {
  const { store, inventory, jobs, work, judge, freshMs } = tools;
  const { history, intents } = store;

  /** Of one device and intent. @returns why there are none */
  async function compute(
    device: EffectiveDevice,
    definition: Definition,
    sections: readonly string[] | null,
    signal: AbortSignal,
    /** What it has when the lines before have been sent. */
    before?: Pick<Computed, "left" | "secrets">,
  ): Promise<Computed | { readonly why: string }> {
    const platform = judge.platformOf(device);
    if (platform.whyNoFix !== undefined) return { why: platform.whyNoFix };
    const owner = await judge.scopes.ownerOf(definition);
    if (owner === undefined)
      return { why: `who wrote the intent ${definition.name} may not read configurations any more` };
    const head = await history.head(entryKey(device.name), platform.part);
    if (head === undefined) return { why: "no good configuration of it is known" };
    const now = before?.left ?? wholeText((await textsOf({ history }, [head]))[0]);
    const text = await wantedText(definition, device, owner, jobs, signal);
    const markKey = await history.markKey();
    const closed = closedBy(definition, owner);
    const [found] = await work.compare(
      platform,
      [definition.compared],
      [{ now, wanted: [{ intent: 0, text, closed }] }],
      markKey,
      sections,
    );
    if (found === undefined || found instanceof ServiceError)
      return { why: found === undefined ? "it was not compared" : errorSentence(found) };
    const fix = found[0]?.fix;
    if (fix === undefined) return { why: "it was not compared" };
    const fingerprint = fingerprintWith(markKey);
    const places = tools.platform(device.platform ?? "")?.running;
    const marks = intentMarks(markKey, closed);
    const secrets = [
      ...markedSecrets(maskedIntent(text, places, marks).secrets, marks),
      ...(before?.secrets ?? markedSecrets(await marksOf({ history }, head), fingerprint)),
    ];
    return {
      ...{ lines: fix.lines, open: openMarks(fix.lines, secrets), isProven: fix.isProven },
      // Who may fix may read configurations.
      twin: fix.twin && twinProofRecord(fix.twin, true),
      ...{ left: fix.left, secrets, text, closed },
      risks: fix.doubts.map((doubt) => warningOf[doubt]),
    };
  }

  /** One intent may want what another one does not. */
  async function areAllMet(
    device: EffectiveDevice,
    now: string,
    wanted: readonly (WantedText & { readonly definition: Definition })[],
    only: readonly string[] | null,
  ): Promise<boolean> {
    const [found] = await work.compare(
      judge.platformOf(device),
      wanted.map(({ definition }) => definition.compared),
      [{ now, wanted: wanted.map(({ text, closed }, intent) => ({ intent, text, closed })) }],
      await history.markKey(),
    );
    if (found === undefined || found instanceof ServiceError) return false;
    return found.every(({ sections }) =>
      v
        .parse(sectionStatesIn, sections)
        .every(
          ({ name, state }) => only?.includes(name) === false || state === "compliant" || state === "unknown",
        ),
    );
  }

  return {
    /** As it is shown. */
    async shown(
      device: EffectiveDevice,
      intent: string,
      caller: Caller,
      signal: AbortSignal,
    ): Promise<ShownFix | { readonly why: string }> {
      requireRight(caller, "history");
      const definition = (await judge.definitions()).find(({ name }) => name === intent);
      if (definition === undefined) return { why: "the intent is gone" };
      const found = await compute(device, definition, null, signal);
      if ("why" in found) return found;
      const { lines, isProven, risks, twin } = found;
      return { lines: [...lines], proven: isProven, risks: [...risks], ...(twin && { twin }) };
    },

    async fixOf(device, { intents: names, sections }, { caller, signal }): Promise<DeviceFix> {
      requireScope(caller, "operate");
      requireRight(caller, "history");
      if (!mayReach(caller, device.host)) return { why: "it is out of reach" };
      const [all, snapshot] = await Promise.all([judge.definitions(), inventory.snapshot()]);
      const key = entryKey(device.name);
      const rows = await intents.page(
        { names: [key], fresh: store.clock.wall() - freshMs },
        intentLimits.most,
      );
      const lines: string[] = [];
      const risks = new Set<string>();
      const mended: string[] = [];
      let isProven = true;
      const twins: string[] = [];
      let last: Computed | undefined;
      const wanted: (WantedText & { readonly definition: Definition })[] = [];
      for (const name of names) {
        const definition = all.find((one) => one.name === name);
        if (definition === undefined) throw new ServiceError("NotFound", `There is no intent "${name}".`);
        const scope = await judge.scopes.scopeOf(
          definition,
          await judge.scopes.ownerOf(definition),
          snapshot,
        );
        if (!scope.has(key)) continue;
        const row = rows.find(({ intent }) => intent === name);
        if (row === undefined || row.stale !== null)
          return {
            why: `what it has is not known well enough to be compared with ${name}: read it, and compare it again`,
          };
        if (row.state === "compliant") continue;
        if (row.state === "intent_error") return { why: `${name} cannot be used for it: ${row.reason}` };
        if (row.rounds >= intentLimits.rounds)
          return {
            why: `${intentLimits.rounds} fixes have left it as it was: a person has to look, and change ${name}`,
          };
        const unknown = (sections ?? []).find(
          (section) =>
            !all.some(
              (one) => names.includes(one.name) && one.compared.sections.some((is) => is.name === section),
            ),
        );
        if (unknown !== undefined)
          throw new ServiceError("NotFound", `None of the intents has a section "${unknown}".`);
        const found = await compute(device, definition, sections ?? null, signal, last);
        if ("why" in found) return found;
        if (found.lines.length === 0) continue;
        if (found.open === undefined)
          return { why: `the lines for ${name} have a secret that cannot be told from its mark` };
        last = found;
        wanted.push({ definition, text: found.text, closed: found.closed });
        lines.push(...found.open);
        for (const risk of found.risks) risks.add(risk);
        isProven &&= found.isProven;
        if (found.twin !== undefined && !(found.twin.proven && found.twin.unknown_lines === 0))
          twins.push(found.twin.message);
        mended.push(name);
      }
      if (last !== undefined && wanted.length > 1)
        isProven &&= await areAllMet(device, last.left, wanted, sections ?? null);
      return { lines, isProven, twins, risks: [...risks], intents: mended };
    },

    async planned(change, fixes) {
      await intents.fixing(
        change,
        fixes.flatMap(({ device, intents: of }) =>
          of.map((intent) => ({ device: entryKey(device), intent })),
        ),
      );
    },
  } satisfies Fixes & Record<string, unknown>;
}
