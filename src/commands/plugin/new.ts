/** `patchbay plugin new`: a plugin that loads and does the least, to be filled in; `plugin types`: the contract's types. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ServiceError } from "../../base/errors.ts";
import { kinds } from "../../registry/manifest.ts";
import types from "./types.txt" with { type: "text" };

type Kind = (typeof kinds)[number];

export function printTypes(): void {
  process.stdout.write(types);
}

/** @throws ServiceError Validation, Conflict: nothing is written over */
export function newPlugin(kind: string, name: string, below: string): void {
  const known = kinds.find((one) => one === kind);
  if (!known)
    throw new ServiceError("Validation", `There is no kind "${kind}": it is one of ${kinds.join(", ")}.`);
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
    throw new ServiceError("Validation", "The name must be lower-case letters, digits, `_` or `-`.");
  const folder = join(below, name);
  if (existsSync(folder)) throw new ServiceError("Conflict", `${folder} is there already.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "plugin.ts"), skeletons[known](name));
  writeFileSync(join(folder, "plugin.d.ts"), types);
  process.stdout.write(
    `${join(folder, "plugin.ts")} is written. Try it with \`patchbay plugin check ${folder}\`.\n`,
  );
}

const skeletons: Record<Kind, (name: string) => string> = {
  driver: (name) => `import { defineDriver, secret, v } from "patchbay/plugin";

export default defineDriver({
  name: "${name}",
  connection: v.object({ host: v.string(), port: v.optional(v.number(), 443), token: secret(v.string()) }),
  query: v.object({}),
  configure: v.object({}),
  strategy: "fifo",
  target: ({ host, port }) => ({ host, port }),
  // True for what may be run again when nobody knows whether it ran.
  repeatable: (operation) => operation === "query",

  async open({ connection, http }, ctx) {
    const { host, port, token } = connection;
    const api = await http.session(
      { base: \`https://\${host}:\${port}\`, headers: { Authorization: \`Bearer \${token.reveal()}\` } },
      ctx,
    );
    return {
      query: (command, args, ctx) => api.getJson(String(command), {}, ctx),
      configure: (lines, args, ctx) => api.patch("/config", lines.join("\\n"), ctx),
      close: () => api.close(),
    };
  },
});
`,
  platform: (name) => `import { definePlatform } from "patchbay/plugin";

export default definePlatform({
  name: "${name}",
  home: "privileged",
  config: "config",
  levels: {
    exec: { prompt: /[\\w.-]{1,63}>\\s?$/, example: "R1>" },
    privileged: {
      prompt: /[\\w.-]{1,63}#\\s?$/,
      example: "R1#",
      from: "exec",
      enter: "enable",
      leave: "disable",
      asks: /password:\\s*$/i,
    },
    config: {
      prompt: /[\\w.-]{1,63}\\(config[^)]*\\)#\\s?$/,
      example: "R1(config)#",
      from: "privileged",
      enter: "configure terminal",
      leave: "end",
    },
  },
  prepare: ["terminal length 0"],
  errors: [/^% (?:Invalid|Incomplete|Ambiguous)/m],
  save: [{ send: "write memory" }],
});
`,
  template: (name) => `import { defineTemplateEngine, TemplateError, v } from "patchbay/plugin";

export default defineTemplateEngine({
  name: "${name}",
  does: "render",
  args: v.object({}),
  compile(source) {
    if (source === "") throw new TemplateError("TemplateSyntax", "The template is empty.", { line: 1 });
    return { run: (contextJson) => source.replace("{context}", () => contextJson) };
  },
});
`,
  webhook: (name) => `import { defineWebhook, secret, v } from "patchbay/plugin";

export default defineWebhook({
  name: "${name}",
  options: v.object({ name: v.literal("${name}"), url: v.string(), token: secret(v.string()) }),
  plan: ({ url }) => ({ receiver: url, retries: 3, intervals: [10, 30, 120], timeout: 5 }),

  async deliver({ options, payload, http }, ctx) {
    const headers = { "Content-Type": "application/json", Authorization: \`Bearer \${options.token.reveal()}\` };
    const { status } = await http.request(options.url, { method: "POST", headers, body: payload }, ctx);
    return { ok: status >= 200 && status <= 299, status };
  },
});
`,
  credential: (name) => `import { defineCredentialSource, PluginError, secret, v } from "patchbay/plugin";

export default defineCredentialSource({
  name: "${name}",
  // [plugins.${name}] of patchbay.toml, or PATCHBAY_PLUGIN_${name.toUpperCase().replaceAll("-", "_")}_URL and …_TOKEN.
  settings: v.object({ url: v.optional(v.string(), "http://127.0.0.1:8200"), token: v.optional(secret(v.string()), "") }),
  reference: v.object({ name: v.literal("${name}"), path: v.string() }),

  async resolve({ reference, settings, http }, ctx) {
    const headers = { "X-Token": settings.token.reveal() };
    const { status, body } = await http.request(\`\${settings.url}/\${reference.path}\`, { headers }, ctx);
    if (status !== 200) throw new PluginError("DriverError", \`\${reference.path} is not there.\`, { outcome: "none" });
    return v.parse(v.record(v.string(), v.string()), JSON.parse(body));
  },
});
`,
};
