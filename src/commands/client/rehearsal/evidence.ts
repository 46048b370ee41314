/** `patchbay evidence`: the record of lines, to share it between sites. */
import type { Command } from "commander";
import { evidenceLimits } from "../../../api/rehearsal/rehearsal.ts";
import { readInput } from "../../../client/input/input.ts";
import { plural } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { jsonLine } from "../../../client/output/table.ts";
import { eachPage } from "../../../client/rooms/history.ts";
import { evidenceAdded, evidenceIn, evidenceRow } from "../../../client/rooms/rehearsal.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clientCommand, openSession, runToExit, withServer } from "../parts/action.ts";

interface ExportFlags extends ServerFlags {
  readonly platform?: string;
}

export function defineEvidence(program: Command): void {
  const group = program
    .command("evidence")
    .description("what devices answered to pushed lines, by the shape of the line, without values");
  const exported = clientCommand(group, "export", "print the record, one JSON object a line").option(
    "--platform <name>",
    "only of this platform",
  );
  withServer(exported).action((flags: ExportFlags) =>
    runToExit(async (surroundings) => {
      const { api, terminal } = openSession(flags, surroundings);
      const { platform } = flags;
      await eachPage(api, "/evidence", evidenceRow, { platform }, evidenceLimits.shapes, (records) =>
        terminal.write(records.map((one) => `${jsonLine(one)}\n`).join("")),
      );
      return exitCodes.good;
    }),
  );
  const imported = clientCommand(
    group,
    "import <file>",
    "add what another site has exported, once; - for standard input. Needs a key of scope admin",
  );
  withServer(imported).action((file: string, flags: ServerFlags) =>
    runToExit(async (surroundings) => {
      const { api, terminal } = openSession(flags, surroundings);
      const evidence = evidenceIn(readInput(file), file);
      for (let from = 0; from < evidence.length; from += evidenceLimits.imported) {
        const body = { evidence: evidence.slice(from, from + evidenceLimits.imported) };
        await api.call("/evidence/import", evidenceAdded, { method: "POST", body });
        terminal.progress(`${from + body.evidence.length} of ${evidence.length}`);
      }
      terminal.progress(undefined);
      terminal.note(`${plural(evidence.length, "shape")} added.`);
      return exitCodes.good;
    }),
  );
}
