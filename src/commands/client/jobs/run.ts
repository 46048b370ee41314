/** `patchbay run`: runs commands on devices, and prints results as they arrive. */
import type { Command } from "commander";
import { ServiceError } from "../../../base/errors.ts";
import { anything } from "../../../client/service/answers.ts";
import type { ServerFlags } from "../../../client/service/server.ts";
import type { DeviceFlags } from "../../../client/service/submission.ts";
import {
  clientCommand,
  openSession,
  runToExit,
  type Session,
  type Surroundings,
  withServer,
} from "../parts/action.ts";
import {
  bulksOf,
  devicesOf,
  hostsArgument,
  type PurposeFlags,
  sharedOf,
  withDevices,
  withPurpose,
  withResults,
} from "../parts/devices.ts";
import { requireOne, type SelectFlags, selectedBulk, selectionOf, withSelect } from "../parts/selected.ts";
import { submitBulks } from "../parts/submit.ts";
import { checkResultFlags, type WatchFlags, watchBulks } from "../parts/watch.ts";
import { printGroups, usualGroups } from "./results.ts";

interface RunFlags extends ServerFlags, DeviceFlags, SelectFlags, PurposeFlags, WatchFlags {
  readonly command?: readonly string[];
  readonly parse?: string;
  readonly group?: boolean;
  readonly detach?: boolean;
}

export function defineRun(parent: Command): void {
  const command = clientCommand(parent, "run", "run commands on devices: patchbay run r1,r2 -- show version")
    .argument("[hosts]", `${hostsArgument}; none with --select`)
    .argument("[command...]", "after --: the words of one command")
    .option("-c, --command <text...>", "commands, one after the other")
    .option("--parse <engine>", "parse the outputs: textfsm, ttp or another parser")
    .option("--retries <number>", "how often a query is retried after its worker was lost")
    .option("--group", "at the end, equal outputs as one, in place of each result; see `patchbay results`")
    .option("--detach", "print the id of the bulk and exit");
  withServer(withResults(withPurpose(withSelect(withDevices(command))))).action(
    (hosts: string | undefined, words: string[], flags: RunFlags) =>
      runToExit((surroundings) =>
        flags.select === undefined
          ? run(hosts, words, flags, surroundings)
          : run(undefined, hosts === undefined ? words : [hosts, ...words], flags, surroundings),
      ),
  );
}

async function run(
  hosts: string | undefined,
  words: readonly string[],
  flags: RunFlags,
  surroundings: Surroundings,
): Promise<number> {
  checkResultFlags(flags);
  if (flags.group === true && (flags.detach ?? flags.csv ?? flags.outputDir) !== undefined)
    throw new ServiceError("Validation", "--group cannot be combined with --csv, --output-dir or --detach.");
  requireOne(hosts, flags);
  const commands = [...(words.length > 0 ? [words.join(" ")] : []), ...(flags.command ?? [])];
  if (commands.length === 0)
    throw new ServiceError("Validation", "No command was given: put it after --, or use --command.");
  const devices = hosts === undefined ? undefined : devicesOf(hosts);
  const shared = sharedOf(flags);
  const session = openSession(flags, surroundings);
  // Fails before prompting for a password. Later requests wait for a service that restarts.
  await session.api.call("/health", anything);
  const bulks =
    devices === undefined
      ? [{ ...(await selectedBulk(flags, session)), ...selectionOf(flags) }]
      : await bulksOf(devices, flags, session);
  const parsing = flags.parse === undefined ? {} : { parsing: { name: flags.parse } };
  const bodies = bulks.map((bulk) => ({ ...bulk, ...shared, ...parsing, command: commands }));
  const ids = await submitBulks(bodies, session);
  if (flags.group === true) return watchGrouped(ids, flags, session);
  if (flags.detach !== true) return watchBulks(ids, flags, session, true);
  await session.terminal.write(ids.map((id) => `${id}\n`).join(""));
  return 0;
}

async function watchGrouped(ids: readonly string[], flags: RunFlags, session: Session): Promise<number> {
  const code = await watchBulks(ids, flags, session, false);
  // --limit and --command are those of the run.
  const json = flags.json === true;
  for (const id of ids) await printGroups(id, { ...usualGroups, json }, session);
  return code;
}
