/** `patchbay template`: stored templates, which requests name. */
import type { Command } from "commander";
import { readObject } from "../../../client/input/input.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { jsonLine } from "../../../client/output/table.ts";
import {
  type ListedTemplate,
  oneTemplate,
  type TestReport,
  templateList,
  templatePath,
  testReport,
  type Version,
  versionList,
} from "../../../client/rooms/stored-templates.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import type { Program } from "../../../service/program.ts";
import { clockTime } from "../jobs/jobs.ts";
import { clientCommand, runToExit, type Session, withApi, withServer } from "../parts/action.ts";
import { checkFolder, isFolder } from "../parts/document-folder.ts";
import { defineShowAndPut } from "../parts/documents.ts";
import { type Columns, type FormFlags, printList, withForms } from "../parts/lists.ts";
import { defineRemoval } from "../parts/removal.ts";

const columns: Columns<ListedTemplate> = {
  name: ({ name }) => name,
  engine: ({ engine }) => engine,
  title: ({ title }) => title ?? "",
  version: ({ version }) => String(version),
  tests: ({ tests }) => String(tests),
  changed: ({ changed_at }) => clockTime(changed_at),
  by: ({ changed_by }) => changed_by,
};
export const versionColumns: Columns<Version> = {
  version: ({ version }) => String(version),
  changed: ({ changed_at }) => clockTime(changed_at),
  by: ({ changed_by }) => changed_by,
};

export function defineTemplate(parent: Command, program: Program): void {
  const command = parent.command("template").description("stored templates, which requests name");
  withForms(withServer(clientCommand(command, "list", "list stored templates"))).action(
    (flags: ServerFlags & FormFlags) =>
      withApi(flags, async ({ api, terminal }) =>
        printList(await api.call("/template", templateList), columns, flags, terminal),
      ),
  );
  defineShowAndPut({
    ...{ command, what: "a template", ifSound: ", if its tests pass" },
    call: (api, name, options) => api.call(templatePath(name), oneTemplate, options),
  });
  withForms(
    withServer(clientCommand(command, "versions <name>", "list the versions of a template that are kept")),
  ).action((name: string, flags: ServerFlags & FormFlags) =>
    withApi(flags, async ({ api, terminal }) =>
      printList(await api.call(templatePath(name, "version/"), versionList), versionColumns, flags, terminal),
    ),
  );
  defineRemoval(
    clientCommand(command, "remove <name>", "remove a template with its versions, after confirmation"),
    { path: (name) => templatePath(name) },
  );
  withServer(
    clientCommand(
      command,
      "test <name>",
      "run the tests of a template, or of all files of a folder, for which no service is needed; 1 unless all pass",
    ),
  )
    .option("--file <file>", "of this draft, in place of the stored template (YAML, JSON, -)")
    .option("--json", "as JSON")
    .action((name: string, flags: ServerFlags & TestFlags) => {
      if (isFolder(name))
        return runToExit(({ terminal }) =>
          checkFolder({ noun: "template", folder: name, program, terminal }),
        );
      return withApi(flags, async ({ api, terminal }) => {
        const { file, json } = flags;
        const body = file === undefined ? {} : { draft: readObject(file) };
        const report = await api.call(templatePath(name, "test/"), testReport, { method: "POST", body });
        if (json === true) await terminal.write(`${jsonLine(report)}\n`);
        else await print(name, report, terminal);
        return report.passed ? exitCodes.good : exitCodes.failed;
      });
    });
}

interface TestFlags {
  readonly file?: string;
  readonly json?: boolean;
}

async function print(name: string, { tests, warnings }: TestReport, terminal: Session["terminal"]) {
  for (const one of tests)
    await terminal.write(
      `${one.passed ? "ok" : "failed"} ${name}: ${one.name}${one.message === null ? "" : `: ${one.message}`}\n`,
    );
  for (const warning of warnings) terminal.note(`warning: ${warning}`);
  if (tests.length === 0) terminal.note(`${name} has no tests.`);
}
