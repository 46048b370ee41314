/** Converts a validated body to the stored operation with everything a worker thread needs, or to its issues. */

import { toCome } from "../../api/jobs/beginning.ts";
import type { OperationKind, Priority, QueueStrategy } from "../../api/jobs/job.ts";
import { committingArgs, defaultTtl, type ExecuteRequest, type Payload } from "../../api/jobs/request.ts";
import type { TemplateUse } from "../../api/jobs/template-use.ts";
import type { RehearsalPlan } from "../../api/rehearsal/rehearsal.ts";
import type { Caller, NamedCredential, NamedHost } from "../../auth/port.ts";
import { hasRight } from "../../auth/rights.ts";
import { isGiven } from "../../base/json/members.ts";
import type { Masker } from "../../base/secrets/mask.ts";
import { suggestion } from "../../base/text/near-names.ts";
import type { DriverPlugin, PlatformPlugin } from "../../plugin/index.ts";
import { fieldsOf } from "../../registry/fields.ts";
import { checkChecks } from "./checks.ts";
import {
  checkConnection,
  hostOf,
  overlaid,
  type Plugins,
  validatedWithStandIns,
} from "./device/connection.ts";
import { faultsOf, isDryRun, repeatable } from "./device/driver-facts.ts";
import { urlHosts } from "./device/request-reach.ts";
import { type NamedTexts, namesOf, withTexts, withUses } from "./named-templates.ts";
import { type FlatOption, settleOptions } from "./options.ts";
import { type RequestSummary, summarizeRequest } from "./request-summary.ts";
import { checkUse, settledUse } from "./template-request.ts";
import { ignoredField, misplacedArgs, unknownMembers } from "./unknown-members.ts";
import { type Issue, readWith } from "./validate.ts";
import { type CheckedWebhook, checkWebhook, withWork } from "./webhook.ts";
import { commandsOf, type RequestedWork, workIssues, workOf } from "./work.ts";

export interface OperationRequest
  extends Pick<ExecuteRequest, "command" | "config" | "driver_args" | "options" | FlatOption> {
  readonly driver: string;
}

export interface OperationInput extends RequestedWork {
  readonly request: OperationRequest;
  readonly connection: Record<string, unknown>;
  readonly bulk: boolean;
  /** Of a rehearsal. */
  readonly rehearsing: Rehearsing;
  /** The push is left open for this time, where the device can. */
  readonly holdSeconds?: number | undefined;
  /** Stored templates that the request names. */
  readonly texts: NamedTexts;
}

/** What the rehearsals of a caller may do. */
export interface RehearsalRights {
  /** Whether a device may be asked to check the lines itself. */
  readonly asksDevices: boolean;
  /** What may be read of the configurations that are kept. */
  readonly shows: boolean;
  readonly comparesSecrets: boolean;
}

interface Rehearsing extends RehearsalRights {
  /** Name of the inventory device. */
  readonly device: string | undefined;
  readonly change?: RehearsalPlan["change"];
}

export const rehearsalRightsOf = (caller: Caller): RehearsalRights => ({
  asksDevices: caller.proposesOnly !== true,
  shows: hasRight(caller, "history"),
  comparesSecrets: hasRight(caller, "history_secrets"),
});

export interface Operation {
  readonly driver: string;
  readonly host: string;
  readonly deviceType: string | null;
  readonly operation: OperationKind;
  /** Whether its arguments ask to change nothing. */
  readonly dryRun: boolean;
  readonly strategy: QueueStrategy;
  readonly priority: Priority;
  /** Milliseconds since 1970. */
  readonly notBefore: number | undefined;
  /** Latest start, in ms since 1970. */
  readonly windowEnd?: number;
  readonly payload: Payload;
  readonly ttlMs: number;
  readonly resultTtlMs: number;
  readonly retries: number;
  readonly warnings: string[];
  readonly webhook?: CheckedWebhook;
  readonly summary: RequestSummary;
  /** Secret texts of the request. */
  readonly secrets: readonly string[];
  /** Masks them in other texts, in all encodings. */
  readonly masker: Masker;
}

export type CheckedOperation =
  | {
      readonly ok: true;
      readonly operation: Operation;
      /** The device and its jump hosts. */
      readonly hosts: readonly NamedHost[];
      /** Hosts of template and webhook URLs. */
      readonly urls: readonly NamedHost[];
      readonly credential: NamedCredential | undefined;
    }
  | {
      readonly ok: false;
      readonly issues: Issue[];
      readonly host: string;
      readonly deviceType: string | null;
    };

export async function checkOperation(
  input: OperationInput,
  plugins: Plugins,
  resultTtlMs: number,
): Promise<CheckedOperation> {
  const { request, texts } = input;
  const driver = plugins.get("driver", request.driver);
  const host = hostOf(input.connection);
  if (!driver) return { ok: false, issues: [unknownDriver(request.driver, plugins)], host, deviceType: null };
  const { options: settled, pathOf, warnings: flatWarnings } = settleOptions(request);
  const options = texts.size === 0 ? settled : withUses(settled, (use) => withTexts(use, texts));
  const rendering = options.rendering ?? undefined;
  const connectionArgs = overlaid(driver, input.connection, request.driver_args);
  const connection = await checkConnection(driver, connectionArgs, plugins);
  const platform = platformOf(driver, connectionArgs, plugins);
  const issues = [...connection.issues, ...workIssues(request, rendering !== undefined, driver, platform)];
  const operation: OperationKind = isGiven(request.config) ? "config" : "query";
  const isRehearsal = options.rehearse === true;
  if (isRehearsal && operation === "query")
    issues.push({ path: pathOf("rehearse"), message: "needs `config`: a query changes nothing" });
  const args = await checkArgs(driver, operation, request.driver_args ?? {});
  issues.push(...args.issues);
  const kind = operation === "query" ? "query" : "configure";
  const detached =
    args.issues.length === 0 && !isRehearsal ? driver.detaches?.(kind, args.output) : undefined;
  const driverParsing =
    operation === "query" && args.issues.length === 0
      ? driver.parsing?.(args.output, commandsOf(request.command))
      : undefined;
  const requestedParsing = options.parsing ?? undefined;
  const parsing: TemplateUse | undefined = requestedParsing ?? (driverParsing && { ...driverParsing.use });
  if (operation === "query" && args.issues.length === 0)
    issues.push(...faultsOf(driver, commandsOf(request.command), args.output, parsing !== undefined));
  if (parsing) issues.push(...(await checkUse(plugins, parsing, "parse")));
  if (rendering) issues.push(...(await checkUse(plugins, rendering, "render")));
  const webhook = await checkWebhook(plugins, options.webhook ?? undefined, pathOf("webhook"));
  issues.push(...webhook.issues);
  if (detached && parsing)
    issues.push({ path: "parsing", message: "does not apply to a detached task: its job has no output" });
  const ttl = options.ttl ?? (input.bulk ? defaultTtl.bulk : defaultTtl.single);
  const checks = await checkChecks(
    {
      asked: isRehearsal ? undefined : options.checks,
      path: pathOf("checks"),
      driver,
      operation,
      connection: connection.checked ?? (await validatedWithStandIns(driver, connectionArgs)),
      args: args.output,
      ttlSeconds: ttl,
      detached: detached !== undefined,
      holdSeconds: input.holdSeconds,
    },
    plugins,
  );
  issues.push(...checks.issues);
  if (issues.length > 0) return { ok: false, issues, host, deviceType: connection.deviceType };

  const strategy = options.queue_strategy ?? driver.strategy;
  const warnings = bounded([
    ...flatWarnings,
    ...unknownMembers(request, input.bulk ? "bulk" : "execute", plugins),
    ...uselessPriority(strategy, options.priority),
    ...uselessTemplates(operation, parsing, rendering),
    ...(isRehearsal && isGiven(options.checks) ? ["a rehearsal pushes nothing: its checks are not run"] : []),
    ...checks.warnings,
    ...connection.warnings,
    ...args.warnings,
  ]);
  const payload: Payload = {
    connection: connection.connection,
    credential: connection.credential,
    ...(connection.through.length === 0 ? {} : { through: [...connection.through] }),
    // It reads only.
    operation: isRehearsal ? "query" : operation,
    driverArgs: args.accepted,
    ...workOf(input, rendering !== undefined, driver),
    ...(rendering && operation === "config"
      ? { rendering: settledUse(plugins, rendering, "render").use }
      : {}),
    ...(parsing && operation === "query" ? parsingOf(plugins, parsing) : {}),
    ...(requestedParsing === undefined && driverParsing?.strict === false ? { parsingLenient: true } : {}),
    ...(checks.stored ? { checks: checks.stored } : {}),
    ...(isRehearsal
      ? {
          rehearsal: {
            device: input.rehearsing.device ?? null,
            ...(await nativeCheck(
              driver,
              connection.checked ?? (await validatedWithStandIns(driver, connectionArgs)),
              args.accepted,
              { asksDevices: input.rehearsing.asksDevices, platform, plugins },
            )),
            shows: input.rehearsing.shows,
            comparesSecrets: input.rehearsing.comparesSecrets,
            ...(input.rehearsing.change ? { change: input.rehearsing.change } : {}),
          },
        }
      : {}),
  };
  const checked = [connection.checked, args.output, webhook.webhook?.checked];
  const templates = namesOf(settled, texts);
  const summarized = summarizeRequest(
    { ...input, connection: connectionArgs, checked, templates },
    payload,
    options,
  );
  const { masked, secrets, masker, ...summary } = summarized;
  return {
    ok: true,
    hosts: connection.hosts,
    credential: connection.credential,
    urls: [
      ...urlHosts("parsing.template", parsing?.template),
      ...urlHosts("rendering.template", rendering?.template),
      ...checks.urls,
      ...urlHosts(`${pathOf("webhook")}.url`, webhook.webhook?.receiver),
    ],
    operation: {
      driver: driver.name,
      host: connection.host,
      deviceType: connection.deviceType,
      operation: payload.operation,
      dryRun: payload.operation === "config" && isDryRun(args.output),
      strategy,
      priority: options.priority ?? "normal",
      notBefore: toCome(options.not_before),
      payload: detached
        ? { ...payload, detached: { keeps: [...detached.keeps], asked: summary.asked, secrets } }
        : payload,
      ttlMs: ttl * 1000,
      resultTtlMs: options.result_ttl ? options.result_ttl * 1000 : resultTtlMs,
      retries: isRehearsal || repeatable(driver, payload, args.output) ? (options.retries ?? 0) : 0,
      warnings,
      webhook: withWork(webhook.webhook, operation, masked),
      summary,
      secrets,
      masker,
    },
  };
}

/** Maximum warnings stored per job: a request may have thousands of unknown fields. */
const maxWarnings = 20;

function bounded(warnings: readonly string[]): string[] {
  if (warnings.length <= maxWarnings) return [...warnings];
  const more = warnings.length - maxWarnings;
  return [...warnings.slice(0, maxWarnings), `and ${more} more fields that were ignored`];
}

/** The issue for an unknown driver. */
export function unknownDriver(name: string, plugins: Plugins): Issue {
  const hint = suggestion(name, plugins.names("driver"));
  return { path: "driver", message: `There is no driver "${name.slice(0, 64)}".${hint}` };
}

async function checkArgs(
  driver: DriverPlugin,
  operation: OperationKind,
  driverArgs: Record<string, unknown>,
) {
  const accepted: Record<string, unknown> = {};
  const warnings: string[] = [];
  const [kind, other] =
    operation === "query" ? (["query", "configure"] as const) : (["configure", "query"] as const);
  const schema = driver.args[kind];
  if (!schema) {
    const message = `the driver ${driver.name} does not support configuration`;
    return { accepted, output: undefined, warnings, issues: [{ path: "config", message }] };
  }
  const fields = fieldsOf(schema);
  const otherSchema = driver.args[other];
  const ofOther = (otherSchema && fieldsOf(otherSchema)) ?? [];
  const known = fields && [...fields, ...ofOther, "fresh"];
  const misplaced = misplacedArgs(driverArgs, known, driver.name);
  if (misplaced.length > 0) return { accepted, output: undefined, warnings, issues: misplaced };
  for (const [field, value] of Object.entries(driverArgs)) {
    const path = `driver_args.${field.slice(0, 64)}`;
    if (fields?.includes(field) !== false || field === "fresh") accepted[field] = value;
    else if (ofOther.includes(field))
      warnings.push(`${path} does not apply to a ${operation} and was ignored`);
    // Names are suggested for as many as are shown.
    else warnings.push(ignoredField(driver, path, warnings.length < maxWarnings ? (known ?? []) : []));
  }
  const checked = await readWith(driver, schema, accepted, "driver_args");
  return { accepted, output: checked.ok ? checked.output : undefined, warnings, issues: checked.issues };
}

interface NativeCheckTools {
  /** The caller's lines may be sent to a device before a push. */
  readonly asksDevices: boolean;
  readonly platform: PlatformPlugin | undefined;
  readonly plugins: Plugins;
}

/**
 * Whether a rehearsal asks the device to check the lines itself, and with which arguments.
 * @param connection undefined: it is not valid
 */
async function nativeCheck(
  driver: DriverPlugin,
  connection: unknown,
  given: Record<string, unknown>,
  { asksDevices, platform, plugins }: NativeCheckTools,
): Promise<Pick<RehearsalPlan, "native" | "unasked" | "commits">> {
  const args = await nativeArgs(driver, connection, given, plugins);
  const isLeftOut = args === null && (await nativeArgs(driver, connection, {}, plugins)) !== null;
  const commits = args !== null || isLeftOut || platform?.candidate !== undefined;
  if (args !== null && asksDevices) return { native: args, commits };
  return {
    ...{ native: null, commits },
    unasked: args !== null ? "not_voted" : isLeftOut ? "arguments" : "no_check",
  };
}

/** Those of a dry run that the device itself compares; null: it cannot. */
async function nativeArgs(
  driver: DriverPlugin,
  connection: unknown,
  given: Record<string, unknown>,
  plugins: Plugins,
): Promise<Record<string, unknown> | null> {
  const { compares, rehearses = () => ({}) } = driver;
  if (compares === undefined) return null;
  const kept = Object.entries(given).filter(([name]) => !committingArgs.has(name));
  const args = { ...Object.fromEntries(kept), dry_run: true };
  const checked = await checkArgs(driver, "config", args);
  if (checked.issues.length > 0 || !isDryRun(checked.output) || connection === undefined) return null;
  const find = (name: string) => plugins.get("platform", name);
  if (compares(connection, checked.output, find) !== true) return null;
  const more = rehearses(connection, checked.output, find);
  return more === undefined ? null : { ...args, ...more };
}

function parsingOf(
  plugins: Plugins,
  parsing: TemplateUse,
): Pick<Payload, "parsing" | "setField" | "argsOnly"> {
  const { use, ...more } = settledUse(plugins, parsing, "parse");
  return { parsing: use, ...more };
}

function uselessTemplates(operation: OperationKind, parsing: unknown, rendering: unknown): string[] {
  return [
    ...(parsing && operation === "config" ? ["parsing applies to queries only and was ignored"] : []),
    ...(rendering && operation === "query"
      ? ["rendering applies to configuration only and was ignored"]
      : []),
  ];
}

function uselessPriority(strategy: QueueStrategy, priority: Priority | null | undefined): string[] {
  const isUseless = strategy === "pinned" && (priority ?? "normal") !== "normal";
  return isUseless
    ? [
        "priority applies to the fifo queue only and was ignored: jobs of a host run in the order of submission",
      ]
    : [];
}

function platformOf(driver: DriverPlugin, connection: Record<string, unknown>, plugins: Plugins) {
  const name = driver.platformField === undefined ? undefined : connection[driver.platformField];
  return typeof name === "string" ? plugins.get("platform", name) : undefined;
}
