/** The schema of a new database, for stores of tests: running the migrations takes longer than most of them. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { blankDatabase } from "../../scripts/build/blank-database.ts";
import { runFolderVariable } from "./run-folder.ts";

/** As a start of the compiled program does. Nothing if there is a database, or the directory has had one. */
export async function placeBlank(directory: string): Promise<void> {
  const run = process.env[runFolderVariable];
  const database = join(directory, "patchbay.db");
  const isNew = existsSync(directory) && !existsSync(database) && !existsSync(join(directory, "home.id"));
  if (run === undefined || !isNew) return;
  const image = join(run, "blank.db");
  if (!existsSync(image)) {
    const own = `${image}.${process.pid}`;
    writeFileSync(own, await blankDatabase());
    renameSync(own, image);
  }
  writeFileSync(database, readFileSync(image), { mode: 0o600, flag: "wx" });
}
