/**
 * Stored templates that a request names: it gets the version in force, and keeps it. What is submitted later, or again,
 * has the same text.
 */
import * as v from "valibot";
import type { Check, RequestedChecks } from "../../api/jobs/checks.ts";
import { type TemplateUse, templateSource } from "../../api/jobs/template-use.ts";
import { templateLimits, templateRequest } from "../../api/recipes/template.ts";
import { type Issue, refuseAny } from "../../base/issues.ts";
import type { Store } from "../../store/port.ts";

export interface NamedText {
  readonly engine: string;
  readonly template: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** By `template://name/version`. */
export type NamedTexts = ReadonlyMap<string, NamedText>;

export const noNamedTexts: NamedTexts = new Map();

type Maybe<T> = T | null | undefined;
/** Of a body for a template alone, too. */
export interface Use {
  readonly template?: Maybe<string>;
  readonly templates?: Maybe<Record<string, string>>;
  readonly args?: Maybe<Record<string, unknown>>;
}

interface WithChecks {
  readonly checks?: Maybe<RequestedChecks>;
}
interface WithUses extends WithChecks {
  readonly rendering?: Maybe<TemplateUse>;
  readonly parsing?: Maybe<TemplateUse>;
}
export interface UsingRequest extends WithUses {
  readonly options?: Maybe<WithUses>;
}

export type ChangeTemplate = <U extends Use>(use: U, path: string) => U;

/** Changes each use of a template in a request, options included. */
export function withUses<R extends UsingRequest>(request: R, change: ChangeTemplate): R {
  const { options } = request;
  const own = ownUses(request, "", change);
  return options ? { ...own, options: ownUses(options, "options.", change) } : own;
}

function ownUses<R extends WithUses>(request: R, at: string, change: ChangeTemplate): R {
  const { rendering, parsing, checks } = request;
  return {
    ...request,
    ...(rendering ? { rendering: change(rendering, `${at}rendering`) } : {}),
    ...(parsing ? { parsing: change(parsing, `${at}parsing`) } : {}),
    ...(checks ? { checks: ofChecks(checks, `${at}checks`, change) } : {}),
  };
}

function ofChecks(checks: RequestedChecks, at: string, change: ChangeTemplate): RequestedChecks {
  const { before, after } = checks;
  return {
    ...checks,
    ...(before ? { before: withParsers(before, `${at}.before`, change) } : {}),
    ...(after ? { after: withParsers(after, `${at}.after`, change) } : {}),
  };
}

export function withParsers<C extends Pick<Check, "parse">>(
  checks: readonly C[],
  at: string,
  change: ChangeTemplate,
): C[] {
  return checks.map((check, index) =>
    check.parse ? { ...check, parse: change(check.parse, `${at}.${index}.parse`) } : check,
  );
}

/** The texts of a use, in place of the names that it was given. */
export function withTexts<U extends Use>(use: U, texts: NamedTexts): U {
  const named = texts.get(use.template ?? "");
  const { templates } = use;
  if (named === undefined && !templates) return use;
  return {
    ...use,
    ...(named === undefined
      ? {}
      : { template: named.template, args: { ...named.args, ...withoutNulls(use.args) } }),
    ...(templates
      ? {
          templates: Object.fromEntries(
            Object.entries(templates).map(([name, text]) => [name, texts.get(text)?.template ?? text]),
          ),
        }
      : {}),
  };
}

const withoutNulls = (args: Maybe<object>) =>
  Object.fromEntries(Object.entries(args ?? {}).filter(([, value]) => value !== null));

/** `base/3`, of the uses of a request. */
export function namesOf(request: UsingRequest, texts: NamedTexts): string[] {
  if (texts.size === 0) return [];
  const names = new Set<string>();
  withUses(request, (use) => {
    for (const text of textsOf(use)) if (texts.has(text)) names.add(text.slice(prefix.length));
    return use;
  });
  return [...names];
}

const prefix = "template://";
const textsOf = ({ template, templates }: Use) => [
  ...(template ? [template] : []),
  ...Object.values(templates ?? {}),
];

export interface Pinned<T> {
  /** It names versions. */
  readonly request: T;
  readonly texts: NamedTexts;
}

export interface NamedTemplateTools {
  readonly store: Pick<Store, "templates">;
}

/**
 * @param walk changes each use of what is pinned
 * @throws ServiceError Validation: there is no such template, or too many are named
 */
export async function pinned<T>(
  { store }: NamedTemplateTools,
  walk: (change: ChangeTemplate) => T,
): Promise<Pinned<T>> {
  const asked = new Map<string, string>();
  const issues: Issue[] = [];
  const as = walk((use, path) => {
    for (const text of textsOf(use)) {
      const source = templateSource(text);
      if (source.kind !== "stored") continue;
      if (source.name === undefined)
        issues.push({
          path: `${path}.template`.replace(/^\./, ""),
          message: "must be template://name or template://name/version, of a stored template",
        });
      else if (!asked.has(text)) asked.set(text, `${path}.template`.replace(/^\./, ""));
    }
    return use;
  });
  if (asked.size > templateLimits.named)
    issues.push({
      path: [...asked.values()].at(-1) ?? "",
      message: `more than ${templateLimits.named} stored templates are named`,
    });
  refuseAny(issues);
  if (asked.size === 0) return { request: as, texts: noNamedTexts };
  const texts = new Map<string, NamedText>();
  const versions = new Map<string, string>();
  for (const [text, path] of asked) {
    const found = await textOf(store.templates, text);
    if (typeof found === "string") issues.push({ path, message: found });
    else {
      const at = `${prefix}${found.name}/${found.version}`;
      versions.set(text, at);
      texts.set(at, found);
    }
  }
  refuseAny(issues);
  const pin = (text: string) => versions.get(text) ?? text;
  const request = walk((use, path) => {
    const { template, templates } = use;
    const at = template ? versions.get(template) : undefined;
    const engine = at === undefined ? undefined : texts.get(at)?.engine;
    const given = "name" in use ? use.name : undefined;
    if (typeof given === "string" && engine !== undefined && given !== engine)
      issues.push({
        path: `${path}.name`.replace(/^\./, ""),
        message: `is not the engine of ${template}, which is for ${engine}`,
      });
    return {
      ...use,
      ...(template ? { template: pin(template) } : {}),
      ...(templates
        ? {
            templates: Object.fromEntries(Object.entries(templates).map(([name, text]) => [name, pin(text)])),
          }
        : {}),
    };
  });
  refuseAny(issues);
  return { request, texts };
}

/** @returns what is wrong with the name, or the text */
async function textOf(
  templates: NamedTemplateTools["store"]["templates"],
  text: string,
): Promise<string | (NamedText & { readonly name: string; readonly version: number })> {
  const source = templateSource(text);
  if (source.kind !== "stored" || source.name === undefined) return "is no name of a stored template";
  const { name, version } = source;
  const stored = await templates.find(name, version);
  if (stored === undefined)
    return version === undefined
      ? `there is no stored template ${name}`
      : `there is no version ${version} of the template ${name}, or it is kept no more`;
  const read =
    stored.document === undefined
      ? undefined
      : v.safeParse(v.pipe(v.string(), v.parseJson(), templateRequest), stored.document);
  if (!read?.success)
    return `the template ${name} cannot be opened: it is damaged, or the master key is another one. Write it again`;
  const { engine, template, args } = read.output;
  return { name, version: stored.version, engine, template, args: args ?? {} };
}
