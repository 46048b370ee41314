/** Renders and parses for a caller at once: which engine, which template, then a template process. */
import { type Caller, demandScope } from "../auth/caller.ts";
import { createDeadline, type Deadline, onAbort } from "../base/deadline.ts";
import { ServiceError } from "../base/errors.ts";
import { rawMember } from "../base/json.ts";
import { parseRequest, renderRequest } from "../model/request.ts";
import type { TemplateEnginePlugin } from "../plugin/index.ts";
import type { Pool } from "../pool/port.ts";
import { readTemplate } from "../queue/template-source.ts";
import type { Plugins } from "./connection.ts";
import { checkShape, checkWith, refuse } from "./issues.ts";
import type { Body, Parsed, Rendered } from "./port.ts";
import { demandReach, type ReachTools, urlHosts } from "./request-reach.ts";
import { suggestion } from "./suggestion.ts";
import {
  engineArgs,
  engineOfSet,
  enginesOf,
  fileNameIssue,
  findEngine,
  type TemplateWords,
} from "./template-request.ts";

export interface TemplateTools extends ReachTools {
  readonly plugins: Plugins;
  readonly pool: Pool;
  /** CPU time that a request of this key took of the template processes, told also when it failed. */
  readonly onTemplateCpu?: (keyId: string, cpuMs: number) => void;
}

/** Fetching, waiting and computing have limits of their own: this one ends what keeps to none of them. */
const totalMs = 720_000;
/** Longest wait for a process: who waited so long comes again. */
const waitMs = 30_000;

export function createTemplates(tools: TemplateTools) {
  const { plugins, pool, onTemplateCpu } = tools;

  async function render(
    body: Body,
    name: string | undefined,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Rendered> {
    demandScope(caller, "operate");
    const request = checkShape(renderRequest, body.value);
    const engine = demandEngine(nameOf(name, request.name) ?? defaultEngine(), "render");
    const args = await checkedArgs(engine, request);
    demandNoFileName(plugins, request.template);
    await demandSource(request.template, caller);
    return timed(signal, async (deadline) => {
      const { source, trusted } = await readTemplate(pool, request.template, deadline, caller.hosts);
      const context = rawMember(body.text, ["context"]);
      const contextJson = context === undefined || context === "null" ? "{}" : context;
      const task = { kind: "render" as const, engine: engine.name, source, trusted, args, contextJson };
      return await pool.run(task, { deadline, ...limitOf(request.timeout), ...shareOf(caller) });
    });
  }

  async function parse(
    body: Body,
    name: string | undefined,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Parsed> {
    demandScope(caller, "operate");
    const request = checkShape(parseRequest, body.value);
    const named = nameOf(name, request.name) ?? engineOfSet(plugins, request);
    const known = named === undefined ? undefined : demandEngine(named, "parse");
    const use = { ...request, template: request.template ?? undefined, args: request.args ?? undefined };
    if (known) await checkedArgs(known, use);
    demandNoFileName(plugins, use.template);
    await demandSource(use.template, caller);
    return timed(signal, async (deadline) => {
      const { source, trusted } = await readTemplate(pool, use.template, deadline, caller.hosts);
      const engine = known ?? detect(source);
      const args = await checkedArgs(engine, use);
      const task = {
        kind: "parse" as const,
        engine: engine.name,
        source,
        trusted,
        args,
        texts: [request.context],
      };
      const { json, ...told } = await pool.run(task, {
        deadline,
        ...limitOf(request.timeout),
        ...shareOf(caller),
      });
      return { json: json[0] ?? "[]", ...told };
    });
  }

  /** @throws ServiceError Forbidden */
  function demandSource(template: string | undefined, caller: Caller): Promise<void> {
    return demandReach(tools, caller, { hosts: [], urls: urlHosts("template", template) });
  }

  function shareOf({ keyId }: Caller) {
    return {
      turn: { key: keyId, job: false },
      waitMs,
      onSpent: (cpuMs: number) => onTemplateCpu?.(keyId, cpuMs),
    };
  }

  function demandEngine(name: string, does: "render" | "parse"): TemplateEnginePlugin {
    const engine = findEngine(plugins, name, does);
    if (engine) return engine;
    const known = suggestion(name, enginesOf(plugins, does));
    throw new ServiceError("NotFound", `There is no engine "${name.slice(0, 64)}" that can ${does}.${known}`);
  }

  function defaultEngine(): string {
    const engines = plugins.list("template").filter(({ does }) => does === "render");
    return (engines.find((engine) => engine.default === true) ?? engines[0])?.name ?? "";
  }

  async function checkedArgs(engine: TemplateEnginePlugin, use: TemplateWords) {
    const args = engineArgs(engine, use);
    const issues = await checkWith(engine.args, args, "args");
    if (issues.length > 0) refuse(issues);
    return args;
  }

  function detect(source: string): TemplateEnginePlugin {
    const parsers = plugins.list("template").filter(({ does }) => does === "parse");
    const [found] = parsers
      .filter((engine) => engine.detects?.(source) === true)
      .sort((a, b) => (b.precedence ?? 0) - (a.precedence ?? 0));
    if (found) return found;
    const looked = parsers.flatMap(({ name, looksFor }) =>
      looksFor === undefined ? [] : [`${name} (${looksFor})`],
    );
    throw new ServiceError(
      "BadRequest",
      `The parser could not be told from the template. Looked for: ${looked.join(" and ")}.`,
    );
  }

  return { render, parse };
}

/** @throws ServiceError BadRequest, as of any template that can not be used */
function demandNoFileName(plugins: Plugins, template: string | undefined): void {
  const issue = fileNameIssue(plugins, template, "template");
  if (issue) throw new ServiceError("BadRequest", `The template ${issue.message}.`);
}

function nameOf(path: string | undefined, body: string | undefined): string | undefined {
  if (path !== undefined && body !== undefined && path !== body)
    refuse([{ path: "name", message: "the path and the body name different engines" }]);
  return path ?? body;
}

function limitOf(seconds: number | undefined): { limitMs?: number } {
  return seconds === undefined ? {} : { limitMs: seconds * 1000 };
}

async function timed<T>(signal: AbortSignal, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const deadline = createDeadline(
    totalMs,
    () =>
      new ServiceError("TemplateTimeout", "The template took too long.", {
        template_error: "TemplateTimeout",
      }),
  );
  const unlisten = onAbort(signal, () =>
    deadline.abort(new ServiceError("Cancelled", "The caller has gone.")),
  );
  try {
    return await work(deadline);
  } finally {
    unlisten();
    deadline.dispose();
  }
}
