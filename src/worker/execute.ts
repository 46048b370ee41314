/** Runs a query, a configuration or a connection test on a device, through its driver and a session. */
import { ServiceError, toErrorData } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { maskSecrets, Secret } from "../base/secret.ts";
import { canonicalHost } from "../model/identity.ts";
import type { Context, Driver, DriverPlugin } from "../plugin/index.ts";
import type { ThreadQuestion, WorkerSettings } from "../protocol/port.ts";
import type { ConfigureTask, OutputsValue, ProbeTask, QueryTask } from "../protocol/task.ts";
import type { Loaded } from "../registry/loaded.ts";
import type { Registry } from "../registry/registry.ts";
import { checked } from "./check.ts";
import { withCredential } from "./credentials.ts";
import { createDriverKit } from "./kit.ts";
import { type Sessions, sessionKey } from "./sessions.ts";
import { collectWarnings } from "./warnings.ts";

export interface ExecuteOptions {
  readonly settings: WorkerSettings;
  readonly registry: Registry;
  readonly loaded: Loaded;
  readonly sessions: Sessions;
  readonly log: Log;
  ask(question: ThreadQuestion): Promise<unknown>;
}

export function createExecute({ settings, registry, loaded, sessions, ask, log }: ExecuteOptions) {
  const kit = createDriverKit({ settings, registry, ask, log });

  async function prepare(task: QueryTask | ConfigureTask | ProbeTask, ctx: Context) {
    const plugin = registry.demand("driver", task.driver);
    const driver: Driver = await loaded.get(`driver ${plugin.name}`, plugin.load, kit);
    const fields = await withCredential(task.connection, { registry, loaded, log }, ctx);
    const connection = await checked(plugin.connection, fields, "connection_args");
    return { plugin, driver, fields, connection };
  }

  async function operation(task: QueryTask | ConfigureTask, outer: Context): Promise<OutputsValue> {
    const warnings = collectWarnings(outer);
    const { ctx } = warnings;
    const { plugin, driver, fields, connection } = await prepare(task, ctx);
    const args = await checked(argsOf(plugin, task), task.args, "driver_args");
    const secrets = [...secretsIn(connection), ...secretsIn(args)];
    try {
      const lease = await sessions.acquire(
        {
          key: sessionKey(plugin.name, fields),
          host: canonicalHost(String(fields.host ?? fields.hostname ?? "")),
          driver: plugin.name,
          keep: task.keep && task.args.fresh !== true,
          open: () => driver.open(connection, ctx),
        },
        ctx,
      );
      let failed = true;
      try {
        const outputs =
          task.kind === "query"
            ? await lease.session.query(task.commands, args, ctx)
            : await lease.session.configure(task.lines, args, ctx);
        failed = false;
        const { platform } = lease.session;
        const warned = warnings.list(secrets);
        return {
          outputs: [...outputs],
          reused: lease.reused,
          ...(warned.length === 0 ? {} : { warnings: warned }),
          ...(platform === undefined ? {} : { platform }),
        };
      } finally {
        lease.release(failed);
      }
    } catch (error) {
      throw masked(withWarnings(error, warnings.list(secrets)), secrets);
    }
  }

  async function probe(task: ProbeTask, ctx: Context): Promise<Record<string, string>> {
    const { driver, connection } = await prepare(task, ctx);
    try {
      const session = await driver.open(connection, ctx);
      try {
        return await session.describe(ctx);
      } finally {
        await session.close();
      }
    } catch (error) {
      throw masked(error, secretsIn(connection));
    }
  }

  return { operation, probe };
}

function argsOf(plugin: DriverPlugin, task: QueryTask | ConfigureTask) {
  return task.kind === "query" ? plugin.args.query : plugin.args.configure;
}

/** All secrets in what a schema gave, found by their type. */
function secretsIn(value: unknown, depth = 0): Secret[] {
  if (value instanceof Secret) return [value];
  if (typeof value !== "object" || value === null || depth > 6) return [];
  return Object.values(value).flatMap((member) => secretsIn(member, depth + 1));
}

function withWarnings(error: unknown, warnings: readonly string[]): unknown {
  if (warnings.length === 0) return error;
  const { kind, message, detail } = toErrorData(error, "DriverError");
  return new ServiceError(kind, message, { ...detail, warnings: [...warnings] });
}

/** A device may echo a password, and an error quotes the device. */
function masked(error: unknown, secrets: Secret[]): ServiceError {
  const { kind, message, detail } = toErrorData(error, "DriverError");
  const text = (value: string) => maskSecrets(value, secrets);
  const clean = detail === undefined ? undefined : JSON.parse(text(JSON.stringify(detail)));
  return new ServiceError(kind, text(message), clean);
}
