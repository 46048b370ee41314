/** `patchbay credential set`: reads values from a terminal without echo or standard input, never from arguments. */
import process from "node:process";
import type { Command } from "commander";
import { credentialLimits, readNewCredential } from "../../api/credential.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Config } from "../../config/config.ts";
import { askAtTerminal, readStandardInput } from "../input.ts";
import { atCommandLine } from "../key/actor.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { checkName, inStore, type SourceOption, withSource } from "./store.ts";

interface SetOptions extends SourceOption {
  readonly fields: string;
}

const maxInput = 2 * 1024 * 1024;
/** Not a secret: outputs and errors show it. */
const shownField = "username";

export function defineSet(credential: Command): void {
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
