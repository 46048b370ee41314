/** From a checked body to the operation that is stored: everything a thread needs, or what is wrong with it. */

import type { NamedCredential, NamedHost } from "../auth/port.ts";
import { rawMember } from "../base/json.ts";
import { toCome } from "../model/beginning.ts";
import type { OperationKind, Priority, QueueStrategy } from "../model/job.ts";
import { defaultTtl, type ExecuteRequest, type Payload } from "../model/request.ts";
import type { TemplateUse } from "../model/template-use.ts";
import type { DriverPlugin } from "../plugin/index.ts";
import { fieldsOf } from "../registry/fields.ts";
import { checkConnection, ignoredField, overlaid, type Plugins } from "./connection.ts";
import { faultsOf, repeatable } from "./driver-facts.ts";
import { type Issue, readWith } from "./issues.ts";
import { type FlatOption, settleOptions } from "./options.ts";
import { urlHosts } from "./request-reach.ts";
import { type RequestSummary, summarizeRequest } from "./request-summary.ts";
import { suggestion } from "./suggestion.ts";
import { checkUse, settledUse } from "./template-request.ts";
import { type CheckedWebhook, checkWebhook, withWork } from "./webhook.ts";

export type OperationRequest = Pick<
  ExecuteRequest,
  "driver" | "command" | "config" | "driver_args" | "options" | FlatOption
>;

export interface OperationInput {
  readonly request: OperationRequest;
  readonly connection: Record<string, unknown>;
  /** Text of the body and the way to `config` in it: the context's key order and number kinds are kept. */
  readonly text: string;
  readonly configPath: readonly (string | number)[];
  readonly bulk: boolean;
}

export interface Operation {
  readonly driver: string;
  readonly host: string;
  readonly deviceType: string | null;
  readonly operation: OperationKind;
  readonly strategy: QueueStrategy;
  readonly priority: Priority;
  /** Milliseconds since 1970. */
  readonly notBefore: number | undefined;
  readonly payload: Payload;
  readonly ttlMs: number;
  readonly resultTtlMs: number;
  readonly retries: number;
  readonly warnings: string[];
  readonly webhook?: CheckedWebhook | undefined;
  readonly summary: RequestSummary;
  /** Texts of the request that nothing may show. */
  readonly secrets: readonly string[];
}

export type CheckedOperation =
  | {
      readonly ok: true;
      readonly operation: Operation;
      /** The device and its jump hosts. */
      readonly hosts: readonly NamedHost[];
      /** Where templates come from and webhooks go. */
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
  const { request } = input;
  const driver = plugins.get("driver", request.driver);
  const host = hostText(input.connection);
  if (!driver) return { ok: false, issues: [unknownDriver(request.driver, plugins)], host, deviceType: null };
  const { options, pathOf, warnings: flatWarnings } = settleOptions(request);
  const rendering = options.rendering ?? undefined;
  const asked = overlaid(driver, input.connection, request.driver_args);
  const connection = await checkConnection(driver, asked, plugins);
  const issues = [...connection.issues, ...workIssues(request, rendering !== undefined, driver)];
  const operation: OperationKind = isGiven(request.config) ? "config" : "query";
  const args = await checkArgs(driver, operation, request.driver_args ?? {});
  issues.push(...args.issues);
  if (operation === "query" && args.issues.length === 0)
    issues.push(...faultsOf(driver, commandsOf(request.command), args.output));
  const kind = operation === "query" ? "query" : "configure";
  const detached = args.issues.length === 0 ? driver.detaches?.(kind, args.output) : undefined;
  const driverParsing =
    operation === "query" && args.issues.length === 0 ? driver.parsing?.(args.output) : undefined;
  const requestedParsing = options.parsing ?? undefined;
  const parsing: TemplateUse | undefined = requestedParsing ?? (driverParsing && { ...driverParsing.use });
  if (parsing) issues.push(...(await checkUse(plugins, parsing, "parse")));
  if (rendering) issues.push(...(await checkUse(plugins, rendering, "render")));
  const webhook = await checkWebhook(plugins, options.webhook ?? undefined, pathOf("webhook"));
  issues.push(...webhook.issues);
  if (detached && parsing)
    issues.push({ path: "parsing", message: "has no meaning for a detached task: its job has no output" });
  if (issues.length > 0) return { ok: false, issues, host, deviceType: connection.deviceType };

  const strategy = options.queue_strategy ?? driver.strategy;
  const warnings = bounded([
    ...flatWarnings,
    ...uselessPriority(strategy, options.priority),
    ...uselessTemplates(operation, parsing, rendering),
    ...connection.warnings,
    ...args.warnings,
  ]);
  const payload: Payload = {
    connection: connection.connection,
    ...(connection.credential === undefined ? {} : { credential: connection.credential }),
    operation,
    driverArgs: args.accepted,
    ...workOf(input, rendering !== undefined, driver),
    ...(rendering && operation === "config"
      ? { rendering: settledUse(plugins, rendering, "render").use }
      : {}),
    ...(parsing && operation === "query" ? parsingOf(plugins, parsing) : {}),
    ...(requestedParsing === undefined && driverParsing?.strict === false ? { parsingLenient: true } : {}),
  };
  const checked = [connection.checked, args.output, webhook.webhook?.checked];
  const summarized = summarizeRequest({ ...input, connection: asked, checked }, payload, options);
  const { masked, secrets, ...summary } = summarized;
  const ttl = options.ttl ?? (input.bulk ? defaultTtl.bulk : defaultTtl.single);
  return {
    ok: true,
    hosts: connection.hosts,
    credential: connection.credential,
    urls: [
      ...urlHosts("parsing.template", parsing?.template),
      ...urlHosts("rendering.template", rendering?.template),
      ...urlHosts(`${pathOf("webhook")}.url`, webhook.webhook?.receiver),
    ],
    operation: {
      driver: driver.name,
      host: connection.host,
      deviceType: connection.deviceType,
      operation,
      strategy,
      priority: options.priority ?? "normal",
      notBefore: toCome(options.not_before),
      payload: detached
        ? { ...payload, detached: { keeps: [...detached.keeps], asked: summary.asked, secrets } }
        : payload,
      ttlMs: ttl * 1000,
      resultTtlMs: options.result_ttl ? options.result_ttl * 1000 : resultTtlMs,
      retries: repeatable(driver, payload, args.output) ? (options.retries ?? 0) : 0,
      warnings,
      webhook: withWork(webhook.webhook, operation, masked),
      summary,
      secrets,
    },
  };
}

/** They are stored with the job and stand in its record: thousands of unknown fields are told by the first of them. */
const mostWarnings = 20;

function bounded(warnings: readonly string[]): string[] {
  if (warnings.length <= mostWarnings) return [...warnings];
  const more = warnings.length - mostWarnings;
  return [...warnings.slice(0, mostWarnings), `and ${more} more fields that were ignored`];
}

/** One text for one error, wherever a driver is named. */
export function unknownDriver(name: string, plugins: Plugins): Issue {
  const hint = suggestion(name, plugins.names("driver"));
  return { path: "driver", message: `There is no driver "${name.slice(0, 64)}".${hint}` };
}

function hostText(connection: Record<string, unknown>): string {
  const host = connection.host ?? connection.hostname;
  return typeof host === "string" ? host.slice(0, 253) : "";
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** What a command line must not get: a control character acts on the device, a line break starts another command. */
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

function workIssues(request: OperationInput["request"], rendering: boolean, driver: DriverPlugin): Issue[] {
  const query = isGiven(request.command);
  if (query === isGiven(request.config)) {
    const message = query
      ? "`command` and `config` are both given"
      : "one of `command` and `config` is required";
    return [{ path: "command", message }];
  }
  if (query) return commandIssues(commandsOf(request.command), driver);
  const { config } = request;
  const isContext = typeof config === "object" && config !== null && !Array.isArray(config);
  if (isContext && !rendering)
    return [
      { path: "config", message: "an object is the context of a template: `rendering` is required with it" },
    ];
  if (!isContext && rendering)
    return [{ path: "config", message: "must be an object, the context of `rendering`" }];
  return isContext
    ? []
    : textsOf(config).flatMap((line, at) => (controls.test(line) ? [control(`config.${at}`)] : []));
}

function commandIssues(commands: readonly (string | { send: string })[], driver: DriverPlugin): Issue[] {
  return commands.flatMap((command, at) => {
    const text = typeof command === "string" ? command : command.send;
    if (controls.test(text)) return [control(`command.${at}`)];
    if (driver.commands === "lines" && /[\r\n]/.test(text))
      return [
        { path: `command.${at}`, message: "must be one line: a line break would start another command" },
      ];
    return [];
  });
}

const control = (path: string): Issue => ({ path, message: "must not hold control characters" });

type Commands = NonNullable<Payload["commands"]>;

function commandsOf(command: OperationInput["request"]["command"]): Commands {
  return command === undefined || command === null ? [] : typeof command === "string" ? [command] : command;
}

function textsOf(config: OperationInput["request"]["config"]): string[] {
  return (typeof config === "string" ? [config] : Array.isArray(config) ? config : []).map(String);
}

function linesOf(config: OperationInput["request"]["config"], driver: DriverPlugin): string[] {
  const texts = textsOf(config);
  if (driver.configuration === "texts") return texts;
  const lines = texts.flatMap((text) => text.split(/\r\n|\n|\r/));
  // One line end at the end of a text is not an empty line.
  return lines.at(-1) === "" && lines.length > 1 ? lines.slice(0, -1) : lines;
}

function workOf(
  input: OperationInput,
  rendering: boolean,
  driver: DriverPlugin,
): Pick<Payload, "commands" | "lines" | "contextJson" | "renderedWhole"> {
  const { command, config } = input.request;
  if (isGiven(command)) return { commands: commandsOf(command) };
  if (!rendering) return { lines: linesOf(config, driver) };
  return {
    contextJson: rawMember(input.text, input.configPath) ?? JSON.stringify(config),
    ...(driver.configuration === "texts" ? { renderedWhole: true } : {}),
  };
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
    const message = `the driver ${driver.name} takes no configuration`;
    return { accepted, output: undefined, warnings, issues: [{ path: "config", message }] };
  }
  const fields = fieldsOf(schema);
  const otherSchema = driver.args[other];
  for (const [field, value] of Object.entries(driverArgs)) {
    if (fields?.includes(field) !== false || field === "fresh") accepted[field] = value;
    else if (otherSchema && fieldsOf(otherSchema)?.includes(field))
      warnings.push(`driver_args.${field.slice(0, 64)} has no meaning for a ${operation} and was ignored`);
    else warnings.push(ignoredField(driver, `driver_args.${field.slice(0, 64)}`));
  }
  const checked = await readWith(schema, accepted, "driver_args");
  return { accepted, output: checked.ok ? checked.output : undefined, warnings, issues: checked.issues };
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
    ...(parsing && operation === "config" ? ["parsing is used by queries only and was ignored"] : []),
    ...(rendering && operation === "query"
      ? ["rendering is used by configuration only and was ignored"]
      : []),
  ];
}

function uselessPriority(strategy: QueueStrategy, priority: Priority | null | undefined): string[] {
  const isUseless = strategy === "pinned" && (priority ?? "normal") !== "normal";
  return isUseless
    ? ["priority orders the fifo queue only and was ignored: jobs of a host run as they were submitted"]
    : [];
}
