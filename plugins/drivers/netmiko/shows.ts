/** The commands that show a configuration: the platform's own, else those of the style that it follows. */
import type {
  AskedConfiguration,
  ConfigurationPart,
  ConfigurationQuery,
  PlatformPlugin,
} from "patchbay/plugin";
import { filesCommand, type PartCommand, queryOf, showSeconds } from "../shared/configuration-query.ts";

export function shows({
  platform: name,
  parts,
  files,
  find,
}: AskedConfiguration): ConfigurationQuery | undefined {
  const platform = name === null ? undefined : find(name);
  if (platform === undefined) return undefined;
  const shown = parts.flatMap((part) =>
    commandsOf(platform, part, files).map((command): PartCommand => ({ part, command })),
  );
  const asksModules = (files ?? platform.running?.files) === undefined && parts.includes("running");
  return queryOf(shown, { args: { read_timeout: showSeconds }, platform, asksModules });
}

function commandsOf(
  platform: PlatformPlugin,
  part: ConfigurationPart,
  named: readonly string[] | undefined,
): readonly string[] {
  const { running } = platform;
  const files = named ?? running?.files ?? [];
  if (files.length > 0)
    return part === "running" ? [filesCommand(files, named === undefined ? "usual" : "named")] : [];
  if (running === undefined) return part === "running" ? usualCommand(platform) : [];
  if (part === "startup") return running.startup === undefined ? [] : [running.startup];
  if (part === "set") return running.set === undefined ? [] : [running.set];
  return running.otherwise === undefined ? [running.show] : [running.show, running.otherwise];
}

/** Systems with `configure terminal` follow Cisco's, also in how they show what runs. */
function usualCommand({ config, levels }: PlatformPlugin): readonly string[] {
  const enter = config === undefined ? undefined : levels[config]?.enter;
  return enter !== undefined && /^conf(?:ig|igure)?(?: t(?:erm|erminal)?)?$/.test(enter)
    ? ["show running-config"]
    : [];
}
