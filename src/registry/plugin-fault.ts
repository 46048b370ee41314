/** Names the plugin in an error that its code threw, wherever the service called it. */
import { messageOf, ServiceError } from "../base/errors.ts";
import type { AnyPlugin, PluginKind } from "../plugin/index.ts";

const kindWords: Record<PluginKind, string> = {
  driver: "driver",
  platform: "platform",
  template: "template engine",
  webhook: "webhook",
  credential: "credential source",
  inventory: "inventory plugin",
};

/** @param member the function or schema of the plugin that failed */
export function pluginFault(
  { kind, name }: Pick<AnyPlugin, "kind" | "name">,
  member: string,
  cause: unknown,
): ServiceError {
  const plugin = `${kindWords[kind]} ${name}`;
  const message = `${beginning(plugin, member)}${messageOf(cause)}`;
  return new ServiceError("DriverError", message, { plugin, member }, { cause });
}

const beginning = (plugin: string, member: string) => `The ${plugin} failed in \`${member}\`: `;

/** The part of such an error's message that names the plugin, and the part that comes from its code. */
export function faultParts({ message, detail }: ServiceError): [ours: string, theirs: string] {
  const ours = beginning(String(detail?.plugin), String(detail?.member));
  return message.startsWith(ours) ? [ours, message.slice(ours.length)] : ["", message];
}

/** Functions that the main thread calls about a request, before there is a job that could report their error. */
const asked: Record<PluginKind, readonly string[]> = {
  driver: [
    "target",
    "hops",
    "repeatable",
    "undo",
    "excludesChecks",
    "discovers",
    "holds",
    "shows",
    "check",
    "detaches",
    "parsing",
  ],
  platform: [],
  template: ["detects"],
  webhook: ["plan"],
  credential: ["identify"],
  inventory: [],
};

/** The same plugin, whose functions throw errors that name it. */
export function namingItself<P extends AnyPlugin>(plugin: P): P {
  if (asked[plugin.kind].length === 0) return plugin;
  // A copy, because a frozen object would not allow other functions in its place.
  return new Proxy(
    { ...plugin },
    {
      get(copy, member) {
        const value: unknown = Reflect.get(copy, member);
        const name = String(member);
        if (typeof value !== "function" || !asked[plugin.kind].includes(name)) return value;
        return (...given: unknown[]): unknown => {
          try {
            return Reflect.apply(value, plugin, given);
          } catch (error) {
            throw pluginFault(plugin, name, error);
          }
        };
      },
    },
  );
}
