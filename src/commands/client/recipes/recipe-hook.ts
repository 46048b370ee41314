/** `patchbay recipe hook`: addresses where other systems start runs of a recipe. */
import type { Command } from "commander";
import { readObject } from "../../../client/input/input.ts";
import { factsText } from "../../../client/output/progress.ts";
import { type Hook, hookList, newlyWrittenHook, oneHook, recipePath } from "../../../client/rooms/recipes.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, type Session, withApi, withServer } from "../parts/action.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { defineRemoval } from "../parts/removal.ts";

const columns: Columns<Hook> = {
  name: ({ name }) => name,
  sender: ({ provider }) => provider,
  owner: ({ owner }) => owner.name,
  state: ({ owner }) => (owner.in_force ? "active" : "stopped"),
  changed: ({ changed_at }) => clockTime(changed_at),
};

const pathOf = (recipe: string, name?: string) =>
  recipePath(recipe, name === undefined ? "/hook" : `/hook/${encodeURIComponent(name)}`);

export function defineRecipeHook(parent: Command): void {
  const command = parent.command("hook").description("addresses where other systems start runs of a recipe");
  withForms(withServer(clientCommand(command, "list <recipe>", "list hooks of a recipe"))).action(
    (recipe: string, flags: ServerFlags & FormFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        printList(await api.call(pathOf(recipe), hookList), columns, flags, terminal),
      ),
  );
  withServer(
    clientCommand(command, "show <recipe> <name>", "print a hook as it can be written again (JSON)"),
  ).action((recipe: string, name: string, flags: ServerFlags) =>
    withApi(flags, async ({ api, terminal }) => {
      const hook = await api.call(pathOf(recipe, name), oneHook);
      const { recipe: _, name: __, owner, created_at, changed_at, ...document } = hook;
      await terminal.write(`${JSON.stringify(document, undefined, 2)}\n`);
      terminal.note(
        `Of ${owner.name}${owner.in_force ? "" : ", who has no rights any more"}, ${clockTime(changed_at)}.`,
      );
    }),
  );
  withServer(
    clientCommand(
      command,
      "add <recipe> <name> <file>",
      "create a hook (YAML, JSON, -), and print its path and secret, which are shown once",
    ),
  ).action((recipe: string, name: string, file: string, flags: ServerFlags) =>
    withApi(flags, (session) => write(session, "POST", pathOf(recipe), { ...readObject(file), name })),
  );
  withServer(
    clientCommand(
      command,
      "edit <recipe> <name> <file>",
      "replace what a hook does; its runs have your rights from then on",
    ),
  )
    .option("--new-secret", "make another secret, and print it")
    .action(
      (recipe: string, name: string, file: string, flags: ServerFlags & { readonly newSecret?: true }) =>
        withApi(flags, (session) =>
          write(session, "PUT", pathOf(recipe, name), { ...readObject(file), new_secret: flags.newSecret }),
        ),
    );
  defineRemoval(clientCommand(command, "remove <recipe> <name>", "remove a hook, after confirmation"), {
    path: pathOf,
  });
}

async function write(
  { api, terminal }: Session,
  method: "POST" | "PUT",
  at: string,
  body: object,
): Promise<void> {
  const { name, path, secret } = await api.call(at, newlyWrittenHook, { method, body });
  const shown = Object.entries({ path, secret }).flatMap(([fact, value]) =>
    value === undefined ? [] : [[fact, value] as [string, string]],
  );
  if (shown.length > 0) await terminal.write(factsText(shown));
  terminal.note(`The hook ${name} is written.`);
}
