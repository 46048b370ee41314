/** Maps task kinds to their handlers, with all dependencies. */
import { ServiceError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { urlCredentials } from "../base/net/url.ts";
import { secretsOfJson } from "../base/secrets/mask.ts";
import { secretHeaders } from "../base/secrets/question-secrets.ts";
import { neverAborted } from "../base/time/deadline.ts";
import { driftOf } from "../configtext/intent/work.ts";
import type { AnyPlugin, Context, HttpKit } from "../plugin/index.ts";
import type { NetworkKit } from "../plugin/kit/network.ts";
import type { KeptSession, ThreadQuestion, WorkerSettings } from "../protocol/message-port.ts";
import {
  type DeliverTask,
  isOperation,
  type QuestionTask,
  showsOutput,
  type Task,
  type TaskValues,
} from "../protocol/task.ts";
import { createInventoryFormats } from "../registry/inventory-formats.ts";
import { createPluginLoader, type PluginLoader } from "../registry/loader.ts";
import type { Registry } from "../registry/registry.ts";
import { readTexts } from "./configuration.ts";
import { createExecute } from "./execute.ts";
import { createDriverKit } from "./kit/driver-kit.ts";
import { createFilesKit } from "./kit/files-kit.ts";
import { checkUrl } from "./kit/http-address.ts";
import { createHttpKit } from "./kit/http-kit.ts";
import { createLiveOutput, createLiveProgress } from "./kit/live-output.ts";
import { createTaskReach } from "./kit/task-reach.ts";
import type { Masking, TaskMask } from "./masking.ts";
import { createOutputShares, type OutputShare } from "./output-shares.ts";
import { createSourceFetcher } from "./outside/fetch-source.ts";
import { createRepositoryPusher } from "./outside/push-repository.ts";
import type { AskMain } from "./push/check-run.ts";
import { createSessions } from "./sessions.ts";
import type { OnStep } from "./steps.ts";
import { createTemplateFetcher } from "./template/fetch-template.ts";
import { createTemplateTasks } from "./template/template-tasks.ts";
import { createInventoryReader } from "./text/inventory-text.ts";
import { compareTask, createSearchTask } from "./text/text-tasks.ts";
import { validated } from "./validate.ts";

export interface HandlersOptions {
  readonly settings: WorkerSettings;
  readonly registry: Registry;
  readonly log: Log;
  readonly masking: Masking;
  /** Sends a question to the main thread. */
  ask(question: ThreadQuestion): Promise<unknown>;
  onSession(session: KeptSession, opened: boolean): void;
}

export interface Handlers {
  /**
   * @param ask asks the main thread on behalf of this task.
   * @param abandoned aborts when the task ends without its driver: its sessions are cut off
   */
  run(
    task: Task,
    ctx: Context,
    step?: OnStep,
    ask?: AskMain,
    abandoned?: AbortSignal,
  ): Promise<TaskValues[Task["kind"]]>;
  /** The outcome of the task is no longer kept in memory. */
  settled(task: Task): void;
  /** Logs out of kept sessions. */
  evict(host?: string): Promise<number>;
  /** Logs out of kept sessions of drivers that were replaced. */
  forget(plugins: readonly AnyPlugin[]): Promise<void>;
}

/** Characters of a device's own comparison. */
const maxDifference = 256 * 1024;

export function createHandlers(options: HandlersOptions): Handlers {
  const { settings, registry, log, masking, ask, onSession } = options;
  const loaded = createPluginLoader();
  const sessions = createSessions({ settings, log, onChange: onSession });
  const reach = createTaskReach(settings.urlAllow);
  const policy = { allow: settings.urlAllow, deny: settings.urlDeny };
  const check = checkUrl({ policy, reach: reach.url });
  const http = createHttpKit({ check });
  const files = createFilesKit(settings, reach.rule);
  const network = { log, http, files };
  const { rule, share } = reach;
  const kit = createDriverKit({ settings, registry, files, checkUrl: check, ask, rule, share });
  const shares = createOutputShares(settings.outputBytes ?? Number.POSITIVE_INFINITY);
  const shareOf = new WeakMap<Task, OutputShare>();
  const credentials = { registry, loaded, kit: network, ask };
  const execute = createExecute({ registry, loaded, kit, credentials, sessions, log, reach });
  const deliver = createWebhookDelivery({ registry, loaded, kit: network });
  const source = createTemplateFetcher({ settings, http, check, reach: reach.url });
  const formats = createInventoryFormats({ registry, loaded, log });
  const sources = createSourceFetcher({ settings, check, credentials, formats });
  const { agentSocket } = settings;
  const { hostKeys } = kit;
  const repositories = createRepositoryPusher({ agentSocket, check, credentials, hostKeys });
  const readInventory = createInventoryReader(formats);
  const templates = createTemplateTasks({ settings, registry, loaded, log });
  const search = createSearchTask(settings.keptTextBytes ?? 0);

  async function perform(
    task: Task,
    ctx: Context,
    mask: TaskMask,
    ask: AskMain,
    step: OnStep | undefined,
    abandoned: AbortSignal,
  ): Promise<TaskValues[Task["kind"]]> {
    switch (task.kind) {
      case "query":
      case "configure":
        return execute.operation(task, ctx, mask, ask, step, abandoned);
      case "detached":
        return execute.detached(task, ctx, mask, abandoned);
      case "probe":
        return execute.probe(task, ctx, mask, abandoned);
      case "fetch":
        return { text: await source.read(task.uri, ctx) };
      case "render":
        return templates.render(task, ctx, mask);
      case "parse":
        return templates.parse(task, ctx, mask);
      case "inventory":
        return readInventory(task, mask);
      case "evaluate":
        return templates.evaluate(task);
      case "compare":
        return compareTask(task);
      case "drift":
        return { found: driftOf(task.wanted) };
      case "search":
        return search(task);
      case "source":
        return sources(task, ctx, mask);
      case "readTexts":
        return { parts: readTexts(task, registry) };
      case "repository":
        return repositories(task, ctx, mask);
      case "question":
        return askQuestion(task, http, ctx);
      case "deliver":
        return deliver(task, ctx, mask);
      case "evict":
        return { closed: await sessions.evict(task.host) };
    }
  }

  return {
    /**
     * Whatever a plugin forgets to mask: results, errors, logs and announced lines of a task contain none of its
     * secrets.
     */
    async run(task, ctx, step, ask, abandoned = neverAborted) {
      const mask = masking.task();
      // Stored texts hold no secrets, and a search brings thousands of them; of a comparison no text is answered.
      if (task.kind !== "search" && task.kind !== "drift") mask.add(task);
      if (task.kind === "render") mask.add(secretsOfJson(task.contextJson), "all");
      if ("secrets" in task) mask.add(task.secrets, "all");
      if (task.kind === "question")
        mask.add([...urlCredentials(task.url), ...secretHeaders(task.headers)], "all");
      if (task.kind === "fetch") mask.add(urlCredentials(task.uri), "all");
      if (task.kind === "deliver") mask.add(urlCredentials(String(task.options.url)), "all");
      const whose = "whose" in task ? task.whose : undefined;
      const share = whose === undefined || !isOperation(task) ? undefined : shares.enter(whose);
      if (share) shareOf.set(task, share);
      const isShown = showsOutput(task);
      const live = createLiveOutput(mask, ctx.output, task.kind === "configure");
      const guarded: Context = {
        ...ctx,
        announce: (lines) => ctx.announce(lines.map((line) => mask.text(String(line)))),
        output: (given) => {
          const text = String(given);
          share?.took(text.length);
          if (isShown) live.push(text);
        },
        difference: (text) => ctx.difference?.(mask.text(String(text).slice(0, maxDifference))),
        progress: createLiveProgress(ctx.progress),
      };
      try {
        const work = () => perform(task, guarded, mask, ask ?? nobody, step, abandoned);
        // Rendering and parsing dial nothing.
        if (!("reach" in task)) return await work();
        return await reach.run(task.reach, work, { ask, whose, share });
      } catch (error) {
        throw mask.error(error);
      } finally {
        live.end();
        share?.ended();
      }
    },
    settled: (task) => shareOf.get(task)?.release(),
    evict: (host) => sessions.evict(host),
    async forget(plugins) {
      const drivers = plugins.filter(({ kind }) => kind === "driver");
      await sessions.evictDrivers(new Set(drivers.map(({ name }) => name)));
    },
  };
}

const nobody: AskMain = () =>
  Promise.reject(new ServiceError("Internal", "No one can answer questions of this task."));

interface DeliverOptions {
  readonly registry: Registry;
  readonly loaded: PluginLoader;
  readonly kit: Omit<NetworkKit, "settings">;
}

/** One attempt at delivering a webhook, through its plugin. */
function createWebhookDelivery({ registry, loaded, kit }: DeliverOptions) {
  return async function deliver(
    task: DeliverTask,
    ctx: Context,
    mask: TaskMask,
  ): Promise<TaskValues["deliver"]> {
    const plugin = registry.require("webhook", task.webhook);
    const work = await loaded.get(plugin);
    const options = await validated(plugin.options, task.options, "options.webhook");
    const settings = registry.settings(plugin);
    mask.add([options, settings]);
    const { ok, status, message } = await work({ ...kit, options, settings, payload: task.payload }, ctx);
    return { ok, status, ...(message === undefined ? {} : { message: mask.text(message) }) };
  };
}

/** Asks an HTTP server for a change: one request, without redirects. */
async function askQuestion(
  { url, method, headers, body, timeoutMs, maxBytes }: QuestionTask,
  http: HttpKit,
  ctx: Context,
): Promise<TaskValues["question"]> {
  const request = { method, headers: { "User-Agent": "patchbay", ...headers }, body, timeoutMs, maxBytes };
  const answer = await http.request(url, request, ctx);
  const { status } = answer;
  const json = isJson(answer.body) ? answer.body : JSON.stringify(answer.body);
  return { status, json: `{"status":${status},"body":${json}}` };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
