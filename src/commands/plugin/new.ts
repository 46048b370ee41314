/** `patchbay plugin new`: writes a minimal plugin that loads, to start from. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { ServiceError } from "../../base/errors.ts";
import { kinds } from "../../registry/manifest.ts";
import { print } from "../output.ts";
import credential from "./skeletons/credential.txt" with { type: "text" };
import driver from "./skeletons/driver.txt" with { type: "text" };
import platform from "./skeletons/platform.txt" with { type: "text" };
import template from "./skeletons/template.txt" with { type: "text" };
import webhook from "./skeletons/webhook.txt" with { type: "text" };
import types from "./types.txt" with { type: "text" };

const skeletons: Record<(typeof kinds)[number], string> = { driver, platform, template, webhook, credential };

/** Without it, an editor does not read patchbay.d.ts. */
const tsconfig = {
  compilerOptions: {
    target: "ESNext",
    module: "ESNext",
    moduleResolution: "bundler",
    strict: true,
    noEmit: true,
    types: [],
  },
  include: ["*.ts"],
};

export function defineNew(plugin: Command): void {
  plugin
    .command("new <kind> <name>")
    .description("create a plugin skeleton: driver, platform, template, webhook or credential")
    .option("--folder <path>", "where to create its folder", ".")
    .action((kind: string, name: string, { folder }: { folder: string }) => newPlugin(kind, name, folder));
}

/** @throws ServiceError Validation, Conflict: never overwrites a file */
function newPlugin(kind: string, name: string, below: string): void {
  const knownKind = kinds.find((candidate) => candidate === kind);
  if (!knownKind)
    throw new ServiceError("Validation", `Unknown kind "${kind}": use one of ${kinds.join(", ")}.`);
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
    throw new ServiceError("Validation", "The name must be lower-case letters, digits, `_` or `-`.");
  const folder = join(below, name);
  if (existsSync(folder)) throw new ServiceError("Conflict", `${folder} is there already.`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "plugin.ts");
  writeFileSync(file, filledIn(skeletons[knownKind], name));
  // Not `plugin.d.ts`: TypeScript takes that for the output of plugin.ts, and ignores it.
  writeFileSync(join(folder, "patchbay.d.ts"), types);
  writeFileSync(join(folder, "tsconfig.json"), `${JSON.stringify(tsconfig, null, 2)}\n`);
  print(`${file} is written. Try it with \`patchbay plugin check ${folder}\`.`);
  print(
    "`npm install --no-save valibot` there gives an editor the types of `v`; the plugin runs without it.",
  );
}

function filledIn(skeleton: string, name: string): string {
  return skeleton
    .replaceAll("NAME_IN_CAPITALS", name.toUpperCase().replaceAll("-", "_"))
    .replaceAll("plugin-name", name);
}
