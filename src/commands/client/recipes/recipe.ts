/** `patchbay recipe`: stored operations with parameters, and their runs. */
import type { Command } from "commander";
import { dryRunHours } from "../../../api/recipes/recipe.ts";
import { ServiceError } from "../../../base/errors.ts";
import { isRecord } from "../../../base/json/members.ts";
import { suggestion } from "../../../base/text/near-names.ts";
import { asRead } from "../../../base/text/terminal-text.ts";
import { pause } from "../../../base/time/deadline.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { type OverwriteFlag, requireNew, streamOutput } from "../../../client/output/output-files.ts";
import { factsText } from "../../../client/output/progress.ts";
import { jsonLine, tableText } from "../../../client/output/table.ts";
import {
  type ListedRecipe,
  type ListedRun,
  oneRecipe,
  oneRun,
  proposedPath,
  type Run,
  recipeList,
  recipePath,
  runList,
  shippedList,
  valuesOfRun,
} from "../../../client/rooms/recipes.ts";
import { versionList } from "../../../client/rooms/stored-templates.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import type { Program } from "../../../service/program.ts";
import { clockTime } from "../jobs/jobs.ts";
import {
  clientCommand,
  type OneFlags,
  runToExit,
  type Session,
  withApi,
  withJson,
  withServer,
} from "../parts/action.ts";
import { checkFolder } from "../parts/document-folder.ts";
import { defineShowAndPut } from "../parts/documents.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { defineRemoval } from "../parts/removal.ts";
import { defineRecipeHook } from "./recipe-hook.ts";
import { versionColumns } from "./template.ts";

interface StartFlags extends OneFlags {
  readonly set?: readonly string[];
  readonly values?: string;
  readonly device?: readonly string[];
  readonly select?: string;
  readonly ticket?: string;
  readonly note?: string;
  readonly dryRun?: boolean;
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
const proposedColumns: Columns<ListedRun> = {
  id: ({ id }) => id,
  recipe: ({ recipe, dry_run }) => `${recipe}${dry_run ? " (dry run)" : ""}`,
  version: ({ version }) => String(version),
  proposed: ({ created_at }) => clockTime(created_at),
  agent: ({ proposed_by }) => proposed_by ?? "",
  expires: ({ expires_at }) => (expires_at === null ? "" : clockTime(expires_at)),
};
const shippedPath = "/shipped-recipe";
const shippedColumns: Columns<{ readonly name: string; readonly title: string | null }> = {
  name: ({ name }) => name,
  title: ({ title }) => title ?? "",
};

interface InstallFlags {
  readonly as?: string;
  readonly print?: boolean;
}

interface StepFlags extends OneFlags {
  readonly step?: string;
  readonly csv?: boolean;
}

interface DownloadFlags extends ServerFlags, OverwriteFlag {
  readonly output?: string;
}
const firstLookMs = 100;
const maxLookMs = 2_000;

export function defineRecipe(parent: Command, program: Program): void {
  const command = parent.command("recipe").description("stored operations that are run with a few values");
  withForms(withServer(clientCommand(command, "list", "list recipes")))
    .option("--shipped", "those that come with the program")
    .action((flags: ServerFlags & FormFlags & { readonly shipped?: boolean }) =>
      withApi(flags, async ({ api, terminal }) =>
        flags.shipped === true
          ? printList(await api.call(shippedPath, shippedList), shippedColumns, flags, terminal)
          : printList(await api.call("/recipe", recipeList), columns, flags, terminal),
      ),
    );
  withServer(clientCommand(command, "install <name>", "store a recipe that comes with the program"))
    .option("--as <name>", "under another name")
    .option("--print", "print it instead (JSON), to change it first")
    .action((name: string, flags: ServerFlags & InstallFlags) =>
      withApi(flags, (session) => install(name, flags, session)),
    );
  defineShowAndPut({
    ...{ command, what: "a recipe" },
    call: (api, name, options) => api.call(recipePath(name), oneRecipe, options),
  });
  defineRemoval(
    clientCommand(command, "remove <name>", "remove a recipe with its versions, after confirmation"),
    { path: recipePath },
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
    .option("--dry-run", "push nothing: show what it would do, which some recipes want first")
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
  withJson(clientCommand(command, "status <name> <run>", "show a run with its steps"))
    .option("--step <name>", "only what this step has made")
    .option("--csv", "its table as comma-separated values")
    .action((name: string, id: string, flags: StepFlags) =>
      withApi(flags, async ({ api, terminal }) => {
        const run = await api.call(runPath(name, id), oneRun);
        if (flags.step === undefined) await print(run, flags, terminal);
        else await printStep(run, flags.step, flags, terminal);
      }),
    );
  withServer(
    clientCommand(command, "download <name> <run>", "write all outputs of a run into one file, a zip"),
  )
    .option("-o, --output <file>", "default: <name>-<run>.zip")
    .option("--force", "replace the file if it exists")
    .action((name: string, id: string, flags: DownloadFlags) =>
      withApi(flags, (session) => download(name, id, flags, session)),
    );
  withJson(
    clientCommand(command, "cancel <name> <run>", "begin no further step; what runs goes to its end"),
  ).action((name: string, id: string, flags: OneFlags) =>
    withApi(flags, async ({ api, terminal }) =>
      print(await api.call(runPath(name, id), oneRun, { method: "DELETE" }), flags, terminal),
    ),
  );
  withForms(
    withServer(clientCommand(command, "proposals", "list runs that agents propose and you may accept")),
  ).action((flags: ServerFlags & FormFlags) =>
    withApi(flags, async ({ api, terminal }) =>
      printList(await api.call(proposedPath, runList), proposedColumns, flags, terminal),
    ),
  );
  withJson(
    clientCommand(command, "accept <name> <run>", "begin a run that an agent proposes, as yours"),
  ).action((name: string, id: string, flags: OneFlags) =>
    withApi(flags, async ({ api, terminal }) =>
      print(
        await api.call(`${runPath(name, id)}/accept`, oneRun, { method: "POST", patient: true }),
        flags,
        terminal,
      ),
    ),
  );
  withJson(clientCommand(command, "refuse <name> <run>", "refuse a run that an agent proposes"))
    .option("--note <text>", "why, for the agent")
    .action((name: string, id: string, { note, ...flags }: OneFlags & { readonly note?: string }) =>
      withApi(flags, async ({ api, terminal }) => {
        const asked = { method: "POST", body: { note } } as const;
        await print(await api.call(`${runPath(name, id)}/refuse`, oneRun, asked), flags, terminal);
      }),
    );
  defineRecipeHook(command);
}

const runPath = (name: string, id: string) => recipePath(name, `/run/${encodeURIComponent(id)}`);

async function start(name: string, flags: StartFlags, { api, terminal }: Session): Promise<number> {
  const recipe = await api.call(recipePath(name), oneRecipe);
  const { device: devices, select, ticket, note } = flags;
  const { version } = recipe;
  const { dryRun: dry_run } = flags;
  const body = { parameters: valuesOfRun(recipe, flags), devices, select, ticket, note, version, dry_run };
  if (recipe.policy?.dry_run_first === true && dry_run !== true)
    terminal.note(`It wants a dry run of yours first, within ${dryRunHours} hours: --dry-run.`);
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

async function install(name: string, flags: InstallFlags, { api, terminal }: Session): Promise<void> {
  const shipped = await api.call(shippedPath, shippedList);
  const found = shipped.find((one) => one.name === name);
  if (found === undefined)
    throw new ServiceError(
      "NotFound",
      `No recipe ${name} comes with the program.${suggestion(
        name,
        shipped.map((one) => one.name),
      )}`,
    );
  if (flags.print === true) return terminal.write(`${JSON.stringify(found.recipe, undefined, 2)}\n`);
  const as = flags.as ?? name;
  const headers = { "If-None-Match": "*" };
  const { version } = await api.call(recipePath(as), oneRecipe, {
    method: "PUT",
    body: found.recipe,
    headers,
  });
  terminal.note(`${as} has the version ${version} now.`);
}

async function download(
  name: string,
  id: string,
  flags: DownloadFlags,
  { api, terminal }: Session,
): Promise<void> {
  const run = await api.call(runPath(name, id), oneRun);
  const file = flags.output ?? `${run.recipe}-${run.id.slice(0, 8)}.zip`;
  requireNew(file, flags);
  const { body } = await api.stream("/job/export", { query: { tag: `run:${run.id}`, format: "zip" } });
  if (!body) throw new ServiceError("BadRequest", "The export is empty.");
  await streamOutput(file, body);
  terminal.note(`${file} is written.`);
}

/** Rows of a table: a list of objects. */
function rowsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((row) => isRecord(row)) : [];
}
const cellOf = (value: unknown) =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

async function printStep(
  { steps }: Run,
  name: string,
  { json, csv }: StepFlags,
  terminal: Session["terminal"],
): Promise<void> {
  const step = steps.find((one) => one.name === name);
  if (step === undefined)
    throw new ServiceError(
      "NotFound",
      `The run has no step ${name}.${suggestion(
        name,
        steps.map((one) => one.name),
      )}`,
    );
  if (step.text !== null) return terminal.write(asRead(`${step.text}\n`, terminal));
  const rows = rowsOf(step.value);
  if (json === true || (rows.length === 0 && csv !== true))
    return terminal.write(`${JSON.stringify(step.value ?? null, undefined, 2)}\n`);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = Object.fromEntries(
    names.map((column) => [column, (row: Record<string, unknown>) => cellOf(row[column])]),
  );
  await printList(rows, columns, { csv: csv === true }, terminal);
}

async function print(run: Run, { json }: OneFlags, terminal: Session["terminal"]): Promise<void> {
  if (json === true) return terminal.write(`${jsonLine(run)}\n`);
  await terminal.write(
    factsText([
      ["run", run.id],
      ["recipe", `${run.recipe}, version ${run.version}`],
      ["state", `${run.state}${run.dry_run ? " (dry run)" : ""}`],
      ["reason", run.reason ?? ""],
      ["by", run.submitted_by.name],
      ["proposed by", run.proposed_by ?? ""],
      ["says", run.proposal === null ? "" : asRead(run.proposal.reason, terminal)],
      ["values", run.proposal === null ? "" : JSON.stringify(run.parameters)],
      ["names", run.proposal?.devices.join(" ") ?? ""],
      ["expires", run.expires_at === null ? "" : clockTime(run.expires_at)],
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
  for (const { name, text, kind, value } of run.steps) {
    if (text !== null) await terminal.write(asRead(`\n${name}:\n${text}\n`, terminal));
    if (kind !== "value" || value === null || value === undefined) continue;
    await terminal.write(`\n${name}:\n`);
    await printStep(run, name, {}, terminal);
  }
}
