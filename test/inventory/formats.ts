/** The built-in formats and kinds of sources, opened as the service opens them. */
import { builtins } from "../../plugins/index.ts";
import { writtenSource } from "../../src/api/inventory/inventory-source.ts";
import { silentLog } from "../../src/base/log.ts";
import { createMasking } from "../../src/executor/masking.ts";
import { createInventoryReader } from "../../src/executor/text/inventory-text.ts";
import type { InventoryTask } from "../../src/protocol/task.ts";
import { createInventoryFormats, formatsOf } from "../../src/registry/inventory-formats.ts";
import { sourceIssues, sourceKindsOf } from "../../src/registry/inventory-sources.ts";
import { createPluginLoader } from "../../src/registry/loader.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { createTextWriter, describedFormats } from "../../src/service/wiring/inventory.ts";

export const registry = createRegistry();
for (const plugin of builtins) if (plugin.kind === "inventory") registry.add(plugin, "builtin");

export const formats = createInventoryFormats({ registry, loaded: createPluginLoader(), log: silentLog });
const reader = createInventoryReader(formats);
export const readInventoryText = (task: InventoryTask) => reader(task, createMasking().task());
export const writeFormat = createTextWriter(registry, silentLog);
export const formatList = describedFormats(registry);
export const importFormats = formatList.imports;
export const sourceKinds = {
  written: () => writtenSource(sourceKindsOf(registry), importFormats),
  issues: (kind: string, options: Readonly<Record<string, unknown>>) => sourceIssues(registry, kind, options),
};

const opened = new Map(
  await Promise.all(formatsOf(registry).map(async ({ name }) => [name, await formats.open(name)] as const)),
);

/** Reads a text at once. */
export function readInventory(
  name: string,
  text: string,
  options: { delimiter?: string; map?: string } = {},
) {
  return formatNamed(name).read(text, options);
}

export function formatNamed(name: string) {
  const format = opened.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  return format;
}
