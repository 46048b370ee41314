/** `patchbay change rehearse`: what is known of the lines of each device before they are sent. */
import type { Command } from "commander";
import { type Grade, grades } from "../../../api/rehearsal/rehearsal.ts";
import { shown } from "../../../base/text/terminal-text.ts";
import { plural } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { jsonLine } from "../../../client/output/table.ts";
import {
  type ChangeRehearsal,
  type OneChange,
  oneChange,
  pathOfChange,
} from "../../../client/rooms/changes.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import { clientCommand, type Session, withApi, withServer } from "../parts/action.ts";
import { watchBulks } from "../parts/watch.ts";

interface RehearseFlags extends ServerFlags {
  readonly json?: boolean;
  readonly missing?: boolean;
  readonly results?: boolean;
}

/** Grades of lines that are not sent without another look. */
const bad: readonly Grade[] = ["refused", "wrong_mode", "leaves_mode", "asks", "locks_out"];

export function defineRehearse(parent: Command): void {
  withServer(
    clientCommand(
      parent,
      "rehearse <id>",
      "tell what is known of its lines, device by device; nothing is pushed; 1 if some would be refused or lock out",
    ),
  )
    .option("--missing", "only devices that this plan has no rehearsal of yet")
    .option("--results", "print each device with the grade of each line")
    .option("--json", "as JSON")
    .action((id: string, flags: RehearseFlags) => withApi(flags, (session) => rehearse(id, flags, session)));
}

async function rehearse(id: string, flags: RehearseFlags, session: Session): Promise<number> {
  const { api, terminal } = session;
  const body = { missing: flags.missing };
  const begun = await api.call(pathOfChange(id, "/rehearse"), oneChange, { method: "POST", body });
  const bulk = begun.rehearsal?.bulk_id;
  const withResults = flags.results === true && flags.json !== true;
  const code = bulk === undefined ? exitCodes.failed : await watchBulks([bulk], {}, session, withResults);
  const change = await api.call(pathOfChange(id), oneChange);
  if (flags.json === true) await terminal.write(`${jsonLine(change.rehearsal)}\n`);
  else if (change.rehearsal !== null)
    await terminal.write(shown(`${rehearsalText(change.rehearsal).join("\n")}\n`));
  return isGood(change) ? code : exitCodes.failed;
}

function isGood({ rehearsal }: OneChange): boolean {
  return (
    rehearsal !== null &&
    !rehearsal.stale &&
    rehearsal.rehearsed === rehearsal.devices &&
    bad.every((grade) => (rehearsal.grades[grade] ?? 0) === 0)
  );
}

export function rehearsalText({
  stale,
  revision,
  devices,
  rehearsed,
  refusing,
  grades: counts,
}: ChangeRehearsal): string[] {
  if (stale) return [`rehearsal of revision ${revision}: stale, the plan is another one since`];
  return [
    `rehearsal: ${rehearsed} of ${plural(devices, "device")}`,
    ...grades.flatMap((grade) => {
      const count = counts[grade] ?? 0;
      return count === 0 ? [] : [`  ${grade}: ${plural(count, "line")}`];
    }),
    ...(refusing > 0 ? [`  ${plural(refusing, "device")} would probably refuse lines`] : []),
  ];
}
