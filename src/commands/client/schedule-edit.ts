/** `patchbay schedule edit`: changes the fields that flags name, or those that change in an editor. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf, ServiceError } from "../../base/errors.ts";
import { readObject } from "../../client/input/input.ts";
import {
  changesBetween,
  changesByFlags,
  editableText,
  oneSchedule,
  type Schedule,
  type ScheduleFlags,
} from "../../client/service/schedules.ts";
import type { Session } from "./action.ts";

/** @returns the changed schedule; undefined: nothing was changed. @throws ServiceError */
export async function editSchedule(
  path: string,
  flags: ScheduleFlags,
  session: Session,
): Promise<Schedule | undefined> {
  const { api } = session;
  const before = await api.call(path, oneSchedule);
  const send = (body: object) =>
    api.call(path, oneSchedule, {
      method: "PATCH",
      body,
      headers: { "If-Match": `"${before.revision}"` },
    });
  const byFlags = changesByFlags(before, flags);
  if (Object.keys(byFlags).length > 0) return send(byFlags);
  if (!session.terminal.isAttended)
    throw new ServiceError(
      "Validation",
      "Name what to change, such as --cron '0 3 * * *': there is no terminal.",
    );
  return inEditor(before, send, session);
}

/** A refused text stays in its file, so that no work is lost. */
async function inEditor(
  before: Schedule,
  send: (body: object) => Promise<Schedule>,
  { environment }: Session,
): Promise<Schedule | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-edit-"));
  const file = join(folder, "schedule.json");
  const drop = () => rmSync(folder, { recursive: true, force: true });
  writeFileSync(file, editableText(before), { mode: 0o600 });
  try {
    // The variable holds a command line, as for git.
    const command = `${environment.editor ?? "vi"} "$1"`;
    const { status } = spawnSync("/bin/sh", ["-c", command, "sh", file], { stdio: "inherit" });
    if (status !== 0) throw new ServiceError("Cancelled", "The editor failed: nothing was changed.");
    const changes = changesBetween(before, readObject(file));
    const after = Object.keys(changes).length === 0 ? undefined : await send(changes);
    drop();
    return after;
  } catch (error) {
    const kind = error instanceof ServiceError ? error.kind : "Internal";
    throw new ServiceError(kind, `${messageOf(error)} Your text is in ${file}.`);
  }
}
