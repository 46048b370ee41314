/** `patchbay intent`: what configurations should be. */
import type { Command } from "commander";
import { readObject } from "../../../client/input/input.ts";
import { jsonLine } from "../../../client/output/table.ts";
import { type Intent, intent, intentList } from "../../../client/rooms/intent.ts";
import { anything } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, withApi, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { defineRemoval } from "../parts/removal.ts";

const columns: Columns<Intent> = {
  name: ({ name }) => name,
  select: ({ select }) => select,
  sections: ({ sections }) => sections.map(({ name }) => name).join(", "),
  revision: ({ revision }) => String(revision),
  changed: ({ changed_at }) => clockTime(changed_at),
};
const pathOf = (name: string) => `/intent/${encodeURIComponent(name)}`;

export function defineIntent(parent: Command): void {
  const group = parent.command("intent").description("what the configurations of devices should be");
  withForms(withServer(clientCommand(group, "list", "list intents"))).action(
    (flags: ServerFlags & FormFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        printList(await api.call("/intent", intentList), columns, flags, terminal),
      ),
  );
  withServer(clientCommand(group, "show <name>", "print an intent, as JSON")).action(
    (name: string, flags: ServerFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        terminal.write(`${jsonLine(await api.call(pathOf(name), intent), 2)}\n`),
      ),
  );
  withServer(
    clientCommand(group, "put <name> <file>", "create or replace an intent, from a file (YAML, JSON, -)"),
  ).action((name: string, file: string, flags: ServerFlags) =>
    withApi(flags, async ({ api, terminal }) => {
      const put = await api.call(pathOf(name), intent, { method: "PUT", body: readObject(file) });
      terminal.note(`${put.name} has revision ${put.revision}: its devices are compared now.`);
    }),
  );
  defineRemoval(clientCommand(group, "remove <name>", "remove an intent with its results"), {
    path: pathOf,
    called: (name) => `intent ${name}`,
    answer: anything,
  });
}
