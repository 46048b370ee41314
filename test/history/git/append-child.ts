/** Appends versions to a repository, to be killed meanwhile: `<path> <last position>`. */
import process from "node:process";
import { createHistoryRepository } from "../../../src/history/git/repository.ts";
import { versionsAfter } from "./versions.ts";

const [path = "", last = "0"] = process.argv.slice(2);
const { signal } = new AbortController();
process.stdout.write("begun\n");
await createHistoryRepository({ installation: "test", path, signal, checkpointCommits: 100 }).append(
  (position) => versionsAfter(position, Number(last)),
);
process.stdout.write("done\n");
