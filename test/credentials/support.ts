/** Calls a credential source as the service does, without the service. */
import type { CredentialPlugin, HttpKit } from "../../src/plugin/index.ts";
import { readSettings } from "../../src/registry/settings.ts";
import { taskContext } from "../plugin/context.ts";

const notUsed = () => Promise.reject(new Error("not used"));

/** @param values settings as in `[plugins.<name>]`; each call of the returned function is a job */
export async function sourceOf(plugin: CredentialPlugin, values: Record<string, unknown>, http?: HttpKit) {
  const settings = await readSettings(plugin, { tables: { [plugin.name]: values }, variables: {} });
  const { default: resolve } = await plugin.load();
  return async (
    reference: object,
    { fresh = false, signal }: { fresh?: boolean; signal?: AbortSignal } = {},
  ) => {
    const checked = await plugin.reference["~standard"].validate({ name: plugin.name, ...reference });
    if (checked.issues) throw new Error(checked.issues.map(({ message }) => message).join("; "));
    const ctx = taskContext();
    return resolve(
      {
        reference: checked.value,
        settings,
        fresh,
        kept: notUsed,
        log: ctx.log,
        http: http ?? { request: notUsed, session: notUsed },
        files: { localFile: notUsed, localFolder: notUsed, keyFile: notUsed, discoverKeys: notUsed },
      },
      signal === undefined ? ctx : { ...ctx, signal },
    );
  };
}
