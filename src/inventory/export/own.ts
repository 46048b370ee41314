/** Writes the inventory's own format: JSON with one device per line, or YAML. */
import { stringifyExact } from "../../base/json/exact-json.ts";
import { indented, yamlOf } from "../../base/yaml/yaml-write.ts";
import type { Exported } from "./entries.ts";

export function* jsonPieces({ devices, groups }: Exported): Generator<string> {
  yield '{"groups":[';
  yield* lines(groups);
  yield '],\n"devices":[';
  yield* lines(devices.map(({ own }) => own));
  yield "]}\n";
}

function* lines(entries: readonly unknown[]): Generator<string> {
  for (const [at, entry] of entries.entries()) yield `${at === 0 ? "\n" : ",\n"}${stringifyExact(entry)}`;
}

export function* yamlPieces({ devices, groups }: Exported): Generator<string> {
  yield groups.length === 0 ? "groups: []\n" : "groups:\n";
  for (const group of groups) yield listed(group);
  yield devices.length === 0 ? "devices: []\n" : "devices:\n";
  for (const { own } of devices) yield listed(own);
}

function listed(entry: unknown): string {
  return indented(yamlOf([entry]), "  ");
}
