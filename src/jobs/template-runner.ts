/** Renders and parses immediately for a caller, in a template process. */

import type { Body } from "../api/body.ts";
import { parseRequest, renderRequest } from "../api/jobs/request.ts";
import { requireScope, shareOf } from "../auth/caller.ts";
import type { Caller } from "../auth/port.ts";
import { taskReach } from "../auth/reach.ts";
import { ServiceError } from "../base/errors.ts";
import { refuse } from "../base/issues.ts";
import { rawMember } from "../base/json/json.ts";
import { suggestion } from "../base/text/near-names.ts";
import { createDeadline, type Deadline, onAbort } from "../base/time/deadline.ts";
import type { TemplateEnginePlugin } from "../plugin/index.ts";
import type { Pool, RunOptions } from "../pool/port.ts";
import { readTemplate } from "../pool/template-source.ts";
import type { Parsed, Rendered } from "./port.ts";
import type { Plugins } from "./request/device/connection.ts";
import { type ReachTools, requireReach, urlHosts } from "./request/device/request-reach.ts";
import { membersFor, type SelectionTools } from "./request/device/selection.ts";
import { type NamedTemplateTools, pinned, type Use, withTexts } from "./request/named-templates.ts";
import { withTemplateMembers } from "./request/template-members.ts";
import {
  engineArgs,
  engineOfSet,
  enginesOf,
  fileNameIssue,
  findEngine,
  noTemplate,
  type TemplateFields,
} from "./request/template-request.ts";
import { unknownTemplateMembers } from "./request/unknown-members.ts";
import { checkShape, checkWith } from "./request/validate.ts";

export interface TemplateRunnerTools extends ReachTools, SelectionTools, NamedTemplateTools {
  readonly pool: Pool;
  /** Called with the CPU time a request used in template processes, also on failure. */
  readonly onTemplateCpu?: (share: string, cpuMs: number) => void;
}

/** Overall time limit, in addition to those of fetching, waiting and computing. */
const totalMs = 720_000;
/** Maximum wait for a free process. */
const waitMs = 30_000;

export function createTemplateRunner(tools: TemplateRunnerTools) {
  const { plugins, pool, onTemplateCpu } = tools;

  async function render(
    body: Body,
    name: string | undefined,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Rendered> {
    requireScope(caller, "operate");
    const asked = checkShape(renderRequest, body.value);
    const { request, engine: ofStored } = await withText(asked);
    const engine = requireEngine(
      engineFor(nameOf(name, request.name), ofStored) ?? defaultEngine(),
      "render",
    );
    const args = await checkedArgs(engine, request);
    requireNoFileName(plugins, request.template);
    await requireSourceReach(request.template, caller);
    const members = request.device ? await membersFor(tools, request.device, caller) : undefined;
    return withDeadline(signal, async (deadline) => {
      const { source, trusted } = await readTemplate(
        pool,
        request.template,
        deadline,
        reachFor(request.template, caller),
      );
      const context = rawMember(body.text, ["context"]);
      const ownContext = context === undefined || context === "null" ? "{}" : context;
      const contextJson = withTemplateMembers(ownContext, members);
      const task = { kind: "render" as const, engine: engine.name, source, trusted, args, contextJson };
      const rendered = await pool.run(task, { deadline, ...limitOf(request.timeout), ...shareFor(caller) });
      return withWarnings(rendered, unknownTemplateMembers(request, renderRequest.entries, plugins));
    });
  }

  async function parse(
    body: Body,
    name: string | undefined,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Parsed> {
    requireScope(caller, "operate");
    const asked = checkShape(parseRequest, body.value);
    const { request, engine: ofStored } = await withText(asked);
    const engineName = engineFor(nameOf(name, request.name), ofStored) ?? engineOfSet(plugins, request);
    const namedEngine = engineName === undefined ? undefined : requireEngine(engineName, "parse");
    const use = { ...request, template: request.template ?? undefined, args: request.args ?? undefined };
    if (namedEngine) requireTemplate(namedEngine, use.template, await checkedArgs(namedEngine, use));
    if (namedEngine?.withoutTemplate && use.template)
      refuse([{ path: "template", message: noTemplate(namedEngine) }]);
    requireNoFileName(plugins, use.template);
    await requireSourceReach(use.template, caller);
    return withDeadline(signal, async (deadline) => {
      const { source, trusted } = await readTemplate(
        pool,
        use.template,
        deadline,
        reachFor(use.template, caller),
      );
      const engine = namedEngine ?? detect(source);
      const args = await checkedArgs(engine, use);
      const task = {
        kind: "parse" as const,
        engine: engine.name,
        source,
        trusted,
        args,
        texts: [request.context],
      };
      const { json, ...warnings } = await pool.run(task, {
        deadline,
        ...limitOf(request.timeout),
        ...shareFor(caller),
      });
      const parsed = { json: json[0] ?? "[]", ...warnings };
      return withWarnings(parsed, unknownTemplateMembers(request, parseRequest.entries, plugins));
    });
  }

  /** With the texts of the stored templates that it names. */
  async function withText<R extends Use>(asked: R): Promise<{ request: R; engine: string | undefined }> {
    const { request, texts } = await pinned(tools, (change) => change(asked, ""));
    const used = withTexts(request, texts);
    return { request: used, engine: texts.get(request.template ?? "")?.engine };
  }

  /** @throws ServiceError Forbidden */
  function requireSourceReach(template: string | undefined, caller: Caller): Promise<void> {
    const urls = urlHosts("template", template);
    return requireReach(tools, caller, { hosts: [], urls, credential: undefined });
  }

  function shareFor(caller: Caller): Pick<RunOptions, "share" | "waitMs" | "onSpent"> {
    const key = shareOf(caller);
    return {
      share: { key, job: false },
      waitMs,
      onSpent: (cpuMs: number) => onTemplateCpu?.(key, cpuMs),
    };
  }

  function requireEngine(name: string, does: "render" | "parse"): TemplateEnginePlugin {
    const engine = findEngine(plugins, name, does);
    if (engine) return engine;
    const hint = suggestion(name, enginesOf(plugins, does));
    throw new ServiceError("NotFound", `There is no engine "${name.slice(0, 64)}" that can ${does}.${hint}`);
  }

  function defaultEngine(): string {
    const engines = plugins.list("template").filter(({ does }) => does === "render");
    return (engines.find((engine) => engine.default === true) ?? engines[0])?.name ?? "";
  }

  async function checkedArgs(engine: TemplateEnginePlugin, use: TemplateFields) {
    const args = engineArgs(engine, use);
    const issues = await checkWith(engine, engine.args, args, "args");
    if (issues.length > 0) refuse(issues);
    return args;
  }

  function detect(source: string): TemplateEnginePlugin {
    const parsers = plugins.list("template").filter(({ does }) => does === "parse");
    const [found] = parsers
      .filter((engine) => engine.detects?.(source) === true)
      .sort((a, b) => (b.precedence ?? 0) - (a.precedence ?? 0));
    if (found) return found;
    const detectors = parsers.flatMap(({ name, looksFor }) =>
      looksFor === undefined ? [] : [`${name} (${looksFor})`],
    );
    throw new ServiceError(
      "BadRequest",
      `The parser could not be detected from the template. Looked for: ${detectors.join(" and ")}.`,
    );
  }

  return { render, parse };
}

/** Without a template, the request must select one from a set. @throws ServiceError Validation */
function requireTemplate(
  { set, withoutTemplate }: TemplateEnginePlugin,
  template: string | undefined,
  args: object,
): void {
  if (template || withoutTemplate || Object.keys(args).length > 0) return;
  const ofSet = set ? `, or \`${set.use}\` with \`${set.args}\`` : "";
  refuse([{ path: "template", message: `is required${ofSet}` }]);
}

function reachFor(template: string | undefined, caller: Caller): readonly string[] {
  const named = urlHosts("template", template).map(({ host }) => host);
  return taskReach(caller.hosts, named);
}

/** @throws ServiceError BadRequest, as for any unusable template */
function requireNoFileName(plugins: Plugins, template: string | undefined): void {
  const issue = fileNameIssue(plugins, template, "template");
  if (issue) throw new ServiceError("BadRequest", `The template ${issue.message}.`);
}

/** @throws ServiceError Validation: the stored template is for another engine */
function engineFor(asked: string | undefined, ofStored: string | undefined): string | undefined {
  if (asked !== undefined && ofStored !== undefined && asked !== ofStored)
    refuse([{ path: "name", message: `is not the engine of the stored template, which is ${ofStored}` }]);
  return asked ?? ofStored;
}

/** Some clients send an empty engine name. */
function nameOf(path: string | undefined, named: string | null | undefined): string | undefined {
  const body = named || undefined;
  if (path !== undefined && body !== undefined && path !== body)
    refuse([{ path: "name", message: "the path and the body name different engines" }]);
  return path ?? body;
}

function withWarnings<T extends { warnings?: string[] }>(answer: T, more: readonly string[]): T {
  return more.length === 0 ? answer : { ...answer, warnings: [...more, ...(answer.warnings ?? [])] };
}

function limitOf(seconds: number | null | undefined): { limitMs?: number } {
  return seconds === undefined || seconds === null ? {} : { limitMs: seconds * 1000 };
}

async function withDeadline<T>(signal: AbortSignal, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const deadline = createDeadline(
    totalMs,
    () =>
      new ServiceError("TemplateTimeout", "The template took too long.", {
        template_error: "TemplateTimeout",
      }),
  );
  const unlisten = onAbort(signal, () =>
    deadline.abort(new ServiceError("Cancelled", "The caller has disconnected.")),
  );
  try {
    return await work(deadline);
  } finally {
    unlisten();
    deadline.dispose();
  }
}
