/** Templates from flags and files, and what is rendered for many devices. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../../src/base/errors.ts";
import { groupedByLines, type Rendered, renderedFor } from "../../../src/client/output/rendered.ts";
import { readTemplateWork, requireTemplate } from "../../../src/client/rooms/templates.ts";
import type { Api } from "../../../src/client/service/api.ts";
import { tempFolder } from "../../../src/testkit/service.ts";

const folder = tempFolder();
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("a template of the command line", () => {
  test.each([
    [file("a.j2", "x"), {}, { name: "jinja2", template: "x" }],
    [file("a.cfg", "x"), {}, { name: "jinja2", template: "x" }],
    [file("a.ETA", "x"), {}, { name: "eta", template: "x" }],
    ["file://ntp.eta", {}, { name: "eta", template: "file://ntp.eta" }],
    ["https://git.example/ntp.j2", { strict: true }, { name: "jinja2", strict: true }],
    [file("b.j2", "x"), { engine: "other" }, { name: "other" }],
    [file("c.j2", "x"), { mode: "ansible" }, { args: { ansible: true } }],
    [
      file("d.j2", "x"),
      { mode: "plain", templateArg: ["lstrip_blocks=true"] },
      { args: { lstrip_blocks: true } },
    ],
  ])("%s with %j", (template, flags, rendering) => {
    expect(readTemplateWork(template, flags).rendering).toMatchObject(rendering);
  });

  test("single variables replace those of the file, which keep types and order", () => {
    const vars = file("vars.yaml", "v: 9.0\nnames: {20: x, 10: y}\nid: 1\n");
    const { context } = readTemplateWork(file("e.j2", "x"), { vars, var: ["id=7", "who=ops"] });
    expect(Object.keys(context)).toEqual(["v", "names", "id", "who"]);
    expect(context).toMatchObject({ id: 7, who: "ops" });
  });

  test.each([
    [() => readTemplateWork(file("f.j2", "x"), { mode: "puppet" }), "--mode must be one of plain, ansible"],
    [() => readTemplateWork(file("f.j2", "x"), { var: ["password=x"] }), "--var: password is a secret"],
    [() => readTemplateWork("-", { vars: "-" }), "cannot both come from standard input"],
    [() => readTemplateWork(join(folder, "none.j2"), {}), "cannot be read"],
    [() => requireTemplate(undefined, { vars: "x" }), "need --template"],
  ])("rejects wrong flags: %#", (work, says) => {
    expect(work).toThrow(says);
  });
});

describe("rendering for devices", () => {
  const work = { rendering: { name: "jinja2", template: "x" }, context: {} };

  function apiOf(answer: (device: unknown) => string): { api: Api; asked: unknown[] } {
    const asked: unknown[] = [];
    const page = (_path: string, _schema: unknown, call: { body?: object } = {}) => {
      const device = call.body && "device" in call.body ? call.body.device : undefined;
      asked.push(device);
      return Promise.resolve().then(() => ({ data: answer(device) }));
    };
    return { api: { page } as unknown as Api, asked };
  }

  async function all(api: Api, targets: readonly object[]): Promise<Rendered[]> {
    return Array.fromAsync(
      renderedFor(
        api,
        work,
        targets.map((target) => ({ ...target })),
      ),
    );
  }

  test("keeps the order of the devices, and renders once for all hosts outside of the inventory", async () => {
    const { api, asked } = apiOf((device) => `ntp ${String(device)}\n\n`);
    const names = Array.from({ length: 20 }, (_, n) => ({ device: `r${n}` }));
    const done = await all(api, [{ host: "192.0.2.1" }, ...names, { host: "192.0.2.2" }]);
    expect(done.map(({ text }) => text.trim()).slice(0, 3)).toEqual(["ntp undefined", "ntp r0", "ntp r1"]);
    expect(done.map(({ target }) => target.device ?? target.host).at(-1)).toBe("192.0.2.2");
    expect(asked.filter((device) => device === undefined)).toHaveLength(1);
    const [first] = groupedByLines(done);
    expect(first).toEqual({
      lines: ["ntp undefined"],
      targets: [{ host: "192.0.2.1" }, { host: "192.0.2.2" }],
    });
  });

  test("a device whose values do not fit fails alone; a refused key fails all", async () => {
    const failing = apiOf((device) => {
      if (device === "r2") throw new ServiceError("BadRequest", "line 1: no such filter");
      return device === "r3" ? "\n" : "x";
    });
    const done = await all(failing.api, [{ device: "r1" }, { device: "r2" }, { device: "r3" }]);
    expect(done.map(({ failure }) => failure)).toEqual([
      undefined,
      "line 1: no such filter",
      "The template rendered no lines: there is nothing to push.",
    ]);
    const refused = apiOf(() => {
      throw new ServiceError("Forbidden", "not allowed");
    });
    await expect(all(refused.api, [{ device: "r1" }, { device: "r2" }])).rejects.toThrow("not allowed");
  });
});
