/** How a push can be undone, known from the platform's data before a device is contacted. */
import type { PlatformPlugin, UndoWay } from "patchbay/plugin";
import type { ConfigureArgs } from "./args.ts";
import type { Connection } from "./connection.ts";

export function undoWay(
  { deviceType }: Pick<Connection, "deviceType">,
  args: ConfigureArgs,
  platform: (name: string) => PlatformPlugin | undefined,
): UndoWay | undefined {
  if (args.dry_run === true || args.commit === false) return undefined;
  const ways = platform(deviceType)?.undo ?? [];
  // A method available on some devices of a platform only is not promised.
  const sure = ways.filter(({ when }) => when === undefined);
  return sure.find((undo) => args.config_mode_command === undefined || !commits(undo))?.way;
}

function commits({ candidate, within, enter }: NonNullable<PlatformPlugin["undo"]>[number]): boolean {
  return (candidate ?? within ?? enter) !== undefined;
}
