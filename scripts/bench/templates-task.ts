/** Renders as a template process does, in this process. */
import { builtins } from "../../plugins/index.ts";
import { silentLog } from "../../src/base/log.ts";
import { createMasking } from "../../src/executor/masking.ts";
import { createTemplateTasks } from "../../src/executor/template/template-tasks.ts";
import { createPluginLoader } from "../../src/registry/loader.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { templateContext } from "../testbed/template-context.ts";

export type Render = (
  source: string,
  contextJson: string,
  args?: Readonly<Record<string, unknown>>,
) => Promise<string>;

export function createRender(templateRoots: string[] = []): Render {
  const registry = createRegistry();
  for (const plugin of builtins) registry.add(plugin, "builtin");
  const tasks = createTemplateTasks({
    settings: { templateRoots, libraryRoot: "" },
    registry,
    loaded: createPluginLoader(),
    log: silentLog,
  });
  const masking = createMasking();
  return async (source, contextJson, args = {}) => {
    const task = { kind: "render", engine: "jinja2", source, trusted: false, args, contextJson } as const;
    return (await tasks.render(task, templateContext, masking.task())).text;
  };
}
