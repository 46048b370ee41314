/** `patchbay recipe`: stored operations with parameters, and their runs. */
import type { Command } from "commander";
import { asRead } from "../../../base/text/terminal-text.ts";
import { pause } from "../../../base/time/deadline.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine, tableText } from "../../../client/output/table.ts";
import {
  type ListedRecipe,
  type ListedRun,
  oneRecipe,
  oneRun,
  type Run,
  recipeList,
  recipePath,
  runList,
  valuesOfRun,
} from "../../../client/rooms/recipes.ts";
import { versionList } from "../../../client/rooms/stored-templates.ts";
import { text } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import type { Program } from "../../../service/program.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, runToExit, type Session, withApi, withServer } from "../parts/action.ts";
import { checkFolder } from "../parts/document-folder.ts";
import { defineShowAndPut } from "../parts/documents.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { confirmRemoval } from "../parts/removal.ts";
import { defineRecipeHook } from "./recipe-hook.ts";
import { versionColumns } from "./template.ts";

interface OneFlags extends ServerFlags {
  readonly json?: boolean;
}

interface StartFlags extends OneFlags {
  readonly set?: readonly string[];
  readonly values?: string;
  readonly device?: readonly string[];
  readonly select?: string;
  readonly ticket?: string;
  readonly note?: string;
  readonly detach?: boolean;
}

const columns: Columns<ListedRecipe> = {
  name: ({ name }) => name,
  title: ({ title }) => title ?? "",
  version: ({ version }) => String(version),
  steps: ({ steps }) => String(steps),
  changed: ({ changed_at }) => clockTime(changed_at),
  by: ({ changed_by }) => changed_by,
};
const runColumns: Columns<ListedRun> = {
  id: ({ id }) => id,
  state: ({ state }) => state,
  version: ({ version }) => String(version),
  began: ({ created_at }) => clockTime(created_at),
  by: ({ submitted_by }) => submitted_by.name,
  reason: ({ reason }) => reason ?? "",
};
const firstLookMs = 100;
const maxLookMs = 2_000;

export function defineRecipe(parent: Command, program: Program): void {
  const command = parent.command("recipe").description("stored operations that are run with a few values");
  withForms(withServer(clientCommand(command, "list", "list recipes"))).action(
    (flags: ServerFlags & FormFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        printList(await api.call("/recipe", recipeList), columns, flags, terminal),
      ),
  );
  defineShowAndPut({
    ...{ command, what: "a recipe" },
    call: (api, name, options) => api.call(recipePath(name), oneRecipe, options),
  });
  withServer(clientCommand(command, "remove <name>", "remove a recipe with its versions, after confirmation"))
    .option("--yes", "do not ask")
    .action((name: string, flags: ServerFlags & { readonly yes?: boolean }) =>
      withApi(flags, async ({ api, terminal }) => {
        await confirmRemoval(name, flags, terminal);
        await api.call(recipePath(name), text, { method: "DELETE" });
        terminal.note(`${name} is removed.`);
      }),
    );
  clientCommand(
    command,
    "test <folder>",
    "check all recipes of a folder, for which no service is needed; 1 unless all are sound",
  )
    .option("--templates <folder>", "stored templates that they name")
    .action((folder: string, { templates }: { readonly templates?: string }) =>
      runToExit(({ terminal }) => checkFolder({ noun: "recipe", folder, templates, program, terminal })),
    );
  withJson(clientCommand(command, "run <name>", "run a recipe and wait for its end; 1 unless it finished"))
    .option("--set <name=value...>", "values of parameters; entries of a list separated by commas")
    .option("--values <file>", "values of parameters, from YAML or JSON")
    .option("--device <name...>", "inventory devices")
    .option("--select <selector>", "devices by selector")
    .option("--ticket <text>", "ticket number, such as CHG-7")
    .option("--note <text>", "a longer text")
    .option("--detach", "print the id of the run and exit")
    .action((name: string, flags: StartFlags) => withApi(flags, (session) => start(name, flags, session)));
  withForms(
    withServer(clientCommand(command, "versions <name>", "list the versions of a recipe that are kept")),
  ).action((name: string, flags: ServerFlags & FormFlags) =>
    withApi(flags, async ({ api, terminal }) =>
      printList(await api.call(recipePath(name, "/version"), versionList), versionColumns, flags, terminal),
    ),
  );
  withForms(withServer(clientCommand(command, "runs <name>", "list the latest runs of a recipe"))).action(
    (name: string, flags: ServerFlags & FormFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        printList(await api.call(recipePath(name, "/run"), runList), runColumns, flags, terminal),
      ),
  );
  withJson(clientCommand(command, "status <name> <run>", "show a run with its steps")).action(
    (name: string, id: string, flags: OneFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        print(await api.call(runPath(name, id), oneRun), flags, terminal),
      ),
  );
  withJson(
    clientCommand(command, "cancel <name> <run>", "begin no further step; what runs goes to its end"),
  ).action((name: string, id: string, flags: OneFlags) =>
    withApi(flags, async ({ api, terminal }) =>
      print(await api.call(runPath(name, id), oneRun, { method: "DELETE" }), flags, terminal),
    ),
  );
  defineRecipeHook(command);
}

const runPath = (name: string, id: string) => recipePath(name, `/run/${encodeURIComponent(id)}`);

function withJson(command: Command): Command {
  return withServer(command).option("--json", "as JSON");
}

async function start(name: string, flags: StartFlags, { api, terminal }: Session): Promise<number> {
  const recipe = await api.call(recipePath(name), oneRecipe);
  const { device: devices, select, ticket, note } = flags;
  const { version } = recipe;
  const body = { parameters: valuesOfRun(recipe, flags), devices, select, ticket, note, version };
  const begun = await api.call(recipePath(name, "/run"), oneRun, {
    ...{ method: "POST", body, patient: true },
    // A repeat after a lost answer is the same run.
    headers: { "Idempotency-Key": crypto.randomUUID() },
  });
  if (flags.detach === true) {
    await terminal.write(flags.json === true ? `${jsonLine(begun)}\n` : `${begun.id}\n`);
    return exitCodes.good;
  }
  const told = new Set<string>();
  let run = begun;
  for (let lookMs = firstLookMs; ; lookMs = Math.min(maxLookMs, lookMs * 2)) {
    for (const { name: step, state, reason, change } of run.steps) {
      const of = change ? `, change ${change.id} is ${change.state.replaceAll("_", " ")}` : "";
      const word = `${step}: ${state}${of}${reason === null ? "" : ` (${reason})`}`;
      if (state === "waiting" || told.has(word) || flags.json === true) continue;
      told.add(word);
      terminal.note(word);
    }
    if (run.ended_at !== null) break;
    await pause(lookMs);
    run = await api.call(runPath(name, begun.id), oneRun, { patient: true });
  }
  await print(run, flags, terminal);
  return run.state === "finished" ? exitCodes.good : exitCodes.failed;
}

async function print(run: Run, { json }: OneFlags, terminal: Session["terminal"]): Promise<void> {
  if (json === true) return terminal.write(`${jsonLine(run)}\n`);
  await terminal.write(
    factsText([
      ["run", run.id],
      ["recipe", `${run.recipe}, version ${run.version}`],
      ["state", run.state],
      ["reason", run.reason ?? ""],
      ["by", run.submitted_by.name],
      ["ticket", run.ticket ?? ""],
      ["devices", String(run.devices)],
    ]),
  );
  const rows = run.steps.map(({ name, kind, state, bulk_id, change, counts, reason }) => [
    ...[name, kind, state, bulk_id ?? ""],
    change ? `${change.id} ${change.state.replaceAll("_", " ")}` : "",
    counts === null ? "" : `${counts.finished} of ${counts.total}`,
    reason ?? "",
  ]);
  await terminal.write(
    `\n${tableText(["step", "kind", "state", "bulk", "change", "finished", "reason"], rows, terminal.columns)}`,
  );
  for (const { name, text } of run.steps)
    if (text !== null) await terminal.write(asRead(`\n${name}:\n${text}\n`, terminal));
}
