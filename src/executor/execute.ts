/** Runs a query, a configuration or a connection test on a device, through its driver and a session. */
import { requireDescriptor } from "../base/descriptors.ts";
import { ServiceError, toErrorData } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { isSecretName } from "../base/mask.ts";
import { canonicalHost } from "../model/identity.ts";
import type { Context, DriverPlugin, Session, Target } from "../plugin/index.ts";
import type { ConfigureTask, OutputsValue, ProbeTask, QueryTask } from "../protocol/task.ts";
import type { PluginLoader } from "../registry/loader.ts";
import type { Registry } from "../registry/registry.ts";
import { type CredentialTools, withCredential } from "./credentials.ts";
import type { DriverKit } from "./driver-kit.ts";
import type { TaskMask } from "./masking.ts";
import { hiddenReplies, plainOutputs, runOperation } from "./operation.ts";
import { type Sessions, sessionKey } from "./sessions.ts";
import type { TaskReach } from "./task-reach.ts";
import { validated } from "./validate.ts";
import { collectWarnings } from "./warnings.ts";

export interface ExecuteOptions {
  readonly registry: Registry;
  readonly loaded: PluginLoader;
  readonly kit: DriverKit;
  readonly credentials: CredentialTools;
  readonly sessions: Sessions;
  readonly log: Log;
  readonly reach: TaskReach;
}

export function createExecute({ registry, loaded, kit, credentials, sessions, log, reach }: ExecuteOptions) {
  async function prepare(task: QueryTask | ConfigureTask | ProbeTask, ctx: Context, mask: TaskMask) {
    // Before a driver is loaded: without descriptors that fails, too, and is no fault of the driver.
    requireDescriptor();
    const plugin = registry.require("driver", task.driver);
    const open = await loaded.get(plugin);
    const settings = registry.settings(plugin);
    mask.add(settings);
    const fields = await withCredential(task.connection, credentials, mask, ctx);
    const connection = await validated(plugin.connection, fields, "connection_args");
    mask.add(connection);
    showOthers(task.connection, mask);
    const target = targetOf(plugin, connection);
    const tools = kit.tools(connection, target, settings, log);
    return { plugin, fields, target, open: () => open(tools, ctx) };
  }

  async function operation(
    task: QueryTask | ConfigureTask,
    outer: Context,
    mask: TaskMask,
  ): Promise<OutputsValue> {
    const warnings = collectWarnings(outer);
    const { ctx } = warnings;
    const { plugin, fields, target, open } = await prepare(task, ctx, mask);
    const args = await validated(argsOf(plugin, task), task.args, "driver_args");
    mask.add(args);
    mask.add(task.kind === "query" ? hiddenReplies(task.commands) : [], "all");
    try {
      const lease = await sessions.acquire(
        {
          // What one key may reach, another may not: a name can have meant another address when it was dialled.
          key: sessionKey(`${plugin.name} ${reach.sessionPart()}`, fields),
          host: canonicalHost(target.host),
          driver: plugin.name,
          keep: task.keep && task.args.fresh !== true,
          open,
        },
        ctx,
      );
      let failed = true;
      try {
        kit.checkLease();
        const outputs = plainOutputs(await runOperation(lease.session, plugin, task, args, ctx), task, mask);
        failed = false;
        const { platform } = lease.session;
        const warned = warnings.list(mask);
        return {
          outputs,
          reused: lease.reused,
          ...(warned.length === 0 ? {} : { warnings: warned }),
          ...(platform === undefined ? {} : { platform }),
        };
      } finally {
        lease.release(failed);
      }
    } catch (error) {
      throw withWarnings(error, warnings.list(mask));
    }
  }

  async function probe(task: ProbeTask, ctx: Context, mask: TaskMask): Promise<Record<string, string>> {
    const { target, open } = await prepare(task, ctx, mask);
    const session: Session = await open();
    try {
      const facts = Object.entries((await session.describe?.(ctx)) ?? { host: target.host });
      return Object.fromEntries(facts.map(([name, fact]) => [name, mask.text(String(fact))]));
    } finally {
      await session.close?.().catch((error) => log.warn("session.close_failed", { reason: String(error) }));
    }
  }

  return { operation, probe };
}

function targetOf(plugin: DriverPlugin, connection: unknown): Target {
  const { host, port } = plugin.target(connection);
  if (typeof host === "string" && host !== "" && Number.isInteger(port)) return { host, port };
  throw new ServiceError(
    "DriverError",
    `The driver ${plugin.name} does not say whom it reaches (\`target\`).`,
  );
}

function argsOf(plugin: DriverPlugin, task: QueryTask | ConfigureTask) {
  if (task.kind === "query") return plugin.args.query;
  if (plugin.args.configure) return plugin.args.configure;
  throw new ServiceError("Validation", `The driver ${plugin.name} takes no configuration.`);
}

/** A password that is also the user name is no secret to anyone: the request shows it. */
function showOthers(connection: Record<string, unknown>, mask: TaskMask): void {
  const values = Object.values(connection);
  for (const [name, value] of Object.entries(connection)) {
    // A field that stands alone with its value may be the secret itself, whatever its name.
    const twice = values.filter((other) => other === value).length > 1;
    if (twice && !isSecretName(name)) mask.show(value);
  }
}

function withWarnings(error: unknown, warnings: readonly string[]): unknown {
  if (warnings.length === 0) return error;
  const { kind, message, detail } = toErrorData(error, "DriverError");
  return new ServiceError(kind, message, { ...detail, warnings: [...warnings] });
}
