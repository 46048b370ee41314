/** The kinds of inventory sources that plugins bring: their fields, and the faults that their schemas find. */
import type * as v from "valibot";
import type { Issue } from "../base/issues.ts";
import { neverAborted, within } from "../base/time/deadline.ts";
import type { InventorySourcePlugin } from "../plugin/inventory.ts";
import type { Schema } from "../plugin/kit/kit.ts";
import { fieldsOf } from "./fields.ts";
import { pluginFault } from "./plugin-fault.ts";
import type { Registry } from "./registry.ts";
import { holdsSecret } from "./secret-fields.ts";

export interface SourceKind {
  readonly name: string;
  readonly schemes: readonly string[];
  readonly needsFormat: boolean;
  /** Undefined: the schema of the field is not known apart from the others. */
  readonly fields: Readonly<Record<string, v.GenericSchema | undefined>>;
}

const kinds = new WeakMap<InventorySourcePlugin, SourceKind>();

/** By name. The same plugin gives the same object. */
export function sourceKindsOf(registry: Pick<Registry, "list">): SourceKind[] {
  return registry
    .list("inventory")
    .filter((plugin) => plugin.does === "source")
    .map((plugin) => {
      const kind = kinds.get(plugin) ?? kindOf(plugin);
      kinds.set(plugin, kind);
      return kind;
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf({ name, schemes, gives, options }: InventorySourcePlugin): SourceKind {
  const names = options === undefined ? [] : (fieldsOf(options) ?? []);
  const fields = Object.fromEntries(names.map((field) => [field, options && memberOf(options, field)]));
  return { name, schemes, needsFormat: gives === "text", fields };
}

/** The schema of a field, if it is one that can be used here: valibot's, and not asynchronous. */
function memberOf(options: Schema, field: string): v.GenericSchema | undefined {
  const entries: unknown = Reflect.get(options, "entries");
  const member: unknown = typeof entries === "object" && entries !== null && Reflect.get(entries, field);
  return isValibot(member) ? member : undefined;
}

function isValibot(value: unknown): value is v.GenericSchema {
  return (
    typeof value === "object" &&
    value !== null &&
    "~run" in value &&
    "async" in value &&
    value.async === false
  );
}

/** A schema must not hold a request for ever. */
const limitMs = 5_000;

/**
 * The faults that the plugin's own schema finds in the fields of its kind.
 * @throws ServiceError DriverError: the schema itself fails
 */
export async function sourceIssues(
  registry: Pick<Registry, "get">,
  name: string,
  options: Readonly<Record<string, unknown>>,
): Promise<Issue[]> {
  const plugin = registry.get("inventory", name);
  if (plugin?.does !== "source" || plugin.options === undefined) return [];
  const { options: schema } = plugin;
  const late = () => pluginFault(plugin, "options", `it took more than ${limitMs / 1000} s`);
  const checking = async () => schema["~standard"].validate(options);
  const result = await within(checking(), limitMs, neverAborted, late).catch((error: unknown) => {
    throw pluginFault(plugin, "options", error);
  });
  if (result.issues !== undefined)
    return result.issues.map(({ path = [], message }) => ({
      path: path.map((step) => String(typeof step === "object" ? step.key : step)).join("."),
      message,
    }));
  if (typeof result.value !== "object" || result.value === null) return [];
  // Sources are stored and shown in clear.
  return Object.entries(result.value)
    .filter(([, value]) => holdsSecret(value))
    .map(([path]) => ({ path, message: "must not hold a secret: name a credential" }));
}
