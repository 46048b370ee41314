/** Saved servers and keys (contexts), in a file that only its owner can read. */
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import * as v from "valibot";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { nearNames } from "../../base/text/near-names.ts";
import { requirePrivate } from "../rooms/inventory.ts";

const context = v.object({
  url: v.string(),
  /** Exactly one of: the key, a file with it, or a shell command that prints it. */
  key: v.optional(v.string()),
  key_file: v.optional(v.string()),
  key_command: v.optional(v.string()),
  /** The key was made for this machine by a login that its person confirmed. */
  own: v.optional(v.boolean()),
  ca_file: v.optional(v.string()),
  /** Skips certificate verification. */
  insecure: v.optional(v.boolean()),
  driver: v.optional(v.string()),
  device_type: v.optional(v.string()),
});
export type Context = v.InferOutput<typeof context>;

const contextsFile = v.object({
  current: v.optional(v.string()),
  contexts: v.record(v.string(), context),
});
export type Contexts = v.InferOutput<typeof contextsFile>;

/** Empty if there is no file. @throws ServiceError Validation: damaged, or readable by others */
export function readContexts(file: string): Contexts {
  if (!statSync(file, { throwIfNoEntry: false })) return { contexts: {} };
  requirePrivate(file);
  try {
    return v.parse(contextsFile, JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const why = messageOf(error);
    throw new ServiceError(
      "Validation",
      `${file} cannot be used: ${why}. \`patchbay login\` creates a new one.`,
    );
  }
}

/** Atomic, and never readable by others. */
export function writeContexts(file: string, contexts: Contexts): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
}

/** @throws ServiceError Validation: no context of that name */
export function requireContext({ contexts }: Contexts, name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context) return context;
  const near = nearNames(name, Object.keys(contexts), 3);
  const hint = near.length > 0 ? ` Did you mean ${near.join(", ")}?` : "";
  throw new ServiceError("Validation", `There is no context ${JSON.stringify(name)}.${hint}`);
}
