/**
 * Serves tasks on a port: a deadline per task, errors as data. The same code runs in a thread, a child process and a
 * test.
 */
import process from "node:process";
import { inspect } from "node:util";
import { type ErrorData, fromErrorData, ServiceError, toErrorData } from "../base/errors.ts";
import { freezeIntrinsics, guardIntrinsics, type IntrinsicsGuard } from "../base/intrinsics.ts";
import type { Log } from "../base/log.ts";
import { abortReason, createDeadline, type Deadline, onAbort } from "../base/time/deadline.ts";
import type { AnyPlugin, Context } from "../plugin/index.ts";
import type {
  FromWorker,
  Port,
  TaskEvent,
  TaskQuestion,
  ThreadQuestion,
  ToWorker,
  WorkerSettings,
} from "../protocol/message-port.ts";
import { withOriginals } from "../protocol/plugin-module.ts";
import { abandonAfterMs, isOperation, showsOutput, type Task, type TaskResult } from "../protocol/task.ts";
import { discover, forgetModules } from "../registry/discover.ts";
import { reloadable } from "../registry/reloadable.ts";
import { createHandlers, type Handlers } from "./handlers.ts";
import { createMasking } from "./masking.ts";
import type { OnStep } from "./steps.ts";

/** @param output the console of this thread or process, if it is not shared. */
export function serveTasks(
  port: Port<ToWorker, FromWorker>,
  builtins: readonly AnyPlugin[],
  output?: Console,
): void {
  const running = new Map<number, Deadline>();
  /** Operations whose outcome is not stored yet. */
  const unsettled = new Map<number, Task>();
  /** The main thread gave them up before their result. */
  const givenUp = new Set<number>();
  const pendingAsks = new Map<number, { resolve(value: unknown): void; reject(error: ServiceError): void }>();
  let nextAsk = 1;
  let handlers: Promise<Handlers> | undefined;
  let plugins: WorkerSettings["plugins"] = [];
  let exchange: (plugins: WorkerSettings["plugins"]) => Promise<AnyPlugin[]> = async () => [];
  let role: WorkerSettings["role"] = "device";
  /** Undefined without plugins of the operator. */
  let intrinsics: IntrinsicsGuard | undefined;
  const masking = createMasking();
  const log = masking.log(portLog(port));
  if (output) logConsole(output, log);

  port.onMessage((message) => {
    switch (message.type) {
      case "start":
        role = message.settings.role;
        plugins = message.settings.plugins;
        handlers = start(message.settings);
        handlers.catch((error) => port.post({ type: "failed", error: toErrorData(error) }));
        return;
      case "run":
        return void run(message.id, message.task, message.deadlineMs);
      case "settled":
        return settle(message.id);
      case "ping":
        return port.post({ type: "pong" });
      case "abort":
        return running.get(message.id)?.abort(fromErrorData(message.reason));
      case "answer":
        pendingAsks.get(message.ask)?.resolve(message.value);
        return void pendingAsks.delete(message.ask);
      case "refusal":
        pendingAsks.get(message.ask)?.reject(fromErrorData(message.error));
        return void pendingAsks.delete(message.ask);
      case "plugins":
        return void reload(message.plugins);
      case "drain":
        return void handlers?.then((current) => current.evict());
    }
  });

  port.post({ type: "listening" });

  async function start(settings: WorkerSettings): Promise<Handlers> {
    // The main thread already reports rejected plugins; no need to repeat it in each thread.
    const find = (found: WorkerSettings["plugins"]) => {
      // Only where the thread is not shared with other code, as in a test.
      if (output && found.length > 0) freezeIntrinsics();
      if (found.length > 0) intrinsics ??= guardIntrinsics("watched");
      return discover(builtins, found, quietOf(log), settings.pluginSettings);
    };
    const registry = reloadable(await find(settings.plugins));
    exchange = async (found) => {
      forgetModules([...plugins, ...found]);
      plugins = found;
      return registry.replace(await find(found));
    };
    const created = createHandlers({
      settings,
      registry,
      log,
      masking,
      ask: askForThread,
      onSession: (session, opened) => port.post({ type: "session", session, opened }),
    });
    port.post({ type: "ready", ...computed() });
    return created;
  }

  /** Later tasks wait for the reload; running tasks keep the old plugins. */
  function reload(found: WorkerSettings["plugins"]): void {
    const before = handlers;
    if (!before) return;
    handlers = before.then(async (current) => {
      const replaced = await exchange(found);
      // Not awaited: logging out of a device takes time.
      void current
        .forget(replaced)
        .catch((error) => log.warn("sessions.evict_failed", { reason: String(error) }));
      return current;
    });
    handlers.catch((error) => log.error("plugins.reload_failed", { reason: String(error) }));
  }

  function expectAnswer(ask: number): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    pendingAsks.set(ask, answer);
    return answer.promise;
  }

  function askForThread(question: ThreadQuestion): Promise<unknown> {
    const ask = nextAsk++;
    port.post({ type: "askThread", ask, question });
    return expectAnswer(ask);
  }

  function askForTask(id: number, question: TaskQuestion): Promise<unknown> {
    const ask = nextAsk++;
    port.post({ type: "ask", id, ask, question });
    return expectAnswer(ask);
  }

  async function run(id: number, task: Task, deadlineMs: number): Promise<void> {
    const deadline = createDeadline(deadlineMs, () => new ServiceError("JobTimeout", "The task timed out."));
    running.set(id, deadline);
    if (role === "template") port.post({ type: "begun", id });
    let result: TaskResult;
    const abandoned = new AbortController();
    try {
      if (!handlers) throw new ServiceError("Internal", "A task arrived before the settings.");
      const ask = async (question: TaskQuestion) => {
        if (abandoned.signal.aborted) throw abortReason(abandoned.signal);
        return askForTask(id, question);
      };
      const current = await handlers;
      const outcome = current.run(
        task,
        context(deadline, ask, id, task),
        stepOf(id, task),
        ask,
        abandoned.signal,
      );
      result = { ok: true, value: await untilAbandoned(outcome, task, deadline.signal, abandoned) };
    } catch (error) {
      const failure = endOf(error, deadline.signal);
      result = { ok: false, error: { ...failure, message: withOriginals(failure.message, plugins) } };
    }
    running.delete(id);
    deadline.dispose();
    if (isOperation(task)) unsettled.set(id, task);
    if (givenUp.delete(id)) settle(id);
    port.post({ type: "result", id, result: trusted(task, result), ...computed() });
  }

  function settle(id: number): void {
    if (running.has(id)) return void givenUp.add(id);
    const task = unsettled.get(id);
    unsettled.delete(id);
    if (task !== undefined) void handlers?.then((current) => current.settled(task)).catch(() => {});
  }

  /** What could not be frozen may have been changed while this task ran, so that its result is wrong. */
  function trusted(task: Task, result: TaskResult): TaskResult {
    const changed = intrinsics?.restore() ?? [];
    if (changed.length === 0) return result;
    const what = changed.slice(0, 5).join(", ");
    log.error("plugins.changed_language", { changed: what, task: task.kind });
    // The outcome of what was done on a device stays what it is.
    if (!result.ok || (task.kind !== "render" && task.kind !== "parse")) return result;
    const text = `A plugin changed ${what}, which belongs to the language, while this ran: the result is not used, and it was put back.`;
    return { ok: false, error: toErrorData(new ServiceError("DriverError", text)) };
  }

  function report(id: number, event: TaskEvent): void {
    port.post({ type: "event", id, event });
  }

  function stepOf(id: number, task: Task): OnStep | undefined {
    if (!("traced" in task) || task.traced !== true) return undefined;
    return (step) => report(id, { kind: "step", step });
  }

  /** Threads share the CPU time of their process; only a template process can measure that of its tasks. */
  function computed(): { cpuMs?: number } {
    if (role !== "template") return {};
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000 };
  }

  /** A driver that does not end in time after its task was stopped is left behind. */
  function untilAbandoned<T>(
    outcome: Promise<T>,
    task: Task,
    stopped: AbortSignal,
    abandoned: AbortController,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let late: Deadline | undefined;
      const unlisten = onAbort(stopped, (reason) => {
        const driver = "driver" in task ? task.driver : undefined;
        late = createDeadline(abandonAfterMs(task), () => leftBehind(reason, driver));
        onAbort(late.signal, (error) => {
          log.warn("task.abandoned", { kind: task.kind, ...(driver === undefined ? {} : { driver }) });
          abandoned.abort(error);
          reject(error);
        });
      });
      const settle = () => {
        unlisten();
        late?.dispose();
      };
      outcome.finally(settle).then(resolve, reject);
    });
  }

  function context(
    deadline: Deadline,
    ask: (question: TaskQuestion) => Promise<unknown>,
    id: number,
    task: Task,
  ): Context {
    const isShown = showsOutput(task);
    /** Lines on disk, or about to be once the main thread answers. */
    const announced: string[] = [];
    const job = "job" in task ? task.job : undefined;
    return {
      ...(job === undefined
        ? {}
        : { job: { id: job, ended: async (jobs) => idsOf(await ask({ about: "ended", jobs })) } }),
      signal: deadline.signal,
      remaining: deadline.remaining,
      log,
      warn: (message) => log.warn("task.warning", { message }),
      output(text) {
        if (isShown) report(id, { kind: "output", text });
      },
      difference: (text) => report(id, { kind: "difference", text }),
      progress: (done, total) => report(id, { kind: "progress", done, total }),
      announce: async (lines) => {
        const before = new Set(announced);
        const fresh = lines.filter((line) => !before.has(line));
        if (fresh.length === 0) return;
        announced.push(...fresh);
        await ask({ about: "sending", lines: [...announced] });
      },
    };
  }

  const placed = (error: unknown) => withOriginals(withPlace(error), plugins);
  // A plugin may fail late, outside of any task. A rejection leaves the thread intact; a throw does not. Without a
  // handler the runtime would report the throw unmasked.
  process.on("unhandledRejection", (error) => {
    log.error("thread.unhandled", { reason: placed(error) });
  });
  process.on("uncaughtException", (error) => {
    port.post({ type: "broken", reason: masking.text(placed(error)) });
  });
}

const idsOf = (answer: unknown): string[] => (Array.isArray(answer) ? answer.map(String) : []);

/** The error and the first line of its stack, which names the plugin's file. */
function withPlace(error: unknown): string {
  const frame =
    error instanceof Error ? error.stack?.split("\n").find((line) => /^\s+at /.test(line)) : undefined;
  return `${String(error)}${frame === undefined ? "" : ` ${frame.trim()}`}`;
}

/** The reason of the stop, with what the caller should know about the driver. */
function leftBehind({ kind, message, detail }: ServiceError, driver: string | undefined): ServiceError {
  if (driver === undefined) return new ServiceError(kind, message, detail);
  const warning = `The driver ${driver} did not end after the job was stopped: its session was closed, and its cleanup on the device may be incomplete.`;
  const before = Array.isArray(detail?.warnings) ? detail.warnings : [];
  return new ServiceError(kind, message, { ...detail, warnings: [...before, warning] });
}

/** A stopped task fails with the reason of the stop, plus the detail its driver reported. */
function endOf(error: unknown, signal: AbortSignal): ErrorData {
  const failure = toErrorData(error, "DriverError");
  if (!signal.aborted) return failure;
  const reason = toErrorData(abortReason(signal));
  return { ...reason, detail: { ...failure.detail, ...reason.detail } };
}

function portLog(port: Port<ToWorker, FromWorker>): Log {
  const send = (level: "debug" | "info" | "warn" | "error") => (event: string, fields?: object) =>
    // Serialized first, so that a Secret becomes `[secret]` before it is cloned.
    port.post({ type: "log", level, event, fields: fields ? JSON.parse(JSON.stringify(fields)) : {} });
  return { debug: send("debug"), info: send("info"), warn: send("warn"), error: send("error") };
}

function quietOf(log: Log): Log {
  return { ...log, info() {}, error: (event, fields) => log.debug(event, fields) };
}

/** Redirects a plugin's console output to the log: attributed, masked, and without breaking other log lines. */
const levels = { log: "info", info: "info", debug: "debug", warn: "warn", error: "error" } as const;

function logConsole(target: Console, log: Log): void {
  for (const [name, level] of Object.entries(levels)) {
    const write = (...parts: unknown[]) => {
      const text = parts.map((part) => (typeof part === "string" ? part : inspect(part))).join(" ");
      log[level]("plugin.console", { text });
    };
    Object.defineProperty(target, name, { value: write, configurable: true, writable: true });
  }
}
