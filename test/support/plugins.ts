/** Plugins backed by a fake pool: two drivers, a platform, a webhook, an engine of each kind. */
import * as v from "valibot";
import { secret } from "../../src/base/secrets/secret.ts";
import type {
  DriverPlugin,
  PlatformPlugin,
  TemplateEnginePlugin,
  WebhookPlugin,
} from "../../src/plugin/index.ts";
import { createRegistry, type Registry } from "../../src/registry/registry.ts";

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"));

/** A driver backed by a fake pool. */
export function plainDriver(name: string, strategy: "pinned" | "fifo"): DriverPlugin {
  return {
    api: 1,
    kind: "driver",
    name,
    connection: v.object({
      host: text,
      device_type: v.optional(text),
      username: v.optional(text),
      password: v.optional(v.pipe(text, v.transform(secret))),
      port: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))),
    }),
    args: {
      query: v.object({ read_timeout: v.optional(v.number()) }),
      configure: v.object({ read_timeout: v.optional(v.number()), save: v.optional(v.boolean()) }),
    },
    strategy,
    target: (given) => ({ host: v.parse(v.looseObject({ host: text }), given).host, port: 22 }),
    ...(strategy === "pinned" ? { commands: "lines" as const } : {}),
    ...(strategy === "pinned" ? { platformField: "device_type" as const } : {}),
    load: async () => ({ default: () => Promise.reject(new Error("not here")) }),
  };
}

const platform: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "cisco_ios",
  levels: { exec: { prompt: /[\w.-]+#$/ } },
  home: "exec",
  errors: [/^%/m],
};

const never = () => Promise.reject(new Error("not here"));
const hookOptions = v.looseObject({
  url: v.pipe(v.string(), v.url()),
  events: v.optional(v.array(v.picklist(["job.finished", "job.failed", "job.cancelled"]))),
  max_retries: v.optional(v.number()),
  retry_intervals: v.optional(v.array(v.number())),
  timeout: v.optional(v.number()),
  include_result: v.optional(v.boolean()),
});
const webhook: WebhookPlugin = {
  api: 1,
  kind: "webhook",
  name: "basic",
  options: hookOptions,
  default: true,
  plan: (options) => {
    const {
      url,
      events,
      max_retries: retries,
      retry_intervals: intervals,
      timeout,
      include_result: includeResult,
    } = v.parse(hookOptions, options);
    return {
      receiver: new URL(url).origin,
      events,
      ...omitUndefined({ retries, intervals, timeout, includeResult }),
    };
  },
  load: never,
};
const engine = (
  name: string,
  does: "render" | "parse",
  more: Partial<TemplateEnginePlugin> = {},
): TemplateEnginePlugin => ({
  api: 1,
  kind: "template",
  name,
  does,
  args: v.looseObject({ trim_blocks: v.optional(v.boolean()) }),
  ...more,
  load: never,
});
const setOf = (use: string, args: string, platform: string) => ({ use, args, platform, install: never });
const engines = [
  engine("jinja2", "render", { default: true, extensions: ["j2"] }),
  engine("textfsm", "parse", {
    detects: (source) => /^Value /m.test(source),
    extensions: ["textfsm"],
    set: setOf("use_ntc_template", "ntc_template_args", "device_type"),
  }),
  engine("ttp", "parse", {
    detects: (source) => /<group|\{\{/.test(source),
    precedence: 1,
    extensions: ["ttp"],
    set: setOf("use_ttp_template", "ttp_template_args", "platform"),
  }),
];

export function plainRegistry(): Registry {
  const registry = createRegistry();
  registry.add(plainDriver("netmiko", "pinned"), "builtin");
  registry.add(plainDriver("paramiko", "fifo"), "builtin");
  registry.add(platform, "builtin");
  registry.add(webhook, "builtin");
  for (const engine of engines) registry.add(engine, "builtin");
  return registry;
}

function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
