/** Restores a version: a draft of what would be pushed, and the lines of a job that pushes it. */
import type {
  ConfigurationPart,
  RestoreDraft,
  RestorePlan,
  RestoreRequest,
  RestoreWay,
} from "../../api/history/history.ts";
import { entryKey } from "../../api/inventory/inventory.ts";
import { anyCaller, requireScope, shareOf } from "../../auth/caller.ts";
import type { Caller } from "../../auth/port.ts";
import { mayReach } from "../../auth/reach.ts";
import { requireRight } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { refuse } from "../../base/issues.ts";
import { type Deadline, neverAborted } from "../../base/time/deadline.ts";
import { matchesAny, type TextRules } from "../../configtext/rules.ts";
import type { Remediation } from "../../configtree/remediate.ts";
import type { EffectiveDevice, Inventory } from "../../inventory/port.ts";
import type { Jobs } from "../../jobs/port.ts";
import type { DriverPlugin, PlatformPlugin, WholeReplacement } from "../../plugin/index.ts";
import type { Store, StoredConfigVersion } from "../../store/port.ts";
import type { Restored } from "../port.ts";
import type { ComparisonTools, createComparisons, Found } from "../reading/comparisons.ts";
import type { TextWork } from "../reading/text-work.ts";
import { secretsOf, textsOf, wholeText } from "../reading/texts.ts";
import { withinLimit } from "../reading/work-limit.ts";
import { versionRecordOf } from "../records.ts";
import { warningOf } from "./doubts.ts";
import { lackOf } from "./lost-secrets.ts";

export interface RestoreTools extends ComparisonTools {
  readonly store: Pick<Store, "history" | "audit">;
  readonly inventory: Pick<Inventory, "snapshot">;
  readonly jobs: Pick<Jobs, "compare">;
  readonly comparisons: ReturnType<typeof createComparisons>;
  driver(name: string): DriverPlugin | undefined;
}

/** How a target is restored. */
interface Way {
  readonly way: RestoreWay;
  readonly driver: DriverPlugin;
  readonly platform: PlatformPlugin | undefined;
  readonly replacement: WholeReplacement;
}

/** With others the caller could have the text sent elsewhere, or in the clear. */
const loginFields: ReadonlySet<string> = new Set(["username", "password", "secret", "credential"]);

export function createRestores(tools: RestoreTools) {
  const { store, inventory, iso, comparisons, textWork } = tools;

  return {
    /** @throws ServiceError Forbidden, NotFound, Validation: it cannot be restored there */
    async draft(
      found: Found,
      { target: name, connection_args }: RestoreRequest,
      caller: Caller,
      signal = neverAborted,
    ) {
      requireScope(caller, "operate");
      const { device, version } = found;
      if (version.state === "suspect")
        refuse([{ path: "version", message: `is suspect and not restored: ${version.reason ?? ""}` }]);
      const target = await targetOf(name ?? device.shown, caller);
      // The secrets of the version go where the request says.
      const fields = Object.keys(connection_args ?? {});
      if (entryKey(target.name) !== device.name || fields.some((field) => !loginFields.has(field)))
        requireRight(caller, "history_secrets");
      const chosen = wayOf(target, version.part, tools);
      requireSamePlatform(found, target, chosen, tools);
      const base = await store.history.head(entryKey(target.name), basePart(version.part));
      if (base === undefined && chosen.way !== "replace")
        refuse([
          {
            path: "target",
            message: `no ${basePart(version.part)} configuration of ${target.name} is known to compare with: read it first`,
          },
        ]);
      const [baseDevice] = base === undefined ? [] : await store.history.devicesOf([base.device]);
      const plan: RestorePlan = {
        wanted: { device: version.device, part: version.part, version: version.version },
        base: base === undefined ? null : { device: base.device, part: base.part, version: base.version },
        way: chosen.way,
        platform: chosen.platform?.name ?? null,
        first: [...(chosen.replacement.first ?? [])],
        whole: chosen.driver.configuration === "texts",
      };
      const texts = { wanted: await maskedText(version), base: base && (await maskedText(base)) };
      const restoring = await withinLimit(signal, (deadline) =>
        linesOf(plan, texts, chosen.platform, textWork, { deadline, key: shareOf(caller) }),
      );
      const unified =
        base === undefined || baseDevice === undefined
          ? undefined
          : await comparisons.difference(
              { device: baseDevice, version: base },
              found,
              "unified",
              caller,
              signal,
            );
      const lack = await lackOf(store, version, texts.wanted, restoring.lines);
      const isEqual = unified?.unified === "" || restoring.lines.length === 0;
      const { job, warnings } = isEqual
        ? { job: undefined, warnings: ["nothing differs from the newest good version of the target"] }
        : lack !== undefined
          ? { job: undefined, warnings: [lack] }
          : await tools.jobs.compare(
              {
                ...{ device: target.name, connection_args, config: joined(restoring.lines, plan) },
                driver_args: { ...chosen.replacement.args, dry_run: true },
              },
              caller,
              plan,
            );
      await store.audit.add({
        ...{ caller, action: "history.restore", host: target.host, outcome: "done" },
        detail: `draft: ${device.shown} ${version.part} version ${version.version} on ${target.name}${job === undefined ? "" : `, dry run ${job.id}`}`,
      });
      const record = (one: StoredConfigVersion, shown: string) => versionRecordOf(one, shown, iso);
      return {
        version: record(version, device.shown),
        target: target.name,
        base: base === undefined ? null : record(base, target.name),
        ...{ driver: chosen.driver.name, way: chosen.way, driver_args: { ...chosen.replacement.args } },
        lines: [...restoring.lines],
        unified: unified?.unified ?? "",
        warnings: [
          ...restoring.doubts.map((doubt) => warningOf[doubt]),
          ...doubtsOf(found, target, base, texts.wanted, chosen),
          ...warnings,
        ],
        job: job ?? null,
      } satisfies RestoreDraft;
    },
  };

  async function targetOf(name: string, caller: Caller): Promise<EffectiveDevice> {
    const device = (await inventory.snapshot()).device(name);
    if (device !== undefined && mayReach(caller, device.host)) return device;
    return refuse([
      {
        path: "target",
        message: `There is no device "${name.slice(0, 128)}" in the inventory that ${anyCaller} may reach.`,
      },
    ]);
  }

  async function maskedText(version: StoredConfigVersion): Promise<string> {
    return wholeText((await textsOf(store, [version]))[0]);
  }
}

/**
 * What a job pushes that restores a version.
 * @throws ServiceError NotFound: a version was deleted since; Internal: a text is damaged
 */
export async function restoredLines(
  plan: RestorePlan,
  markKey: string,
  {
    store,
    textWork,
    platform,
  }: { readonly store: Pick<Store, "history">; readonly textWork: TextWork } & Pick<
    ComparisonTools,
    "platform"
  >,
  deadline: Deadline,
): Promise<Restored> {
  const versionOf = async ({ device, part, version }: RestorePlan["wanted"]) => {
    const found = await store.history.version(device, part, version);
    if (found !== undefined) return found;
    throw new ServiceError("NotFound", `Version ${version} was deleted since: nothing was sent.`, {
      outcome: "none",
    });
  };
  const wanted = await versionOf(plan.wanted);
  const base = plan.base === null ? undefined : await versionOf(plan.base);
  const versions = base === undefined ? [wanted] : [wanted, base];
  const [first, second] = (await textsOf(store, versions, true)).map(wholeText);
  const known = platform(plan.platform ?? "");
  const texts = { wanted: first ?? "", base: second };
  const { lines } = await linesOf(plan, texts, known, textWork, { deadline, key: undefined });
  return {
    lines: plan.whole ? [lines.join("\n")] : lines.flatMap((line) => line.split("\n")),
    secrets: await secretsOf(store, versions),
    shown: { platform: plan.platform, markKey },
  };
}

/** Masked lines of masked texts, and others of others. */
export async function linesOf(
  { way, first, wanted: { part } }: RestorePlan,
  { wanted, base = "" }: { readonly wanted: string; readonly base: string | undefined },
  platform: PlatformPlugin | undefined,
  textWork: TextWork,
  { deadline, key }: { readonly deadline: Deadline; readonly key: string | undefined },
): Promise<Remediation> {
  const rules = { ...platform?.running, blocks: platform?.blocks };
  const options = { deadline, share: { key: key ?? "", job: key === undefined } };
  if (way === "files") {
    const script = await textWork.files({ from: base, to: wanted }, options);
    return script ?? refuse([{ path: "version", message: "is no text of files that can be told apart" }]);
  }
  if (way === "replace") return { lines: [...first, ...wholeLines(wanted, rules)], doubts: [] };
  const shape = part === "set" ? "set" : rules.shape;
  const asked = { a: base, b: wanted, rules: { ...rules, shape }, negate: rules.negate ?? "no" };
  const { lines, doubts } = await textWork.restore(asked, options);
  return { lines, doubts };
}

/** The text without what the device writes above and below it. */
function wholeLines(text: string, { ignore, shape }: TextRules): string[] {
  const isIgnored = matchesAny(ignore);
  const lines = text.split("\n").filter((line) => isIgnored?.(line) !== true);
  while (lines.at(-1)?.trim() === "") lines.pop();
  if (shape === "indent" && lines.at(-1) === "end") lines.pop();
  return lines;
}

export function joined(lines: readonly string[], { whole }: RestorePlan): string | string[] {
  return whole ? lines.join("\n") : lines.flatMap((line) => line.split("\n"));
}

/** A text of the startup configuration becomes the running one. */
export const basePart = (part: ConfigurationPart) => (part === "set" ? "set" : "running");

/** @throws ServiceError Validation */
export function wayOf(...[target, part, tools]: Parameters<typeof findWay>): Way {
  const found = findWay(target, part, tools);
  return "why" in found ? refuse([{ path: "target", message: `${target.name}: ${found.why}` }]) : found;
}

/** @returns why there is none, without the name of the device: many have the same reason */
export function findWay(
  target: EffectiveDevice,
  part: ConfigurationPart,
  { driver: find, platform }: Pick<RestoreTools, "driver" | "platform">,
): Way | { readonly why: string } {
  const driver = target.driver === null ? undefined : find(target.driver);
  if (driver === undefined) return { why: "it has no driver in the inventory: set it there" };
  const asked = { platform: target.platform, find: platform };
  const shown = driver.shows?.({ ...asked, parts: [basePart(part)] });
  const replacement = part === "set" ? undefined : driver.replaces?.(asked);
  const { shape, negate, set, files } = shown?.platform?.running ?? {};
  if (shown !== undefined && files !== undefined && driver.configuration === "texts")
    return { way: "files", driver, platform: shown.platform, replacement: replacement ?? { args: {} } };
  if (shown !== undefined && replacement !== undefined)
    return { way: "replace", driver, platform: shown.platform, replacement };
  const isLines = shape === "indent" || shape === "blocks" || shape === "menus";
  const byLines = negate !== undefined && (part === "set" ? set !== undefined : isLines);
  if (shown !== undefined && byLines && files === undefined)
    return { way: "lines", driver, platform: shown.platform, replacement: { args: {} } };
  const hint =
    negate !== undefined && set !== undefined && part !== "set"
      ? ": restore its part `set`"
      : ": neither can it replace the whole configuration, nor is it known how lines are removed";
  return {
    why: `the driver ${driver.name} knows no way to restore a ${part} configuration of ${target.platform ?? "no platform"}${hint}`,
  };
}

/** @throws ServiceError Validation */
function requireSamePlatform(
  { device }: Found,
  target: EffectiveDevice,
  { platform, driver }: Way,
  tools: Pick<RestoreTools, "platform">,
): void {
  const named = (name: string | null) => {
    const found = driver.shows?.({ platform: name, parts: ["running"], find: tools.platform })?.platform;
    return tools.platform(name ?? "")?.name ?? found?.name ?? name;
  };
  const [from, to] = [named(device.platform), named(target.platform)];
  if (from === to || (from !== null && from === platform?.name)) return;
  refuse([
    {
      path: "target",
      message: `${target.name} is another system (${to ?? "unknown"}) than ${device.shown} (${from ?? "unknown"})`,
    },
  ]);
}

function doubtsOf(
  { device, version }: Found,
  target: EffectiveDevice,
  base: StoredConfigVersion | undefined,
  wanted: string,
  { way, platform }: Way,
): string[] {
  const isOther = entryKey(target.name) !== device.name;
  const isReencrypted = platform?.running?.secrets?.some(({ reencrypted }) => reencrypted === true) === true;
  return [
    ...(base === undefined
      ? [`no good version of ${target.name} is known: the difference is not shown`]
      : []),
    ...(isOther
      ? [
          `the text is of ${device.shown}: its host name, addresses, licences, serial numbers and keys come with it, and another model may refuse lines`,
        ]
      : []),
    ...(version.part === "startup" ? ["the text is of the startup configuration"] : []),
    ...(way === "lines"
      ? [
          "lines are removed before others are added, one after the other: see that the session survives it, or roll it back by checks",
        ]
      : []),
    ...(way === "files"
      ? [
          "a new file has the owner and the mode of a new file; blanks at the ends of lines and control characters are not kept in versions; nothing is loaded again by itself",
        ]
      : []),
    ...(isReencrypted && wanted.includes("<secret ")
      ? ["secrets that the device encrypts anew at each show may differ only in that"]
      : []),
  ];
}
