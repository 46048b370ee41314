/** Hostile templates through the service: each gets a response with a reason, and nobody else is affected. */
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signalProcess } from "../../../scripts/testbed/process.ts";
import { adminKey, type Service, startService } from "../../../src/testkit/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { PATCHBAY_TEMPLATE_SECONDS: "1", PATCHBAY_TEMPLATE_PROCESSES: "2" } });
});
afterAll(() => service.stop());

interface Refusal {
  type: string;
}

const render = (template: string, more: object = {}) =>
  service.call<Refusal>("POST", "/template/render/jinja2", { template, context: {}, ...more });
const parse = (engine: string, template: string, context: string) =>
  service.call<Refusal>("POST", `/template/parse/${engine}`, { template, context });

/** Exceeds any time limit but none of the engine's other limits. */
const spinning = "{% set s = 'ab' * 500000 %}{% for a in range(99999) %}{% set b = 'abx' in s %}{% endfor %}";

function killChildrenOf(pid: number | undefined): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").match(/\d+/g) ?? [];
  expect(children.length).toBeGreaterThan(0);
  for (const child of children) signalProcess(Number(child), "SIGKILL");
}

describe("processes", () => {
  test("one killed at its limit fails its own request only; waiting ones are served", async () => {
    const spins = Array.from({ length: 3 }, () => render(spinning, { timeout: 0.3 }));
    const others = Array.from({ length: 8 }, (_, n) => render(`n${n}`));
    for (const answer of await Promise.all(spins)) {
      expect(answer.status).toBe(400);
      expect(answer.body.data.type).toBe("TemplateTimeout");
    }
    expect((await Promise.all(others)).map(({ body }) => body.data)).toEqual(
      Array.from({ length: 8 }, (_, n) => `n${n}`),
    );
  });

  test("work in a process that was killed from outside is retried once", async () => {
    const slow = "{% for a in range(99999) %}{% set b = a // 7 %}{% endfor %}done";
    await Promise.all([render("a"), render("b")]);
    const answers = Array.from({ length: 6 }, () => render(slow, { timeout: 20 }));
    killChildrenOf(service.child.pid);
    expect((await Promise.all(answers)).map(({ body }) => body.data)).toEqual(
      new Array<string>(6).fill("done"),
    );
  });
});

describe("sizes", () => {
  /** The response arrives before the body has been sent. */
  const send = (headers: Record<string, string>, chunks: number) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = httpRequest(`${service.url}/template/render/jinja2`, {
        method: "POST",
        headers: { "X-API-KEY": adminKey, "Content-Type": "application/json", ...headers },
      });
      sent.on("response", (response) => {
        let text = "";
        response.on("data", (chunk) => (text += String(chunk)));
        response.on("end", () => resolve({ status: response.statusCode, text }));
      });
      sent.on("error", reject);
      sent.write('{"template": "{{ a }}", "context": {"a": "');
      // No more than the service reads: unread data would reset the connection.
      for (let n = 0; n < chunks; n++) sent.write("x".repeat(1_048_576));
    });

  test.each([
    ["by its stated length", { "Content-Length": String(100 * 1_048_576) }, 0],
    ["as it comes", { "Transfer-Encoding": "chunked" }, 16],
  ])("rejects a context of 100 MB %s", async (_, headers, chunks) => {
    const { status, text } = await send(headers, chunks);
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({ code: -1, message: "The body is larger than 16777216 bytes." });
  });

  test.each([
    ["{{ 'x' * 10**10 }}", "TemplateLimit"],
    ["{% for i in range(10**9) %}{% endfor %}", "TemplateLimit"],
    ["{{ range(10**9) | list | length }}", "TemplateLimit"],
    ["{{ '%1000000000d' | format(1) }}", "TemplateLimit"],
    ["{{ 'x' | center(10**9) }}", "TemplateLimit"],
    ["{{ 2 ** (10**9) }}", "TemplateLimit"],
    [
      "{% set n = namespace(s='x') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
      "TemplateLimit",
    ],
  ])("rejects %s before the memory is used", async (template, type) => {
    const answer = await render(template);
    expect([answer.status, answer.body.data.type]).toEqual([400, type]);
  });

  test.each(["range(10**9)", "list(range(10**9))", "'x' * 10**10", "[0] * 10**10", "2 ** (10**9)"])(
    "stops a TTP macro that makes %s",
    async (expression) => {
      const template = `<macro>\ndef f(data):\n    return len(str(${expression}))\n</macro>\n<group>\nx {{ a | macro("f") }}\n</group>`;
      const answer = await parse("ttp", template, "x 1\n");
      // As in Python, the text of a range is short.
      if (expression === "range(10**9)") expect(answer.body.data).toEqual([{ a: 20 }]);
      else expect([answer.status, answer.body.data.type]).toEqual([400, "TemplateLimit"]);
    },
  );
});

describe("recursion", () => {
  test.each([
    ["a macro", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", {}],
    ["an include", "{% include 'a' %}", { a: "{% include 'a' %}" }],
    ["an import", "{% import 'a' as a %}", { a: "{% import 'a' as a %}" }],
    ["a parent", "{% extends 'a' %}", { a: "{% extends 'a' %}" }],
    ["blocks", "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}", {}],
    ["parentheses", `{{ ${"(".repeat(50_000)}1${")".repeat(50_000)} }}`, {}],
    ["lists", `{{ ${"[".repeat(50_000)}${"]".repeat(50_000)} }}`, {}],
    ["tags", "{% if 1 %}".repeat(50_000) + "{% endif %}".repeat(50_000), {}],
  ])("stops %s of Jinja2", async (_, template, templates) => {
    const answer = await render(template, { templates });
    expect([answer.status, answer.body.data.type]).toEqual([400, "TemplateLimit"]);
  });

  test.each([
    [
      "a macro",
      "<macro>\ndef f(data):\n    return f(data)\n</macro>\n<group>\nx {{ a | macro('f') }}\n</group>",
    ],
    ["groups", `${"<group>\n".repeat(20_000)}x {{ a }}\n${"</group>\n".repeat(20_000)}`],
    ["a macro's brackets", `<macro>\na = ${"(".repeat(50_000)}1${")".repeat(50_000)}\n</macro>\nx {{ a }}`],
  ])("stops %s of TTP", async (_, template) => {
    const answer = await parse("ttp", template, "x 1\n");
    expect([answer.status, answer.body.data.type]).toEqual([400, "TemplateLimit"]);
  });

  test("stops a TextFSM expression", async () => {
    const template = `Value A (${"(".repeat(5_000)}x${")".repeat(5_000)})\n\nStart\n  ^\${A} -> Record\n`;
    expect((await parse("textfsm", template, "x\n")).status).toBe(400);
  });
});

test.each([
  [
    "entities of entities",
    '<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<group>\nx {{ a }} &b;\n</group>',
  ],
  ["a file", '<!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<group>\nx {{ a }} &a;\n</group>'],
  [
    "a parameter entity",
    '<!DOCTYPE t [<!ENTITY % a SYSTEM "http://127.0.0.1/x"> %a;]>\n<group>\nx {{ a }}\n</group>',
  ],
])("rejects an XML bomb in a TTP template: %s", async (_, template) => {
  const answer = await parse("ttp", template, "x 1\n");
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).not.toMatch(/root:|aaaaaaaaaaaaaaaaaaaa/);
});

describe("expressions with catastrophic backtracking", () => {
  const text = `${"a".repeat(40)}!`;

  test.each([
    ["textfsm", () => parse("textfsm", "Value A ((a+)+)\n\nStart\n  ^${A}$$ -> Record\n", text)],
    [
      "textfsm with a reference",
      () => parse("textfsm", "Value A (x)\n\nStart\n  ^(a*)*\\1b${A}$$ -> Record\n", text),
    ],
    ["ttp", () => parse("ttp", '<group>\nx {{ a | re("(a+)+") }}\n</group>', `x ${text}\n`)],
    [
      "ttp, a check",
      () => parse("ttp", '<group>\nx {{ a | contains_re("(a|aa)+$") }}\n</group>', `x ${text}\n`),
    ],
    [
      "ttp, a macro",
      () =>
        parse(
          "ttp",
          '<macro>\nimport re\ndef f(data):\n    return bool(re.match("(a+)+$", data))\n</macro>\n<group>\nx {{ a | macro("f") }}\n</group>',
          `x ${text}\n`,
        ),
    ],
    ["jinja2", () => render("{{ a | regex_search('(a+)+$') }}", { context: { a: text } })],
    [
      "jinja2, a replacement",
      () => render("{{ a | regex_replace('(a|aa)+$', '') }}", { context: { a: text } }),
    ],
  ])("%s", async (_, ask) => {
    const answer = await ask();
    expect([200, 400]).toContain(answer.status);
    if (answer.status === 400) expect(["TemplateLimit", "TemplateTimeout"]).toContain(answer.body.data.type);
    expect((await render("still {{ 'here' }}")).body.data).toBe("still here");
  });
});
