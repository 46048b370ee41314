/** What needs a person now: failures by cause, schedules, changes, configurations; or that nothing does. */
import * as v from "valibot";
import { type DeviceHistoryState, deviceHistoryStates } from "../../../api/history/history.ts";
import { Problem } from "../../parts/problem.tsx";
import { Prose } from "../../parts/prose.tsx";
import { ask, holds, may } from "../../reading/api.ts";
import type { Loaded } from "../../reading/load.ts";
import { to } from "../../route.ts";
import type { ListedChange } from "../../shapes/changes.ts";
import { configured } from "../../shapes/history.ts";
import { outside } from "../../shapes/ledger.ts";
import type { Schedule } from "../../shapes/schedules.ts";
import { failedJob, failedJobFields, type statistics } from "../../shapes/shapes.ts";
import { text } from "../../text/text.ts";
import { type Finding, failedSchedules, failures, haltedChanges, mostNames } from "./overview-findings.ts";

/** Failed jobs that are read; more are counted. */
const mostFailed = 100;

interface AttentionProps {
  readonly minutes: number;
  readonly jobs: Loaded<readonly v.InferOutput<typeof failedJob>[]>;
  readonly configurations: Loaded<readonly Finding[]>;
  readonly statistics: v.InferOutput<typeof statistics> | undefined;
  readonly schedules: readonly Schedule[];
  readonly changes: readonly ListedChange[];
}

export const sinceOf = (minutes: number): string =>
  // On the minute: an address that stays the same is not read again.
  new Date(Math.floor(Date.now() / 60_000 - minutes) * 60_000).toISOString();

export const readFailed = (minutes: number) => (signal: AbortSignal) =>
  ask(
    v.array(failedJob),
    `/job?${new URLSearchParams({
      ...{ status: "failed", limit: String(mostFailed), since: sinceOf(minutes) },
      fields: failedJobFields,
    })}`,
    { signal },
  );

export function Attention({ minutes, jobs, configurations, statistics, schedules, changes }: AttentionProps) {
  const findings = [
    ...failures(jobs.data ?? [], statistics?.error_types ?? {}, sinceOf(minutes)),
    ...failedSchedules(schedules),
    ...haltedChanges(changes, sinceOf(minutes)),
    ...(configurations.data ?? []),
  ].sort((a, b) => a.look.localeCompare(b.look));
  return (
    <section aria-label={text.overview.attention}>
      <h2>{text.overview.attention}</h2>
      <Problem error={jobs.error ?? configurations.error} />
      {findings.length > 0 && (
        <ul class="findings">
          {findings.map((one) => (
            <Found key={one.what} of={one} />
          ))}
        </ul>
      )}
      {findings.length === 0 && jobs.data && configurations.data && (
        <p class="calm">
          <span class="status finished" aria-hidden="true">
            ✓
          </span>{" "}
          {text.overview.calm}
        </p>
      )}
    </section>
  );
}

function Found({ of: { look, what, count, names, more, href, advice } }: { of: Finding }) {
  const rest = names.length - mostNames;
  return (
    <li class={look}>
      <p class="cause">
        <span aria-hidden="true">{look === "bad" ? "✕" : "!"}</span> <a href={href}>{what}</a>{" "}
        {count !== undefined && <strong>{count}</strong>}
      </p>
      <p class="names">
        {names.slice(0, mostNames).map((one) => (
          <a key={one.href} href={one.href}>
            {one.name}
          </a>
        ))}
        {(rest > 0 || more) && (
          <a class="faint" href={href}>
            {rest > 0 ? text.overview.more(rest) : text.overview.all}
          </a>
        )}
      </p>
      {advice && (
        <p class="faint advice">
          <Prose of={advice} />
        </p>
      )}
    </li>
  );
}

/** Devices by what is wrong with their configuration, and versions that nothing of this service explains. */
export async function readConfigurations(minutes: number, signal: AbortSignal): Promise<readonly Finding[]> {
  if (!holds("history")) return [];
  const limit = String(mostNames + 1);
  const states = deviceHistoryStates.map(async (state): Promise<Finding | undefined> => {
    const path = `/history/device?${new URLSearchParams({ state, limit })}`;
    const devices = await ask(v.array(configured), path, { signal });
    const names = devices.map(({ device }) => ({ name: device, href: to(["history", device]) }));
    return finding(text.overview.configurations[state], names, to(["history"], { state }), looks[state]);
  });
  const foreign = async (): Promise<Finding | undefined> => {
    if (!may("admin")) return undefined;
    const path = `/ledger/outside?${new URLSearchParams({ since: sinceOf(minutes), limit })}`;
    const devices = new Set((await ask(v.array(outside), path, { signal })).map(({ device }) => device));
    const names = [...devices].map((name) => ({ name, href: to(["history", name]) }));
    return finding(text.overview.outside, names, to(["ledger"]), "warn");
  };
  const found = await Promise.all([...states, foreign()]);
  return found.filter((one) => one !== undefined);
}

const looks: Readonly<Record<DeviceHistoryState, Finding["look"]>> = {
  missing: "warn",
  suspect: "warn",
  failed: "bad",
  unsaved: "warn",
};

function finding(
  what: string,
  names: Finding["names"],
  href: string,
  look: Finding["look"],
): Finding | undefined {
  if (names.length === 0) return undefined;
  const isAll = names.length <= mostNames;
  return {
    look,
    what,
    count: isAll ? names.length : undefined,
    names: names.slice(0, mostNames),
    more: !isAll,
    href,
  };
}
