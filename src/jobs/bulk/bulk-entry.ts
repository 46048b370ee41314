/** Checks one device of a bulk, and builds its job: queued if valid, failed if not. */
import * as v from "valibot";
import { commandField, configField } from "../../api/jobs/request.ts";
import { credentialRefusal } from "../../auth/credentials.ts";
import { refusalText } from "../../auth/reach.ts";
import { refuse } from "../../base/issues.ts";
import { isGiven, withoutNulls } from "../../base/json/members.ts";
import type { RawMembers } from "../../base/json/raw-members.ts";
import type { NewJob } from "../../store/port.ts";
import { hostOf, type Plugins } from "../request/device/connection.ts";
import { isDryRun } from "../request/device/driver-facts.ts";
import { type RefusedHosts, requireNoneRefused } from "../request/device/request-reach.ts";
import { noDriver } from "../request/device/selection.ts";
import type { NamedTexts } from "../request/named-templates.ts";
import { failedJob, type JobIdentity, newJob } from "../request/new-job.ts";
import { type CheckedOperation, checkOperation, type RehearsalRights } from "../request/operation.ts";
import { secretsByName } from "../request/purpose.ts";
import { type Issue, shapeIssues } from "../request/validate.ts";
import type { ChosenEntry, ExpandedBulk } from "./bulk-selection.ts";

export interface BulkEntry {
  readonly request: ExpandedBulk;
  readonly entry: Record<string, unknown>;
  readonly index: number;
  readonly choice: ChosenEntry | undefined;
  /** What the caller may read of configurations. */
  readonly reads: RehearsalRights;
  /** The devices use different drivers: a field unknown to one of them is not an error of the request. */
  readonly mixed: boolean;
  /** Stored templates that the request names. */
  readonly texts: NamedTexts;
}

const ownWorkFields = v.object({ command: v.optional(commandField), config: v.optional(configField) });

/** @throws ServiceError Validation, Forbidden: a fault shared by all devices */
export async function checkEntry(
  { request, entry, index, choice, mixed, reads, texts }: BulkEntry,
  raw: RawMembers,
  refused: RefusedHosts,
  { plugins, resultTtlMs }: { readonly plugins: Plugins; readonly resultTtlMs: number },
): Promise<CheckedOperation> {
  const { command, config, ...fields } = entry;
  const ownInput = withoutNulls<Record<string, unknown>>({ command, config });
  const ownWork = v.safeParse(ownWorkFields, ownInput);
  const connection = overlay(request.connection_args ?? {}, fields);
  const unasked = {
    ok: false,
    host: hostOf(connection) || (choice?.device ?? ""),
    deviceType: null,
  } as const;
  if (!ownWork.success)
    return { ...unasked, issues: shapeIssues(ownWork.issues, `devices.${index}`, ownInput) };
  if (choice?.issues) return { ...unasked, issues: [...choice.issues] };
  const driver = request.driver ?? choice?.driver;
  if (!driver) return { ...unasked, issues: [noDriver(choice?.device)] };
  const replaced = ownWork.output.command !== undefined || ownWork.output.config !== undefined;
  const { connection_args: _shared, devices: _devices, ...shared } = request;
  const { driverArgs } = choice ?? {};
  const work = replaced ? { command: undefined, config: undefined, ...ownWork.output } : {};
  const checked = await checkOperation(
    {
      request: { ...shared, driver, ...work, ...(driverArgs ? { driver_args: driverArgs } : {}) },
      connection,
      raw,
      configPath: replaced ? ["devices", index, "config"] : ["config"],
      members: choice?.members,
      holdSeconds: choice?.holdSeconds,
      rehearsing: { ...reads, device: choice?.device, change: choice?.rehearses },
      texts,
      bulk: true,
    },
    plugins,
    resultTtlMs,
  );
  if (!checked.ok) {
    if (mixed || !plugins.get("driver", driver)) return checked;
    const shared = sharedIssues(checked.issues, request, entry, replaced);
    return shared.length > 0 ? refuse(shared) : checked;
  }
  const { hosts, urls, credential } = await refused(checked);
  // URLs are shared by all devices: refuse the whole bulk.
  requireNoneRefused(urls);
  if (hosts.length === 0 && credential === undefined) return withPurpose(checked, choice);
  const { host, deviceType } = checked.operation;
  const issues = hosts.map((refused) => ({ path: refused.path, message: refusalText(refused) }));
  if (credential !== undefined)
    issues.push({ path: "connection_args.credential", message: credentialRefusal(credential) });
  return { ok: false, issues, host, deviceType };
}

function withPurpose(checked: CheckedOperation, choice: ChosenEntry | undefined): CheckedOperation {
  const { discovery, take, restore, checks, ends } = choice ?? {};
  if (!checked.ok || (discovery ?? take ?? restore ?? checks ?? ends) === undefined) return checked;
  const { operation } = checked;
  const purpose = { discovery, take, restore, ends, ...(checks ? { checks } : {}) };
  return { ...checked, operation: { ...operation, payload: { ...operation.payload, ...purpose } } };
}

export function jobOf(
  { request, choice, index }: BulkEntry,
  checked: CheckedOperation,
  identity: JobIdentity,
  resultTtlMs: number,
): NewJob {
  if (checked.ok) return newJob(checked.operation, identity);
  const refused = {
    driver: (request.driver ?? choice?.driver ?? "none").slice(0, 64),
    host: checked.host || `device ${index + 1}`,
    deviceType: checked.deviceType,
    config: request.config !== undefined && request.config !== null,
    dryRun: isDryRun(request.driver_args),
    reason: reasonOf(checked),
  };
  return failedJob(refused, identity, resultTtlMs);
}

export function secretsOf({ request, entry }: BulkEntry, checked: CheckedOperation): readonly string[] {
  if (checked.ok) return checked.operation.secrets;
  const { options, webhook, driver_args } = request;
  return secretsByName(overlay(request.connection_args ?? {}, entry), driver_args, options, webhook);
}

const maxReasons = 5;

export function reasonOf(checked: CheckedOperation): string {
  if (checked.ok) return "";
  const more = checked.issues.length - maxReasons;
  return [
    ...checked.issues.slice(0, maxReasons).map(({ path, message }) => `${path}: ${message}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("; ");
}

/** Null means "not given", so the shared value applies; a null credential means "none". */
const isSaid = (field: string, value: unknown) =>
  value !== undefined && (value !== null || field === "credential");

/** Merges into a new object, so that an entry cannot modify shared values. */
function overlay(shared: Record<string, unknown>, entry: Record<string, unknown>): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  const names = Object.keys(entry).filter((field) => isSaid(field, entry[field]));
  // `host` in the entry replaces a shared `hostname`, and vice versa.
  const renamed = names.includes("host") ? "hostname" : names.includes("hostname") ? "host" : undefined;
  for (const [field, value] of Object.entries(shared)) if (field !== renamed) merged[field] = value;
  for (const field of names) merged[field] = entry[field];
  return merged;
}

// Separates issues of the whole bulk request from those of single devices.

/** Issues that no entry contributes to belong to the request. */
function sharedIssues(
  issues: readonly Issue[],
  request: ExpandedBulk,
  entry: Record<string, unknown>,
  hasOwnWork: boolean,
): Issue[] {
  return issues.filter(({ path }) => {
    // Work given by some entries only is missing in the others.
    if (path === "command" && !isGiven(request.command) && !isGiven(request.config))
      return !hasOwnWork && !request.devices.some(bringsWork);
    const [first, field = ""] = path.split(".");
    if (first === "connection_args")
      return (
        isGiven(request.connection_args?.[field]) &&
        !isGiven(entry[field]) &&
        !nameOf(field).some((name) => isGiven(entry[name]))
      );
    // An entry may have its own kind of work with its own arguments.
    return !(hasOwnWork && (ofWork.has(first ?? "") || /^options\.checks\b/.test(path)));
  });
}

const ofWork = new Set(["command", "config", "driver_args", "parsing", "rendering", "checks"]);

function bringsWork({ command, config }: Record<string, unknown>): boolean {
  return isGiven(command) || isGiven(config);
}

/** `host` and `hostname` are the same field. */
function nameOf(field: string): string[] {
  return field === "host" || field === "hostname" ? ["host", "hostname"] : [field];
}
