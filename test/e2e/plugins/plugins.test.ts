/** Plugins from a folder, in a service in its own process. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService, tempFolder } from "../../../src/testkit/service.ts";
import { binary } from "../binary.ts";
import { programs } from "../programs.ts";

const engine = `
import { TemplateError, defineTemplateEngine } from "patchbay/plugin";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default defineTemplateEngine({
  name: "shout", does: "render", args: any,
  compile(source) {
    if (source.includes("<<")) throw new TemplateError("TemplateSyntax", "the mark << is not closed", { line: 1 });
    return { run: (context) => source + context };
  },
});
`;

const driver = `
import { PluginError, defineDriver } from "patchbay/plugin";
import { twice } from "helper";
const any = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export default defineDriver({
  name: "acme", connection: any, query: any, strategy: "fifo", target: ({ host }) => ({ host, port: 443 }),
  async open({ connection: { host, password } }) {
    console.log("logging in with", password, { password });
    if (host === "refused.test") throw new PluginError("AuthenticationFailed", "The device refused the token.");
    return { query: async (command) => twice(command) };
  },
});
`;

describe.each(programs)("from %s", (how) => {
  let service: Service;

  beforeAll(async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "shout.ts"), engine);
    mkdirSync(join(folder, "acme/node_modules/helper"), { recursive: true });
    writeFileSync(join(folder, "acme/plugin.ts"), driver);
    writeFileSync(
      join(folder, "acme/node_modules/helper/package.json"),
      '{"name":"helper","main":"index.js"}',
    );
    writeFileSync(
      join(folder, "acme/node_modules/helper/index.js"),
      "exports.twice = (text) => text + text;",
    );
    const program = how === "binary" ? { binary: await binary() } : { runtime: "bun" as const };
    service = await startService({ ...program, env: { PATCHBAY_PLUGINS: folder } });
  });
  afterAll(() => service.stop());

  test("a template error of an external engine is the caller's error, with its line", async () => {
    const answer = await service.call("POST", "/template/render/shout", { template: "a << b", context: {} });
    expect(answer).toMatchObject({
      status: 400,
      body: { data: { template_error: "TemplateSyntax", line: 1 } },
    });
  });

  test("an external driver uses its own packages and raises the contract's error types", async () => {
    const request = (host: string) => ({ driver: "acme", connection_args: { host }, command: "show" });
    expect((await service.run(request("a.test"))).result).toMatchObject({ retval: { show: "showshow" } });
    const noisy = { ...request("a.test"), connection_args: { host: "a.test", password: "canary-console" } };
    await service.run(noisy);
    expect(service.output()).toContain('"text":"logging in with [secret] {');
    expect(service.output()).not.toContain("canary-console");
    expect((await service.run(request("refused.test"))).result).toMatchObject({
      error: { type: "AuthenticationFailed", message: "The device refused the token." },
    });
  });
});
