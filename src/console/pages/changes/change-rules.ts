/** What a change asks for beside its lines, in sentences. */
import { type ChangeStrategy, cannotReturn } from "../../../api/changes/change.ts";
import { changeDefaults } from "../../../api/changes/change-defaults.ts";
import { checkPhases, writeCheckText } from "../../../base/text/check-text.ts";
import { formatDuration } from "../../duration.ts";
import { type Asked, askedOf, type OneChange } from "../../shapes/changes.ts";
import { toldIn } from "../../text/labels.ts";

export function rulesOf(change: Pick<OneChange, "request">): readonly string[] {
  const asked = askedOf(change);
  if (asked === undefined) return [];
  const { strategy, approvals } = asked;
  return [
    ...devicesOf(asked),
    ...restoredOf(asked),
    ...checksOf(asked),
    ...limitsOf(strategy?.limits),
    asked.on_stop === "keep"
      ? "When it stops, devices keep what they got."
      : "When it stops, devices are given back what they had.",
    ...(strategy?.soak_seconds ? [`It waits ${formatDuration(strategy.soak_seconds)} after each wave.`] : []),
    ...(strategy?.gate === "approval" ? ["After each wave it waits for Resume."] : []),
    ...(strategy?.spread ? [`Each wave takes devices from every ${strategy.spread} in turn.`] : []),
    ...(strategy?.apart ? [`No wave has two devices with the same ${strategy.apart}.`] : []),
    ...(asked.not_before ? [`It does not begin before ${asked.not_before}.`] : []),
    ...(approvals?.not_author === false ? ["The author's own vote counts."] : []),
  ];
}

function devicesOf({ select, devices }: Asked): string[] {
  const named = devices?.length ? `${devices.length} by name` : "";
  const all = [select ? `those of ${select}` : "", named].filter(Boolean).join(", and ");
  return all === "" ? [] : [`Devices: ${all}.`];
}

/** What the plan does not say in another place. */
export const otherWarningsOf = ({ warnings }: Pick<OneChange, "warnings">) =>
  warnings.filter((warning) => !warning.includes(cannotReturn));

function restoredOf({ restore }: Asked): string[] {
  if (!restore) return [];
  const what = restore.at ? `what they had at ${restore.at}` : `version ${restore.version}`;
  return [`Devices are given back ${what}.`];
}

function checksOf({ checks }: Asked): string[] {
  return checkPhases.flatMap((phase) =>
    (checks?.[phase] ?? []).map(({ name, ...check }) => {
      const written = writeCheckText(phase, check) ?? `${phase}: ${toldIn(check)}`;
      return `Check ${written}${name === undefined ? "" : ` (${name})`}`;
    }),
  );
}

const kinds = {
  failed: { one: "fails, or has changed since the plan", many: "fail, or have changed since the plan" },
  unreachable: { one: "cannot be reached", many: "cannot be reached" },
  unknown: { one: "has an unknown outcome", many: "have an unknown outcome" },
} as const;

function limitsOf(limits: ChangeStrategy["limits"]): string[] {
  return (["failed", "unreachable", "unknown"] as const).flatMap((kind) => {
    const { wave, total }: Limit = limits?.[kind] ?? changeDefaults.limits[kind];
    if (isNone(wave) || isNone(total)) return [`It stops if any device ${kinds[kind].one}.`];
    const parts = [
      ...(wave === undefined || wave === null ? [] : [`${wave} in a wave`]),
      ...(total === undefined || total === null ? [] : [`${total} in all`]),
    ];
    return parts.length === 0 ? [] : [`It stops if more than ${parts.join(" or ")} ${kinds[kind].many}.`];
  });
}

interface Limit {
  readonly wave?: number | string | null | undefined;
  readonly total?: number | string | null | undefined;
}

const isNone = (count: Limit["wave"]) => count === 0 || count === "0" || count === "0%";
