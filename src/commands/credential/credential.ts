/** `patchbay credential`: manages secrets that requests reference instead of passwords, stored sealed. */

import process from "node:process";
import type { Command } from "commander";
import { credentialLimits, nameProblem, ownSource, readNewCredential } from "../../api/access/credential.ts";
import { writerIn } from "../../api/jobs/job.ts";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/storage/owner.ts";
import type { Store } from "../../store/port.ts";
import { submitterText } from "../client/jobs/jobs.ts";
import { askAtTerminal, readStandardInput } from "../input.ts";
import { atCommandLine } from "../key/actor.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { minute, print } from "../output.ts";

export function defineCredential(parent: Command): void {
  const credential = parent.command("credential").description("credentials stored on this appliance");
  for (const define of [defineSet, defineList, defineRemove]) define(credential);
}

/** `patchbay credential list`: lists names, fields and times, never values. */
function defineList(credential: Command): void {
  const command = credential.command("list").description("list credentials, without their values");
  withSettings(command, storeSettings).action((_options, command: Command) => list(configOf(command)));
}

async function list(config: Config): Promise<void> {
  const credentials = await inStore(config, (store) => store.credentials.list());
  print("source\tname\tfields\tchanged\tlast used\tby");
  for (const credential of credentials) {
    const { source, ref, fields, changedAt, lastUsedAt } = credential;
    const by = submitterText(writerIn(credential)) || "-";
    print([source, ref, fields.join(","), minute(changedAt), minute(lastUsedAt), by].join("\t"));
  }
}

/** `patchbay credential remove`: removes a credential; jobs that reference it fail from then on. */
function defineRemove(credential: Command): void {
  const command = withSource(credential.command("remove <ref>").description("remove a credential"));
  withSettings(command, storeSettings).action((ref: string, options: SourceOption, command: Command) =>
    remove(configOf(command), ref, options),
  );
}

async function remove(config: Config, named: string, options: SourceOption): Promise<void> {
  const { ref, source } = checkName(named, options);
  const removed = await inStore(config, (store) => store.credentials.remove(source, ref, atCommandLine()));
  if (!removed) throw new ServiceError("NotFound", `There is no credential "${source}:${ref}".`);
  print(`The credential "${source}:${ref}" is removed.`);
}

/** `patchbay credential set`: reads values from a terminal without echo or standard input, never from arguments. */
interface SetOptions extends SourceOption {
  readonly fields: string;
}

const maxInput = 2 * 1024 * 1024;
/** Not a secret: outputs and errors show it. */
const shownField = "username";

function defineSet(credential: Command): void {
  const about =
    "store a credential; asks for its values, or reads them from standard input as a JSON object of strings";
  const command = withSource(credential.command("set <ref>").description(about));
  command.option("--fields <names>", "fields to ask for, comma-separated", "username,password");
  withSettings(command, storeSettings).action((ref: string, options: SetOptions, command: Command) =>
    set(configOf(command), ref, options),
  );
}

async function set(config: Config, named: string, options: SetOptions): Promise<void> {
  const { ref, source } = checkName(named, options);
  const input = process.stdin.isTTY ? await askFields(options.fields.split(",")) : await piped();
  const read = readNewCredential(input);
  if ("message" in read)
    throw new ServiceError("Validation", `${read.field ?? "What was given"} ${read.message}.`);
  const { fields } = read;
  const stored = await inStore(config, (store) =>
    store.credentials.set({ source, ref, fields }, atCommandLine()),
  );
  if (stored === "full") {
    const { most, maxBytes } = credentialLimits;
    const text = `The limit is reached: at most ${most} credentials of ${maxBytes / 1024 / 1024} MiB in total can be stored. Remove unused ones.`;
    throw new ServiceError("PayloadTooLarge", text);
  }
  print(`The credential "${source}:${ref}" is ${stored}: ${Object.keys(fields).join(", ")}.`);
}

async function askFields(fields: readonly string[]): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const field of fields.map((name) => name.trim()).filter(Boolean))
    values[field] = await askAtTerminal(`${field}: `, { hidden: field !== shownField });
  return values;
}

async function piped(): Promise<unknown> {
  const text = await readStandardInput(maxInput);
  try {
    return JSON.parse(text);
  } catch {
    // The input is secret: messages must not quote it.
    const expectation =
      'Standard input must be a JSON object of strings, such as {"username": "admin", "password": "…"}.';
    throw new ServiceError("Validation", expectation);
  }
}

/** Opens the store for credential commands, and parses credential names. */
interface SourceOption {
  readonly source: string;
}

function withSource(command: Command): Command {
  return command.option("--source <name>", "its credential source", ownSource);
}

function checkName(ref: string, { source }: SourceOption): { ref: string; source: string } {
  for (const [what, problem] of [
    ["The name of a credential", nameProblem("ref", ref)],
    ["--source", nameProblem("source", source)],
  ] as const)
    if (problem !== undefined) throw new ServiceError("Validation", `${what} ${problem}.`);
  return { ref, source };
}

/** Works with or without a running service. */
async function inStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  return withStore(config, silentLog, work);
}
