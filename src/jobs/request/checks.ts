/** Validates the checks of a request for one device, and converts them to the stored form. */

import {
  type Check,
  maxChecks,
  type RequestedChecks,
  type StoredCheck,
  type StoredChecks,
} from "../../api/jobs/checks.ts";
import type { OperationKind } from "../../api/jobs/job.ts";
import type { NamedHost } from "../../auth/port.ts";
import type { DriverPlugin } from "../../plugin/index.ts";
import { shapeIssues } from "./check-shape.ts";
import type { Plugins } from "./device/connection.ts";
import { faultsOf, issuesOf } from "./device/driver-facts.ts";
import { urlHosts } from "./device/request-reach.ts";
import { checkUse, settledUse } from "./template-request.ts";
import type { Issue } from "./validate.ts";

export interface ChecksInput {
  readonly asked: RequestedChecks | null | undefined;
  /** `checks` or `options.checks`. */
  readonly path: string;
  readonly driver: DriverPlugin;
  readonly operation: OperationKind;
  /** Output of the driver's schemas. */
  readonly connection: unknown;
  readonly args: unknown;
  readonly ttlSeconds: number;
  readonly detached: boolean;
  /** The push is left open for this time, where the device can. */
  readonly holdSeconds?: number | undefined;
}

export interface CheckedChecks {
  readonly stored?: StoredChecks;
  readonly issues: readonly Issue[];
  readonly warnings: readonly string[];
  readonly urls: readonly NamedHost[];
}

const nothing: CheckedChecks = { issues: [], warnings: [], urls: [] };

export async function checkChecks(input: ChecksInput, plugins: Plugins): Promise<CheckedChecks> {
  const { path, driver, operation, args, detached, holdSeconds } = input;
  const asked = input.asked ?? (holdSeconds === undefined ? undefined : {});
  if (asked === undefined) return nothing;
  const refused = (message: string) => ({ ...nothing, issues: [{ path, message }] });
  if (operation === "query") return refused("does not apply to a query: checks need a `config`");
  if (detached) return refused("does not apply to a detached task: its job ends before the lines have run");
  const issues = [
    // A push that is left open needs no checks.
    ...(input.asked ? await shapeIssues(input.asked) : []).map((issue) => ({
      ...issue,
      path: joined(path, issue.path),
    })),
    ...timeIssues(input),
    ...excluded(driver, args).map((fault) => ({ path: fault.path, message: fault.message })),
  ];
  const allChecks = [...listed(asked.before, `${path}.before`), ...listed(asked.after, `${path}.after`)];
  // Bounded, because this runs for each device of a bulk.
  for (const { check, at } of allChecks.slice(0, maxChecks))
    issues.push(...(await deviceIssues(driver, check, at, plugins)));
  if (issues.length > 0) return { ...nothing, issues };
  const stored: StoredChecks = {
    before: (asked.before ?? []).map((check) => settled(check, plugins)),
    after: (asked.after ?? []).map((check) => settled(check, plugins)),
    settleMs: (asked.settle_seconds ?? 0) * 1000,
    onFailure: asked.on_failure ?? "undo",
    ...(holdSeconds === undefined ? {} : { holdSeconds }),
  };
  return {
    stored,
    issues: [],
    warnings: undoWarnings(stored, input, plugins),
    urls: allChecks.flatMap(({ check, at }) => urlHosts(`${at}.parse.template`, check.parse?.template)),
  };
}

/** Checks of a device that gets no lines; their shape is known to be right. */
export async function checksAlone(
  checks: readonly Check[],
  driver: DriverPlugin,
  plugins: Plugins,
): Promise<{ readonly stored: StoredChecks } | { readonly issues: readonly Issue[] }> {
  const issues: Issue[] = [];
  for (const { check, at } of listed(checks, "checks"))
    issues.push(...(await deviceIssues(driver, check, at, plugins)));
  if (issues.length > 0) return { issues };
  const after = checks.map((check) => settled(check, plugins));
  return { stored: { before: [], after, settleMs: 0, onFailure: "keep" } };
}

function joined(path: string, rest: string): string {
  return rest === "" ? path : `${path}.${rest}`;
}

function listed(checks: readonly Check[] | null | undefined, path: string) {
  return (checks ?? []).map((check, at) => ({ check, at: `${path}.${at}` }));
}

function timeIssues({ asked, path, ttlSeconds }: ChecksInput): Issue[] {
  const seconds = asked?.settle_seconds ?? 0;
  if (seconds < ttlSeconds) return [];
  const message = `is not shorter than the job's ttl of ${ttlSeconds} seconds: no time would be left for the checks`;
  return [{ path: `${path}.settle_seconds`, message }];
}

/** Issues reported by the driver. */
function excluded(driver: DriverPlugin, args: unknown): readonly Issue[] {
  return issuesOf(driver, "excludesChecks", driver.excludesChecks?.(args));
}

async function deviceIssues(
  driver: DriverPlugin,
  { command, parse }: Check,
  at: string,
  plugins: Plugins,
): Promise<Issue[]> {
  const [fault] = faultsOf(driver, [command], {});
  const issues = fault ? [{ path: `${at}.command`, message: fault.message }] : [];
  if (!parse) return issues;
  const ofParse = await checkUse(plugins, parse, "parse");
  return [
    ...issues,
    ...ofParse.map((issue) => ({ ...issue, path: issue.path.replace(/^parsing/, `${at}.parse`) })),
  ];
}

function settled(check: Check, plugins: Plugins): StoredCheck {
  if (!check.parse) return check;
  const { use, ...more } = settledUse(plugins, check.parse, "parse");
  return { ...check, parse: use, ...more };
}

/** Warns before the push if a rollback is not possible. */
function undoWarnings(
  { after, onFailure }: StoredChecks,
  { driver, connection, args }: ChecksInput,
  plugins: Plugins,
): string[] {
  if (after.length === 0 || onFailure === "keep") return [];
  return canUndo(driver, connection, args, plugins)
    ? []
    : [
        `the driver ${driver.name} cannot guarantee a rollback on this device: if a check after the push fails, the lines may stay there`,
      ];
}

function canUndo(driver: DriverPlugin, connection: unknown, args: unknown, plugins: Plugins): boolean {
  try {
    return driver.undo?.(connection, args, (name) => plugins.get("platform", name)) !== undefined;
  } catch {
    return false;
  }
}
