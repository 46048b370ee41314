/** Runs a query, a configuration or a connection test on a device, through its driver and a session. */

import { canonicalHost } from "../api/identity.ts";
import type { CheckReport } from "../api/jobs/checks.ts";
import { anyCaller } from "../auth/caller.ts";
import { ServiceError, toErrorData } from "../base/errors.ts";
import { requireDescriptor } from "../base/files/descriptors.ts";
import { flagOf } from "../base/json/lax.ts";
import { isRecord } from "../base/json/members.ts";
import type { Log } from "../base/log.ts";
import { isSecretName } from "../base/secrets/secret-name.ts";
import { abortReason, onAbort } from "../base/time/deadline.ts";
import type { Context, DriverPlugin, Outputs, Session, Target } from "../plugin/index.ts";
import type {
  ConfigureTask,
  DetachedTask,
  DetachedValue,
  OutputsValue,
  ProbeTask,
  QueryTask,
} from "../protocol/task.ts";
import type { PluginLoader } from "../registry/loader.ts";
import type { Registry } from "../registry/registry.ts";
import { maskedByPlace, readParts, withoutOutput } from "./configuration.ts";
import { type CredentialTools, withCredential } from "./credentials.ts";
import { lookDetached, startDetached } from "./detached.ts";
import type { DriverKit } from "./kit/driver-kit.ts";
import type { TaskReach } from "./kit/task-reach.ts";
import type { TaskMask } from "./masking.ts";
import { hiddenReplies, plainOutputs, recordIntent, runOperation } from "./operation.ts";
import type { Source } from "./output-shares.ts";
import type { AskMain } from "./push/check-run.ts";
import { checkedOperation, checkedQuery } from "./push/checked-operation.ts";
import { endOpen } from "./push/end-open.ts";
import { type HeldSession, type Sessions, sessionKey } from "./sessions.ts";
import { createSteps, type OnStep } from "./steps.ts";
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

interface Prepared {
  readonly plugin: DriverPlugin;
  /** The connection merged with its credential. */
  readonly fields: Record<string, unknown>;
  readonly target: Target;
  /** Output of the driver's connection schema. */
  readonly connection: unknown;
  open(): Promise<Session>;
  /** Closes at once everything that the session opened. */
  cut(reason: ServiceError): void;
  /** The same with the credential resolved again; undefined if it has not changed. Absent: there is no credential. */
  renewed?(): Promise<Prepared | undefined>;
}

export function createExecute({ registry, loaded, kit, credentials, sessions, log, reach }: ExecuteOptions) {
  const secretsOf = new WeakMap<Session, SessionSecrets>();
  /** What a session reads from. */
  const sourceOf = new WeakMap<Session, Source>();
  type DeviceTask = QueryTask | ConfigureTask | DetachedTask | ProbeTask;

  /** @param fresh resolve the credential from its source, bypassing caches. */
  async function prepare(task: DeviceTask, ctx: Context, mask: TaskMask, fresh = false): Promise<Prepared> {
    const plugin = registry.require("driver", task.driver);
    const open = await loaded.get(plugin);
    const settings = registry.settings(plugin);
    mask.add(settings);
    if (task.connection.credential !== undefined) requireDescriptor();
    const fields = await withCredential(task.connection, credentials, mask, ctx, fresh);
    const connection = await validated(plugin.connection, fields, "connection_args");
    mask.add(connection);
    showOthers(task.connection, mask);
    // That of a credential.
    mask.show(fields.username);
    const target = targetOf(plugin, connection);
    const secrets = createSessionSecrets();
    const scope = kit.scope();
    const tools = { ...kit.tools(connection, target, settings, log, scope), hide: secrets.hide };
    const prepared = {
      ...{ plugin, fields, target, connection, cut: scope.cut },
      async open() {
        // Checked only when opening: a kept session needs no descriptor.
        requireDescriptor();
        secrets.usedBy(mask);
        const session = sessionOf(plugin, await open(tools, ctx));
        secretsOf.set(session, secrets);
        sourceOf.set(session, scope);
        return session;
      },
    };
    if (fresh || fields === task.connection) return prepared;
    return {
      ...prepared,
      async renewed() {
        const again = await prepare(task, ctx, mask, true);
        return JSON.stringify(again.fields) === JSON.stringify(fields) ? undefined : again;
      },
    };
  }

  /** Retries once with a freshly resolved credential if the login is rejected and the credential has changed since. */
  async function afresh<T>(prepared: Prepared, use: (prepared: Prepared) => Promise<T>): Promise<T> {
    try {
      return await use(prepared);
    } catch (error) {
      const refused = toErrorData(error).kind === "AuthenticationFailed";
      const again = refused ? await prepared.renewed?.() : undefined;
      if (again === undefined) throw error;
      return use(again);
    }
  }

  function lend(
    { plugin, fields, target, open, cut }: Prepared,
    keep: boolean,
    ctx: Context,
    abandoned: AbortSignal,
  ): Promise<HeldSession> {
    return sessions.acquire(
      {
        // Keys with different reach do not share sessions: a name may have resolved to another address when it was
        // dialled.
        key: sessionKey(`${plugin.name} ${reach.sessionPart()}`, fields),
        host: canonicalHost(target.host),
        driver: plugin.name,
        keep,
        open,
        cut,
      },
      ctx,
      abandoned,
    );
  }

  /** Runs the work in a session; a session that failed is never reused. */
  async function inSession<T>(
    prepared: Prepared,
    keep: boolean,
    ctx: Context,
    mask: TaskMask,
    abandoned: AbortSignal,
    work: (lease: HeldSession) => Promise<T>,
  ): Promise<T> {
    const lease = await afresh(prepared, (one) => lend(one, keep, ctx, abandoned));
    secretsOf.get(lease.session)?.usedBy(mask);
    const source = sourceOf.get(lease.session);
    const forget = (source && reach.share()?.reads(source)) ?? (() => {});
    // A stopped task must hear the device to leave it in order.
    const unlisten = onAbort(ctx.signal, forget);
    let failed = true;
    try {
      if (abandoned.aborted) throw abortReason(abandoned);
      kit.checkLease();
      const value = await work(lease);
      failed = false;
      return value;
    } finally {
      unlisten();
      forget();
      lease.release(failed);
    }
  }

  async function operation(
    task: QueryTask | ConfigureTask,
    outer: Context,
    mask: TaskMask,
    ask: AskMain,
    step: OnStep | undefined,
    abandoned: AbortSignal,
  ): Promise<OutputsValue> {
    const steps = createSteps(step, mask);
    const warnings = collectWarnings(outer);
    const byPlace =
      task.kind === "configure" && task.restores ? maskedByPlace(task.restores, registry) : undefined;
    const ctx = byPlace === undefined ? warnings.ctx : shownByPlace(warnings.ctx, byPlace.text);
    const prepared = await prepare(task, ctx, mask);
    const { plugin } = prepared;
    const args = await validated(argsOf(plugin, task), task.args, "driver_args");
    mask.add(args);
    mask.add(task.kind === "query" ? hiddenReplies(task.commands) : [], "all");
    try {
      const begunMs = steps.now();
      return await inSession(
        prepared,
        task.keep && flagOf(task.args.fresh) !== true,
        ctx,
        mask,
        abandoned,
        async (lease) => {
          steps.session(begunMs, lease.reused);
          const { session } = lease;
          const run = async (): Promise<{ outputs: Outputs; checks?: CheckReport }> => {
            const { detachAs } = task;
            if (task.kind === "configure" && task.ends !== undefined) {
              const ended = { ...task, ends: task.ends, markKey: task.markKey ?? "" };
              return { outputs: await endOpen({ session, plugin, task: ended, args, ctx }) };
            }
            if (task.kind === "configure" && task.checks !== undefined) {
              const { connection } = prepared;
              const checked = { ...task, checks: task.checks };
              const platform = (name: string) => registry.get("platform", name);
              return checkedOperation({
                session,
                plugin,
                platform,
                task: checked,
                connection,
                args,
                ctx,
                mask,
                steps,
                ask,
              });
            }
            if (task.kind === "query" && task.checks !== undefined)
              return checkedQuery({
                ...{ session, plugin, checks: task.checks, args: task.args },
                ...{ ctx, mask, steps, ask },
              });
            if (detachAs === undefined)
              return { outputs: await runOperation(session, plugin, task, args, ctx, steps) };
            await recordIntent(plugin, task, args, ctx);
            return { outputs: await startDetached(session, task, detachAs, args, ctx) };
          };
          const given = await run();
          const shown = task.kind === "query" ? task.shows : undefined;
          // A configuration is masked by place, never by the words of the request, and does not leave as an output.
          const configuration = shown && readParts(shown, given.outputs, { plugin, registry, session, ctx });
          const answers = byPlace?.outputs(given.outputs) ?? given.outputs;
          const outputs = shown ? [] : plainOutputs(answers, task, mask, ctx.warn);
          if (mask.leftOne()) ctx.warn(ordinarySecret);
          tellHeld(ctx);
          const warned = warnings.list(mask);
          return {
            outputs,
            reused: lease.reused,
            ...(given.checks === undefined ? {} : { checks: given.checks }),
            ...(configuration === undefined ? {} : { configuration }),
            ...comparedBy(prepared, session, task, args),
            ...(warned.length === 0 ? {} : { warnings: warned }),
            ...(session.platform === undefined ? {} : { platform: session.platform }),
          };
        },
      );
    } catch (error) {
      tellHeld(ctx);
      const shows = task.kind === "query" && task.shows !== undefined;
      throw withWarnings(shows || byPlace ? withoutOutput(error) : error, warnings.list(mask));
    }
  }

  function tellHeld(ctx: Context): void {
    const seconds = Math.round((reach.share()?.heldMs() ?? 0) / 1000);
    if (seconds < 1) return;
    ctx.warn(
      `the device was not read for ${seconds} s in all, because the outputs of ${anyCaller} fill the memory for them: the operator sets its size (output_memory_mb)`,
    );
  }

  /** Of a dry run: whether the device compared the lines, or they were only returned. */
  function comparedBy(
    { plugin, connection }: Prepared,
    session: Session,
    task: QueryTask | ConfigureTask,
    args: unknown,
  ): Pick<OutputsValue, "compared"> {
    if (task.kind !== "configure" || !isRecord(args) || args.dry_run !== true) return {};
    const platform = (name: string) =>
      registry.get("platform", name) ?? registry.get("platform", session.platform ?? "");
    return { compared: plugin.compares?.(connection, args, platform) ?? false };
  }

  /** The session is kept, because clients poll. */
  async function detached(
    task: DetachedTask,
    ctx: Context,
    mask: TaskMask,
    abandoned: AbortSignal,
  ): Promise<DetachedValue> {
    const prepared = await prepare(task, ctx, mask);
    const args = await validated(argsOf(prepared.plugin, task), task.args, "driver_args");
    mask.add(args);
    return inSession(prepared, true, ctx, mask, abandoned, ({ session }) =>
      lookDetached(session, task, args, ctx, mask),
    );
  }

  async function probe(
    task: ProbeTask,
    ctx: Context,
    mask: TaskMask,
    abandoned: AbortSignal,
  ): Promise<Record<string, string>> {
    const prepared = await prepare(task, ctx, mask);
    const { target } = prepared;
    const open = async (one: Prepared) => {
      const unlisten = onAbort(abandoned, one.cut);
      try {
        const session = await one.open();
        return { session, unlisten, cut: one.cut };
      } catch (error) {
        unlisten();
        throw error;
      }
    };
    const { session, unlisten, cut } = await afresh(prepared, open);
    try {
      const facts = Object.entries((await session.describe?.(ctx)) ?? { host: target.host });
      return Object.fromEntries(facts.map(([name, fact]) => [name, mask.text(String(fact))]));
    } finally {
      unlisten();
      await sessions.close(session, cut);
    }
  }

  return { operation, detached, probe };
}

/** Nothing live: a secret may begin in one piece and end in the next. */
function shownByPlace(ctx: Context, text: (value: string) => string): Context {
  const { difference } = ctx;
  return {
    ...ctx,
    output() {},
    ...(difference === undefined ? {} : { difference: (value: string) => difference(text(value)) }),
  };
}

function sessionOf(plugin: DriverPlugin, session: Session): Session {
  // Not `instanceof Object`: any object will do, also one from a class of the plugin.
  if (typeof session === "object" && session !== null) return session;
  const message = `The driver ${plugin.name} opened no session: \`open\` must return an object with \`query\` or \`queryAll\`.`;
  throw new ServiceError("DriverError", message, { outcome: "none" });
}

function targetOf(plugin: DriverPlugin, connection: unknown): Target {
  const target = plugin.target(connection);
  const { host, port } = isRecord(target) ? target : {};
  if (typeof host === "string" && host !== "" && typeof port === "number" && Number.isInteger(port))
    return { host, port };
  throw new ServiceError(
    "DriverError",
    `The driver ${plugin.name} does not say which host and port it reaches: \`target\` must return both.`,
    { outcome: "none" },
  );
}

function argsOf(plugin: DriverPlugin, task: QueryTask | ConfigureTask | DetachedTask) {
  const kind = task.kind === "detached" ? task.operation : task.kind;
  if (kind === "query") return plugin.args.query;
  if (plugin.args.configure) return plugin.args.configure;
  throw new ServiceError("Validation", `The driver ${plugin.name} does not support configuration.`);
}

const ordinarySecret =
  "a password of this job is short, a common word or a login name: it is masked only where a password stands, so that it does not spoil the output, and the output has it elsewhere too; a password of eight characters or more that is no word is masked everywhere";

/** Sent in clear to gain privileges, and the first word of lines in many configurations. */
const privilegeWord = "enable";

/** Login names and the like: a password that equals one is masked only where a password stands. */
function showOthers(connection: Record<string, unknown>, mask: TaskMask): void {
  mask.show(privilegeWord);
  for (const [name, value] of Object.entries(connection)) if (/user(?:name)?$/i.test(name)) mask.show(value);
  const values = Object.values(connection);
  for (const [name, value] of Object.entries(connection)) {
    // A value that appears only once may be the secret itself, whatever its field is called.
    const twice = values.filter((other) => other === value).length > 1;
    if (twice && !isSecretName(name)) mask.show(value);
  }
}

function withWarnings(error: unknown, warnings: readonly string[]): unknown {
  if (warnings.length === 0) return error;
  const { kind, message, detail } = toErrorData(error, "DriverError");
  return new ServiceError(kind, message, { ...detail, warnings: [...warnings] });
}

/** Texts that a driver declared secret during a session: masked for each task that uses the session. */
interface SessionSecrets {
  hide(text: string): void;
  /** The task that uses the session from now on. */
  usedBy(mask: TaskMask): void;
}

/** A session that logs in again and again has a new token each time; the oldest no longer work. */
const most = 100;

function createSessionSecrets(): SessionSecrets {
  const texts = new Set<string>();
  let current: TaskMask | undefined;
  return {
    hide(text) {
      texts.add(text);
      const [oldest] = texts;
      if (texts.size > most && oldest !== undefined) texts.delete(oldest);
      current?.add(text, "all");
    },
    usedBy(mask) {
      current = mask;
      mask.add([...texts], "all");
    },
  };
}
