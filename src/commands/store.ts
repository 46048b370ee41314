/** `patchbay store`: moves the store to another database. */
import type { Command } from "commander";
import { ServiceError } from "../base/errors.ts";
import { thousands } from "../base/text/thousands.ts";
import type { Config } from "../config/config.ts";
import { loadMove, type MoveProgress } from "../service/load.ts";
import { configOf, withSettings } from "./options.ts";
import { print, printTable } from "./output.ts";

interface MoveFlags {
  readonly fromTokenFile?: string;
  readonly toTokenFile?: string;
  readonly abandon?: boolean;
}

export function defineStore(parent: Command): void {
  const store = parent.command("store").description("the database of the store");
  const command = store
    .command("move <from> <to>")
    .description(
      "move everything stored to an empty database, with all nodes stopped; interrupted, the same command goes on. A place is `file`, the file in the data directory, or the URL of a libSQL or PostgreSQL server",
    )
    .option("--from-token-file <file>", "token or password of the server that is moved from")
    .option("--to-token-file <file>", "the same of the server that is moved to")
    .option("--abandon", "end an interrupted move: the place that was moved from is in use again");
  withSettings(command, ["data_dir"]).action((from: string, to: string, flags: MoveFlags, command: Command) =>
    move(configOf(command), from, to, flags),
  );
}

const rowsEach = 50_000;

async function move(config: Config, from: string, to: string, flags: MoveFlags): Promise<void> {
  const { abandonBetween, filePlace, moveBetween } = await loadMove(config.values.data_dir);
  for (const place of [from, to])
    if (place !== filePlace && !place.includes("://"))
      throw new ServiceError(
        "Validation",
        `A place is "${filePlace}" or a URL, not ${JSON.stringify(place)}.`,
      );
  const { fromTokenFile, toTokenFile, abandon } = flags;
  if (abandon === true) {
    await abandonBetween(config, { from, fromTokenFile });
    print("The move was abandoned: services can be started on the former place. Empty the other one.");
    return;
  }
  const { sums, replaced } = await moveBetween(config, { from, to, fromTokenFile, toTokenFile }, shower());
  if (sums.length > 0)
    printTable(
      ["table", "rows", "sha256, the same on both sides"],
      sums.map(({ table, rows, sha256 }) => [table, String(rows), sha256]),
    );
  if (replaced > 0)
    print(`${replaced} texts had a NUL character, which PostgreSQL cannot store: each became U+FFFD.`);
  print(
    to === filePlace
      ? "Moved. Start the service without PATCHBAY_DATABASE_URL; the former place is not started on any more."
      : "Moved. Start the nodes with PATCHBAY_DATABASE_URL of the new place; the former one is not started on any more.",
  );
}

/** A line for each table, and on the way through a large one. */
function shower(): MoveProgress {
  const shown = new Map<string, number>();
  return (table, on, rows, isEnd) => {
    const key = `${on} ${table}`;
    if (rows === 0 || (!isEnd && rows - (shown.get(key) ?? 0) < rowsEach)) return;
    shown.set(key, rows);
    print(`${table}: ${thousands(rows)} rows ${on}`);
  };
}
