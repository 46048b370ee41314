/** Test suite for template engines: renders or parses, reports the line of an error, and is stopped at its limits. */
import { strict as assert } from "node:assert";
import type { TemplateEnginePlugin } from "../plugin/template-engine.ts";
import { type Case, casesOf, shown } from "./case.ts";
import type { Service } from "./service.ts";

interface TemplateUse {
  readonly template: string;
  /** An object for `render`, text for `parse`. */
  readonly context: unknown;
  readonly args?: object;
}

export interface EngineSuiteOptions {
  readonly plugin: TemplateEnginePlugin;
  service(): Service;
  readonly right: TemplateUse & { readonly gives: unknown };
  /** A template with an error that compiling finds. */
  readonly wrong: TemplateUse & { readonly line: number };
  /** A template that exceeds the engine's limits. */
  readonly tooMuch?: TemplateUse;
}

export function engineSuite({ plugin, service, right, wrong, tooMuch }: EngineSuiteOptions): Case[] {
  const use = ({ template, context, args }: TemplateUse, more: object = {}) =>
    service().call<Record<string, unknown>>("POST", `/template/${plugin.does}/${plugin.name}`, {
      template,
      context,
      ...(args === undefined ? {} : { args }),
      ...more,
    });
  const works = async () => {
    const answer = await use(right);
    assert.equal(answer.status, 200, shown(answer.body));
    assert.deepEqual(answer.body.data, right.gives);
  };
  return casesOf([
    {
      name: "a template compiles and gives the same result twice",
      async run() {
        await works();
        await works();
      },
    },
    {
      name: "a mistake in a template is reported with its line",
      async run() {
        const answer = await use(wrong);
        assert.equal(answer.status, 400, shown(answer.body));
        assert.equal(answer.body.data.template_error, "TemplateSyntax", shown(answer.body));
        assert.equal(answer.body.data.line, wrong.line, shown(answer.body));
        await works();
      },
    },
    {
      name: "concurrent templates each get their own result",
      run: async () => void (await Promise.all(Array.from({ length: 20 }, works))),
    },
    tooMuch !== undefined && {
      name: "a template that exceeds the limits is stopped and reported, and the next one works",
      async run() {
        const answer = await use(tooMuch, { timeout: 1 });
        assert.equal(answer.status, 400, shown(answer.body));
        assert.match(String(answer.body.data.type), /^Template(Limit|Timeout)$/, shown(answer.body));
        await works();
      },
    },
  ]);
}
