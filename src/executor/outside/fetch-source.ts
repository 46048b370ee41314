/** Fetches what an inventory source has, through the plugin of its kind, with a credential by reference. */
import * as v from "valibot";
import { ServiceError } from "../../base/errors.ts";
import { folderBelow } from "../../base/files/file-below.ts";
import { inventoryTextLimits as limits } from "../../base/inventory-limits.ts";
import { invalid } from "../../base/issues.ts";
import { isRecord } from "../../base/json/members.ts";
import type { Context } from "../../plugin/index.ts";
import {
  type InventoryFile,
  type InventorySourceLogin,
  type InventorySourcePlugin,
  requireCount,
} from "../../plugin/inventory.ts";
import type { WorkerSettings } from "../../protocol/message-port.ts";
import type { SourceTask, TaskValues } from "../../protocol/task.ts";
import { type InventoryFormats, limitedWarnings } from "../../registry/inventory-formats.ts";
import { pluginFault } from "../../registry/plugin-fault.ts";
import { type CredentialTools, withCredential } from "../credentials.ts";
import type { CheckAddress } from "../kit/http-address.ts";
import type { TaskMask } from "../masking.ts";
import { entriesText } from "../text/inventory-text.ts";
import { validated } from "../validate.ts";

export interface SourceFetcherOptions {
  readonly settings: Pick<WorkerSettings, "templateRoots" | "knownHosts" | "agentSocket">;
  readonly check: CheckAddress;
  readonly credentials: CredentialTools;
  readonly formats: InventoryFormats;
}

const list = v.array(v.custom<Readonly<Record<string, unknown>>>(isRecord));
const warnings = v.optional(v.array(v.string()), []);
const revision = v.optional(v.pipe(v.string(), v.maxLength(200)));
const fetched = v.union([
  v.object({ text: v.string(), warnings, revision }),
  v.object({
    files: v.array(v.object({ name: v.string(), text: v.string() })),
    folder: v.string(),
    warnings,
    revision,
  }),
  v.object({ devices: list, groups: v.optional(list, []), warnings }),
]);

export function createSourceFetcher({ settings, check, credentials, formats }: SourceFetcherOptions) {
  const { registry, loaded, kit } = credentials;

  /** Resolved each time: a sync is rare, and the credential may have changed. */
  async function loginOf(
    { credential }: SourceTask,
    ctx: Context,
    mask: TaskMask,
  ): Promise<InventorySourceLogin> {
    if (credential === undefined) return {};
    const fields = await withCredential({ credential }, credentials, mask, ctx, true, "credential");
    const named = (...names: string[]) =>
      names.map((name) => fields[name]).find((value) => typeof value === "string");
    const token = named("token", "password", "secret");
    // Whatever its name was at the source.
    mask.add(token, "all");
    return { username: named("username"), token };
  }

  async function fetchedBy(plugin: InventorySourcePlugin, task: SourceTask, ctx: Context, mask: TaskMask) {
    const { url, verify } = task;
    const work = await loaded.get(plugin);
    const options =
      plugin.options === undefined ? {} : await validated(plugin.options, task.options, "options");
    const pluginSettings = registry.settings(plugin);
    mask.add([options, pluginSettings]);
    const login = await loginOf(task, ctx, mask);
    const { knownHosts, agentSocket } = settings;
    const tools = {
      ...kit,
      ...{ url, verify, options, login, settings: pluginSettings, ssh: { knownHosts, agentSocket } },
      hide: (secret: string) => mask.add(String(secret), "all"),
      resolveHost: async (hostname: string) => (await check(hostname)).address,
      templateFolder: (path: string) => folderBelow(settings.templateRoots, path, "read"),
    };
    try {
      return v.parse(fetched, await work(tools, ctx));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (!v.isValiError(error)) throw pluginFault(plugin, "fetch", error);
      const at = v.getDotPath(error.issues[0]) ?? "its result";
      throw pluginFault(plugin, "fetch", `${at} is not as the contract has it`);
    }
  }

  return async (task: SourceTask, ctx: Context, mask: TaskMask): Promise<TaskValues["source"]> => {
    const plugin = registry.get("inventory", task.from);
    if (plugin?.does !== "source")
      throw new ServiceError("Validation", `There is no kind of source named ${task.from.slice(0, 64)}.`);
    const given = await fetchedBy(plugin, task, ctx, mask);
    if ("text" in given && given.text.length > limits.bytes)
      throw new ServiceError("PayloadTooLarge", `The text is larger than ${limits.bytes} bytes.`);
    const told = limitedWarnings(given.warnings.map(mask.text));
    if (task.asFiles === true) return { text: "", ...filesOf(given, task.url), warnings: told };
    if ("text" in given) return { text: given.text, warnings: told };
    if ("files" in given) return { text: await joined(given, task.format), warnings: told };
    requireCount(given.devices.length, limits.devices, "devices");
    requireCount(given.groups.length, limits.groups, "groups");
    return { text: entriesText(given), areEntries: true, warnings: told };
  };

  /** A text has the last step of its address as its name. */
  function filesOf(given: v.InferOutput<typeof fetched>, url: string) {
    if ("devices" in given) throw invalid("brings", "needs a kind that has files");
    const all = "files" in given ? given.files : [{ name: new URL(url).pathname, text: given.text }];
    if (all.reduce((sum, file) => sum + file.text.length, 0) > limits.bytes)
      throw new ServiceError("PayloadTooLarge", `The files have more than ${limits.bytes} bytes.`);
    return { files: all, ...(given.revision === undefined ? {} : { revision: given.revision }) };
  }

  async function joined(
    { files, folder }: { readonly files: readonly InventoryFile[]; readonly folder: string },
    format: string,
  ): Promise<string> {
    const [only] = files;
    if (files.reduce((sum, file) => sum + file.text.length, 0) > limits.bytes)
      throw new ServiceError("PayloadTooLarge", `The files have more than ${limits.bytes} bytes.`);
    const isFile = files.length === 1 && only?.name === folder.replace(/\/+$/, "");
    const { join } = await formats.open(format);
    if (join !== undefined && !isFile) return join(files, folder);
    if (only !== undefined && files.length === 1) return only.text;
    throw invalid("path", `is a folder with ${files.length} files: name one of them`);
  }
}
