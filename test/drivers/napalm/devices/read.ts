/**
 * Devices of our own making, written from the vendors' documentation: for each system some devices, each with what
 * it answers (`<system>/<device>.txt`) and what the methods must return (`<system>/<device>.json`).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { type SystemName, systemNames } from "../../../../plugins/drivers/napalm/system-names.ts";

const calls = v.array(
  v.strictObject({
    method: v.string(),
    args: v.optional(v.record(v.string(), v.unknown())),
    /** `<number>` stands for any number: a time that depends on the clock. */
    result: v.unknown(),
  }),
);

export type Call = v.InferOutput<typeof calls>[number];

export interface OwnDevice {
  readonly system: SystemName;
  readonly name: string;
  readonly answers: ReadonlyMap<string, string>;
  readonly calls: readonly Call[];
}

/** `=== show version`, then the answer up to the next such line. Lines before the first one are notes. */
function answersIn(text: string): Map<string, string> {
  return new Map(
    text
      .split(/^=== /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf("\n");
        return [part.slice(0, end).trim(), part.slice(end + 1).replace(/\n$/, "")];
      }),
  );
}

export function ownDevices(): OwnDevice[] {
  return systemNames.flatMap((system) => {
    const folder = join(import.meta.dirname, system);
    const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));
    return names.map((file) => ({
      system,
      name: file.replace(/\.txt$/, ""),
      answers: answersIn(readFileSync(join(folder, file), "utf8")),
      calls: v.parse(calls, JSON.parse(readFileSync(join(folder, file.replace(/\.txt$/, ".json")), "utf8"))),
    }));
  });
}
