/** Translates commands and arguments into calls of a system. All are validated before the first byte is sent. */
import type { Command } from "patchbay/plugin";
import { nearNames } from "patchbay/plugin";
import * as v from "valibot";
import { flatArguments, type QueryArgs } from "./args.ts";
import { type ComplianceCheck, readValidation } from "./compliance-source.ts";
import { type ControlName, controlArguments } from "./control-arguments.ts";
import { type ArgumentsOf, type Method, methodArguments } from "./methods.ts";

export type GetCall = {
  [M in Method]: { readonly kind: "get"; readonly method: M; readonly args: ArgumentsOf<M> };
}[Method];
export type ControlCall = {
  [N in ControlName]: {
    readonly kind: "control";
    readonly method: N;
    readonly args: v.InferOutput<(typeof controlArguments)[N]>;
  };
}[ControlName];

export type Call =
  | GetCall
  | ControlCall
  /** A device command. */
  | { readonly kind: "text"; readonly method: string };

/** The schema of a check's method has validated its arguments. */
export const getCallOf = ({ method, args }: ComplianceCheck): GetCall =>
  ({ kind: "get", method, args }) as GetCall;

const changing: ReadonlySet<string> = new Set(["commit_config", "rollback", "confirm_commit"]);

const steps: ReadonlySet<string> = new Set([
  ...changing,
  "load_merge_candidate",
  "load_replace_candidate",
  "compare_config",
  "discard_config",
]);
export const isStepOfChange = ({ kind, method }: Call): boolean => kind === "control" && steps.has(method);

/** Whether the call may be repeated if it is unknown whether it was sent. */
export const isRepeatable = ({ method }: Call): boolean => !changing.has(method);

export interface CallFault {
  /** Path within the request: `driver_args.kwargs.ping.ttl`. */
  readonly path: string;
  readonly message: string;
}

/** NAPALM methods that a job does not offer, with the alternative for each. */
const elsewhere: Readonly<Record<string, string>> = {
  open: "is not available: the service opens and closes sessions itself",
  close: "is not available: the service opens and closes sessions itself",
  load_template: "is not available: send `config` with `rendering` instead",
  connection_tests: "is not available: use POST /device/test-connection instead",
  pre_connection_tests: "is not available: use POST /device/test-connection instead",
  post_connection_tests: "is not available: use POST /device/test-connection instead",
  get_firewall_policies: "is not supported by any system",
};

const schemas = { ...methodArguments, ...controlArguments };
type MethodName = keyof typeof schemas;
export const methodNames = Object.keys(schemas) as MethodName[];
const isMethod = (name: string): name is MethodName => Object.hasOwn(schemas, name);
const fieldsOf = (method: MethodName): readonly string[] => Object.keys(schemas[method].entries);

/** @returns the calls, or all faults */
export function readCalls(
  commands: readonly Command[],
  args: QueryArgs,
): { readonly calls: readonly Call[]; readonly faults: readonly CallFault[] } {
  const faults: CallFault[] = [];
  const calls: Call[] = [];
  const methods = commands
    .flatMap((command) => (typeof command === "string" ? [command.trim()] : []))
    .filter(isMethod);
  const argumentsOf = assignArguments(methods, args, faults);
  for (const [at, command] of commands.entries()) {
    const fault = (message: string) => faults.push({ path: `command.${at}`, message });
    if (typeof command !== "string") {
      fault("must be a string: the driver napalm does not answer prompts");
      continue;
    }
    const name = command.trim();
    if (isMethod(name)) {
      const call = readCall(name, argumentsOf(name), faults);
      if (call !== undefined) calls.push(call);
    } else if (Object.hasOwn(elsewhere, name)) fault(`${name} ${elsewhere[name]}`);
    else if (/^(get|load|commit|has|compliance)_\w+$/.test(name)) fault(unknownMethod(name));
    else if (name === "") fault("must not be empty");
    else calls.push({ kind: "text", method: command });
  }
  return { calls, faults };
}

/** Arguments beside `kwargs` that no listed method has. */
export function uselessArguments(commands: readonly Command[], args: QueryArgs): readonly string[] {
  const usedFields = commands
    .flatMap((command) => (typeof command === "string" ? [command.trim()] : []))
    .filter(isMethod)
    .flatMap(fieldsOf);
  return Object.keys(flatArguments).filter((field) => {
    const value: unknown = Reflect.get(args, field);
    return value !== undefined && value !== null && !usedFields.includes(field);
  });
}

function unknownMethod(name: string): string {
  const near = nearNames(name, methodNames, 3);
  return `"${name.slice(0, 64)}" is not a method of napalm.${near.length > 0 ? ` Did you mean ${near.join(", ")}?` : ""} Device commands are sent as typed on the device.`;
}

interface MethodArguments {
  /** Path of the arguments in the request. */
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Assigns arguments to methods: `kwargs` by method, flat `kwargs`, then the fields beside it. */
function assignArguments(methods: readonly MethodName[], args: QueryArgs, faults: CallFault[]) {
  const kwargs = withoutNull(args.kwargs ?? {});
  const where = "driver_args.kwargs";
  const beside = withoutNull(
    Object.fromEntries(
      Object.keys(flatArguments).map((field) => [field, Reflect.get(args, field) as unknown]),
    ),
  );
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(kwargs)) {
    if (isMethod(name) && isObject(value)) {
      if (!methods.includes(name))
        faults.push({ path: `${where}.${name}`, message: "is not among the commands" });
    } else if (methods.length === 1 || methods.some((method) => fieldsOf(method).includes(name)))
      flat[name] = value;
    else
      faults.push({
        path: `${where}.${name.slice(0, 64)}`,
        message:
          methods.length === 0
            ? "belongs to no method: the commands name none"
            : "is not an argument of any requested method",
      });
  }
  return (method: MethodName): MethodArguments => {
    const methodKwargs = kwargs[method];
    const acceptedOf = (values: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.entries(values).filter(([name]) => fieldsOf(method).includes(name)));
    return {
      path: isObject(methodKwargs) ? `${where}.${method}` : where,
      values: {
        ...acceptedOf(beside),
        ...(methods.length === 1 && !isObject(methodKwargs) ? flat : acceptedOf(flat)),
        ...(isObject(methodKwargs) ? withoutNull(methodKwargs) : {}),
      },
    };
  };
}

function readCall(
  method: MethodName,
  { path, values }: MethodArguments,
  faults: CallFault[],
): Call | undefined {
  const read = v.safeParse(schemas[method], values);
  if (read.success) {
    if (method === "compliance_report") faults.push(...sourceFaults(path, read.output));
    const kind = method in methodArguments ? "get" : "control";
    // The method's own schema produced these arguments.
    return { kind, method, args: read.output } as Call;
  }
  for (const issue of read.issues) {
    const steps = (issue.path ?? []).map(({ key }) => String(key));
    const field = steps[0] ?? "";
    faults.push({ path: [path, ...steps].join("."), message: messageOf(method, field, values, issue) });
  }
  return undefined;
}

const withSource = v.object({ validation_source: v.array(v.record(v.string(), v.unknown())) });

function sourceFaults(path: string, args: unknown): CallFault[] {
  return readValidation(v.parse(withSource, args).validation_source).faults.map((fault) => ({
    path: [path, "validation_source", ...fault.path].filter((step) => step !== "").join("."),
    message: fault.message,
  }));
}

function messageOf(
  method: MethodName,
  field: string,
  values: Readonly<Record<string, unknown>>,
  { type, message }: { readonly type: string; readonly message: string },
): string {
  if (type === "strict_object" && !fieldsOf(method).includes(field)) {
    const fields = fieldsOf(method);
    return `is not an argument of ${method}, which ${fields.length === 0 ? "takes none" : `takes ${fields.join(", ")}`}`;
  }
  if (!Object.hasOwn(values, field)) return `is missing: ${method} requires it`;
  return message;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Treats Python's None as an argument that was not given. */
function withoutNull(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );
}
