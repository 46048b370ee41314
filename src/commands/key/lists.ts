/** `patchbay key credentials`, `key rights` and `key recipes`: replace a list of a key. */
import type { Command } from "commander";
import { givenRights, readChangedKey } from "../../api/access/key.ts";
import { proposableOf } from "../../api/access/recipe-right.ts";
import { shownKeyName } from "../../auth/holders.ts";
import { rightsOf } from "../../auth/rights.ts";
import { ServiceError } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import type { Config } from "../../config/config.ts";
import { loadStore } from "../../service/load.ts";
import { actAsOwner } from "../../service/storage/owner.ts";
import type { StoredKey } from "../../store/port.ts";
import { configOf, storeSettings, withSettings } from "../options.ts";
import { print } from "../output.ts";
import { atCommandLine } from "./actor.ts";

export const credentialsAbout =
  "credentials it may name: <source>:<ref> or a name of the appliance, wildcards; comma-separated; none: none at all";
export const rightsAbout = `rights beside the scope: ${givenRights.join(", ")}; comma-separated`;

export const recipesAbout =
  "recipes it may run, by name, with wildcards; comma-separated; none: none at all; with the scope read nothing else; with the scope agent those that it may propose";

/** Of a text with commas; `none` is empty. */
export function listOf(text: string): string[] {
  if (text === "none") return [];
  return text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

export function defineCredentials(key: Command): void {
  const about = "change which credentials a key may name; default: removes its own list";
  const command = key.command("credentials <name> [patterns]").description(about);
  withSettings(command, storeSettings).action(
    async (name: string, patterns: string | undefined, _options, command: Command) => {
      const asked = { credentials: patterns === undefined ? null : listOf(patterns) };
      const { credentials } = await change(configOf(command), name, asked, "credentials");
      const listText = credentials === null ? "no list of its own" : credentials.join(",") || "none at all";
      print(`The key "${name}" may name these credentials: ${listText}.`);
    },
  );
}

export function defineRights(key: Command): void {
  const about = "change the rights that a key has beside its scope; default: none are given";
  const command = key.command("rights <name> [rights]").description(about);
  withSettings(command, storeSettings).action(
    async (name: string, given: string | undefined, _options, command: Command) => {
      const changed = await change(configOf(command), name, { rights: listOf(given ?? "none") }, "rights");
      print(`The key "${name}" has these rights: ${rightsOf(changed).join(", ") || "none"}.`);
    },
  );
}

export function defineRecipes(key: Command): void {
  const about = "change which recipes a key may run, or as an agent propose; default: those of its scope";
  const command = key.command("recipes <name> [patterns]").description(about);
  withSettings(command, storeSettings).action(
    async (name: string, patterns: string | undefined, _options, command: Command) => {
      const asked = { recipes: patterns === undefined ? null : listOf(patterns) };
      const changed = await change(configOf(command), name, asked, "recipes");
      const verb = changed.scope === "agent" ? "propose" : "run";
      print(`The key "${name}" may ${verb} these recipes: ${proposableOf(changed).join(", ") || "none"}.`);
    },
  );
}

/** @returns the key as it is now. @throws ServiceError Validation, NotFound */
async function change(config: Config, name: string, asked: object, what: string): Promise<StoredKey> {
  const lists = readChangedKey(asked);
  if ("message" in lists) throw new ServiceError("Validation", `The list of ${what}: ${lists.message}.`);
  const { requireDatabase, withStore } = await loadStore(config.values.data_dir);
  requireDatabase(config);
  actAsOwner(config.values.data_dir);
  const changed = await withStore(config, silentLog, async ({ keys }) => {
    if (!(await keys.change(name, lists, atCommandLine()))) return undefined;
    return (await keys.list()).find((key) => [key.id, key.name, shownKeyName(key)].includes(name));
  });
  if (changed === undefined) throw new ServiceError("NotFound", `There is no valid key named "${name}".`);
  return changed;
}
