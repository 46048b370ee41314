/** POST /template/render and /template/parse. */
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import type { Jobs, Parsed, Rendered } from "../../../src/jobs/port.ts";
import { createApp, spy } from "../doubles/fixtures.ts";

describe("templates", () => {
  test.each([
    ["/template/render", undefined],
    ["/template/render/jinja2", "jinja2"],
    ["/template/render/with%20blank", "with blank"],
  ])("%s renders with %s", async (path, engine) => {
    const render = spy<Parameters<Jobs["render"]>, Promise<Rendered>>(async () => ({
      text: "line 1\nline 2",
    }));
    const { send } = createApp({ render });
    const body = { name: "jinja2", template: "{{ a }}", context: { a: 1 } };
    const answer = await send(path, { body });
    expect([answer.status, answer.body]).toEqual([
      200,
      { code: 200, message: "success", data: "line 1\nline 2" },
    ]);
    expect(render.calls[0]?.[1]).toBe(engine);
  });

  test("parsed data keeps its key order and number types", async () => {
    const raw = '[{"20":1.0,"10":12345678901234567890,"b":"\\u00fc"}]';
    const parse = spy<Parameters<Jobs["parse"]>, Promise<Parsed>>(async () => ({ json: raw }));
    const { send } = createApp({ parse });
    for (const [path, engine] of [
      ["/template/parse", undefined],
      ["/template/parse/ttp", "ttp"],
    ] as const) {
      const answer = await send(path, { body: { template: "x", context: "y" } });
      expect(answer.text).toBe(`{"code":200,"message":"success","data":${raw}}`);
      expect(parse.calls.at(-1)?.[1]).toBe(engine);
    }
  });

  test("returns warnings beside the data if there are any", async () => {
    const warnings = ['line 2: unknown function "to_in"'];
    const { send } = createApp({
      parse: async () => ({ json: "[]", warnings }),
      render: async () => ({ text: "a", warnings }),
    });
    const parsed = await send("/template/parse", { body: { template: "x", context: "y" } });
    expect(parsed.text).toBe(
      `{"code":200,"message":"success","data":[],"warnings":${JSON.stringify(warnings)}}`,
    );
    const rendered = await send("/template/render", { body: { template: "x" } });
    expect(JSON.parse(rendered.text)).toEqual({ code: 200, message: "success", data: "a", warnings });
  });

  test("answers 404 for an unknown engine and 400 for a template that does not compile", async () => {
    const raise = (kind: "NotFound" | "TemplateError") => async () => {
      throw new ServiceError(kind, "Said why.");
    };
    const body = { template: "{% for %}" };
    const sendTo = (jobs: Partial<Jobs>, path: string) => createApp(jobs).send(path, { body });
    expect((await sendTo({ render: raise("NotFound") }, "/template/render/mako")).status).toBe(404);
    expect((await sendTo({ render: raise("TemplateError") }, "/template/render")).status).toBe(400);
    expect((await sendTo({ parse: raise("TemplateError") }, "/template/parse")).status).toBe(400);
  });
});
