/** Runs a query, a configuration or a connection test on a device, through its driver and a session. */
import { ServiceError, toErrorData } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { isSecretName, masked } from "../base/mask.ts";
import { canonicalHost } from "../model/identity.ts";
import type { Command, Context, Driver, DriverPlugin } from "../plugin/index.ts";
import type { ThreadQuestion, WorkerSettings } from "../protocol/port.ts";
import type { ConfigureTask, OutputsValue, ProbeTask, QueryTask } from "../protocol/task.ts";
import type { Loaded } from "../registry/loaded.ts";
import type { Registry } from "../registry/registry.ts";
import { checked } from "./check.ts";
import { withCredential } from "./credentials.ts";
import { createDriverKit } from "./kit.ts";
import type { TaskMask } from "./masking.ts";
import type { TaskReach } from "./reach.ts";
import { type Sessions, sessionKey } from "./sessions.ts";
import { collectWarnings } from "./warnings.ts";

export interface ExecuteOptions {
  readonly settings: WorkerSettings;
  readonly registry: Registry;
  readonly loaded: Loaded;
  readonly sessions: Sessions;
  readonly log: Log;
  readonly reach: TaskReach;
  ask(question: ThreadQuestion): Promise<unknown>;
}

export function createExecute({ settings, registry, loaded, sessions, ask, log, reach }: ExecuteOptions) {
  const kit = createDriverKit({ settings, registry, ask, log, rule: reach.rule });

  async function prepare(task: QueryTask | ConfigureTask | ProbeTask, ctx: Context, mask: TaskMask) {
    const plugin = registry.demand("driver", task.driver);
    const driver: Driver = await loaded.get(`driver ${plugin.name}`, plugin.load, kit);
    const fields = await withCredential(task.connection, { registry, loaded, log, mask }, ctx);
    const connection = await checked(plugin.connection, fields, "connection_args");
    mask.add(connection);
    showOthers(task.connection, mask);
    return { plugin, driver, fields, connection };
  }

  async function operation(
    task: QueryTask | ConfigureTask,
    outer: Context,
    mask: TaskMask,
  ): Promise<OutputsValue> {
    const warnings = collectWarnings(outer);
    const { ctx } = warnings;
    const { plugin, driver, fields, connection } = await prepare(task, ctx, mask);
    const args = await checked(argsOf(plugin, task), task.args, "driver_args");
    mask.add(args);
    mask.add(task.kind === "query" ? hiddenReplies(task.commands) : [], "all");
    try {
      const lease = await sessions.acquire(
        {
          // What one key may reach, another may not: a name can have meant another address when it was dialled.
          key: sessionKey(`${plugin.name} ${reach.sessionPart()}`, fields),
          host: canonicalHost(String(fields.host ?? fields.hostname ?? "")),
          driver: plugin.name,
          keep: task.keep && task.args.fresh !== true,
          open: () => driver.open(connection, ctx),
        },
        ctx,
      );
      let failed = true;
      try {
        await recordIntent(plugin, task, args, ctx);
        const outputs =
          task.kind === "query"
            ? await lease.session.query(task.commands, args, ctx)
            : await lease.session.configure(task.lines, args, ctx);
        const clean = plainOutputs(outputs, task, mask);
        failed = false;
        const { platform } = lease.session;
        const warned = warnings.list(mask);
        return {
          outputs: clean,
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
    const { driver, connection } = await prepare(task, ctx, mask);
    const session = await driver.open(connection, ctx);
    try {
      const facts = Object.entries(await session.describe(ctx));
      return Object.fromEntries(facts.map(([name, fact]) => [name, mask.text(String(fact))]));
    } finally {
      await session.close();
    }
  }

  return { operation, probe };
}

function argsOf(plugin: DriverPlugin, task: QueryTask | ConfigureTask) {
  return task.kind === "query" ? plugin.args.query : plugin.args.configure;
}

/**
 * On disk before anything may change the device, whatever the driver remembers: after a crash such a job is not run
 * again. Only a query that the driver calls repeatable needs none.
 */
async function recordIntent(
  plugin: DriverPlugin,
  task: QueryTask | ConfigureTask,
  args: unknown,
  ctx: Context,
): Promise<void> {
  if (plugin.repeatable?.(task.kind, args) === true) return;
  await ctx.announce(task.kind === "query" ? task.commands.map(commandName) : task.lines);
}

/** A reply that is a secret is no key of a result. */
function commandName(command: Command): string {
  if (typeof command === "string") return command;
  return command.hidden && command.reply === undefined ? masked : command.send;
}

function hiddenReplies(commands: readonly Command[]): string[] {
  return commands.flatMap((command) =>
    typeof command === "string" || command.hidden !== true ? [] : [command.reply ?? command.send],
  );
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

/** @throws ServiceError DriverError: the driver gave something else than outputs */
function plainOutputs(
  outputs: unknown,
  task: QueryTask | ConfigureTask,
  mask: TaskMask,
): OutputsValue["outputs"] {
  if (!Array.isArray(outputs))
    throw new ServiceError("DriverError", `The driver ${task.driver} gave no list of outputs.`);
  // What the caller wrote itself stays the key under which it looks for the output.
  const asked = new Set(task.kind === "query" ? task.commands.map(commandName) : []);
  if (task.kind === "configure" && !task.secrets?.length) asked.add(task.lines.join("\n"));
  return outputs.map((entry: unknown) => {
    const { command = "", output = null } = typeof entry === "object" && entry !== null ? { ...entry } : {};
    const name = String(command);
    return { command: asked.has(name) ? name : mask.text(name), output: mask.plain(output) ?? null };
  });
}

function withWarnings(error: unknown, warnings: readonly string[]): unknown {
  if (warnings.length === 0) return error;
  const { kind, message, detail } = toErrorData(error, "DriverError");
  return new ServiceError(kind, message, { ...detail, warnings: [...warnings] });
}
