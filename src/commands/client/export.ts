/** Streams the export of a bulk to a file. */
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ServiceError } from "../../base/errors.ts";
import { shownPieces } from "../../base/text/terminal-text.ts";
import { exitCodes } from "../../client/output/outcome.ts";
import { type OverwriteFlag, requireNew, streamOutput } from "../../client/output/output-files.ts";
import type { Session } from "./action.ts";

const forms = ["csv", "jsonl", "zip"];

/** @throws ServiceError Validation, NotFound, Unavailable; no partial file remains */
export async function exportBulk(
  id: string,
  form: string,
  flags: { readonly output?: string } & OverwriteFlag,
  { api, terminal }: Session,
): Promise<number> {
  const { output: file } = flags;
  if (!forms.includes(form))
    throw new ServiceError("Validation", `--export must be one of ${forms.join(", ")}.`);
  if (file === undefined && form === "zip" && process.stdout.isTTY === true)
    throw new ServiceError(
      "Validation",
      "A zip archive cannot be written to a terminal: use --output <file>.",
    );
  requireNew(file, flags);
  const path = `/bulk/${encodeURIComponent(id)}/export`;
  const { body } = await api.stream(path, { query: { format: form } });
  if (!body) throw new ServiceError("BadRequest", "The export is empty.");
  if (file === undefined) {
    // At a terminal, escapes control characters.
    const read = Readable.from(process.stdout.isTTY === true ? shownPieces(body) : body);
    await pipeline(read, process.stdout, { end: false });
    return exitCodes.good;
  }
  await streamOutput(file, body);
  terminal.note(`${file} is written.`);
  return exitCodes.good;
}
