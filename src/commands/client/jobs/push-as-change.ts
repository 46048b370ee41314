/** `patchbay push --as-change`: drafts and plans a change in place of a push. */
import { changeOfPush } from "../../../api/changes/change-of-push.ts";
import { ServiceError } from "../../../base/errors.ts";
import { plural } from "../../../client/output/numbers.ts";
import { exitCodes } from "../../../client/output/outcome.ts";
import { jsonLine } from "../../../client/output/table.ts";
import { type OneChange, oneChange, pathOfChange } from "../../../client/rooms/changes.ts";
import type { Device } from "../../../client/rooms/inventory.ts";
import type { DeviceFlags } from "../../../client/service/submission.ts";
import { follow, show, untilStill } from "../changes/change.ts";
import type { Session } from "../parts/action.ts";
import type { PurposeFlags } from "../parts/devices.ts";
import { chosenDevices, type SelectFlags, splitNamed } from "../parts/selected.ts";
import type { WatchFlags } from "../parts/watch.ts";

export interface AsChangeFlags extends DeviceFlags, SelectFlags, PurposeFlags, WatchFlags {
  readonly wait?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
}

/** With their names on the command line, and why they do not apply. */
const useless = {
  ...{ driver: "--driver", type: "--type", user: "--user", port: "--port", arg: "--arg" },
  ...{ credential: "--credential", askSecret: "--ask-secret", tag: "--tag", priority: "--priority" },
  ...{ retries: "--retries", maxFailures: "--max-failures", order: "--order", dryRun: "--dry-run" },
  ...{ csv: "--csv", outputDir: "--output-dir" },
} as const satisfies Partial<Record<keyof AsChangeFlags, string>>;

/** Before anything is asked or read. @throws ServiceError Validation */
export function requireChangeFlags(flags: AsChangeFlags): void {
  for (const [name, flag] of Object.entries(useless))
    if (Object.entries(flags).some(([given, value]) => given === name && value !== undefined))
      throw new ServiceError(
        "Validation",
        `${flag} cannot be combined with --as-change: devices and logins of a change are those of the inventory, and its limits are in a file (patchbay change draft).`,
      );
}

/** @throws ServiceError Validation: a host is no device of the inventory */
export async function namesForChange(
  devices: readonly Device[] | undefined,
  flags: SelectFlags,
  session: Session,
): Promise<string[]> {
  if (devices === undefined) return (await chosenDevices(flags, session)).map(({ name }) => name);
  const { named, others } = await splitNamed(devices, session);
  const [other] = others;
  if (other !== undefined)
    throw new ServiceError(
      "Validation",
      `${String(other.fields.host ?? "")} is no device of the inventory that your key may reach: a change is for those, by name.`,
    );
  const told = named.find(({ fields }) => Object.keys(fields ?? {}).length > 0);
  if (told !== undefined)
    throw new ServiceError(
      "Validation",
      `${told.name} has ${Object.keys(told.fields ?? {}).join(", ")} beside its name: in a change, devices are as in the inventory.`,
    );
  return named.map(({ name }) => name);
}

/**
 * @param work as in the body of a push
 * @param otherwise its name without --label
 */
export async function draftChange(
  names: readonly string[],
  work: object,
  otherwise: string,
  flags: AsChangeFlags,
  session: Session,
): Promise<number> {
  const devices = names.map((device) => ({ device }));
  const { change, misplaced } = changeOfPush({ ...work, devices }, otherwise);
  if (misplaced.length > 0)
    throw new ServiceError("Validation", `A change has no place for ${misplaced.join(", ")} of a push.`);
  return plannedFrom(change, flags, session);
}

/** Drafts a change, plans it, and says how it goes on. */
export async function plannedFrom(
  body: object,
  flags: Pick<AsChangeFlags, "detach" | "json" | "wait">,
  session: Session,
): Promise<number> {
  const { api, terminal } = session;
  const { id } = await api.call("/change", oneChange, { method: "POST", body });
  await api.call(pathOfChange(id, "/plan"), oneChange, { method: "POST" });
  const change = await untilStill(id, session);
  if (flags.detach === true) await terminal.write(`${id}\n`);
  else if (flags.json === true) await terminal.write(`${jsonLine(change)}\n`);
  else await show(change, {}, session);
  for (const line of wayOn(change)) terminal.note(line);
  if (change.hash === null) return exitCodes.failed;
  return flags.wait === true ? follow(id, 0, session, waiting) : exitCodes.good;
}

/** It waits for persons. */
const waiting: readonly string[] = ["waiting_approval", "approved"];

function wayOn({ id, state, approvals, reason }: OneChange): string[] {
  const start = `patchbay change start ${id} --follow`;
  switch (state) {
    case "waiting_approval":
      return [
        `Nothing was pushed. It needs ${plural(approvals.needed, "vote")}: patchbay change vote ${id} approve`,
        `Then: ${start}`,
      ];
    case "approved":
      return [`Nothing was pushed. It needs no vote: ${start}`];
    default:
      return [
        `It is not planned${reason === null ? "" : `: ${reason}`}.`,
        `Mend it (patchbay change edit ${id} <file>) and plan it, or: patchbay change cancel ${id}`,
      ];
  }
}
